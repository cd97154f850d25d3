# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A call of an outlined kernel, as the IR says it."""

from __future__ import annotations

from typing import Any

from mlir import ir

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
        # A scalar made a tensor is no work.
        self.ops = [
            op.operation.name.removeprefix("fusion.")
            for op in body[:-1]
            if op.operation.name != "fusion.full" or _rank(op.operation) > 0
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
            if o.name in ("fusion.full", "fusion.iota"):
                self._note_extents(o, arguments)

    def _note_extents(self, op: Any, arguments: dict) -> None:
        shape = list(ir.DenseI64ArrayAttr(op.attributes["static_shape"]))
        scalars = 1 if op.name == "fusion.full" else 2
        dynamic = iter(list(op.operands)[scalars:])
        for back, extent in enumerate(reversed(shape)):
            if extent == ir.ShapedType.get_dynamic_size():
                self.creation.setdefault(back, -1)
        values = [next(dynamic) if e == ir.ShapedType.get_dynamic_size() else e for e in shape]
        for back, value in enumerate(reversed(values)):
            if not isinstance(value, int) and value in arguments:
                self.creation[back] = arguments[value]


def _rank(op: ir.Operation) -> int:
    return ir.RankedTensorType(op.result.type).rank
