# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Code of GPUs in a module: LLVM IR of gpu.modules, what gpu.binaries hold."""

from __future__ import annotations

import re

from mlir import ir
from mlir.dialects import gpu, llvm

from .registry import PipelineError

__all__ = [
    "ASSEMBLY",
    "BINARY",
    "binaries",
    "chip_of",
    "chip_or_none",
    "llvm_ir",
    "objects",
    "replace_by_binary",
]

# gpu::CompilationTarget
ASSEMBLY = 2
BINARY = 3

# What LLVM IR is made of, beside the dialects that mirror it.
_TRANSLATED = frozenset({"builtin.module", "gpu.module", "gpu.binary", "gpu.launch_func"})


def llvm_ir(op: ir.Operation, triple: str = "") -> str:
    """A module in the LLVM dialect, or a gpu.module, as LLVM IR.

    Raises:
        PipelineError: an operation is of another dialect. MLIR would stop the process.
    """

    def check(inner: ir.Operation) -> ir.WalkResult:
        dialect = inner.name.partition(".")[0]
        if dialect not in ("llvm", "nvvm", "rocdl") and inner.name not in _TRANSLATED:
            left.add(inner.name)
        return ir.WalkResult.ADVANCE

    left: set[str] = set()
    op.walk(check)
    if left:
        raise PipelineError(f"not lowered to the LLVM dialect: {', '.join(sorted(left))}")
    if triple:
        op.attributes["llvm.target_triple"] = ir.StringAttr.get(triple, op.context)
    return llvm.translate_module_to_llvmir(op)


def _strings_of(target: ir.Attribute) -> dict[str, str]:
    return dict(re.findall(r'(\w+) = "([^"]*)"', str(target)))


def chip_or_none(target: ir.Attribute) -> str | None:
    """Chip of a #rocdl.target or #nvvm.target; None: it names none, which is MLIR's default."""
    return _strings_of(target).get("chip")


def chip_of(target: ir.Attribute) -> tuple[str, str]:
    """Chip and features of a #rocdl.target or #nvvm.target."""
    values = _strings_of(target)
    if "chip" not in values:
        raise PipelineError(f"{target} names no chip")
    return values["chip"], values.get("features", "")


def binaries(module: ir.Module) -> list[ir.Operation]:
    """The gpu.binaries of a module."""
    operations = [op.operation for op in module.body.operations]
    return [op for op in operations if op.name == "gpu.binary"]


def objects(module: ir.Module) -> list[tuple[ir.Operation, gpu.ObjectAttr]]:
    """Each gpu.binary of a module and its first object."""
    return [(op, gpu.ObjectAttr(op.attributes["objects"][0])) for op in binaries(module)]


def replace_by_binary(op: ir.Operation, target: ir.Attribute, data: bytes) -> None:
    """A gpu.binary of machine code in place of a gpu.module, or of another gpu.binary."""
    with op.context, op.location:
        attributes = {
            "sym_name": op.attributes["sym_name"],
            "objects": ir.ArrayAttr.get([gpu.ObjectAttr.get(target, BINARY, data)]),
            "offloadingHandler": ir.Attribute.parse("#gpu.select_object"),
        }
        ir.Operation.create("gpu.binary", attributes=attributes, ip=ir.InsertionPoint(op))
    op.erase()
