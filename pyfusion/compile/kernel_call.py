# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A call of an outlined kernel, as the IR says it."""

from __future__ import annotations

from typing import Any

from mlir import ir

from ..passes.ranges import KEEP_ORDER, extents_of, range_of
from ..passes.views import Mixed, mixed
from .kernel_shape import ints_attribute, string_attribute


class Call:
    """A kernel call of `@main`, before its native kernel exists."""

    def __init__(self, name: str, func: Any, operands: list[int], types: list, results: list):
        self.name = name
        self.operands = operands
        self.types = types
        self.results = results  # (slot, type)
        self.takes_over = ints_attribute(func, "fusion.takes_over")
        self.kind = string_attribute(func, "fusion.kernel")
        body = list(func.regions[0].blocks[0].operations)
        # A scalar made a tensor is no work, nor is a view of a range.
        self.ops = [
            op.operation.name.removeprefix("fusion.")
            for op in body[:-1]
            if op.operation.name not in KEEP_ORDER
            and (op.operation.name != "fusion.full" or _rank(op.operation) > 0)
        ]
        self.axes: list[int] = []
        self.keepdims = False
        self.operand_type: Any = None
        self.creation: dict[int, int] = {}
        self.stores: dict[int, int] = {}  # number of a result: the slot of where it is written to
        arguments = {a: n for n, a in enumerate(func.regions[0].blocks[0].arguments)}
        for op in body:
            o = op.operation
            if "axes" in o.attributes:
                self.axes = list(ir.DenseI64ArrayAttr(o.attributes["axes"]))
                self.keepdims = "keepdims" in o.attributes
                self.operand_type = o.operands[0].type
            if o.name == "fusion.full":
                self._note_extents(mixed(o, "static_shape", 1), arguments)
            elif _is_whole_range(o):
                self._note_extents(extents_of(range_of(o.result)), arguments)

    def _note_extents(self, extents: Mixed, arguments: dict) -> None:
        for back, value in enumerate(reversed(extents)):
            if not isinstance(value, int) and value in arguments:
                self.creation[back] = arguments[value]


def _is_whole_range(op: ir.Operation) -> bool:
    """Whether the operation makes a range, or the last view of one."""
    if op.name != "fusion.iota" and op.name not in KEEP_ORDER:
        return False
    return bool(range_of(op.result)) and all(
        use.owner.operation.name not in KEEP_ORDER for use in op.result.uses
    )


def _rank(op: ir.Operation) -> int:
    return ir.RankedTensorType(op.result.type).rank
