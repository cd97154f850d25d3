# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`lower` and `explain`: what a function's operations become, without running them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from .array import Array
from .array.core import wrap
from .ir.value import Value
from .runtime.statistics import statistics

_AT_ONCE = "run by the backend at once, and not compiled"


class Lowered:
    """The IR of a function's operations in every phase.

    Attributes:
        at_once: operations that the backend ran while the function was called, as results whose
            shape depends on values and scans; no IR has them. Each text begins with a comment
            that names them, if there are any.
        uncompiled: says why there is the phase "fusion" alone, of a device whose memory is not the
            host's; empty for others.
    """

    def __init__(self, texts: dict[str, str], at_once: Sequence[str] = (), uncompiled: str = ""):
        self.at_once = list(at_once)
        self.uncompiled = uncompiled
        head = f"// {uncompiled}\n" if uncompiled else ""
        head += f"// {_AT_ONCE}: {', '.join(self.at_once)}\n" if self.at_once else ""
        self._texts = {phase: head + text for phase, text in texts.items()}

    @property
    def stages(self) -> list[str]:
        """The names that `as_text` takes, in order."""
        return list(self._texts)

    def as_text(self, stage: str = "fusion") -> str:
        """The IR after a phase.

        Raises:
            ValueError: no such phase; the message lists those there are.
        """
        try:
            return self._texts[stage]
        except KeyError:
            there = f"there are {', '.join(self._texts)}"
            if self.uncompiled:
                there = f"there is fusion alone: {self.uncompiled}"
            raise ValueError(f"no phase {stage!r}; {there}") from None


class KernelFacts(NamedTuple):
    """One kernel: its operations, and the bytes it reads and writes at the traced sizes."""

    name: str
    kind: str
    ops: tuple[str, ...]
    bytes_read: int
    bytes_written: int


class Refusal(NamedTuple):
    """Two neighbours that stayed apart, and why."""

    producer: str
    consumer: str
    reason: str


class Explanation:
    """What runs: kernels, calls of the backend, and why there are not fewer.

    Attributes:
        at_once: operations that the backend ran while the function was called, in no block.
    """

    def __init__(
        self,
        kernels: list[KernelFacts],
        backend: list[str],
        refusals: list[Refusal],
        at_once: Sequence[str] = (),
    ):
        self.at_once = list(at_once)
        self.kernels = kernels
        self.backend = backend
        self.refusals = refusals

    def __str__(self) -> str:
        lines = []
        for k in self.kernels:
            lines.append(
                f"{k.name} ({k.kind}): {', '.join(k.ops)}; "
                f"reads {k.bytes_read:,} B, writes {k.bytes_written:,} B"
            )
        lines += [f"backend: {name}" for name in self.backend]
        lines += [f"{_AT_ONCE}: {', '.join(self.at_once)}"] if self.at_once else []
        lines += [f"not merged: {r.producer} -> {r.consumer}: {r.reason}" for r in self.refusals]
        return "\n".join(lines) or "nothing to run"

    __repr__ = __str__


def _values(result: Any) -> list[Value]:
    """The values of the arrays in a structure of lists, tuples and dicts, in order."""
    found: list[Value] = []
    pending = [result]
    while pending:
        item = pending.pop()
        if isinstance(item, Array):
            found.append(item._v)
        elif isinstance(item, dict):
            pending += reversed(item.values())
        elif isinstance(item, (list, tuple)):
            pending += reversed(item)
    return found


def _fresh(item: Any) -> Any:
    """The same structure with new cells for its arrays, so that `x += 1` leaves the caller's."""
    if isinstance(item, Array):
        return wrap(item._v)
    if type(item) in (list, tuple):
        return type(item)(map(_fresh, item))
    if type(item) is dict:
        return {key: _fresh(value) for key, value in item.items()}
    return item


@contextmanager
def _run_at_once() -> Iterator[list[str]]:
    """Gives a list that gets the operations which the backend runs meanwhile, each once."""
    names: list[str] = []
    statistics.watching += 1
    first = len(statistics.unfused)
    try:
        yield names
        names += dict.fromkeys(statistics.unfused[first:])
    finally:
        statistics.watching -= 1
        if not statistics.watching:
            statistics.unfused.clear()
            statistics.on_host.clear()


def _traced(
    f: Callable[..., Any], args: tuple, kwargs: dict, use: Callable[[Any, list[str]], Any]
) -> Any:
    from .compile.context import context
    from .compile.driver import Compilation
    from .stream import locks
    from .stream.trace import drop, trace

    with locks.lock:
        with _run_at_once() as names:
            block, alive = trace(f, _fresh(args), _fresh(kwargs), _values)
        try:
            mlir_context = context()
            from mlir import ir

            def compiled() -> Any:
                with mlir_context, ir.Location.unknown():
                    return use(Compilation(block, keep=True), names)

            # A flush by a destructor would number values that this block has numbered.
            return locks.run_ordered(compiled)
        finally:
            del alive
            drop(block)


def lower(f: Callable[..., Any], *args: Any, **kwargs: Any) -> Lowered:
    """The IR that calling `f(*args, **kwargs)` would compile, in every phase.

    Args:
        f: a function of arrays that reads none of its results. Arrays among the arguments are
            passed as new cells; one that `f` captures must not be changed in place.

    Returns:
        A `Lowered`; `as_text("merged")` and so on give the IR as text. Of a decorated backend whose
        memory is not the host's there is `as_text("fusion")` alone: nothing is compiled for it.

    Raises:
        RuntimeError: `f` reads what it computes, or computes nothing.

    Example:
        >>> import pyfusion as pf
        >>> text = pf.lower(lambda x: x * 2 + 1, pf.ones(4)).as_text("merged")
        >>> text.count("fusion.fused")
        1
    """

    def use(compilation: Any, names: list[str]) -> Lowered:
        device = compilation.device
        if not device.target:
            compilation.emit()
            why = f"the memory of {device} is not the host's: its backend runs each operation"
            return Lowered(compilation.texts, names, why)
        compilation.to_outlined()
        if "fusion.kernel" in compilation.texts["outlined"]:
            compilation.to_llvm()
        return Lowered(compilation.texts, names)

    return _traced(f, args, kwargs, use)


def explain(f: Callable[..., Any], *args: Any, **kwargs: Any) -> Explanation:
    """Which kernels calling `f(*args, **kwargs)` would launch, and why not fewer.

    Bytes are those of the distinct operands and results at the sizes given. Where a decorated
    backend's memory is not the host's there are no kernels: it runs each operation.

    Raises:
        RuntimeError: `f` reads what it computes, or computes nothing.
    """

    def use(compilation: Any, names: list[str]) -> Explanation:
        from .compile.facts import facts

        if not compilation.device.target:
            return Explanation([], [v.record[0].name for v in compilation.block.queue], [], names)
        compilation.to_outlined()
        kernels, backend = facts(compilation.module, compilation.block)
        refusals = [Refusal(r.producer, r.consumer, r.reason) for r in compilation.refusals]
        return Explanation([KernelFacts(*k) for k in kernels], backend, refusals, names)

    return _traced(f, args, kwargs, use)
