# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""fusion-flatten-kernels: kernels of one dimension.

The launcher knows where operands lie (on the CPU it presents each as a dense tile), so the shapes
of a kernel do not matter: an element-wise kernel runs over a flat index. Operands of one element
are "uniform", of rank 0. A reduction becomes two functions, see flatten_reductions.py.
"""

from __future__ import annotations

from dataclasses import dataclass

from mlir import ir

from .access import access_of, dense_values, loop_dims, note_access
from .flat import flatten_block, set_signature
from .flatten_reductions import split_reduction
from .graph import DYNAMIC, functions, inside, shape_of
from .registry import InputError, Pass, PassContext, option

__all__ = ["FlattenKernels"]


@dataclass(frozen=True)
class FlattenKernels(Pass):
    """Rewrites kernels to one flat dimension, and reductions to a range and a finish part."""

    name = "fusion-flatten-kernels"
    drop_main: bool = option(True, "Erase the functions that are not kernels.")
    access: bool = option(False, "Note how kernels address their operands (GPU).")

    def run(self, module: ir.Module, context: PassContext) -> None:
        unit = ir.UnitAttr.get(module.context)
        dense = _dense_operands(module) if self.access else {}
        for op in list(module.body.operations):
            op = op.operation
            if op.name != "func.func" or "fusion.finish" in op.attributes:
                continue
            if "fusion.kernel" not in op.attributes:
                if self.drop_main:
                    op.erase()
            elif "fusion.flat" not in op.attributes:
                kind = _kind(op)
                count = len(op.regions[0].blocks[0].arguments)
                known = dense.get(op.attributes["sym_name"].value, [False] * count)
                if kind == "reduction":
                    split_reduction(op, known if self.access else None)
                else:
                    _flatten(op, known if self.access else None)
                op.attributes["fusion.flat"] = unit


def _kind(func: ir.Operation) -> str:
    """elementwise or reduction."""
    name = func.attributes["sym_name"].value
    if len(list(func.regions[0].blocks)) != 1:
        raise InputError(f"the body of kernel @{name} is not one block", func.location)
    kind = func.attributes["fusion.kernel"]
    if not isinstance(kind, ir.StringAttr) or kind.value not in ("elementwise", "reduction"):
        raise InputError(
            f'kernel @{name}: fusion.kernel is "elementwise" or "reduction", not {kind}',
            func.location,
        )
    return kind.value


def _flatten(func: ir.Operation, dense: list[bool] | None) -> None:
    block = func.regions[0].blocks[0]
    shapes = [shape_of(argument) for argument in block.arguments]
    returned = list(block.operations)[-1].operation.operands
    space = shape_of(returned[0]) or ()
    flatten_block(block, (DYNAMIC,))
    set_signature(func)
    if dense is not None:
        order = loop_dims(space)
        note_access(func, access_of(shapes, space, order, dense), "dense")
        i64 = ir.IntegerType.get_signless(64, func.context)
        func.attributes["fusion.rank"] = ir.IntegerAttr.get(i64, len(order))


def _dense_operands(module: ir.Module) -> dict[str, list[bool]]:
    """For each kernel that is called, whether its operands lie in memory in order.

    A kernel that is called twice is one whose operands all calls agree on, else they are not.
    """
    found: dict[str, list[bool]] = {}
    for func in functions(module):
        values = dense_values(func)
        for call in inside(func):
            if call.name == "func.call":
                name = call.attributes["callee"].value
                now = [v in values for v in call.operands]
                before = found.get(name, now)
                found[name] = [a and b for a, b in zip(before, now, strict=True)]
    return found
