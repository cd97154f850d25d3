# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Flush: what a stream holds is looked up in the plan store, explored if unknown, and run.

Everything from here down is guarded by one lock, `locks.lock`: plans, compiler, launches.
"""

from __future__ import annotations

import sys
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
from . import failures, locks, period, watching
from .block import Block, close_block, open_block, unclosed
from .explorer import explore, explore_part, report_fallback
from .on_backend import OnBackend, run_on_backend
from .plan import Part, Plan
from .plan_store import PlanStore
from .stream import Stream, on_needed
from .watching import watchers

plans = PlanStore()


def compiled_blocks() -> list[Any]:
    """The compiled blocks in the plan store."""
    found = [o for plan in plans.values() for o in plan.optimizations()]
    return [o for o in found if getattr(o, "saved", None) is not None]


def _change_fusers(change: Callable[[], None], removed: str | None) -> None:
    """Lets the set of fusers change between two flushes. A new one may win any block; without one
    only the plans that use it change."""
    with locks.lock:
        if locks.busy.locked():
            raise RuntimeError("a fuser was registered or removed inside a flush: do it before")
        change()
        if removed is None:
            plans.clear()
        else:
            plans.remove(lambda plan, key: plan.uses(removed))


on_change(_change_fusers)


def _device_gone(device: Device) -> None:
    """Forgets the plans of a device whose name is free, or another's."""
    with locks.lock:
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
    with locks.lock:
        if locks.busy.locked():
            locks.check_idle()
        with locks.busy:
            failures.raised.clear()
            try:
                if unclosed or stream.parts:
                    mend(stream)
                while stream.queue:
                    queue = take(stream)
                    stream.held = 0
                    if config.mode == "single":
                        run_parts(queue, in_a_row([1] * len(queue)))
                    elif stream.cut:
                        stream.cut = False
                        lengths = period.parts(stream.loop, queue, stream.limit)
                        run_parts(queue, in_a_row(lengths))
                    else:
                        run_block(queue)
                    stream.parts = []
                return failures.raised[0] if failures.raised else None
            except BaseException:
                mend(stream)
                raise
            finally:
                failures.raised.clear()


on_needed.append(flush)


def take(stream: Stream) -> list[Value]:
    """What the queue holds, taken out of it. The list stays the same one: the stream's thread may
    be about to append to it."""
    taken = stream.queue[:]
    stream.parts = [taken]
    del stream.queue[: len(taken)]
    return taken


def mend(stream: Stream) -> None:
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


def in_a_row(lengths: Iterable[int]) -> Iterator[tuple[Iterable[int], None]]:
    """Blocks of these lengths, one after the other, as `run_parts` takes them."""
    start = 0
    for length in lengths:
        yield range(start, start + length), None
        start += length


def run_parts(queue: list[Any], parts: Iterable[tuple[Iterable[int], Part | None]]) -> None:
    """Runs a queue cut into blocks, each given by its positions and its part of a plan. Emptied as
    it goes: a list that still held the values would make each of them look as if somebody outside
    needed it. An interrupt leaves what has not run to `mend`."""
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
            count = len(queue)
            start = time.perf_counter()
            if config.mode == "backend":
                how = "on the backend"
                if watchers:
                    watching.starts(block, None)
                statistics.blocks += 1
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
        made = len(plan.optimizations())
        run_parts(block.queue, [(p.positions, p) for p in plan.parts])
        if len(plan.optimizations()) != made:
            plans.measure(block.key)
        return
    statistics.blocks += 1
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
        run_parts(queue, [(range(len(queue)), None)])
