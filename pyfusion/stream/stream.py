# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Streams: each thread's queue of operations in program order."""

from __future__ import annotations

import os
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ..config import config
from ..errors import DeviceError
from ..ir.device import CPU, Device, on_new
from ..ir.value import Value, device_of
from .watching import recorded, watchers

_new = Value.__new__
_frame = sys._getframe
_local = threading.local()
_streams: weakref.WeakSet[Stream] = weakref.WeakSet()
# Guards `_streams`, `_open` and `_Sharing`. A destructor or a signal handler may come while its own
# thread holds it, and make a stream.
_registry = threading.RLock()


def _after_fork() -> None:
    """Only this thread goes on, with the scopes that it is in."""
    global _registry
    _registry = threading.RLock()
    mine = getattr(_local, "entered", ())
    for scope in [scope for scope in _open if all(e.owner is not scope for e in mine)]:
        del _open[scope]


os.register_at_fork(after_in_child=_after_fork)


class Program:
    """The order that streams share which one thread, or one scope, records on: one for each
    device."""

    __slots__ = ("__weakref__",)


class Stream:
    """A queue of pending values of one device.

    Attributes:
        held: bytes of arrays made since its last flush.
        program: what the streams of one thread or scope share.
        others: of a thread's stream for the CPU, its streams for other devices.
        loop: the loop that it was in when its queue was full the last time, or None.
        cut: the queue is the rest of a longer one, whose beginning has run.
        parts: while it is flushed, what has left the queue: the whole, then the parts that it was
            cut into. What is left of them after an interrupt goes back into the queue.
    """

    __slots__ = (
        "queue",
        "parts",
        "held",
        "limit",
        "sealed",
        "device",
        "program",
        "others",
        "loop",
        "cut",
        "__weakref__",
    )

    def __init__(self, device: Device = CPU, program: Program | None = None) -> None:
        self.queue: list[Value] = []
        self.parts: list[list[Value]] = []
        self.device = device
        self.program = program or Program()
        self.others: dict[Device, Stream] = {}
        self.held = 0
        self.loop: Any = None
        self.cut = False
        self.limit = config.max_queue or 1
        self.sealed = False  # of a traced function, which must not read

    def __len__(self) -> int:
        return len(self.queue)


# What the engine does for a stream; it adds that when it is loaded.
on_full: list[Callable[[Stream], object]] = []  # the queue has reached its limit
on_needed: list[Callable[[Stream], object]] = []  # an operation on another stream takes its value
on_end: list[Callable[[Stream], object]] = []  # the thread or the scope has ended


class _Sharing:
    """The streams and the GPUs that there ever were: with more than one operands may be another
    thread's or device's."""

    streams = 0


def _more() -> None:
    with _registry:
        _Sharing.streams += 2  # also where no stream was made yet


on_new.append(_more)


def current(device: Device = CPU) -> Stream:
    """The stream of this thread for a device."""
    try:
        home = _local.stream
    except AttributeError:
        home = _local.stream = new()
        _local.end = _End(home)
    if device is CPU:
        return home
    stream = home.others.get(device)
    if stream is None:
        if not isinstance(device, Device):
            raise TypeError(f"a stream is one of a Device, not of {device!r:.100}")
        stream = new(device, home.program)
        stream.sealed = home.sealed
        stream.limit = home.limit
        home.others[device] = stream
    return stream


def new(device: Device = CPU, program: Program | None = None) -> Stream:
    """A stream that takes part in all that concerns every one."""
    stream = Stream(device, program)
    with _registry:
        _Sharing.streams += 1  # before anybody can record on it
        _streams.add(stream)
    return stream


def all_streams() -> list[Stream]:
    """Those that exist, of every thread."""
    with _registry:
        return list(_streams)


class _Entered:
    """What replaces a thread's stream for a time; `owner` is a scope, or None."""

    __slots__ = ("stream", "owner")

    def __init__(self, stream: Stream, owner: Any = None):
        self.stream = stream
        self.owner = owner


def _enter(entered: _Entered) -> None:
    current()
    if not hasattr(_local, "entered"):
        _local.home = _local.stream
        _local.entered = []
    _local.entered.append(entered)
    _local.stream = entered.stream


def _leave(entered: _Entered) -> None:
    """Ends one of the replacements, the last one or, as generators do, one before it."""
    stack = _local.entered
    stack.remove(entered)
    _local.stream = stack[-1].stream if stack else _local.home


@contextmanager
def replaced(stream: Stream) -> Iterator[None]:
    """Has this thread record on another stream."""
    entered = _Entered(stream)
    try:
        _enter(entered)
        yield
    finally:
        _leave(entered)


class _End:
    """Only a thread refers to it, so that it goes when the thread ends."""

    def __init__(self, stream: Stream):
        self.stream = stream

    def __del__(self, _calls: Any = on_end, _finalizing: Any = sys.is_finalizing) -> None:
        if not _finalizing():
            for call in _calls:
                call(self.stream)


class Scope:
    """A stream of its own for what is recorded inside a `with` block: `pyfusion.stream.scope()`.

    What is recorded in it is no part of a block with what is recorded outside; a value that is used
    outside is as one of another thread: what it waits for is run first. Leaving the block runs
    nothing: what is still referred to stays queued until it is read. `flush` and `sync` called
    inside concern the scope's stream, called outside they do not. Entered again, by this or another
    thread, a scope goes on with its stream.

    Inside of a function that `pyfusion.lower` or `explain` traces a scope changes nothing.
    """

    __slots__ = ("_stream", "_entered")

    def __init__(self) -> None:
        self._stream = new()
        self._entered: _Entered | None = None

    def __reduce__(self) -> Any:
        raise TypeError("a scope of a stream is not copied or pickled: make another one")

    def __len__(self) -> int:
        """How many operations wait, on every device."""
        return sum([len(s.queue) for s in [self._stream, *self._stream.others.values()]])

    def __bool__(self) -> bool:
        return True

    def __enter__(self) -> Scope:
        """Raises RuntimeError if the scope is open, here or in another thread."""
        outer = current()
        entered = _Entered(outer if outer.sealed else self._stream, self)
        with _registry:
            if _open.setdefault(self, entered) is not entered:
                raise RuntimeError("the stream's scope is open already")
        try:
            _enter(entered)
        except BaseException:
            _open.pop(self, None)
            raise
        return self

    def __exit__(self, *about: Any) -> None:
        """Raises RuntimeError if this thread has not opened the scope."""
        entered = _open.get(self)
        if entered is None or entered not in getattr(_local, "entered", ()):
            raise RuntimeError("the stream's scope is not open in this thread")
        _leave(entered)
        with _registry:
            del _open[self]
        for call in on_end:
            call(self._stream)


# The scopes that are open, of every thread.
_open: dict[Scope, _Entered] = {}


def scope() -> Scope:
    """A new stream, for `with pyfusion.stream.scope():` or, the same, `with pyfusion.stream():`."""
    return Scope()


def own() -> list[Stream]:
    """The streams of this thread, or of the scope that it is in."""
    home = current()
    return [home, *home.others.values()]


def _stream_of(name: str, args: tuple, device: Device | None, home: Stream) -> Stream:
    """The stream for an operation: that of its operands' device, or of the device given.

    Another thread's operands are run first.

    Raises:
        DeviceError: the operands are on different devices.
    """
    for a in args:
        if a.__class__ is Value:
            holder = a.stream
            if holder is None:
                found = device_of(a)
            else:
                found = holder.device
                if holder.program is not home.program:
                    for call in on_needed:
                        call(holder)
            if found is not device:
                if device is not None:
                    raise DeviceError(
                        f"{name}: operands on {device} and {found}; bring them to one device, as "
                        f"by x.to_device({device.name!r})"
                    )
                device = found
    if device is None or device is CPU:
        return home
    return home.others.get(device) or current(device)


def _set_limits(limit: int) -> None:
    for stream in all_streams():
        stream.limit = limit or 1


config.on_change("max_queue", _set_limits)


def record(
    op: Any,
    args: tuple,
    attrs: Any,
    dyn: tuple[int, ...],
    shape: tuple[int, ...],
    dtype: Any,
    depth: int = 2,
    device: Device | None = None,
) -> Value:
    """Queues one operation on this thread's stream for its device and returns its value.

    The caller has validated everything but that operands are on one device: nothing here can fail
    later for a mistake in the call.

    Args:
        op: the `OpInfo`.
        args: operands, each a `Value` or a Python scalar of the operand's kind.
        attrs: static structure, hashable, part of the plan key; None for no attributes.
        dyn: view bounds and extents, arguments of the plan.
        shape, dtype: of the result.
        depth: frames from here up to the user's call.
        device: of an operation without operands; None for the CPU.

    Raises:
        DeviceError: the operands are on different devices.
    """
    try:
        stream = _local.stream
    except AttributeError:
        stream = current()
    if _Sharing.streams > 1 or device is not None:
        stream = _stream_of(op.name, args, device, stream)
    v = _new(Value)
    frame = _frame(depth)
    v.record = (op, args, attrs, dyn, (frame.f_code, frame.f_lasti))
    v.shape = shape
    v.dtype = dtype
    v.stream = stream
    queue = stream.queue
    queue.append(v)
    if watchers:
        recorded(v)
    if len(queue) >= stream.limit:
        for call in on_full:
            call(stream)
    return v
