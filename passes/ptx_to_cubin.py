# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""fusion-ptx-to-cubin: machine code for NVIDIA's GPUs, by ptxas, for the PTX in gpu.binaries.

Without it the driver compiles the PTX where it is loaded.
"""

from __future__ import annotations

from dataclasses import dataclass

from mlir import ir

from ..toolchains import cuda
from .registry import Pass, PassContext
from .rocdl_to_hsaco import chip_of, replace_by_binary

__all__ = ["PtxToCubin", "objects"]

ASSEMBLY = 2  # gpu::CompilationTarget::Assembly


@dataclass(frozen=True)
class PtxToCubin(Pass):
    """Compiles the PTX of each gpu.binary to machine code of its chip, by ptxas."""

    name = "fusion-ptx-to-cubin"

    def run(self, module: ir.Module, context: PassContext) -> None:
        for op, found in objects(module):
            if found.format == ASSEMBLY:
                chip, _ = chip_of(found.target)
                replace_by_binary(op, found.target, cuda.cubin(found.object, chip))


def objects(module: ir.Module) -> list[tuple[ir.Operation, ir.Attribute]]:
    """Each gpu.binary of a module and its first object."""
    from mlir.dialects import gpu

    return [
        (op.operation, gpu.ObjectAttr(op.operation.attributes["objects"][0]))
        for op in module.body.operations
        if op.operation.name == "gpu.binary"
    ]
