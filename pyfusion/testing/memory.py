# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`memory_checks`: arrays that a piece of a program should have let go of."""

from __future__ import annotations

import gc
import sys
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, NamedTuple

from ..array import Array
from ..array.core import on_wrap
from ..ir.value import Value, device_of, site_text
from ..runtime import devices
from ..stream import watching

_PACKAGE = __name__.partition(".")[0]


class Leak(NamedTuple):
    """An array that is still alive.

    Attributes:
        site: "file:line" that made it; None where that is not known.
        thread: name of the thread that did.
        state: "queued", "in memory" or "failed".
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
        leaks: the arrays that were found when the block ended, by device and then in no order.
    """

    def __init__(self, device: str | None, this_thread: bool):
        self.leaks: list[Leak] = []
        self._device = device
        self._thread = threading.get_ident() if this_thread else None
        self._kept: list[weakref.ref[Array]] = []
        self._before = {id(x): weakref.ref(x) for x in _arrays()}

    def keep(self, *arrays: Any) -> None:
        """Excludes arrays that are to outlive the block, in tuples, lists and dicts too."""
        for given in arrays:
            if isinstance(given, Array):
                self._kept.append(weakref.ref(given))
            elif isinstance(given, (list, tuple)):
                self.keep(*given)
            elif isinstance(given, dict):
                self.keep(*given.values())
            else:
                raise TypeError(f"keep takes arrays, not {type(given).__name__}")

    def _find(self) -> None:
        gc.collect()
        kept = {id(x) for x in [r() for r in self._kept] if x is not None}
        for x in _arrays():
            before = self._before.get(id(x))
            if id(x) in kept or (before is not None and before() is x):
                continue
            v = x._v
            made = _places.made.get(id(v), _UNKNOWN)
            device = device_of(v).name
            if self._device not in (None, device) or self._thread not in (None, made.ident):
                continue
            state = "queued" if v.stream is not None else "failed" if v.error else "in memory"
            about = (device, v.dtype.name, v.shape, x.nbytes, state)
            self.leaks.append(Leak(site_text(made.site), made.thread, *about))
        self.leaks.sort(key=lambda leak: leak.device)

    def _text(self) -> str:
        count = len(self.leaks)
        lines = [
            "1 array that was made inside is still alive"
            if count == 1
            else f"{count} arrays that were made inside are still alive"
        ]
        for device in dict.fromkeys(leak.device for leak in self.leaks):
            there = [leak for leak in self.leaks if leak.device == device]
            lines.append(f"{device}: {sum(leak.nbytes for leak in there):,} bytes")
            lines += [f"  {leak}" for leak in there]
        return "\n".join(lines)


@contextmanager
def memory_checks(device: str | None = None, *, this_thread: bool = False) -> Iterator[MemoryCheck]:
    """Checks that arrays made inside of the `with` block do not outlive it.

    An array counts as long as a Python object refers to it, its memory being there already or
    still to come. A NumPy array of its elements is not an array here, though it keeps the memory.
    If the block raises, nothing is checked.

    Args:
        device: "cuda:0": only arrays on that device; all by default.
        this_thread: only arrays that the calling thread made.

    Several checks may be open, in several threads too: each one looks at the arrays that were made
    since it began.

    Raises:
        AssertionError: at the end of the block, with the arrays and the lines that made them.
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


def _arrays() -> list[Array]:
    """The arrays that exist. One that two objects show is found twice, as it is two arrays."""
    return [x for x in gc.get_objects() if type(x) is Array and hasattr(x, "_v")]


class _Made(NamedTuple):
    site: Any
    thread: str
    ident: int


_UNKNOWN = _Made(None, "an unknown thread", 0)


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
        self.made[id(v)] = _Made(site, thread.name, threading.get_ident())


_places = _Places()
