# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Watching operations as they are recorded and blocks as they are run.

    class Count(pf.observer.FusionObserver):
        recorded = 0

        def registered(self, operation):
            self.recorded += 1

    with pf.observer.install(Count()) as guard:
        ...
    print(guard.observer.recorded)

Observers are called in the order in which they were installed. What one of them raises is a
warning, given once, and the program goes on. It may record arrays of its own, of which no observer
is told, and read them in `registered`; but not while a block is run, in `block_starts` and
`block_ran`, where a read raises.
"""

from __future__ import annotations

import threading
import traceback
import warnings
import weakref
from collections.abc import Callable
from typing import Any, NamedTuple

from .errors import level_of_the_user, message
from .fusers import OperationIr, TensorIr, UnfusedOp
from .ir.value import Value, site_text
from .stream import stream as streams
from .stream import watching
from .stream.explorer import operations
from .stream.on_backend import OnBackend

__all__ = ["BlockOperations", "BlockPart", "FusionObserver", "FusionObservation", "install"]


class BlockPart(NamedTuple):
    """A part of a block, in the order in which they run.

    Attributes:
        runs: "kernel": compiled code. "backend": the inner backend. "fused": the executable of a
            fuser that does not say more. "skipped": not at all, as an operand of the block has
            failed; what does not depend on it follows as a block of its own.
        name: of the kernel, the backend's operation or the fuser.
        ops: names of the operations; views that a kernel reads through are not among them.
    """

    runs: str
    name: str
    ops: tuple[str, ...]


class BlockOperations(NamedTuple):
    """A block that is about to be run.

    Attributes:
        device: where, as "cpu".
        operations: in program order. The id of a tensor is its number in the block, or that of one
            of the operands from outside: -1, -2, ...
        results: ids of the tensors that something outside the block refers to.
        parts: how it runs; empty if nothing does, as for views alone.
    """

    device: str
    operations: tuple[OperationIr, ...]
    results: tuple[int, ...]
    parts: tuple[BlockPart, ...]


class FusionObserver:
    """Base class of observers, whose methods do nothing. Any object with one of them will do."""

    def registered(self, operation: OperationIr) -> None:
        """An operation was recorded, on the thread that recorded it, and nothing was run yet.

        The id of a tensor is a number that it alone has while it exists.
        """

    def block_starts(self, block: BlockOperations) -> None:
        """A block is about to be run, by the thread that needs its results. The engine's lock is
        held: no other thread runs a block."""

    def block_ran(self, block: BlockOperations, error: BaseException | None) -> None:
        """It was run. `error` is the first failure in it, None if there was none: the tensors that
        it spoiled raise it when they are read."""


_METHODS = ("registered", "block_starts", "block_ran")


class _Local(threading.local):
    busy = False  # an observer is being called on this thread
    stream: Any = None  # where it records


_local = _Local()
_own: weakref.WeakSet[streams.Program] = weakref.WeakSet()  # of observers, on every device


class FusionObservation:
    """An installed observer. `remove()`, or the end of the `with` block, takes it out, and no other
    one.

    Attributes:
        observer: what was installed.
    """

    def __init__(self, observer: Any):
        self.observer = observer
        self._watcher = _Watcher(observer)
        watching.add(self._watcher)

    def remove(self) -> None:
        """Ends it; a second time does nothing."""
        watching.remove(self._watcher)

    def __enter__(self) -> FusionObservation:
        return self

    def __exit__(self, *about: object) -> None:
        self.remove()


def install(observer: Any) -> FusionObservation:
    """Has an observer called from now on, after those that are there, by operations of all threads.

    Args:
        observer: an object with some of the methods of `FusionObserver`. It may be installed
            several times, and is called for each.

    Returns:
        The guard that takes it out again; a context manager. An observer that nobody takes out
        stays to the end of the process.

    Raises:
        TypeError: the object has none of the methods, or what is called so is no method.
    """
    found = {name: getattr(observer, name, None) for name in _METHODS}
    there = {name: method for name, method in found.items() if method is not None}
    if isinstance(observer, type) or not there:
        raise TypeError(
            f"an observer is an object with {', '.join(_METHODS)}, not {_shown(observer)}"
        )
    for name, method in there.items():
        if not callable(method):
            raise TypeError(f"{name} of the observer {_shown(observer)} is no method")
    return FusionObservation(observer)


class _Watcher(watching.Watcher):
    """Tells an observer."""

    def __init__(self, observer: Any):
        self.observer = observer
        self.warned = False
        self.blocks: list[tuple[Any, BlockOperations]] = []  # told of, and not over

    def recorded(self, v: Value) -> None:
        told = getattr(self.observer, "registered", None)
        if told is not None and not _local.busy and not v.stream.sealed:
            self.call(told, _described(v))

    def starts(self, block: Any, plan: Any) -> None:
        if block.queue[0].stream.program in _own or _local.busy:
            return
        if plan is not None and plan.optimization is None:  # each part is a block of its own
            return
        about = _about(block, plan)
        self.blocks.append((block, about))
        told = getattr(self.observer, "block_starts", None)
        if told is not None:
            self.call(told, about)

    def ran(self, block: Any, error: BaseException | None) -> None:
        if not self.blocks or self.blocks[-1][0] is not block:
            return
        _, about = self.blocks.pop()
        told = getattr(self.observer, "block_ran", None)
        if told is not None:
            self.call(told, about, error)

    def call(self, method: Callable[..., None], *given: Any) -> None:
        """Calls a method, which records on a stream that nobody is told of."""
        if _local.stream is None:
            _local.stream = streams.new()
            _own.add(_local.stream.program)
        _local.busy = True
        try:
            with streams.replaced(_local.stream):
                method(*given)
        except Exception as error:
            self.warn(error)
        finally:
            _local.busy = False

    def warn(self, error: Exception) -> None:
        if self.warned:
            return
        self.warned = True
        frames = traceback.extract_tb(error.__traceback__)
        where = f"{frames[-1].filename}:{frames[-1].lineno}" if frames else "?"
        with warnings.catch_warnings():
            warnings.simplefilter("default")  # an error would be raised into the program
            warnings.warn(
                f"the observer {_shown(self.observer)} raised {type(error).__name__}: "
                f"{message(error)} (at {where}); it is told on, without more warnings",
                RuntimeWarning,
                stacklevel=level_of_the_user(),
            )


def _shown(observer: Any) -> str:
    """Its repr, which must not end the program that it watches."""
    try:
        return f"{observer!r:.100}"
    except Exception as error:
        return f"<{type(observer).__name__}, whose __repr__ raised {type(error).__name__}>"


def _described(v: Value) -> OperationIr:
    op, args, attrs, dyn, site = v.record
    inputs = tuple([TensorIr(id(a), a.shape, a.dtype) if isinstance(a, Value) else a for a in args])
    return OperationIr(op, inputs, TensorIr(id(v), v.shape, v.dtype), attrs, dyn, site_text(site))


def _about(block: Any, plan: Any) -> BlockOperations:
    ops = tuple(operations(block))
    return BlockOperations(
        block.device.name, ops, tuple(block.survivors), tuple(_parts(block, plan, ops))
    )


def _parts(block: Any, plan: Any, ops: tuple[OperationIr, ...]) -> list[BlockPart]:
    names = tuple([one.op.name for one in ops])
    if block.failed:
        return [BlockPart("skipped", "", names)]
    optimization = None if plan is None else plan.optimization
    if optimization is None or type(optimization) in (UnfusedOp, OnBackend):
        return [BlockPart("backend", name, (name,)) for name in names]
    parts = getattr(optimization, "parts", None)
    if parts is None:
        return [BlockPart("fused", optimization.name, names)]
    return [BlockPart(*part) for part in parts()]
