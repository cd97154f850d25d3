# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""fusion-flatten-kernels: kernels of one dimension for the CPU.

The launcher presents every operand of a kernel as a dense tile, so the shapes of a kernel do not
matter: an element-wise kernel runs over a flat index. Operands of one element are "uniform", of
rank 0. A reduction becomes two functions, see flatten_reductions.py.
"""

from __future__ import annotations

from dataclasses import dataclass

from mlir import ir

from .flat import flatten_block, set_signature
from .flatten_reductions import split_reduction
from .graph import DYNAMIC
from .registry import Pass, PassContext, option

__all__ = ["FlattenKernels"]


@dataclass(frozen=True)
class FlattenKernels(Pass):
    """Rewrites kernels to one flat dimension, and reductions to a range and a finish part (CPU)."""

    name = "fusion-flatten-kernels"
    drop_main: bool = option(True, "Erase the functions that are not kernels.")

    def run(self, module: ir.Module, context: PassContext) -> None:
        unit = ir.UnitAttr.get(module.context)
        for op in list(module.body.operations):
            op = op.operation
            if op.name != "func.func" or "fusion.finish" in op.attributes:
                continue
            if "fusion.kernel" not in op.attributes:
                if self.drop_main:
                    op.erase()
            elif "fusion.flat" not in op.attributes:
                if op.attributes["fusion.kernel"].value == "reduction":
                    split_reduction(op)
                else:
                    flatten_block(op.regions[0].blocks[0], (DYNAMIC,))
                    set_signature(op)
                op.attributes["fusion.flat"] = unit
