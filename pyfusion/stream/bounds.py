# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The bounds of a queue: what happens when it is full, when it holds much memory, and when the
thread or the scope that recorded it has ended."""

from __future__ import annotations

from ..config import config
from ..ir.device import CPU, Device
from . import failures, locks, period
from .block import needed
from .engine import flush, in_a_row, mend, run_parts, take
from .stream import Stream, current, on_end, on_full


def bound(stream: Stream) -> None:
    """The queue is full: forgets what nobody needs, and runs the rest if it is much; within a loop
    whole bodies of it, so that the next ones make the same blocks."""
    with locks.lock:
        if locks.busy.locked():  # recorded by a signal handler or a destructor: the queue grows
            return
        if 2 * _prune(stream) <= stream.limit:
            return
        if config.mode == "fused":
            with locks.busy:
                queue = stream.queue
                stream.loop, lengths = period.cuts(stream.loop, queue, stream.limit, stream.cut)
                del queue
                if lengths:
                    _run_head(stream, lengths)
                    return
        stream.cut = False
        flush(stream)


def relieve(stream: Stream) -> None:
    """The queue holds much memory: runs it, where that is possible now."""
    with locks.lock:
        if not locks.busy.locked():
            flush(stream)


def made(nbytes: int, device: Device = CPU) -> None:
    """Tells this thread's stream that new memory of that size may be held by queued operations."""
    stream = current(device)
    if stream.queue:
        stream.held += nbytes
        if stream.held > config.max_held and not stream.sealed:
            relieve(stream)


def _run_head(stream: Stream, lengths: list[int]) -> None:
    """Runs blocks of these lengths from the beginning of a queue. The rest stays in it."""
    whole = len(stream.queue)
    head = stream.queue[: sum(lengths)]
    stream.parts = [head]
    try:
        del stream.queue[: len(head)]
        stream.cut = stream.loop is not None
        stream.held = stream.held * len(stream.queue) // whole  # its share
        run_parts(head, in_a_row(lengths))
        stream.parts = []
    except BaseException:
        mend(stream)
        raise
    finally:
        failures.raised.clear()


def _prune(stream: Stream) -> int:
    """Forgets what nobody needs; returns how many operations are left."""
    with locks.busy:
        mend(stream)
        queue = take(stream)
        queue[:] = needed(queue)
        left = len(queue)
        mend(stream)
        return left


def retire(stream: Stream) -> None:
    """A thread or a scope has ended: forgets what nobody needs of its streams.

    What somebody still holds stays queued until it is read. Where another thread is flushing, all
    is left to the garbage collector.
    """
    lock = locks.lock
    if lock.acquire(blocking=False):
        try:
            if not locks.busy.locked():
                for s in [stream, *stream.others.values()]:
                    if s.queue and not s.sealed:
                        _prune(s)
        finally:
            lock.release()


on_full.append(bound)
on_end.append(retire)
