# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""fusion-outline-kernels: each `fusion.fused` becomes a function, and a call of it in its place.

What is left in the calling function are the steps that the run time executes: views, constants,
calls of kernels, and what only a backend can do. An input that is a range is made in the function.
"""

from __future__ import annotations

from dataclasses import dataclass

from mlir import ir
from mlir.dialects import func as func_dialect

from .graph import functions
from .kernels import erase_if_unused
from .ranges import range_of
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
    body = fused.regions[0].blocks[0]
    takes_over = list(fused.attributes["takes_over"]) if "takes_over" in fused.attributes else []
    inputs, takes_over = _move_ranges(body, list(fused.operands), takes_over)
    results = list(fused.results)
    types = [v.type for v in results]
    with fused.location:
        kernel = func_dialect.FuncOp(
            name, ([v.type for v in inputs], types), visibility="private", ip=end
        ).operation
        call = func_dialect.CallOp(types, name, inputs, ip=ir.InsertionPoint(fused)).operation
    kernel.attributes["fusion.kernel"] = fused.attributes["kind"]
    if takes_over:
        kernel.attributes["fusion.takes_over"] = ir.DenseI64ArrayAttr.get(takes_over)
    end_of_body = list(body.operations)[-1].operation
    with end_of_body.location, ir.InsertionPoint(end_of_body):
        func_dialect.ReturnOp(list(end_of_body.operands))
    end_of_body.erase()
    body.append_to(kernel.regions[0])
    for old, new in zip(results, call.results, strict=True):
        old.replace_all_uses_with(new)
    ranges = [op for value in fused.operands for op in reversed(range_of(value))]
    fused.erase()
    for op in dict.fromkeys(op.results[0] for op in ranges):
        erase_if_unused(op.owner.operation)


def _move_ranges(
    body: ir.Block, inputs: list[ir.Value], takes_over: list[int]
) -> tuple[list[ir.Value], list[int]]:
    """Makes the inputs that are ranges in the body; gives the inputs, and takes_over for them."""
    chains = {number: chain for number, v in enumerate(inputs) if (chain := range_of(v))}
    if not chains:
        return inputs, takes_over
    local: dict[ir.Value, ir.Value] = {}
    first = ir.InsertionPoint.at_block_begin(body)
    for number, chain in chains.items():
        for op in chain:
            new = op.clone(first).operation
            for place, value in enumerate(op.operands):
                if value not in local:
                    local[value] = body.add_argument(value.type, op.location)
                    inputs.append(value)
                new.operands[place] = local[value]
            local[op.results[0]] = new.results[0]
        body.arguments[number].replace_all_uses_with(local[inputs[number]])
    for number in sorted(chains, reverse=True):
        body.erase_argument(number)
    kept = [number for number in range(len(inputs)) if number not in chains]
    return [inputs[number] for number in kept], [kept.index(n) if n >= 0 else n for n in takes_over]
