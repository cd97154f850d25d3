# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""fusion-rocdl-to-hsaco: AMD's code objects for the kernels of gpu.modules.

MLIR's own pass for it needs an LLVM with the AMDGPU target in the same library; this one runs the
programs of such an LLVM. The launches in the host code stay as they are.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from mlir import ir
from mlir.dialects import llvm

from ..toolchains import rocm
from .registry import Pass, PassContext, PipelineError

__all__ = ["RocdlToHsaco", "device_ir", "replace_by_binary"]

BINARY = 3  # gpu::CompilationTarget::Binary


@dataclass(frozen=True)
class RocdlToHsaco(Pass):
    """Compiles each gpu.module with a #rocdl.target to a gpu.binary, by the programs of an LLVM."""

    name = "fusion-rocdl-to-hsaco"

    def run(self, module: ir.Module, context: PassContext) -> None:
        for op in list(module.body.operations):
            op = op.operation
            if op.name != "gpu.module" or "targets" not in op.attributes:
                continue
            for target in op.attributes["targets"]:
                chip, features = chip_of(target)
                data = rocm.code_object(device_ir(op, rocm.TRIPLE), chip, features)
                replace_by_binary(op, target, data)
                break


def chip_of(target: ir.Attribute) -> tuple[str, str]:
    """Chip and features of a #rocdl.target or #nvvm.target."""
    text = str(target)
    values = dict(re.findall(r'(\w+) = "([^"]*)"', text))
    if "chip" not in values:
        raise PipelineError(f"{text} names no chip")
    return values["chip"], values.get("features", "")


def device_ir(gpu_module: ir.Operation, triple: str) -> str:
    """The kernels of a gpu.module in the LLVM dialect as LLVM IR."""
    gpu_module.attributes["llvm.target_triple"] = ir.StringAttr.get(triple, gpu_module.context)
    return llvm.translate_module_to_llvmir(gpu_module)


def replace_by_binary(op: ir.Operation, target: ir.Attribute, data: bytes) -> None:
    """A gpu.binary of machine code in place of a gpu.module, or of another gpu.binary."""
    from mlir.dialects import gpu

    with op.context, op.location:
        found = gpu.ObjectAttr.get(target, BINARY, data)
        ir.Operation.create(
            "gpu.binary",
            attributes={
                "sym_name": op.attributes["sym_name"],
                "objects": ir.ArrayAttr.get([found]),
                "offloadingHandler": ir.Attribute.parse("#gpu.select_object"),
            },
            ip=ir.InsertionPoint(op),
        )
    op.erase()
