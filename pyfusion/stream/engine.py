# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Flush: what a stream holds is looked up in the plan store, explored if unknown, and run.

One lock guards everything from here down: plans, compiler, launches.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterable
from typing import Any

from ..config import config
from ..errors import ExecutionError
from ..ir.value import Value, site_text
from ..runtime.statistics import statistics
from . import observe
from .block import Block, close_block, needed, open_block
from .explorer import explore, report_fallback
from .plan_store import PlanStore
from .stream import Stream

_lock = threading.RLock()
plans = PlanStore()


def _after_fork() -> None:
    global _lock
    _lock = threading.RLock()


os.register_at_fork(after_in_child=_after_fork)


def lock() -> threading.RLock:
    """The lock that a caller of the compiler or the launcher must hold."""
    return _lock


_failures: list[ExecutionError] = []


def flush(stream: Stream) -> ExecutionError | None:
    """Runs every operation that the stream holds; returns the first failure.

    Failures go to the values, not to the caller. KeyboardInterrupt (and other exceptions that are
    no failures of the block) leave the operations that have not run in the queue.
    """
    with _lock:
        _failures.clear()
        while stream.queue:
            queue = stream.queue
            stream.queue = []
            stream.held = 0
            try:
                if config.mode == "single":
                    _run_parts(queue, [1] * len(queue))
                else:
                    run_block(queue)
            except BaseException:
                stream.queue = [v for v in queue if v.stream is not None] + stream.queue
                raise
        return _failures[0] if _failures else None


def bound(stream: Stream) -> None:
    """The queue is full: forgets what nobody needs, and runs the rest if it is much."""
    with _lock:
        queue = stream.queue
        kept = needed(queue)
        if 2 * len(kept) <= stream.limit:
            queue[:] = kept
            return
        del kept
        flush(stream)


def _run_parts(queue: list[Value], lengths: Iterable[int]) -> None:
    """Runs a queue cut into blocks. Emptied as it goes: a list that still held the values would
    make each of them look as if somebody outside needed it."""
    for length in lengths:
        part = queue[:length]
        del queue[:length]
        try:
            run_block(part)
        except BaseException:
            queue[:0] = part
            raise


def run_block(queue: list[Value]) -> None:
    """Runs operations as one block and gives their values memory or an error."""
    block = open_block(queue)
    try:
        if block.failed:
            _run_after_failure(block)
            return
        if not block.survivors:
            for v in queue:
                v.stream = v.error = v.buffer = None
            return
        statistics.blocks += 1
        if config.mode == "backend":
            run_on_backend(block)
            return
        plan = plans.get(block.key)
        if plan is None:
            try:
                plan = explore(block)
            except Exception as error:  # the strict flag: no fallback
                _claim(block, error)
                raise
            plans.put(block.key, plan)
        if config.debug or observe.active:
            _run_observed(plan, block)
        else:
            run_plan(plan, block)
    finally:
        close_block(block)


def run_plan(plan: Any, block: Block) -> None:
    """Executes a plan. A failure before its first step has run falls back to the backend."""
    if plan.splits is not None:
        close_block(block)
        _run_parts(block.queue, plan.splits)
        return
    try:
        plan.optimization.execute(block)
    except Exception as error:
        if plan.optimization.started:
            _claim(block, error)
            _claim_inputs(block, error)
            return
        try:
            report_fallback(block, error)
        except Exception:
            _claim(block, error)
            raise
        run_on_backend(block)
        return
    for v in block.queue:
        if v.stream is not None:
            v.stream = v.error = v.buffer = None


def run_on_backend(block: Block) -> None:
    """Each operation in recorded order on the inner backend; a failure goes to its value."""
    from ..runtime.backend_step import run_value

    for v in block.queue:
        try:
            run_value(v)
        except Exception as error:
            _set_error(v, _as_execution_error(error, v))


def _as_execution_error(error: Exception, v: Value) -> ExecutionError:
    if isinstance(error, ExecutionError):
        return error
    op = v.record[0]
    wrapped = ExecutionError(f"{op.name}: {type(error).__name__}: {error}", site_text(v.record[4]))
    wrapped.__cause__ = error
    return wrapped


def _set_error(v: Value, error: ExecutionError) -> None:
    v.buffer = None
    v.error = error
    v.stream = None
    _failures.append(error)


def _claim(block: Block, error: Exception) -> None:
    """Marks what a failed block was to write as failed."""
    for v in block.queue:
        if v.stream is not None:
            _set_error(v, _as_execution_error(error, v))


def _claim_inputs(block: Block, error: Exception) -> None:
    for number in block.dying:
        leaf = block.leaves[number]
        leaf.error = ExecutionError(f"consumed by a block that failed: {error}")


def _run_after_failure(block: Block) -> None:
    """A leaf carries an error: what depends on it gets the same error, the rest runs."""
    queue = block.queue
    good = []
    for v in queue:
        cause = None
        for a in v.record[1]:
            if a.__class__ is Value and a.stream is None and a.error is not None:
                cause = a.error
                break
        if cause is None:
            good.append(v)
        else:
            _set_error(v, cause)
    close_block(block)
    if good:
        run_block(good)


def _run_observed(plan: Any, block: Block) -> None:
    observe.block_starts(block)
    start = time.perf_counter()
    run_plan(plan, block)
    if config.debug:
        micros = (time.perf_counter() - start) * 1e6
        print(
            f"pyfusion: block of {len(block.queue)} ops, {plan.describe()}, {micros:.0f} us",
            file=sys.stderr,
        )
    observe.block_ran(block)
