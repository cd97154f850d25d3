# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The fuser that compiles: it covers every operation, kernels are decided by the passes."""

from __future__ import annotations

from typing import Any

from .protocols import FuserProperties, FuserStatus, OperationIr


class MlirFuser:
    """Covers everything. What the compiler does not know becomes a call of the backend."""

    name = "mlir"

    def __init__(self) -> None:
        self._length = 0
        self._compiled = 0

    def fuse(self, operation: OperationIr) -> None:
        self._length += 1
        if operation.op.kind != "opaque":
            self._compiled += 1

    def finish(self, block: Any) -> Any:
        from ..compile.driver import compile_block

        return compile_block(block)

    def reset(self) -> None:
        self._length = self._compiled = 0

    def clone(self) -> MlirFuser:
        other = MlirFuser()
        other._length, other._compiled = self._length, self._compiled
        return other

    def status(self) -> FuserStatus:
        return FuserStatus.OPEN

    def properties(self) -> FuserProperties:
        return FuserProperties(score=1 + self._compiled, ready=self._length > 0)

    def __len__(self) -> int:
        return self._length
