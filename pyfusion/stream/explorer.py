# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A block without a plan: the fusers compete for it, and the best one makes the plan."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

from ..config import config
from ..errors import CompileError, FallbackWarning, level_of_the_user, message
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
from ..ir.value import Value, site_text
from ..runtime.statistics import statistics
from .block import Block
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
    """A plan for the block. A fuser that fails to build its executable falls back."""
    fusers = registered(block.device)
    if not fusers:
        return Plan(OnBackend(len(block.queue), "no fuser"))
    try:
        ops = operations(block)
        if len(fusers) == 1 and isinstance(fusers[0], MlirFuser):  # it covers everything: no search
            return Plan(_offered(fusers[0], ops).finish(block))
        return _searched(block, ops, fusers)
    except Exception as error:
        report_fallback(block, error)
        return Plan(OnBackend(len(block.queue), "it did not compile"))


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
            return Plan(_offered(fuser, ops).finish(block))
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
        RuntimeError: it does not cover them.
    """
    clone = fuser.clone()
    clone.reset()
    for op in ops:
        if clone.status() is FuserStatus.CLOSED:
            break
        clone.fuse(op)
    if not clone.properties().ready or len(clone) != len(ops):
        raise RuntimeError(
            f"the fuser {fuser.name!r} covers {len(clone)} of {len(ops)} operations, "
            "of which it had covered all"
        )
    return clone


def explore_part(part: Part, block: Block) -> Plan:
    """A plan for a part of a block, numbered as a block of its own, by the fuser that won it."""
    assert part.fuser is not None
    try:
        return Plan(_offered(part.fuser, operations(block)).finish(block))
    except Exception as error:
        report_fallback(block, error)
        return Plan(OnBackend(len(block.queue), "it did not compile"))


class OnBackend:
    """The plan of a key that no fuser covers, or that did not compile: it is not tried again."""

    name = "fallback"

    def __init__(self, length: int, why: str):
        self.why = why
        self.started = self.consumed = False
        self.culprit: int | None = None
        self._length = length

    def __len__(self) -> int:
        return self._length

    def execute(self, block: Block) -> None:
        from .engine import run_on_backend

        self.started = True
        run_on_backend(block)

    def describe(self) -> str:
        return f"on the backend: {self.why}"


def report_fallback(block: Block, error: Exception) -> None:
    """Counts a fallback and warns; with the strict flag raises the failure instead."""
    statistics.fallbacks += 1
    if config.strict:
        raise error
    path = error.dump_path if isinstance(error, CompileError) else None
    names = ", ".join(dict.fromkeys(v.record[0].name for v in block.queue))
    warnings.warn(
        f"a block of {len(block.queue)} operations ({names[:200]}) runs on the backend: "
        f"{type(error).__name__}: {message(error)}" + (f"; reproducer: {path}" if path else ""),
        FallbackWarning,
        stacklevel=level_of_the_user(),
    )
