# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fusers: what proposes to cover a run of operations with one executable.

The compiler's fuser, `MlirFuser`, covers every operation. Others are added by `register` and win,
by their score, the operations that they do better.
"""

from __future__ import annotations

from .arrays import inputs, write
from .mlir_fuser import MlirFuser
from .protocols import (
    FuserBlock,
    FuserProperties,
    FuserStatus,
    NoOp,
    NumOperations,
    OperationFuser,
    OperationIr,
    Optimization,
    TensorIr,
    UnfusedOp,
)
from .registry import Registration, register, registered, unregister

__all__ = [
    "FuserBlock",
    "FuserProperties",
    "FuserStatus",
    "MlirFuser",
    "NoOp",
    "NumOperations",
    "OperationFuser",
    "OperationIr",
    "Optimization",
    "Registration",
    "TensorIr",
    "UnfusedOp",
    "inputs",
    "register",
    "registered",
    "unregister",
    "write",
]
