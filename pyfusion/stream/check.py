# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arguments of a record that somebody else than the array functions makes."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from ..dtypes import DType, as_dtype
from ..ir.table import OpInfo
from ..ir.value import Value

_NUMBERS = (bool, int, float, complex)
_MAX_RANK = 64

Shape = tuple[int, ...]


@functools.cache
def _operands() -> dict[str, tuple[str, ...]]:
    """For each operation of the table the names of its operands that are no bounds."""
    from .catalogue import operations

    found = {}
    for one in operations:
        pairs = zip(one.operands, one.element_types, strict=True)
        found[one.name] = tuple([name for name, types in pairs if "index" not in types])
    return found


def checked(
    op: Any, args: Any, shape: Any, dtype: Any, attrs: Any, dyn: Any
) -> tuple[tuple, Any, Shape, Shape, DType]:
    """Operands, attributes, bounds, shape and type, as `stream.record` takes them.

    Raises:
        TypeError, ValueError: with the operation's name, what is wrong and what would work.
    """
    if not isinstance(op, OpInfo):
        raise TypeError(
            f"register takes an operation of ir.table, such as OPS['add'], not {op!r:.100}"
        )
    name = op.name
    if op.kind == "region" or name == "constant" or (op.kind == "opaque" and op.oracle is None):
        raise TypeError(f"register: {name} is an operation of IR alone")
    if not isinstance(args, (tuple, list)):
        raise TypeError(f"{name}: the operands are a tuple, not {type(args).__name__}")
    names = _operands().get(name) if op.kind != "opaque" else None
    if names is not None and len(args) != len(names):
        listed = f" ({', '.join(names)})" if names else ""
        raise TypeError(f"{name} takes {len(names)} operands{listed}, not {len(args)}")
    for number, a in enumerate(args):
        _check_operand(op, number, a)
    try:
        hash(attrs)
        if op.kind == "opaque" and attrs is not None:
            dict(attrs)
    except (TypeError, ValueError):
        wanted = "pairs of a name and a value" if op.kind == "opaque" else "hashable"
        raise TypeError(f"{name}: the attributes are {attrs!r:.100}, not {wanted}") from None
    extents = _ints(name, "the shape", shape)
    if len(extents) > _MAX_RANK or any(not 0 <= d < 1 << 63 for d in extents):
        raise ValueError(
            f"{name}: no array has the shape {extents!s:.100}: at most {_MAX_RANK} extents, from 0 "
            "on and of 64 bits"
        )
    try:
        kind = as_dtype(dtype)
    except TypeError as error:
        raise TypeError(f"{name}: {error}") from None
    return tuple(args), attrs, _ints(name, "dyn", () if dyn is None else dyn), extents, kind


def _check_operand(op: OpInfo, number: int, given: Any) -> None:
    if isinstance(given, Value):
        return
    if op.kind == "opaque":
        wrong = hasattr(given, "__array_namespace__")
    else:
        wrong = not isinstance(given, _NUMBERS)
    if wrong:
        raise TypeError(
            f"{op.name}: operand {number} is {type(given).__name__}, not a Value or a Python "
            "number; Client.create makes a Value of a NumPy array"
        )


def _ints(name: str, what: str, given: Any) -> Shape:
    if not isinstance(given, (tuple, list)) or any(
        isinstance(d, bool) or not isinstance(d, (int, np.integer)) for d in given
    ):
        raise TypeError(f"{name}: {what} is {given!r:.100}, not a tuple of ints")
    return tuple(map(int, given))
