# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""fusion-outline-kernels: each `fusion.fused` becomes a function, and a call of it in its place.

What is left in the calling function are the steps that the run time executes: views, constants,
calls of kernels, and what only a backend can do.
"""

from __future__ import annotations

from dataclasses import dataclass

from mlir import ir
from mlir.dialects import func as func_dialect

from .graph import functions
from .registry import Pass, PassContext

__all__ = ["OutlineKernels"]


@dataclass(frozen=True)
class OutlineKernels(Pass):
    """Moves the bodies of fused operations into private functions @kernel_N."""

    name = "fusion-outline-kernels"

    def run(self, module: ir.Module, context: PassContext) -> None:
        end = ir.InsertionPoint(module.body)
        taken = {
            op.attributes["sym_name"].value
            for op in module.body.operations
            if "sym_name" in op.attributes
        }
        number = 0
        for func in functions(module):
            for block in func.regions[0]:
                for op in list(block.operations):
                    if op.operation.name != "fusion.fused":
                        continue
                    while f"kernel_{number}" in taken:
                        number += 1
                    _outline(op.operation, f"kernel_{number}", end)
                    number += 1


def _outline(fused: ir.Operation, name: str, end: ir.InsertionPoint) -> None:
    inputs, results = list(fused.operands), list(fused.results)
    types = [v.type for v in results]
    with fused.location:
        kernel = func_dialect.FuncOp(
            name, ([v.type for v in inputs], types), visibility="private", ip=end
        ).operation
        call = func_dialect.CallOp(types, name, inputs, ip=ir.InsertionPoint(fused)).operation
    kernel.attributes["fusion.kernel"] = fused.attributes["kind"]
    if "takes_over" in fused.attributes:
        kernel.attributes["fusion.takes_over"] = fused.attributes["takes_over"]
    body = fused.regions[0].blocks[0]
    end_of_body = list(body.operations)[-1].operation
    with end_of_body.location, ir.InsertionPoint(end_of_body):
        func_dialect.ReturnOp(list(end_of_body.operands))
    end_of_body.erase()
    body.append_to(kernel.regions[0])
    for old, new in zip(results, call.results, strict=True):
        old.replace_all_uses_with(new)
    fused.erase()
