# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`memory_checks`: arrays, and memory, that a piece of a program should have let go of."""

from __future__ import annotations

import gc
import itertools
import os
import sys
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, NamedTuple

from ..array import Array
from ..array.core import on_wrap
from ..custom import IrOp
from ..ir.value import Value, bytes_of, device_of, site_text
from ..runtime import devices
from ..runtime.steps import ConstantStep
from ..stream import locks, watching
from ..stream.stream import all_streams

_PACKAGE = __name__.partition(".")[0]


class Leak(NamedTuple):
    """An array that is still alive, or memory of a value that no array has any more.

    Attributes:
        site: "file:line" that made it; None where that is not known.
        thread: name of the thread that did.
        state: "queued", "in memory" or "failed" of an array; "in memory, but of no array".
        nbytes: of its elements.
    """

    site: str | None
    thread: str
    device: str
    dtype: str
    shape: tuple[int, ...]
    nbytes: int
    state: str

    def __str__(self) -> str:
        return (
            f"{self.dtype}{list(self.shape)}, {self.nbytes:,} bytes, {self.state}, made at "
            f"{self.site or 'an unknown place'} by {self.thread}"
        )


class MemoryCheck:
    """What `memory_checks` gives.

    Attributes:
        leaks: what was found when the block ended, by device and then in no order.
    """

    def __init__(self, device: str | None, this_thread: bool):
        self.leaks: list[Leak] = []
        self._device = device
        self._thread = threading.get_ident() if this_thread else None
        self._kept: list[weakref.ref[Array]] = []
        self._kept_values: set[int] = set()  # by id, as a reference would make them look needed
        self._began = next(_serials)
        alive = gc.get_objects()
        self._before = {id(x): weakref.ref(x) for x in _arrays(alive)}
        self._values_before = {id(v) for v in alive if type(v) is Value}

    def keep(self, *arrays: Any) -> None:
        """Excludes arrays that are to outlive the block, in tuples, lists and dicts too, and values
        of a client's."""
        for given in arrays:
            if isinstance(given, Array):
                self._kept.append(weakref.ref(given))
            elif isinstance(given, Value):
                self._kept_values.add(id(given))
            elif isinstance(given, (list, tuple)):
                self.keep(*given)
            elif isinstance(given, dict):
                self.keep(*given.values())
            else:
                raise TypeError(f"keep takes arrays, not {type(given).__name__}")

    def _find(self) -> None:
        gc.collect()
        kept = {id(x) for x in [r() for r in self._kept] if x is not None}
        with locks.lock:  # no other thread runs a block
            alive = gc.get_objects()
            for x in _arrays(alive):
                before = self._before.get(id(x))
                if id(x) in kept or (before is not None and before() is x):
                    continue
                v = x._v
                state = "queued" if v.stream is not None else "failed" if v.error else "in memory"
                self._add(v, state)
            for v in _of_no_array(alive):
                made = _places.made.get(id(v), _UNKNOWN)
                old = id(v) in self._values_before and made.serial < self._began
                if not old and id(v) not in self._kept_values:
                    self._add(v, _OF_NO_ARRAY)
        self.leaks.sort(key=lambda leak: leak.device)

    def _add(self, v: Value, state: str) -> None:
        made = _places.made.get(id(v), _UNKNOWN)
        device = device_of(v).name
        if self._device in (None, device) and self._thread in (None, made.ident):
            about = (device, v.dtype.name, v.shape, bytes_of(v.shape, v.dtype), state)
            self.leaks.append(Leak(site_text(made.site), made.thread, *about))

    def _text(self) -> str:
        values = sum(leak.state == _OF_NO_ARRAY for leak in self.leaks)
        lines = []
        for count, one, more in (
            (len(self.leaks) - values, "1 array", "arrays"),
            (values, "1 value of no array", "values of no array"),
        ):
            if count == 1:
                lines.append(f"{one} that was made inside is still alive")
            elif count:
                lines.append(f"{count} {more} that were made inside are still alive")
        for device in dict.fromkeys(leak.device for leak in self.leaks):
            there = [leak for leak in self.leaks if leak.device == device]
            lines.append(f"{device}: {sum(leak.nbytes for leak in there):,} bytes")
            lines += [f"  {leak}" for leak in there]
        return "\n".join(lines)


@contextmanager
def memory_checks(device: str | None = None, *, this_thread: bool = False) -> Iterator[MemoryCheck]:
    """Checks that arrays made inside of the `with` block, and their memory, do not outlive it.

    An array counts as long as a Python object refers to it, its memory being there already or
    still to come. So do values in memory that nothing has which is to keep them: no array, no
    operation that waits, no plan. A client's values are such unless they are kept. A NumPy array of
    the elements is not an array here, though it keeps the memory. If the block raises, nothing is
    checked.

    Args:
        device: "cuda:0": only arrays on that device; all by default.
        this_thread: only arrays that the calling thread made.

    Several checks may be open, in several threads too: each one looks at the arrays that were made
    since it began.

    Raises:
        AssertionError: at the end of the block, with what is left and the lines that made it.
        DeviceError: there is no such device.

    Example:
        >>> import pyfusion as pf
        >>> with pf.testing.memory_checks() as check:
        ...     y = pf.ones(4) * 2
        ...     total = float(y.sum())
        ...     check.keep(y)
    """
    name = None if device is None else devices.find(device).name
    _places.begin()
    try:
        check = MemoryCheck(name, this_thread)
        yield check
        check._find()
    finally:
        _places.end()
    if check.leaks:
        raise AssertionError(check._text())


def _arrays(alive: list[Any]) -> list[Array]:
    """The arrays among objects. One that two objects show is found twice, as it is two arrays."""
    return [x for x in alive if type(x) is Array and hasattr(x, "_v")]


def _of_no_array(alive: list[Any]) -> list[Value]:
    """The values among objects whose memory belongs to nothing that is to keep it, one for each
    piece of memory."""
    found = [x._v for x in _arrays(alive)]
    for stream in all_streams():
        found += stream.queue
        found += [v for part in stream.parts for v in part if v is not None]
    found += [step.value for step in alive if type(step) is ConstantStep]
    found += [v for op in alive if type(op) is IrOp for v in op.constants()]
    seen = set(map(id, found))
    for v in found:  # which grows
        for a in v.record[1] if v.record is not None else ():
            if type(a) is Value and id(a) not in seen:
                seen.add(id(a))
                found.append(a)
    owned = {id(getattr(v, "buffer", None)) for v in found}  # none while it is pending
    left: dict[int, Value] = {}
    for v in alive:
        # One that is being made has no attributes yet.
        if type(v) is Value and getattr(v, "stream", v) is None and hasattr(v, "desc"):
            left.setdefault(id(v.buffer), v)
    return [v for v in left.values() if v.error is None and id(v.buffer) not in owned]


class _Made(NamedTuple):
    site: Any
    thread: str
    ident: int
    serial: int


_UNKNOWN = _Made(None, "an unknown thread", 0, -1)
_OF_NO_ARRAY = "in memory, but of no array"
_serials = itertools.count()


class _Places(watching.Watcher):
    """Where values were made, while a check is open: by `id`, as a reference would keep them. Each
    array has a value that was recorded or wrapped, so what an id says of an earlier value is
    replaced."""

    def __init__(self) -> None:
        self.made: dict[int, _Made] = {}
        self._open = 0
        self._lock = threading.Lock()

    def begin(self) -> None:
        with self._lock:
            self._open += 1
            if self._open == 1:
                watching.add(self)
                on_wrap.append(self._wrapped)

    def end(self) -> None:
        with self._lock:
            self._open -= 1
            if self._open == 0:
                watching.remove(self)
                on_wrap.clear()
                self.made.clear()

    def recorded(self, v: Value) -> None:
        self._note(v, v.record[4])

    def _wrapped(self, x: Array) -> None:
        v = x._v
        if v.stream is not None and id(v) in self.made:
            return
        frame: FrameType | None = sys._getframe(2)
        while frame is not None and frame.f_globals.get("__name__", "").startswith(_PACKAGE):
            frame = frame.f_back
        self._note(v, None if frame is None else (frame.f_code, frame.f_lasti))

    def _note(self, v: Value, site: Any) -> None:
        thread = threading.current_thread()
        self.made[id(v)] = _Made(site, thread.name, threading.get_ident(), next(_serials))


_places = _Places()


def _after_fork() -> None:
    """Another thread may have held the lock, and it is none of the child's."""
    _places._lock = threading.Lock()


os.register_at_fork(after_in_child=_after_fork)
