# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The public list of the operations that can be deferred and fused, from the one table."""

from __future__ import annotations

from typing import NamedTuple

from ..ir.table import OPS, OpInfo, declarations


class Operation(NamedTuple):
    """One operation.

    Attributes:
        name: of the function in `pyfusion` for most, and of the record.
        ir_name: of the operation in the dialect.
        kind: elementwise, view, creation, reduction or contraction.
        summary: what it computes.
        operands: their names; those of type index are extents and bounds.
        element_types: for each operand the element types of MLIR that it takes.
        attributes: names of the static attributes, part of a plan's key.
        dtype_rule: how the result's element type follows from the operands'.
        numpy: the NumPy function of the same meaning, or empty.
        commutative: whether the operands may be exchanged.
    """

    name: str
    ir_name: str
    kind: str
    summary: str
    operands: tuple[str, ...]
    element_types: tuple[tuple[str, ...], ...]
    attributes: tuple[str, ...]
    dtype_rule: str
    numpy: str
    commutative: bool


_RULES = {
    "cast": "the type asked for",
    "select": "that of the second and third operand",
    "all": "bool",
    "any": "bool",
    "argmax": "int64",
    "argmin": "int64",
    "sum": "that of the operand; the function widens small integers first, as numpy.sum",
    "prod": "that of the operand; the function widens small integers first, as numpy.prod",
    "iota": "the type asked for",
    "full": "the type asked for",
    "constant": "that of the data",
}


def _rule(op: OpInfo) -> str:
    if op.name in _RULES:
        return _RULES[op.name]
    if op.ufunc is not None:
        like = op.ufunc.__name__
        return f"as numpy.{like}" if like == op.numpy else f"that of real numbers in numpy.{like}"
    return "that of the operands"


def _all() -> tuple[Operation, ...]:
    found = []
    for name, row in declarations().items():
        op = OPS[name]
        if op.kind in ("region", "opaque"):
            continue  # no operations of a user's program
        found.append(
            Operation(
                name,
                f"fusion.{name}",
                op.kind,
                row["summary"],
                tuple(row["operands"]),
                tuple([tuple(types or ()) for types in row["element_types"]]),
                tuple(row["attributes"]),
                _rule(op),
                op.numpy,
                row["commutative"],
            )
        )
    return tuple(found)


operations: tuple[Operation, ...] = _all()
