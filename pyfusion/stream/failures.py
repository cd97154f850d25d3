# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Failures as claims: a value that was not written carries the error, which a read raises."""

from __future__ import annotations

from typing import Any

from ..errors import ExecutionError, failure
from ..ir.value import Value, fail, site_text

# Errors set since the flush that is running began.
raised: list[ExecutionError] = []


def set_error(v: Value, error: ExecutionError) -> None:
    """Makes a pending value a failed one."""
    fail(v, error)
    raised.append(error)


def as_execution_error(error: BaseException, v: Value) -> ExecutionError:
    """The error as one that names the operation and the line that recorded it."""
    if isinstance(error, ExecutionError):
        return error
    return failure(v.record[0].name, error, site_text(v.record[4]))


def claim(queue: list[Value], error: BaseException, culprit: int | None = None) -> None:
    """Marks the values of a block that were not written as failed, all for one reason.

    Args:
        culprit: number of the operation that failed, where one is known.
    """
    pending = [v for v in queue if v.stream is not None]
    if not pending:
        return
    source = queue[culprit] if culprit is not None else pending[0]
    found = as_execution_error(error, source)
    for v in pending:
        set_error(v, found)


def spread(queue: list[Value]) -> list[Value]:
    """Gives what depends on a failed value its error; returns the others that are pending, in
    order."""
    good = []
    for v in queue:
        if v.stream is None:
            continue
        cause = next((e for a in v.record[1] if (e := _error_of(a)) is not None), None)
        if cause is None:
            good.append(v)
        else:
            set_error(v, cause)
    return good


def _error_of(a: Any) -> ExecutionError | None:
    return a.error if a.__class__ is Value and a.stream is None else None
