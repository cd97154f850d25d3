# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Streams: each thread's queue of operations in program order."""

from __future__ import annotations

import sys
import threading
import weakref
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


class Stream:
    """A queue of pending values of one device.

    Attributes:
        held: bytes of arrays made since its last flush.
        thread: an object that the streams of one thread share.
        others: of a thread's stream for the CPU, its streams for other devices.
    """

    __slots__ = ("queue", "held", "limit", "sealed", "device", "thread", "others", "__weakref__")

    def __init__(self, device: Device = CPU, thread: Any = None) -> None:
        self.queue: list[Value] = []
        self.device = device
        self.thread = object() if thread is None else thread
        self.others: dict[Device, Stream] = {}
        self.held = 0
        self.limit = config.max_queue or 1
        self.sealed = False  # of a traced function, which must not read

    def __len__(self) -> int:
        return len(self.queue)


class _Sharing:
    """The streams and the GPUs that there ever were: with more than one operands may be another
    thread's or device's."""

    streams = 0


def _more() -> None:
    _Sharing.streams += 2  # also where no stream was made yet


on_new.append(_more)


def current(device: Device = CPU) -> Stream:
    """The stream of this thread for a device."""
    try:
        home = _local.stream
    except AttributeError:
        home = _local.stream = Stream()
        _streams.add(home)
        _Sharing.streams += 1
    if device is CPU:
        return home
    stream = home.others.get(device)
    if stream is None:
        stream = home.others[device] = Stream(device, home.thread)
        stream.sealed = home.sealed
        stream.limit = home.limit
        _streams.add(stream)
        _Sharing.streams += 1
    return stream


def own() -> list[Stream]:
    """The streams of this thread."""
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
                if holder.thread is not home.thread:
                    engine_flush(holder)
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
    for stream in list(_streams):
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
        engine_bound(stream)
    return v


def made(nbytes: int, device: Device = CPU) -> None:
    """Tells this thread's stream that new memory of that size may be held by queued operations."""
    stream = current(device)
    if stream.queue:
        stream.held += nbytes
        if stream.held > config.max_held:
            engine_flush(stream)


def engine_flush(stream: Stream) -> None:
    """Runs what the stream holds; put in place by the engine."""
    from .engine import flush

    globals()["engine_flush"] = flush
    flush(stream)


def engine_bound(stream: Stream) -> None:
    """What happens when the queue is full; put in place by the engine."""
    from .engine import bound

    globals()["engine_bound"] = bound
    bound(stream)
