# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""fusion-rocdl-to-hsaco: AMD's code objects for the kernels of gpu.modules.

MLIR's own pass for it needs an LLVM with the AMDGPU target in the same library; this one runs the
programs of such an LLVM. The launches in the host code stay as they are.
"""

from __future__ import annotations

from dataclasses import dataclass

from mlir import ir

from ..toolchains import rocm
from .gpu_binaries import chip_of, llvm_ir, replace_by_binary
from .registry import Pass, PassContext

__all__ = ["RocdlToHsaco"]


@dataclass(frozen=True)
class RocdlToHsaco(Pass):
    """Compiles each gpu.module with a #rocdl.target to a gpu.binary, by the programs of an LLVM."""

    name = "fusion-rocdl-to-hsaco"

    def run(self, module: ir.Module, context: PassContext) -> None:
        for op in [o.operation for o in module.body.operations]:
            if op.name != "gpu.module" or "targets" not in op.attributes:
                continue
            target = op.attributes["targets"][0]
            if str(target).startswith("#rocdl"):
                text = llvm_ir(op, rocm.TRIPLE)
                replace_by_binary(op, target, rocm.code_object(text, *chip_of(target)))
