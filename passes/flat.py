# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rewriting the bodies of kernels to tensors of other ranks, in place."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from mlir import ir
from mlir.dialects import arith

from ..dialects import fusion
from .graph import DYNAMIC, Shape, is_single, shape_of
from .ranges import KEEP_ORDER, extents_of, range_of
from .registry import InputError
from .views import Mixed, mixed

__all__ = ["flatten_block", "one_element", "retype", "set_signature"]


def retype(value: ir.Value, shape: Sequence[int]) -> None:
    value.set_type(ir.RankedTensorType.get(shape, value.type.element_type, loc=value.location))


def set_signature(func: ir.Operation) -> None:
    """Makes the type of a function that of its arguments and of what it returns."""
    block = func.regions[0].blocks[0]
    returned = list(block.operations)[-1].operation.operands
    type_ = ir.FunctionType.get(
        [a.type for a in block.arguments], [v.type for v in returned], func.context
    )
    func.attributes["function_type"] = ir.TypeAttr.get(type_)


def one_element(value: ir.Value) -> bool:
    """Whether the value's type says that it is one number; scalars are."""
    return is_single(shape_of(value) or ())


def flatten_block(block: ir.Block, tile: Sequence[int]) -> None:
    """Gives the values of a kernel the shape `tile`, or rank 0 where they have one element.

    If all that the kernel returns has one element, its tensor arguments are tiles too: something
    has to carry the loop.
    """
    ranges = _unshape_ranges(block)
    *ops, terminator = [op.operation for op in block.operations]
    returned = list(terminator.operands)
    alone = all(map(one_element, returned))
    arguments = [a for a in block.arguments if shape_of(a) is not None]
    tiles = {a for a in arguments if alone or not one_element(a)}
    _spread(tiles, ops, ("fusion.iota",))
    if not all(v in tiles for v in returned):  # no argument carries the loop
        _spread(tiles, ops, ("fusion.iota", "fusion.full"))

    created = [op for op in ops if op.name in ("fusion.full", "fusion.iota")]
    whole = _extents(shape_of(returned[0]) or (), created, ranges)
    for argument in arguments:
        retype(argument, tile if argument in tiles else ())
    for op in ops:
        if op.name in ("fusion.full", "fusion.iota"):
            _create(op, tile if op.results[0] in tiles else (), whole)
        elif op.name == "fusion.constant":
            _make_scalar(op)
        elif op.name.startswith("fusion."):
            for result in op.results:
                retype(result, tile if result in tiles else ())


def _spread(tiles: set[ir.Value], ops: Sequence[ir.Operation], makers: tuple[str, ...]) -> None:
    """Adds what is computed from tiles, and the results of `makers`."""
    for op in ops:
        if op.name in makers or any(v in tiles for v in op.operands):
            tiles.update(op.results)


def _make_scalar(op: ir.Operation) -> None:
    value = ir.DenseElementsAttr(op.attributes["value"])
    if not value.is_splat:
        raise InputError("a constant in a kernel must have one value everywhere", op.location)
    retype(op.results[0], ())
    op.attributes["value"] = ir.DenseElementsAttr.get_splat(
        op.results[0].type, value.get_splat_value()
    )


def _create(op: ir.Operation, tile: Sequence[int], whole: Mixed) -> None:
    """Replaces fusion.full or fusion.iota by one of another shape; as a tile it is `whole`."""
    scalars = 1 if op.name == "fusion.full" else 2
    element = op.results[0].type.element_type
    if len(tile) > 1:
        raise InputError(
            f"the loop over a reduction's operand cannot be carried by {op.name}", op.location
        )
    with op.location, ir.InsertionPoint(op):
        type_ = ir.RankedTensorType.get(tile, element)
        extents = [_product(whole)] if tile else []
        make = fusion.FullOp if scalars == 1 else fusion.IotaOp
        new = make(type_, *list(op.operands)[:scalars], extents, [DYNAMIC] * len(tile))
    op.results[0].replace_all_uses_with(new.result)
    op.erase()


def _unshape_ranges(block: ir.Block) -> dict[ir.Value, Mixed]:
    """Has what reads a range of several dimensions read its iota; gives the extents by iota."""
    extents: dict[ir.Value, Mixed] = {}
    views = []
    for op in [op.operation for op in block.operations]:
        if op.name in KEEP_ORDER and (chain := range_of(op.results[0])):
            iota = chain[0].results[0]
            extents[iota] = extents_of(chain)
            views.append((op, iota))
    for op, iota in reversed(views):
        op.results[0].replace_all_uses_with(iota)
        op.erase()
    return extents


def _extents(shape: Shape, created: Sequence[ir.Operation], ranges: dict[ir.Value, Mixed]) -> Mixed:
    """The extents of a loop; those that are not static are found in what is created in it."""
    extents: Mixed = list(shape)
    for op in created:
        own = ranges.get(op.results[0])
        if own is None:
            own = mixed(op, "static_shape", 1 if op.name == "fusion.full" else 2)
        lead = len(shape) - len(own)
        for d, extent in enumerate(own):
            if not isinstance(extent, int) and lead + d >= 0 and shape[lead + d] == DYNAMIC:
                extents[lead + d] = extent
    return extents


def _product(extents: Mixed) -> ir.Value:
    static = 1
    dynamic = []
    for extent in extents:
        if not isinstance(extent, int):
            dynamic.append(extent)
        elif extent == DYNAMIC:
            raise InputError(
                "a kernel that reads no array does not say how large its result is",
                ir.Location.current,
            )
        else:
            static *= extent
    if static != 1 or not dynamic:
        dynamic.insert(0, arith.constant(ir.IndexType.get(), static))
    return functools.reduce(arith.muli, dynamic)
