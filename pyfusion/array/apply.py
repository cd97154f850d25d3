# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recording element-wise operations on whatever NumPy takes as operands: the general way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..dtypes import DType, bool_, dtype_of, int32, int64, uint64
from ..ir.device import Device
from ..ir.table import OPS, OpInfo
from ..ir.value import Value, device_of
from ..runtime import devices
from .core import Array, cast, emit, ones_mask, wrap
from .promote import Key, broadcast, default_dtype, key_text, rule, scalar

_PYTHON_NUMBERS = (int, float, complex)

Operand = tuple[Any, Key]  # a Value or a Python number, and its key


def operand(given: Any) -> Operand:
    """What a user passes, as a value or a number to record."""
    cls = given.__class__
    if cls is Array:
        return given._v, given._v.dtype
    if cls in _PYTHON_NUMBERS:
        return given, cls
    if cls is bool:
        return given, bool_
    if isinstance(given, np.generic):
        return given.item(), dtype_of(given.dtype)
    from .creation import asarray

    value = asarray(given)._v
    return value, value.dtype


def full_value(number: Any, shape: tuple[int, ...], dtype: DType, device: Device) -> Value:
    """A value with one number everywhere."""
    args = (scalar(number, dtype),)
    return emit(OPS["full"], args, ones_mask(shape), shape, shape, dtype, device)


def as_value(given: Operand, device: Device | None = None) -> Value:
    """An operand that must be an array: a number becomes a 0-d one, on the default device."""
    a, key = given
    if a.__class__ is Value:
        return a
    dtype = key if key.__class__ is DType else default_dtype(a)
    return full_value(a, (), dtype, devices.default() if device is None else device)


def record_op(op: OpInfo, operands: list[Operand], inputs: Any, out: DType) -> Array:
    """Converts operands and records one element-wise operation."""
    values = [a for a, _ in operands if a.__class__ is Value]
    shape = values[0].shape
    if len(values) > 1:
        shape = broadcast(op.name, tuple([v.shape for v in values]), [v.dtype for v in values])
    args = tuple(
        [
            cast(a, dtype) if a.__class__ is Value else scalar(a, dtype)
            for (a, _), dtype in zip(operands, inputs, strict=True)
        ]
    )
    return wrap(emit(op, args, None, (), shape, out))


def apply(op: OpInfo, *given: Any) -> Array:
    """One element-wise operation of the table on whatever NumPy takes as operands."""
    operands = [operand(g) for g in given]
    if not any(a.__class__ is Value for a, _ in operands):
        operands = [(v, v.dtype) for v in map(as_value, operands)]
    special = _SPECIAL.get(op.name)
    if special is not None:
        found = special(op, operands)
        if found is not None:
            return found
    inputs, out = rule(op, tuple([key for _, key in operands]))
    return record_op(op, operands, inputs, out)


# --- Operations that need more than conversion ----------------------------------------------------


def _identity_for_integers(op: OpInfo, operands: list[Operand]) -> Array | None:
    value, dtype = operands[0]
    return wrap(value) if dtype.kind in "biu" else None


def _pow(op: OpInfo, operands: list[Operand]) -> Array | None:
    """A small exponent becomes another operation; an int to a negative power is an error."""
    (base, key), (exponent, exponent_key) = operands
    if exponent.__class__ is Value or isinstance(exponent, complex):
        return None
    (dtype, _), out = rule(op, (key, exponent_key))
    if dtype.kind in "iu":
        if exponent < 0:
            raise ValueError(
                f"pow: integers to negative integer powers are not allowed ({key_text(key)} "
                f"array, exponent {exponent})"
            )
    elif dtype.kind != "f":
        return None
    scalar(exponent, dtype)
    base = cast(base, dtype)
    if exponent == 2:
        return wrap(emit(OPS["multiply"], (base, base), None, (), base.shape, out))
    if exponent == 1:
        return wrap(base)
    if exponent == 0:
        return wrap(full_value(1, base.shape, out, device_of(base)))
    if exponent == -1:
        return wrap(emit(OPS["divide"], (1.0, base), None, (), base.shape, out))
    return None


def _compare(op: OpInfo, operands: list[Operand]) -> Array | None:
    """Exact where the operands' types have no common one: int64 with uint64, and a Python int
    beyond the array's type."""
    (a, left), (b, right) = operands
    if left is int or right is int:
        number, dtype = (a, right) if left is int else (b, left)
        if dtype.kind not in "iu" or dtype.low <= number <= dtype.high:
            return None
        # Every element is on the same side of the number, as 0 is.
        side = 1 if number > 0 else -1
        known = op.oracle(side, 0) if left is int else op.oracle(0, side)  # type: ignore[misc]
        like = b if left is int else a
        return wrap(full_value(bool(known), like.shape, bool_, device_of(like)))
    inputs, _ = rule(op, (left, right))
    if inputs[0] is inputs[1]:
        return None
    return _compare_signs(op, a, b, inputs)


def _compare_signs(op: OpInfo, a: Any, b: Any, inputs: tuple[DType, ...]) -> Array:
    """int64 with uint64: a negative one decides, else both are compared as uint64."""
    device = device_of(a if a.__class__ is Value else b)
    a, b = (
        wrap(cast(x, dtype) if x.__class__ is Value else full_value(x, (), dtype, device))
        for x, dtype in zip((a, b), inputs, strict=True)
    )
    signed = a if inputs[0] is int64 else b
    negative = apply(OPS["less"], signed, 0)
    same = apply(op, wrap(cast(a._v, uint64)), wrap(cast(b._v, uint64)))
    known = bool(op.oracle(-1, 0) if signed is a else op.oracle(0, -1))  # type: ignore[misc]
    if known:
        return apply(OPS["logical_or"], negative, same)
    return apply(OPS["logical_and"], apply(OPS["logical_not"], negative), same)


def _logical(op: OpInfo, operands: list[Operand]) -> None:
    """An int is true or false whatever the array's type, but has to be an int64, as in NumPy."""
    for number, key in operands:
        if key is int:
            scalar(number, int64)


def _square(op: OpInfo, operands: list[Operand]) -> Array:
    (dtype,), out = rule(op, (operands[0][1],))
    value = cast(operands[0][0], dtype)
    return wrap(emit(OPS["multiply"], (value, value), None, (), value.shape, out))


def _reciprocal(op: OpInfo, operands: list[Operand]) -> Array | None:
    (dtype,), out = rule(op, (operands[0][1],))
    if dtype.kind != "f":
        return None
    value = cast(operands[0][0], dtype)
    return wrap(emit(OPS["divide"], (1.0, value), None, (), value.shape, out))


def _positive(op: OpInfo, operands: list[Operand]) -> Array:
    rule(op, (operands[0][1],))
    return wrap(operands[0][0])


def _conjugate(op: OpInfo, operands: list[Operand]) -> Array | None:
    (dtype,), _ = rule(op, (operands[0][1],))
    return None if dtype.kind == "c" else wrap(cast(operands[0][0], dtype))


def _ldexp(op: OpInfo, operands: list[Operand]) -> Array | None:
    """NumPy takes a number for an exponent of 32 bits: beyond them it is as good as the last."""
    exponent, key = operands[1]
    if exponent.__class__ is Value or key is float or key is complex:
        return None
    inputs, out = rule(op, (operands[0][1], key))
    nearest = min(max(scalar(exponent, inputs[1]), int32.low), int32.high)
    return record_op(op, [operands[0], (nearest, key)], inputs, out)


_SPECIAL: dict[str, Callable[[OpInfo, list[Operand]], Array | None]] = {
    "floor": _identity_for_integers,
    "ceil": _identity_for_integers,
    "trunc": _identity_for_integers,
    "pow": _pow,
    "equal": _compare,
    "not_equal": _compare,
    "less": _compare,
    "less_equal": _compare,
    "greater": _compare,
    "greater_equal": _compare,
    "logical_and": _logical,
    "logical_or": _logical,
    "logical_xor": _logical,
    "square": _square,
    "reciprocal": _reciprocal,
    "positive": _positive,
    "ldexp": _ldexp,
    "conjugate": _conjugate,
}
