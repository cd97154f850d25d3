# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fusers: what proposes to cover a run of operations with one executable."""

from __future__ import annotations

from typing import Any

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


def fusers(device: Any = None) -> list[OperationFuser]:
    """The fusers that compete for each new block, in order; a tie goes to the earlier one.

    Args:
        device: the block's. Its own fusers come last; where memory has no addresses, nothing is
            compiled.
    """
    if not _fusers:
        from .mlir_fuser import MlirFuser

        _fusers.append(MlirFuser())
    if device is None or device.runtime is None:
        return _fusers
    own = getattr(device.runtime, "fusers", ())
    return [f for f in _fusers if device.target or f.name != "mlir"] + list(own)
