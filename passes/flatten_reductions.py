# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions for the CPU: a range part that the threads share, and a finish part.

The dimensions of the reduced operand (without those of extent 1) are put in the order kept,
reduced, kept. Where the last one is reduced ("row" form) the rows of a tile are reduced, else
("col" form) its columns. The range part gives a partial result for each chunk of the reduced
extent; the finish part combines the chunks, a tile [chunk, kept], and computes what follows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mlir import ir
from mlir.dialects import func as func_dialect

from ..dialects import fusion
from .access import access_of, note_access
from .flat import flatten_block, set_signature
from .graph import DYNAMIC, Shape, kind_of, shape_of
from .registry import InputError

__all__ = ["split_reduction"]

_ROW = (DYNAMIC,)
_TILE = (DYNAMIC, DYNAMIC)


def split_reduction(func: ir.Operation, dense: list[bool] | None = None) -> None:
    """Makes @kernel the range part of a reduction and adds @kernel_finish.

    With `dense`, which of the arguments lie in memory in order, it notes how they are addressed.
    """
    block = func.regions[0].blocks[0]
    *ops, _ = [op.operation for op in block.operations]
    found = [op for op in ops if kind_of(op.name) == "reduction"]
    if len(found) != 1:
        raise InputError(f"a reduction kernel holds one reduction, not {len(found)}", func.location)
    reduction = found[0]
    shape = shape_of(reduction.operands[0]) or ()
    lead, reduced, trail, row = _arrange(shape, set(reduction.attributes["axes"]))

    element = reduction.operands[0].type.element_type
    axes, keepdims = list(reduction.attributes["axes"]), "keepdims" in reduction.attributes
    shapes = [shape_of(argument) for argument in block.arguments]
    finish_args = _add_finish(func, reduction, ops)
    range_args = _keep_range(block, reduction, ops, 1 if row else 0)
    set_signature(func)

    attributes, context = func.attributes, func.context
    attributes["fusion.form"] = ir.StringAttr.get("row" if row else "col", context)
    for name, numbers in {
        "dims": [len(lead), len(reduced), len(trail)],
        "permutation": lead + reduced + trail,
        "range_args": range_args,
        "finish_args": finish_args,
    }.items():
        attributes[f"fusion.{name}"] = ir.DenseI64ArrayAttr.get(numbers, context)
    if dense is None:
        return
    order = lead + reduced + trail
    i64 = ir.IntegerType.get_signless(64, context)
    func.attributes["fusion.element_bits"] = ir.IntegerAttr.get(i64, element.width)
    note_access(
        func,
        access_of([shapes[a] for a in range_args], shape, order, [False] * len(range_args)),
        "strided",
    )
    kept = [d for d in range(len(shape)) if keepdims or d not in axes]
    space = [1 if d in axes else shape[d] for d in kept]
    finish = ir.SymbolTable(func.parent)[func.attributes["sym_name"].value + "_finish"].operation
    note_access(
        finish,
        access_of(
            [shapes[a] for a in finish_args],
            space,
            [kept.index(d) for d in lead + trail],
            [dense[a] for a in finish_args],
        ),
        "dense",
    )


def _arrange(shape: Shape, axes: set[int]) -> tuple[list[int], list[int], list[int], bool]:
    """Dimensions kept, reduced, kept; and whether the form is that of rows."""
    dims = [d for d, extent in enumerate(shape) if extent != 1]
    reduced = [d for d in dims if d in axes]
    kept = [d for d in dims if d not in axes]
    if not dims or dims[-1] in axes:
        return kept, reduced, [], True
    last = max(reduced, default=-1)
    return [d for d in kept if d < last], reduced, [d for d in kept if d > last], False


def _accumulator(reduction: ir.Operation) -> ir.Type:
    """The element type of partial results, or of the elements whose places they are: short floats
    are reduced as f32."""
    element = reduction.operands[0].type.element_type
    if isinstance(element, (ir.F16Type, ir.BF16Type)):
        return ir.F32Type.get(reduction.context)
    return element


def _combiner(reduction: ir.Operation) -> str:
    name = reduction.name.removeprefix("fusion.")
    return "sum" if name == "mean" else name


def _cast(value: ir.Value, element: ir.Type) -> ir.Value:
    if value.type.element_type == element:
        return value
    return fusion.cast(ir.RankedTensorType.get(value.type.shape, element), value)


def _needed(
    values: Iterable[ir.Value], ops: Sequence[ir.Operation], stop: Sequence[ir.Value] = ()
) -> list[ir.Operation]:
    """The operations that the values are computed from, but not the makers of `stop`."""
    wanted = set(values)
    needed = []
    for op in reversed(ops):
        results = list(op.results)
        if any(r in wanted for r in results) and not any(r in stop for r in results):
            needed.append(op)
            wanted.update(op.operands)
    return needed[::-1]


def _keep_range(
    block: ir.Block, reduction: ir.Operation, ops: list[ir.Operation], axis: int
) -> list[int]:
    """Leaves of a kernel its range part; gives the numbers of the arguments that it has."""
    operand = reduction.operands[0]
    needed = {op.results[0] for op in _needed([operand], ops)}
    combiner = _combiner(reduction)
    accumulator = _accumulator(reduction)
    terminator = list(block.operations)[-1].operation
    terminator.erase()
    location = reduction.location
    for op in reversed(ops):
        if op.results[0] not in needed:
            op.erase()
    with location, ir.InsertionPoint(block):
        end = func_dialect.ReturnOp([operand]).operation
    kept = _drop_unused(block)
    flatten_block(block, _TILE)
    operand = end.operands[0]
    with location, ir.InsertionPoint(end):
        reduce_op = getattr(fusion, combiner)
        end.operands[0] = reduce_op(_cast(operand, accumulator), [axis])
    return kept


def _drop_unused(block: ir.Block) -> list[int]:
    kept = []
    for argument in reversed(list(block.arguments)):
        number = argument.arg_number
        if next(iter(argument.uses), None) is None:
            block.erase_argument(number)
        else:
            kept.append(number)
    return kept[::-1]


def _add_finish(func: ir.Operation, reduction: ir.Operation, ops: list[ir.Operation]) -> list[int]:
    """Adds the finish part; gives the numbers of the kernel's arguments that it takes."""
    block = func.regions[0].blocks[0]
    returned = list(list(block.operations)[-1].operation.operands)
    needed = _needed(returned, ops, stop=[reduction.results[0]])
    read = {v for op in needed for v in op.operands} | set(returned)
    arguments = [a for a in block.arguments if a in read]
    total = reduction.results[0]

    name = func.attributes["sym_name"].value + "_finish"
    with func.location:
        finish = func_dialect.FuncOp(
            name, ([], []), visibility="private", ip=ir.InsertionPoint.after(func)
        ).operation
    sources = [total, *arguments]
    body = finish.regions[0].blocks.append(
        *(v.type for v in sources), arg_locs=[reduction.location, *(a.location for a in arguments)]
    )
    local = dict(zip(sources, body.arguments, strict=True))
    inside = ir.InsertionPoint(body)
    for op in needed:
        new = op.clone(inside).operation
        for number, value in enumerate(op.operands):
            new.operands[number] = local[value]
        local.update(zip(op.results, new.results, strict=True))
    with reduction.location, inside:
        func_dialect.ReturnOp([local[v] for v in returned])
    flatten_block(body, _ROW)
    _combine_chunks(body, reduction)
    set_signature(finish)

    unit = ir.UnitAttr.get(func.context)
    finish.attributes["fusion.finish"] = ir.StringAttr.get(_combiner(reduction), func.context)
    finish.attributes["fusion.flat"] = unit
    if reduction.name == "fusion.mean":
        finish.attributes["fusion.mean"] = unit
    if isinstance(reduction.opview, (fusion.ArgmaxOp, fusion.ArgminOp)):
        finish.attributes["fusion.places"] = unit
    return [a.arg_number for a in arguments]


def _combine_chunks(body: ir.Block, reduction: ir.Operation) -> None:
    """Makes the first argument, the reduced value, the tile of partial results."""
    partials = body.arguments[0]
    element = reduction.results[0].type.element_type
    uses = [(use.owner.operation, use.operand_number) for use in partials.uses]
    partials.set_type(ir.RankedTensorType.get(_TILE, _accumulator(reduction)))
    with reduction.location, ir.InsertionPoint.at_block_begin(body):
        combine = getattr(fusion, _combiner(reduction))
        total = _cast(combine(partials, [0]), element)
    for op, number in uses:
        op.operands[number] = total
