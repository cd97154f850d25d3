# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Building `fusion.fused` operations out of operations of a block."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set

from mlir import ir

from ..dialects import fusion

__all__ = ["body_of", "build_kernel", "erase_if_unused", "replace_uses"]

Use = tuple[int, ir.Operation, int]


def build_kernel(
    kind: str,
    moved: Sequence[ir.Operation],
    outputs: Sequence[ir.Value],
    point: ir.InsertionPoint,
    location: ir.Location,
    *,
    cloned: Set[ir.Value] = frozenset(),
    alias: Mapping[ir.Value, ir.Value] | None = None,
) -> ir.Operation:
    """A fused operation at `point` whose body is `moved`, in that order.

    Operations whose first result is in `cloned` stay where they are and are copied. `outputs` are
    results of the operations. A value is replaced by its `alias`, if it has one, before it is
    looked for. The uses outside are the caller's to replace.
    """
    alias = alias or {}

    def actual(value: ir.Value) -> ir.Value:
        while (other := alias.get(value)) is not None:
            value = other
        return value

    operands = [[actual(v) for v in op.operands] for op in moved]
    local: dict[ir.Value, ir.Value | None] = {}
    inputs: dict[ir.Value, None] = {}
    for op, values in zip(moved, operands, strict=True):
        for value in values:
            if value not in local:
                inputs[value] = None
        for result in op.results:
            local[result] = None

    with location, point:
        fused = fusion.FusedOp([actual(v).type for v in outputs], list(inputs), kind).operation
    body = fused.regions[0].blocks.append(
        *(v.type for v in inputs), arg_locs=[location] * len(inputs)
    )
    for value, argument in zip(inputs, body.arguments, strict=True):
        local[value] = argument
    inside = ir.InsertionPoint(body)
    for op, values in zip(moved, operands, strict=True):
        if op.results[0] in cloned:
            new = op.clone(inside).operation
            for old_result, new_result in zip(op.results, new.results, strict=True):
                local[old_result] = new_result
        else:
            new = op
            body.append(op)
        for number, value in enumerate(values):
            if (mine := local[value]) is not None:
                new.operands[number] = mine
            elif op.operands[number] != value:
                new.operands[number] = value
    with location, inside:
        fusion.YieldOp([local[v] or v for v in map(actual, outputs)])
    return fused


def replace_uses(uses: Iterable[Use], value: ir.Value) -> None:
    for _, user, number in uses:
        user.operands[number] = value


def body_of(fused: ir.Operation) -> tuple[ir.Block, list[ir.Operation], ir.Operation]:
    """The block of a fused operation, its operations and its terminator."""
    block = fused.regions[0].blocks[0]
    *ops, terminator = [op.operation for op in block.operations]
    return block, ops, terminator


def erase_if_unused(op: ir.Operation) -> None:
    if all(next(iter(result.uses), None) is None for result in op.results):
        op.erase()
