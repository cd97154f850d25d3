# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""fusion-widen-loops: loops of many integer operations take 32 elements at a time.

Random words are a chain of some hundred operations, each of which waits for the one before it. LLVM
makes one vector of as many elements as the widest type has place for and does not interleave a body
of that size, so that half of the processor waits, and with results of 64 bits half of each vector
of words is empty. With 32 elements there are several chains. Where much is computed of floats too,
whose chains are shorter and take more registers, it is half as many. Values do not change.
"""

from __future__ import annotations

from dataclasses import dataclass

from mlir import ir

from .registry import Pass, PassContext, option

__all__ = ["WidenLoops"]

_INTEGER = {f"arith.{name}" for name in ("addi", "andi", "ori", "shli", "shrui", "xori")}


@dataclass(frozen=True)
class WidenLoops(Pass):
    """Says how many elements a loop takes at a time, where LLVM would take too few."""

    name = "fusion-widen-loops"
    min_ops: int = option(64, "Operations on integers of 32 bits from which on a loop is one.")
    elements: int = option(32, "Elements at a time; half as many with many floats.")

    def run(self, module: ir.Module, context: PassContext) -> None:
        for func in module.body.operations:
            func = func.operation
            if func.name != "func.func" or not _is_elementwise(func):
                continue
            for block in func.regions[0]:
                for op in block.operations:
                    op = op.operation
                    if op.name == "scf.for" and (count := self._elements(op)):
                        op.attributes["llvm.loop_annotation"] = ir.Attribute.parse(
                            "#llvm.loop_annotation<vectorize = "
                            f"<disable = false, width = {count} : i32>>",
                            module.context,
                        )

    def _elements(self, loop: ir.Operation) -> int:
        """How many elements at a time; 0 for a loop with branches, or without many such
        operations."""
        word = ir.IntegerType.get_signless(32, loop.context)
        body = [op.operation for op in loop.regions[0].blocks[0].operations]
        if any(len(op.regions) for op in body):
            return 0
        integers = sum(op.name in _INTEGER and op.results[0].type == word for op in body)
        floats = sum(len(op.results) == 1 and _is_float(op.results[0].type) for op in body)
        if integers < self.min_ops:
            return 0
        return self.elements // 2 if 2 * floats > integers else self.elements


def _is_float(type_: ir.Type) -> bool:
    return isinstance(type_, (ir.F16Type, ir.BF16Type, ir.F32Type, ir.F64Type))


def _is_elementwise(func: ir.Operation) -> bool:
    kind = func.attributes.get("fusion.kernel", None)
    return isinstance(kind, ir.StringAttr) and kind.value == "elementwise"
