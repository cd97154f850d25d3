# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Failures as claims: a value that was not written carries the error, which a read raises."""

from __future__ import annotations

import signal
from typing import Any

from ..errors import BodyStopped, ExecutionError, failure, forget_frames, without_frames
from ..ir.value import Value, fail, site_text

# Errors set since the flush that is running began.
raised: list[ExecutionError] = []


def interrupt_in(error: BaseException) -> BaseException | None:
    """What is foreign to the work amid which it came, in an error or its causes: no `Exception`,
    or what a handler of signals has raised, as for a timeout."""
    if not isinstance(error, Exception):
        return error
    handlers = [signal.getsignal(number) for number in signal.valid_signals()]
    codes = {getattr(getattr(h, "__func__", h), "__code__", None) for h in handlers} - {None}
    seen: set[int] = set()
    cause: BaseException | None = error
    while codes and cause is not None and id(cause) not in seen:
        seen.add(id(cause))
        trace = cause.__traceback__
        while trace is not None:
            if trace.tb_frame.f_code in codes:
                return cause
            trace = trace.tb_next
        cause = cause.__cause__
    return None


def set_error(v: Value, error: ExecutionError) -> None:
    """Makes a pending value a failed one; it lets go of its operands."""
    fail(v, error)
    v.record = None
    raised.append(error)


def as_execution_error(error: BaseException, v: Value, raised_on: bool = False) -> ExecutionError:
    """The error as one that names the operation and the line that recorded it.

    Its cause is the error without its traceback, which would keep arrays alive; a copy of it if the
    caller raises it on.
    """
    if isinstance(error, BodyStopped):
        error = error.error
    found = failure(v.record[0].name, error, site_text(v.record[4]))
    found.__cause__ = without_frames(error) if raised_on else forget_frames(error)
    return found


def claim(
    queue: list[Value],
    error: BaseException,
    culprit: int | None = None,
    raised_on: bool = False,
) -> None:
    """Marks the values of a block that were not written as failed, all for one reason.

    Args:
        culprit: number of the operation that failed, where one is known; what is no number of
            the block's counts as unknown.
        raised_on: the caller raises the error on.
    """
    pending = [v for v in queue if v.stream is not None]
    if not pending:
        return
    culprit = number_in(queue, culprit)
    source = queue[culprit] if culprit is not None else pending[0]
    found = as_execution_error(error, source, raised_on)
    for v in pending:
        set_error(v, found)


def number_in(queue: list[Value], culprit: Any) -> int | None:
    """The culprit that an executable names, None if it is no operation of the block."""
    return culprit if type(culprit) is int and 0 <= culprit < len(queue) else None


def spread(queue: list[Value]) -> list[Value]:
    """Gives what depends on a failed value its error; returns the others that are pending, in
    order.

    What is skipped of the block counts as one unit.
    """
    good = []
    spoiled: dict[ExecutionError, ExecutionError] = {}
    made: set[ExecutionError] = set()
    for v in queue:
        if v.stream is None:
            continue
        error = of_operands(v)
        if error is None:
            good.append(v)
            continue
        if error not in made:
            found = spoiled.get(error)
            if found is None:
                found = spoiled[error] = error.spoiled()
                made.add(found)
            error = found
        set_error(v, error)
    return good


def of_operands(v: Value) -> ExecutionError | None:
    """The error of the first operand that failed, or None."""
    for a in v.record[1]:
        if a.__class__ is Value and a.stream is None and a.error is not None:
            return a.error
    return None
