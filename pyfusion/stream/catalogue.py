# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The public list of the operations that can be deferred and fused, from the one table."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

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


# Where neither NumPy nor the declaration says it.
_RULES = {
    "cast": "the type asked for",
    "select": "that of the second and third operand",
}


def _rule(op: OpInfo, row: dict[str, Any]) -> str:
    if op.name in _RULES:
        return _RULES[op.name]
    if op.kind == "creation":
        return "that of the data" if "value" in row["attributes"] else "the type asked for"
    if op.kind == "reduction" and op.oracle is not None:
        return _reduced(op, row)
    if op.ufunc is not None:
        like = op.ufunc.__name__
        return f"as numpy.{like}" if like == op.numpy else f"that of real numbers in numpy.{like}"
    return "that of the operands"


def _reduced(op: OpInfo, row: dict[str, Any]) -> str:
    """What NumPy's function gives for a type that it keeps, if any, and for small integers."""
    assert op.oracle is not None
    kept, small = (op.oracle(np.ones(1, t)).dtype for t in (np.float32, np.int16))
    if kept == small:
        return str(kept)
    if small != np.int16 and "i16" in row["element_types"][0]:
        return f"that of the operand; the function widens small integers first, as numpy.{op.numpy}"
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
                _rule(op, row),
                op.numpy,
                row["commutative"],
            )
        )
    return tuple(found)


operations: tuple[Operation, ...] = _all()
