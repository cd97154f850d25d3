# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A block without a plan: the fusers compete for it, and the best one makes the plan."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

from ..config import config
from ..errors import CompileError, FallbackWarning, FuserError, level_of_the_user, message
from ..fusers import (
    FuserStatus,
    MlirFuser,
    NoOp,
    OperationFuser,
    OperationIr,
    TensorIr,
    UnfusedOp,
    registered,
)
from ..fusers.faults import asked, finished
from ..ir.value import Value, site_text
from ..runtime.statistics import statistics
from .block import Block
from .failures import interrupt_in
from .on_backend import OnBackend
from .plan import Part, Plan


def operations(block: Block) -> list[OperationIr]:
    """The block's records as full descriptions, for fusers and observers."""
    found = []
    for v in block.queue:
        op, args, attrs, dyn, site = v.record
        inputs = tuple(
            TensorIr(a.slot if a.slot >= 0 else a.slot + 1, a.shape, a.dtype)
            if isinstance(a, Value)
            else a
            for a in args
        )
        output = TensorIr(v.slot, v.shape, v.dtype)
        found.append(OperationIr(op, inputs, output, attrs, dyn, site_text(site)))
    return found


def explore(block: Block) -> Plan:
    """A plan for the block. Where a fuser of the user's fails the others compete without it; where
    the compiler does, the backend runs the block."""
    fusers = registered(block.device)
    while fusers:
        try:
            ops = operations(block)
            if len(fusers) == 1 and isinstance(fusers[0], MlirFuser):  # it covers all: no search
                return Plan(_finished(fusers[0], ops, block))
            return _searched(block, ops, fusers)
        except FuserError as error:
            rest = tuple([f for f in fusers if f is not error.fuser])
            report_fallback(block, error, left_out=True)
            fusers = rest if len(rest) < len(fusers) else ()
        except Exception as error:
            report_fallback(block, error)
            return Plan(OnBackend(len(block.queue), "it did not compile"))
    return Plan(OnBackend(len(block.queue), "no fuser"))


def _searched(block: Block, ops: list[OperationIr], fusers: Sequence[OperationFuser]) -> Plan:
    from ..fusers.search import search

    live = _live(ops, block.survivors)
    parts = []
    if len(live) < len(ops):  # no fuser is to be misled by what does not count
        dead = set(range(len(ops))).difference(live)
        parts.append(Part(tuple(sorted(dead)), optimization=NoOp(len(dead))))
    for positions, fuser, *_ in search([ops[p] for p in live], fusers):
        positions = tuple([live[p] for p in positions])
        if fuser is None:
            parts += [Part((p,), optimization=UnfusedOp()) for p in positions]
        elif isinstance(fuser, MlirFuser) and len(positions) == len(ops):
            return Plan(_finished(fuser, ops, block))
        else:
            parts.append(Part(positions, fuser))
    return Plan(parts=parts)


def _live(ops: list[OperationIr], survivors: list[int]) -> list[int]:
    """Positions of the operations that the survivors need."""
    needed = set(survivors)
    for position in range(len(ops) - 1, -1, -1):
        if position in needed:
            needed.update(
                [i.id for i in ops[position].inputs if isinstance(i, TensorIr) and i.id >= 0]
            )
    return sorted(needed)


def _offered(fuser: OperationFuser, ops: list[OperationIr]) -> OperationFuser:
    """A clone of the fuser that covers exactly these operations.

    Raises:
        FuserError: it does not cover them, or raised.
    """
    with asked(fuser, "the operations of its part"):
        clone = fuser.clone()
        clone.reset()
        for op in ops:
            if clone.status() is FuserStatus.CLOSED:
                break
            clone.fuse(op)
        ready, covered = clone.properties().ready, len(clone)
    if not ready or covered != len(ops):
        raise FuserError(
            f"the fuser {fuser.name!r} covers {covered} of {len(ops)} operations, of which it had "
            "covered all",
            fuser,
        )
    return clone


def _finished(fuser: OperationFuser, ops: list[OperationIr], block: Block) -> Any:
    return finished(fuser, _offered(fuser, ops), block)


def explore_part(part: Part, block: Block) -> Plan:
    """A plan for a part of a block, numbered as a block of its own, by the fuser that won it; by
    the compiler where that one fails."""
    assert part.fuser is not None
    ops = operations(block)
    fusers = [part.fuser, *[f for f in registered(block.device) if isinstance(f, MlirFuser)]]
    if part.fuser in fusers[1:]:
        del fusers[1:]
    for fuser in fusers:
        try:
            return Plan(_finished(fuser, ops, block))
        except Exception as error:
            report_fallback(block, error, left_out=fuser is not fusers[-1])
    return Plan(OnBackend(len(block.queue), "it did not compile"))


def report_fallback(
    block: Block, error: Exception, fuser: Any = None, left_out: bool = False
) -> None:
    """Counts a fallback and warns; with the strict flag raises the failure instead; an
    interrupt is raised on always.

    Args:
        fuser: of the executable that failed, if it is not the compiler's.
        left_out: others compete for the block without the fuser that the error names.
    """
    interrupt = interrupt_in(error)
    if interrupt is not None:
        raise interrupt
    statistics.fallbacks += 1
    if config.strict:
        raise error
    path = error.dump_path if isinstance(error, CompileError) else None
    names = ", ".join(dict.fromkeys(v.record[0].name for v in block.queue))
    whose = "" if fuser is None or isinstance(fuser, MlirFuser) else f"fuser {fuser.name!r}: "
    how = "is planned without a fuser" if left_out else "runs on the backend"
    warnings.warn(
        f"a block of {len(block.queue)} operations ({names[:200]}) {how}: {whose}"
        f"{type(error).__name__}: {message(error)}" + (f"; reproducer: {path}" if path else ""),
        FallbackWarning,
        stacklevel=level_of_the_user(),
    )
