# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""fusion-canonicalize: fewer operations and smaller operands, before kernels are decided.

MLIR's canonicalize and cse, which drop dead results and join equal operations, then what depends
on how kernels are made: an operand that is the same everywhere, or only repeats another value,
needs no shape of its own where another operand gives the operation its shape.
"""

from __future__ import annotations

from dataclasses import dataclass

from mlir import ir
from mlir.passmanager import PassManager

from ..dialects import fusion
from .graph import DYNAMIC, Shape, functions, is_single, kind_of, shape_of
from .kernels import erase_if_unused
from .pipeline import run_manager
from .registry import Pass, PassContext
from .views import mixed, viewed_shape

__all__ = ["Canonicalize"]


@dataclass(frozen=True)
class Canonicalize(Pass):
    """Runs canonicalize and cse, and replaces operands by smaller ones that broadcast."""

    name = "fusion-canonicalize"

    def run(self, module: ir.Module, context: PassContext) -> None:
        manager = PassManager.parse("builtin.module(canonicalize,cse)", module.context)
        run_manager(manager, module.operation)
        for func in functions(module):
            for block in func.regions[0]:
                _simplify(block)


def _simplify(block: ir.Block) -> None:
    ops = [op.operation for op in block.operations]
    for op in ops:
        kind = kind_of(op.name)
        if kind == "view":
            _view_of_full(op)
        elif kind == "elementwise" and len(op.operands) > 1:
            _shrink_operands(op)
    for op in reversed(ops):
        if kind_of(op.name) in ("view", "creation"):
            erase_if_unused(op)


def _maker(value: ir.Value) -> ir.Operation | None:
    owner = value.owner
    return None if isinstance(owner, ir.Block) else owner.operation


# Views of fusion.full


def _view_of_full(op: ir.Operation) -> None:
    """view(full(x)) -> full(x) of the view's shape."""
    full = _maker(op.operands[0])
    if full is None or full.name != "fusion.full":
        return
    shape = viewed_shape(op, mixed(full, "static_shape", 1))
    with op.location, ir.InsertionPoint(op):
        dynamic = [extent for extent in shape if not isinstance(extent, int)]
        static = [extent if isinstance(extent, int) else DYNAMIC for extent in shape]
        new = fusion.FullOp(op.results[0].type, full.operands[0], dynamic, static)
    op.results[0].replace_all_uses_with(new.result)


# Operands of element-wise operations


def _shrink_operands(op: ir.Operation) -> None:
    shape = shape_of(op.results[0])
    if shape is None or is_single(shape):
        return
    operands = list(op.operands)
    smaller = {i: made for i, v in enumerate(operands) if (made := _smaller(v, op)) is not None}
    if not smaller:
        return
    carriers = [i for i, v in enumerate(operands) if shape_of(v) == shape]
    if all(i in smaller for i in carriers):
        if not carriers:
            return
        # One has to stay; rather a view of something than a scalar.
        kept = next((i for i in carriers if smaller[i].name == "fusion.broadcast"), carriers[0])
        del smaller[kept]
    for i, maker in smaller.items():
        op.operands[i] = _replacement(maker, op)


def _smaller(value: ir.Value, op: ir.Operation) -> ir.Operation | None:
    """The maker of a value, if the value is a smaller one repeated."""
    shape, maker = shape_of(value), _maker(value)
    if maker is None or shape is None or len(shape) == 0:
        return None
    if maker.name == "fusion.full":
        return maker
    if maker.name == "fusion.constant":
        attribute = maker.attributes["value"]
        splat = isinstance(attribute, ir.DenseElementsAttr) and attribute.is_splat
        return maker if splat else None
    if maker.name == "fusion.broadcast" and _repeats(shape_of(maker.operands[0]) or (), shape):
        return maker
    return None


def _repeats(source: Shape, shape: Shape) -> bool:
    """Whether element-wise operations broadcast the source themselves: `?` may be 1 or not."""
    lead = len(shape) - len(source)
    return all(m == 1 or (m == n != DYNAMIC) for m, n in zip(source, shape[lead:], strict=True))


def _replacement(maker: ir.Operation, op: ir.Operation) -> ir.Value:
    if maker.name == "fusion.broadcast":
        return maker.operands[0]
    with maker.location, ir.InsertionPoint(op):
        type_ = ir.RankedTensorType.get([], maker.results[0].type.element_type)
        if maker.name == "fusion.full":
            return fusion.FullOp(type_, maker.operands[0], [], []).result
        splat = ir.DenseElementsAttr(maker.attributes["value"]).get_splat_value()
        return fusion.ConstantOp(ir.DenseElementsAttr.get_splat(type_, splat)).result
