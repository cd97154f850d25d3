# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fusers: what proposes to cover a run of operations with one executable."""

from __future__ import annotations

from .protocols import (
    FuserProperties,
    FuserStatus,
    NumOperations,
    OperationFuser,
    OperationIr,
    Optimization,
    TensorIr,
    UnfusedOp,
)

__all__ = [
    "FuserProperties",
    "FuserStatus",
    "NumOperations",
    "OperationFuser",
    "OperationIr",
    "Optimization",
    "TensorIr",
    "UnfusedOp",
    "fusers",
]

_fusers: list[OperationFuser] = []


def fusers() -> list[OperationFuser]:
    """The fusers that compete for each new block, in order; a tie goes to the earlier one."""
    if not _fusers:
        from .mlir_fuser import MlirFuser

        _fusers.append(MlirFuser())
    return _fusers
