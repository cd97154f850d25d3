# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Flush: what a stream holds is looked up in the plan store, explored if unknown, and run.

One lock guards everything from here down: plans, compiler, launches.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ..config import config
from ..errors import ExecutionError
from ..fusers.registry import on_change
from ..ir.device import Device
from ..ir.value import Value
from ..native import forget
from ..runtime.devices import on_gone
from ..runtime.statistics import statistics
from . import failures, period, watching
from .block import Block, close_block, needed, open_block, unclosed
from .explorer import OnBackend, explore, explore_part, report_fallback
from .plan import Part, Plan
from .plan_store import PlanStore
from .stream import Stream, all_streams, ended
from .watching import watchers

_lock = threading.RLock()
# Held while a stream is flushed. Who holds `_lock` and finds it taken is inside of a flush.
_busy = threading.Lock()
plans = PlanStore()

_FORK_WAIT = 60.0  # seconds for what another thread runs to end
_forking: dict[int, bool] = {}  # by thread: whether it holds the lock


def _before_fork() -> None:
    """Lets another thread's flush end: a child would have its operations half done."""
    _forking[threading.get_ident()] = _lock.acquire(timeout=_FORK_WAIT)


def _after_fork_in_parent() -> None:
    if _forking.pop(threading.get_ident(), False):
        _lock.release()


def _after_fork_in_child() -> None:
    global _lock, _busy
    running = _busy.locked()
    _forking.clear()
    _lock = threading.RLock()
    _busy = threading.Lock()
    if running:  # another thread did not end in time, or an operation forks
        error = RuntimeError("it was running when the process forked")
        for stream in all_streams():
            for part in stream.parts:
                failures.claim([v for v in part if v is not None], error)


os.register_at_fork(
    before=_before_fork,
    after_in_parent=_after_fork_in_parent,
    after_in_child=_after_fork_in_child,
)


def lock() -> threading.RLock:
    """The lock that a caller of the compiler or the launcher must hold."""
    return _lock


def compiled_blocks() -> list[Any]:
    """The compiled blocks in the plan store."""
    found = [o for plan in plans.values() for o in plan.optimizations()]
    return [o for o in found if getattr(o, "saved", None) is not None]


def _change_fusers(change: Callable[[], None], removed: str | None) -> None:
    """Lets the set of fusers change between two flushes. A new one may win any block; without one
    only the plans that use it change."""
    with _lock:
        if _busy.locked():
            raise RuntimeError("a fuser was registered or removed inside a flush: do it before")
        change()
        if removed is None:
            plans.clear()
        else:
            plans.remove(lambda plan, key: plan.uses(removed))


on_change(_change_fusers)


def _device_gone(device: Device) -> None:
    """Forgets the plans of a device whose name is free, or another's."""
    with _lock:
        plans.remove(lambda plan, key: device in key[:2])


on_gone.append(_device_gone)


def flush(stream: Stream) -> ExecutionError | None:
    """Runs every operation that the stream holds; returns the first failure.

    Failures go to the values, not to the caller. An interrupt leaves the operations that have not
    run in the queue; those of a block that has already overwritten an input become failures.

    Raises:
        RuntimeError: called while a block runs on this thread, from a signal handler or a
            destructor that reads.
    """
    if stream.sealed and stream.queue:
        raise RuntimeError(
            "lower() and explain() run nothing, but the function reads what it computes, or calls "
            "a function that NumPy runs at once"
        )
    with _lock:
        if _busy.locked():
            check_idle()
        with _busy:
            failures.raised.clear()
            try:
                if unclosed or stream.parts:
                    _mend(stream)
                while stream.queue:
                    queue = _take(stream)
                    stream.held = 0
                    if config.mode == "single":
                        _run_parts(queue, _in_a_row([1] * len(queue)))
                    elif stream.cut:
                        stream.cut = False
                        lengths = period.parts(stream.loop, queue, stream.limit)
                        _run_parts(queue, _in_a_row(lengths))
                    else:
                        run_block(queue)
                    stream.parts = []
                return failures.raised[0] if failures.raised else None
            except BaseException:
                _mend(stream)
                raise
            finally:
                failures.raised.clear()


def _take(stream: Stream) -> list[Value]:
    """What the queue holds, taken out of it. The list stays the same one: the stream's thread may
    be about to append to it."""
    taken = stream.queue[:]
    stream.parts = [taken]
    del stream.queue[: len(taken)]
    return taken


def check_idle() -> None:
    """Refuses what must not happen inside of a flush; the caller holds the lock.

    Raises:
        RuntimeError: this thread is flushing a stream, or runs an ordered function.
    """
    if _busy.locked():
        raise RuntimeError(
            "an array was read, or a stream flushed, inside the flush of another one or an ordered "
            "function, as by a signal handler, a destructor or an operation of the user's: read it "
            "later"
        )


def run_ordered(function: Callable[[], Any]) -> Any:
    """Runs a function while nothing else is compiled or launched.

    Raises:
        RuntimeError: inside of a flush or another such function.
        Exception: what the function raises.
    """
    with _lock:
        check_idle()
        with _busy:
            return function()


def _mend(stream: Stream) -> None:
    """Takes back what an interrupt has left half done: numbers in values, and operations that left
    the queue but did not run. An interrupt in here leaves it to the next call.

    What was taken out last comes first: it reads nothing of the lists before it that has not run.
    """
    for block in unclosed[:]:
        close_block(block)
    if stream.parts:
        seen = {id(v) for v in stream.queue}
        pending = []
        for part in reversed(stream.parts):
            for v in part:
                if v is not None and v.stream is not None and id(v) not in seen:
                    seen.add(id(v))
                    pending.append(v)
        stream.queue[:0] = pending
        parts, stream.parts = stream.parts, []
        for part in parts:  # the caller that recorded may have the list, and so hold the values
            part.clear()


def bound(stream: Stream) -> None:
    """The queue is full: forgets what nobody needs, and runs the rest if it is much; within a loop
    whole bodies of it, so that the next ones make the same blocks."""
    with _lock:
        if _busy.locked():  # recorded by a signal handler or a destructor: the queue grows
            return
        if 2 * _prune(stream) <= stream.limit:
            return
        if config.mode == "fused":
            with _busy:
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
    with _lock:
        if not _busy.locked():
            flush(stream)


def _run_head(stream: Stream, lengths: list[int]) -> None:
    """Runs blocks of these lengths from the beginning of a queue. The rest stays in it."""
    whole = len(stream.queue)
    head = stream.queue[: sum(lengths)]
    stream.parts = [head]
    try:
        del stream.queue[: len(head)]
        stream.cut = stream.loop is not None
        stream.held = stream.held * len(stream.queue) // whole  # its share
        _run_parts(head, _in_a_row(lengths))
        stream.parts = []
    except BaseException:
        _mend(stream)
        raise
    finally:
        failures.raised.clear()


def _prune(stream: Stream) -> int:
    """Forgets what nobody needs; returns how many operations are left."""
    with _busy:
        _mend(stream)
        queue = _take(stream)
        queue[:] = needed(queue)
        left = len(queue)
        _mend(stream)
        return left


def retire(stream: Stream) -> None:
    """A thread or a scope has ended: forgets what nobody needs of its streams.

    What somebody still holds stays queued until it is read. Where another thread is flushing, all
    is left to the garbage collector.
    """
    if _lock.acquire(blocking=False):
        try:
            if not _busy.locked():
                for s in [stream, *stream.others.values()]:
                    if s.queue and not s.sealed:
                        _prune(s)
        finally:
            _lock.release()


def _in_a_row(lengths: Iterable[int]) -> Iterator[tuple[Iterable[int], None]]:
    """Blocks of these lengths, one after the other, as `_run_parts` takes them."""
    start = 0
    for length in lengths:
        yield range(start, start + length), None
        start += length


def _run_parts(queue: list[Any], parts: Iterable[tuple[Iterable[int], Part | None]]) -> None:
    """Runs a queue cut into blocks, each given by its positions and its part of a plan. Emptied as
    it goes: a list that still held the values would make each of them look as if somebody outside
    needed it. An interrupt leaves what has not run to `_mend`."""
    running = queue[0].stream.parts
    for positions, part in parts:
        values = [queue[p] for p in positions]
        running.append(values)
        for p in positions:
            queue[p] = None
        run_block(values, part)
        running.pop()
    queue[:] = [v for v in queue if v is not None]


def run_block(queue: list[Value], part: Part | None = None) -> None:
    """Runs operations as one block and gives their values memory or an error.

    Args:
        part: of the plan that they are a part of; None for a block with a plan of its own.
    """
    if part is not None and part.dead:  # it may read what has not run: it is no block
        forget(queue)
        for v in queue:
            v.record = None
        return
    try:
        block = open_block(queue)
    except Exception as error:
        if failures.interrupt_in(error) is None:
            failures.claim(queue, error, raised_on=True)
        raise
    failure: BaseException | None = None
    try:
        if watchers:
            watching.opened(block)
        if not block.survivors:
            forget(queue)
        elif block.failed and config.mode != "backend":
            if watchers:
                watching.starts(block, None)
            _run_rest(block)
        else:
            statistics.blocks += 1
            count = len(queue)
            start = time.perf_counter()
            if config.mode == "backend":
                how = "on the backend"
                if watchers:
                    watching.starts(block, None)
                run_on_backend(block)
            else:
                how = _run_planned(block, part)
            if config.debug:
                micros = (time.perf_counter() - start) * 1e6
                print(f"pyfusion: block of {count} ops, {how}, {micros:.0f} us", file=sys.stderr)
    except BaseException as error:
        failure = error
        raise
    finally:
        close_block(block)
        if watchers:
            watching.ran(block, failure)
        failure = None  # its traceback holds this frame


def _run_planned(block: Block, part: Part | None) -> str:
    """Runs the block by its plan; says how, for the debug flag."""
    plan = plans.get(block.key) if part is None else part.get(block.key)
    if plan is None:
        try:
            plan = explore(block) if part is None else explore_part(part, block)
        except Exception as error:  # the strict flag: no fallback
            if failures.interrupt_in(error) is None:
                failures.claim(block.queue, error, raised_on=True)
            raise
        (plans if part is None else part).put(block.key, plan)
    if watchers:
        watching.starts(block, plan)
    run_plan(plan, block, part)
    return plan.describe() if config.debug else ""


def run_plan(plan: Any, block: Block, part: Part | None = None) -> None:
    """Executes a plan. A failure of a kernel before the first step has run falls back to the
    backend."""
    if plan.parts is not None:
        close_block(block)
        block.leaves = []  # nor may the block hold what its parts read
        statistics.blocks -= 1  # they are counted
        made = len(plan.optimizations())
        _run_parts(block.queue, [(p.positions, p) for p in plan.parts])
        if len(plan.optimizations()) != made:
            plans.measure(block.key)
        return
    optimization = plan.optimization
    optimization.consumed = False  # should an interrupt come before it starts
    if part is not None:
        optimization.started, optimization.culprit = False, None
    try:
        optimization.execute(block)
        if part is not None:
            _check_written(block, optimization)
    except BaseException as error:
        if failures.interrupt_in(error) is not None:
            if optimization.consumed:  # an input is overwritten: running again would be wrong
                failures.claim(block.queue, error, raised_on=True)
            raise
        _failed(optimization, block, part, error)
        return
    forget(block.queue)


def _failed(optimization: Any, block: Block, part: Part | None, error: Any) -> None:
    """What becomes of a block whose executable has raised an error.

    Raises:
        Exception: the error, if the strict flag forbids the fallback.
    """
    culprit = failures.number_in(block.queue, optimization.culprit)
    if culprit is not None and not optimization.consumed:
        v = block.queue[culprit]  # a step of the backend: it spoils its own value
        failures.set_error(v, failures.as_execution_error(error, v))
        del v
        _run_rest(block)
        return
    # Errors of the launcher come before the kernel runs; after any other an input may be lost.
    before = isinstance(error, ExecutionError) or not optimization.consumed
    first = not (optimization.started or any(v.stream is None for v in block.queue))
    if not (first and before) or isinstance(error, MemoryError):
        failures.claim(block.queue, error, culprit)
        return
    try:
        report_fallback(block, error, part and part.fuser)
    except Exception:
        failures.claim(block.queue, error, raised_on=True)
        raise
    on_backend = Plan(OnBackend(len(block.queue), "it did not launch"))
    (plans if part is None else part).put(block.key, on_backend)
    run_on_backend(block)


def _check_written(block: Block, optimization: Any) -> None:
    """What somebody else's executable leaves out is a failure, not a value without memory."""
    for number in block.survivors:
        if block.queue[number].stream is not None:
            raise RuntimeError(f"{optimization.name!r} gave result {number} no memory")


def _run_rest(block: Block) -> None:
    """Runs, as a block of its own, what does not depend on a failure."""
    close_block(block)
    queue = block.queue
    queue[:] = failures.spread(queue)
    if queue:
        _run_parts(queue, [(range(len(queue)), None)])


def run_on_backend(block: Block) -> None:
    """Each operation in recorded order on the inner backend; a failure goes to its value."""
    from ..runtime.backend_step import run_value

    spoiled: dict[ExecutionError, ExecutionError] = {}
    for v in block.queue:
        if v.stream is None:  # in a child that the operation before has forked
            continue
        error = failures.of_operands(v)
        if error is not None:
            failures.set_error(v, spoiled.setdefault(error, error.spoiled()))
            continue
        try:
            run_value(v)
        except Exception as failed:
            if failures.interrupt_in(failed) is not None:
                raise
            failures.set_error(v, failures.as_execution_error(failed, v))


ended.append(retire)
