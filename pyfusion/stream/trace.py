# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A block made by calling a function, without running it: for `lower` and `explain`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import ExecutionError
from ..ir.value import Value, fail
from . import stream as streams
from .block import Block, close_block, open_block
from .engine import flush


def trace(f: Callable[..., Any], args: tuple, kwargs: dict, arrays_of: Any) -> tuple[Block, Any]:
    """Records `f(*args, **kwargs)` on a stream of its own.

    Args:
        arrays_of: gives the values of the arrays in what `f` returned.

    Returns:
        The block, open: `close_block` must follow; and what keeps its results alive.

    Raises:
        RuntimeError: `f` reads one of its results, so that it cannot be recorded as one block.
    """
    for stream in streams.own():
        flush(stream)
    inner = streams.Stream()
    inner.limit = 1 << 60
    inner.sealed = True
    with streams.replaced(inner):
        try:
            result = f(*args, **kwargs)
            used = [stream for stream in streams.own() if stream.queue]
            if not used:
                raise RuntimeError("the function records no operation, or reads all of its results")
            if len(used) > 1:
                names = " and ".join([stream.device.name for stream in used])
                raise RuntimeError(
                    f"the function records operations on {names}: trace one at a time"
                )
            inner = used[0]
            values = [v for v in arrays_of(result) if v.stream is inner]
            if not values:
                raise RuntimeError(
                    "the function returns no deferred array: it reads what it computes"
                )
        except BaseException:
            for stream in streams.own():
                _fail(stream.queue)
            raise
    queue, inner.queue = inner.queue, []
    return open_block(queue), (result, values)


def recorded(f: Callable[..., Any], *args: Any) -> tuple[list[Value], Any]:
    """What `f(*args)` records, in order, and what it returns. Nothing is run, so that a compile may
    do this; `forget` must follow."""
    inner = streams.Stream()
    inner.limit = 1 << 60
    inner.sealed = True
    try:
        with streams.replaced(inner):
            return inner.queue, f(*args)
    except BaseException:
        _fail(inner.queue)
        raise


def forget(queue: list[Value]) -> None:
    """Lets go of what `recorded` gave."""
    _fail(queue)


def _fail(queue: list[Value]) -> None:
    for v in queue:
        fail(v, ExecutionError("recorded by lower() or explain(), which run nothing"))
        v.slot = -1


def drop(block: Block) -> None:
    """Forgets a traced block that will not be run; its results read as failed."""
    _fail(block.queue)
    close_block(block)
