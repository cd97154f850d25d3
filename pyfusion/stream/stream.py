# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Streams: each thread's queue of operations in program order."""

from __future__ import annotations

import sys
import threading
import weakref
from typing import Any

from ..config import config
from ..ir.value import Value

_new = Value.__new__
_frame = sys._getframe
_local = threading.local()
_streams: weakref.WeakSet[Stream] = weakref.WeakSet()


class Stream:
    """A queue of pending values; `held` counts bytes of arrays made since its last flush."""

    __slots__ = ("queue", "held", "limit", "sealed", "__weakref__")

    def __init__(self) -> None:
        self.queue: list[Value] = []
        self.held = 0
        self.limit = config.max_queue or 1
        self.sealed = False  # of a traced function, which must not read

    def __len__(self) -> int:
        return len(self.queue)


class _Sharing:
    """Whether more than one stream was ever made, so that operands may be another thread's."""

    streams = 0


def current() -> Stream:
    """The stream of this thread."""
    try:
        return _local.stream
    except AttributeError:
        stream = _local.stream = Stream()
        _streams.add(stream)
        _Sharing.streams += 1
        return stream


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
) -> Value:
    """Queues one operation on this thread's stream and returns its value.

    The caller has validated everything: nothing here can fail later for a mistake in the call.

    Args:
        op: the `OpInfo`.
        args: operands, each a `Value` or a Python scalar of the operand's kind.
        attrs: static structure, hashable, part of the plan key; None for no attributes.
        dyn: view bounds and extents, arguments of the plan.
        shape, dtype: of the result.
        depth: frames from here up to the user's call.
    """
    try:
        stream = _local.stream
    except AttributeError:
        stream = current()
    if _Sharing.streams > 1:
        for a in args:
            if a.__class__ is Value and a.stream is not stream and a.stream is not None:
                engine_flush(a.stream)
    v = _new(Value)
    frame = _frame(depth)
    v.record = (op, args, attrs, dyn, (frame.f_code, frame.f_lasti))
    v.shape = shape
    v.dtype = dtype
    v.stream = stream
    queue = stream.queue
    queue.append(v)
    if len(queue) >= stream.limit:
        engine_bound(stream)
    return v


def made(nbytes: int) -> None:
    """Tells this thread's stream that new memory of that size may be held by queued operations."""
    stream = current()
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
