# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""fusion-forbid-unwinding: host code without tables for unwinding.

The constructors that register a GPU's code lie in a section of their own, and the JIT tells the
unwinder of one range of addresses for all of a module, which then reaches across other modules.
That of GCC 13 takes ranges for disjoint: once such a module is gone, the next C++ exception of the
process may end it. Nothing here throws, so there need be no tables.
"""

from __future__ import annotations

from dataclasses import dataclass

from mlir import ir

from .registry import Pass, PassContext

__all__ = ["ForbidUnwinding"]

# What the translation of a gpu.binary and a gpu.launch_func calls; it uses a declaration that is
# there, and what it generates throws only if the functions that it calls may.
_CALLED = (
    "@mgpuModuleLoad(!llvm.ptr, i64) -> !llvm.ptr",
    "@mgpuModuleLoadJIT(!llvm.ptr, i32) -> !llvm.ptr",
    "@mgpuModuleUnload(!llvm.ptr)",
)


@dataclass(frozen=True)
class ForbidUnwinding(Pass):
    """Says of the functions of host code that they do not throw, and of what loads GPU code."""

    name = "fusion-forbid-unwinding"

    def run(self, module: ir.Module, context: PassContext) -> None:
        unit = ir.UnitAttr.get(module.context)
        binary = False
        for op in module.body.operations:
            op = op.operation
            binary = binary or op.name == "gpu.binary"
            if op.name == "llvm.func":
                op.attributes["no_unwind"] = unit
        if not binary:
            return
        known = {
            op.operation.attributes["sym_name"].value
            for op in module.body.operations
            if "sym_name" in op.operation.attributes
        }
        with module.context, ir.Location.unknown(), ir.InsertionPoint.at_block_begin(module.body):
            for function in _CALLED:
                if function[1 : function.index("(")] not in known:
                    ir.InsertionPoint.current.insert(
                        ir.Operation.parse(f"llvm.func {function} attributes {{no_unwind}}")
                    )
