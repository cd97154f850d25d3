# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""fusion-ptx-to-cubin: machine code for NVIDIA's GPUs, by ptxas, for the PTX in gpu.binaries.

Without it the driver compiles the PTX where it is loaded.
"""

from __future__ import annotations

from dataclasses import dataclass

from mlir import ir

from ..toolchains import cuda
from .gpu_binaries import ASSEMBLY, chip_of, objects, replace_by_binary
from .registry import Pass, PassContext

__all__ = ["PtxToCubin"]


@dataclass(frozen=True)
class PtxToCubin(Pass):
    """Compiles the PTX of each gpu.binary to machine code of its chip, by ptxas."""

    name = "fusion-ptx-to-cubin"

    def run(self, module: ir.Module, context: PassContext) -> None:
        for op, found in objects(module):
            if found.format == ASSEMBLY:
                chip, _ = chip_of(found.target)
                replace_by_binary(op, found.target, cuda.cubin(found.object, chip))
