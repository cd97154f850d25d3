# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Flush: what a stream holds is looked up in the plan store, explored if unknown, and run.

One lock guards everything from here down: plans, compiler, launches.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterable
from typing import Any

from ..config import config
from ..errors import ExecutionError
from ..fusers.registry import on_change
from ..ir.value import Value
from ..runtime.statistics import statistics
from . import failures
from .block import Block, close_block, needed, open_block
from .explorer import OnBackend, explore, explore_part, report_fallback
from .plan import Part, Plan
from .plan_store import PlanStore
from .stream import Stream

_lock = threading.RLock()
plans = PlanStore()


def _after_fork() -> None:
    global _lock, _running
    _lock = threading.RLock()
    _running = False


os.register_at_fork(after_in_child=_after_fork)


def lock() -> threading.RLock:
    """The lock that a caller of the compiler or the launcher must hold."""
    return _lock


_running = False


def compiled_blocks() -> list[Any]:
    """The compiled blocks in the plan store."""
    found = [o for plan in plans.values() for o in plan.optimizations()]
    return [o for o in found if getattr(o, "saved", None) is not None]


def _change_fusers(change: Callable[[], None], removed: str | None) -> None:
    """Lets the set of fusers change between two flushes. A new one may win any block; without one
    only the plans that use it change."""
    with _lock:
        if _running:
            raise RuntimeError("a fuser was registered or removed inside a flush: do it before")
        change()
        if removed is None:
            plans.clear()
        else:
            plans.remove(lambda plan: plan.uses(removed))


on_change(_change_fusers)


def flush(stream: Stream) -> ExecutionError | None:
    """Runs every operation that the stream holds; returns the first failure.

    Failures go to the values, not to the caller. An interrupt leaves the operations that have not
    run in the queue; those of a block that has already overwritten an input become failures.

    Raises:
        RuntimeError: called while a block runs on this thread, from a signal handler or a
            destructor that reads.
    """
    global _running
    if stream.sealed and stream.queue:
        raise RuntimeError(
            "lower() and explain() run nothing, but the function reads what it computes, or calls "
            "a function that NumPy runs at once"
        )
    with _lock:
        if _running:
            raise RuntimeError(
                "an array was read inside the flush of another one, by a signal handler or a "
                "destructor: read it later"
            )
        _running = True
        failures.raised.clear()
        try:
            while stream.queue:
                queue = stream.queue
                stream.queue = []
                stream.held = 0
                try:
                    if config.mode == "single":
                        _run_parts(queue, [((p,), None) for p in range(len(queue))])
                    else:
                        run_block(queue)
                except BaseException:
                    stream.queue = [v for v in queue if v.stream is not None] + stream.queue
                    raise
            return failures.raised[0] if failures.raised else None
        finally:
            failures.raised.clear()
            _running = False


def bound(stream: Stream) -> None:
    """The queue is full: forgets what nobody needs, and runs the rest if it is much."""
    with _lock:
        if _running:  # recorded by a signal handler or a destructor: the queue grows
            return
        queue = stream.queue
        kept = needed(queue)
        if 2 * len(kept) <= stream.limit:
            queue[:] = kept
            return
        del kept
        flush(stream)


def _run_parts(queue: list[Any], parts: Iterable[tuple[Iterable[int], Part | None]]) -> None:
    """Runs a queue cut into blocks, each given by its positions and its part of a plan. Emptied as
    it goes: a list that still held the values would make each of them look as if somebody outside
    needed it."""
    try:
        for positions, part in parts:
            values = [queue[p] for p in positions]
            try:
                for p in positions:
                    queue[p] = None
                run_block(values, part)
            except BaseException:
                for p in positions:
                    queue[p] = None
                queue[:0] = values  # what they read from other parts has run
                raise
    finally:
        queue[:] = [v for v in queue if v is not None]


def run_block(queue: list[Value], part: Part | None = None) -> None:
    """Runs operations as one block and gives their values memory or an error.

    Args:
        part: of the plan that they are a part of; None for a block with a plan of its own.
    """
    if part is not None and part.dead:  # it may read what has not run: it is no block
        _forget(queue)
        for v in queue:
            v.record = None
        return
    try:
        block = open_block(queue)
    except Exception as error:
        failures.claim(queue, error)
        raise
    try:
        if block.failed:
            _run_rest(block)
        elif not block.survivors:
            _forget(queue)
        else:
            statistics.blocks += 1
            count = len(queue)
            start = time.perf_counter()
            if config.mode == "backend":
                how = "on the backend"
                run_on_backend(block)
            else:
                how = _run_planned(block, part)
            if config.debug:
                micros = (time.perf_counter() - start) * 1e6
                print(f"pyfusion: block of {count} ops, {how}, {micros:.0f} us", file=sys.stderr)
    finally:
        close_block(block)


def _run_planned(block: Block, part: Part | None) -> str:
    """Runs the block by its plan; says how, for the debug flag."""
    plan = plans.get(block.key) if part is None else part.get(block.key)
    if plan is None:
        try:
            plan = explore(block) if part is None else explore_part(part, block)
        except Exception as error:  # the strict flag: no fallback
            failures.claim(block.queue, error)
            raise
        (plans if part is None else part).put(block.key, plan)
    run_plan(plan, block, part)
    return plan.describe() if config.debug else ""


def run_plan(plan: Any, block: Block, part: Part | None = None) -> None:
    """Executes a plan. A failure of a kernel before the first step has run falls back to the
    backend."""
    if plan.parts is not None:
        close_block(block)
        block.leaves = []  # nor may the block hold what its parts read
        statistics.blocks -= 1  # they are counted
        _run_parts(block.queue, [(p.positions, p) for p in plan.parts])
        return
    optimization = plan.optimization
    try:
        if part is not None:
            optimization.started = optimization.consumed = False
            optimization.culprit = None
        optimization.execute(block)
        if part is not None:
            _check_written(block, optimization)
    except Exception as error:
        first = not (optimization.started or any(v.stream is None for v in block.queue))
        if first and optimization.culprit is not None:  # a step of the backend spoils its value
            v = block.queue[optimization.culprit]
            failures.set_error(v, failures.as_execution_error(error, v))
            del v
            _run_rest(block)
            return
        if not first or isinstance(error, MemoryError):
            failures.claim(block.queue, error, optimization.culprit)
            return
        try:
            report_fallback(block, error)
        except Exception:
            failures.claim(block.queue, error)
            raise
        on_backend = Plan(OnBackend(len(block.queue), "it did not launch"))
        (plans if part is None else part).put(block.key, on_backend)
        run_on_backend(block)
        return
    except BaseException as error:
        if optimization.consumed:  # an input is overwritten: running again would be wrong
            failures.claim(block.queue, error)
        raise
    _forget(block.queue)


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


def _forget(queue: list[Value]) -> None:
    """Nobody refers to what is still pending of a block that has run."""
    for v in queue:
        if v.stream is not None:
            v.stream = v.error = v.buffer = None


def run_on_backend(block: Block) -> None:
    """Each operation in recorded order on the inner backend; a failure goes to its value."""
    from ..runtime.backend_step import run_value

    for v in block.queue:
        try:
            run_value(v)
        except Exception as error:
            failures.set_error(v, failures.as_execution_error(error, v))
