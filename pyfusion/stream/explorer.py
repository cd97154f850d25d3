# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A block without a plan: the fusers compete for it, and the best one makes the plan."""

from __future__ import annotations

import warnings

from ..config import config
from ..errors import CompileError, FallbackWarning, level_of_the_user
from ..fusers import FuserStatus, OperationFuser, OperationIr, TensorIr, UnfusedOp, fusers
from ..ir.value import Value, site_text
from ..runtime.statistics import statistics
from .block import Block
from .plan import Plan


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
    ops = operations(block)
    best: OperationFuser | None = None
    for fuser in fusers(block.device):
        fuser.reset()
        for op in ops:
            if fuser.status() is FuserStatus.CLOSED:
                break
            fuser.fuse(op)
        properties = fuser.properties()
        if (
            properties.ready
            and properties.score > 0
            and (best is None or properties.score > best.properties().score)
        ):
            best = fuser
    if best is None or len(best) == 0:
        return Plan(UnfusedOp()) if len(ops) == 1 else Plan(OnBackend(len(ops), "no fuser"))
    if len(best) < len(ops):
        return Plan(splits=(len(best), len(ops) - len(best)))
    try:
        return Plan(best.finish(block))
    except Exception as error:
        report_fallback(block, error)
        return Plan(OnBackend(len(ops), "it did not compile"))


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
        f"{type(error).__name__}: {error}" + (f"; reproducer: {path}" if path else ""),
        FallbackWarning,
        stacklevel=level_of_the_user(),
    )
