# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element types of operands and results, as NumPy resolves them, and scalars as operands.

The key of an operand is its `DType`, or `int`, `float`, `complex` for a Python scalar, which takes
the array's type (a Python bool counts as an array of bool, in NumPy too).

bfloat16 takes part as float16 does (with integers of 8 bits it stays, with 16 bits the result is
float32, with more float64), and the two have float32 in common. That is what `ml_dtypes` registers
with NumPy, without asking it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from ..dtypes import (
    DType,
    bfloat16,
    bool_,
    complex128,
    dtype_of,
    float16,
    float32,
    float64,
    int64,
    uint64,
)
from ..errors import DTypeError, ShapeError
from ..ir.table import OpInfo

Key = Any
Rule = tuple[tuple[DType, ...], DType]

_rules: dict[tuple, Rule] = {}
_results: dict[tuple, DType] = {}
_shapes: dict[tuple, tuple[int, ...]] = {}
_MAX_RANK = 64
_MAX_SHAPES = 4096

_EXACT_INTS = 2**53  # up to which a Python float holds each integer

_LOGICAL = ("logical_and", "logical_or", "logical_xor", "logical_not")


def _numpy_key(key: Key) -> Any:
    return key.numpy if key.__class__ is DType else key


def _stand_ins(keys: tuple[Key, ...]) -> tuple[Key, ...]:
    """The keys with float16 in place of bfloat16, and float32 in place of float16."""
    found: dict[Key, Key] = {bfloat16: float16, float16: float32}
    return tuple([found.get(key, key) for key in keys])


def _stood_for(dtype: DType) -> DType:
    return bfloat16 if dtype is float16 else dtype


def key_text(key: Key) -> str:
    return key.name if key.__class__ is DType else f"Python {key.__name__}"


def _undefined(op: OpInfo, keys: tuple[Key, ...]) -> DTypeError:
    return DTypeError(f"{op.name} is not defined for {', '.join(map(key_text, keys))}")


def rule(op: OpInfo, keys: tuple[Key, ...]) -> Rule:
    """The types that the operands are converted to, and the result's.

    Raises:
        DTypeError: NumPy does not define the operation for these.
    """
    key = (op.code, keys)
    found = _rules.get(key)
    if found is None and bfloat16 in keys:
        try:
            like, out = rule(op, _stand_ins(keys))
        except DTypeError:
            raise _undefined(op, keys) from None
        found = _rules[key] = tuple(map(_stood_for, like)), _stood_for(out)
    if found is None:
        ufunc = op.ufunc
        assert ufunc is not None
        if len(keys) != ufunc.nin:
            raise TypeError(f"{op.name} takes {ufunc.nin} operands, not {len(keys)}")
        try:
            *inputs, output = ufunc.resolve_dtypes((*map(_numpy_key, keys), None))
        except TypeError:
            raise _undefined(op, keys) from None
        found = tuple(map(dtype_of, inputs)), dtype_of(output)
        if op.name in _LOGICAL:
            found = (bool_,) * len(inputs), bool_
        _rules[key] = found
    return found


def result_dtype(*keys: Key) -> DType:
    """The type that operands of these keys have in common."""
    found = _results.get(keys)
    if found is None and bfloat16 in keys:
        found = _results[keys] = _stood_for(result_dtype(*_stand_ins(keys)))  # they always have one
    if found is None:
        given = [key.numpy if key.__class__ is DType else key() for key in keys]
        try:
            found = dtype_of(np.result_type(*given))
        except TypeError:
            names = ", ".join(map(key_text, keys))
            raise DTypeError(f"{names} have no common element type") from None
        _results[keys] = found
    return found


def scalar(value: Any, dtype: DType) -> Any:
    """A Python number as an operand of that type.

    Raises:
        OverflowError: an int that the type does not hold.
    """
    kind = dtype.kind
    if kind == "f":
        number = float(value)
        if value.__class__ is int and dtype is not float64 and abs(value) > _EXACT_INTS:
            number = _rounded_to_odd(value, number)
        return number
    if kind == "b":
        return bool(value)
    if kind == "c":
        return complex(value)
    value = int(value)
    if not dtype.low <= value <= dtype.high:
        raise OverflowError(f"Python integer {value} out of bounds for {dtype.name}")
    return value


def _rounded_to_odd(value: int, near: float) -> float:
    """The float beside an integer from which a second rounding gives the nearest of a narrower
    type; `near` is the nearest float."""
    if int(near) == value:
        return near
    toward_zero = near if abs(int(near)) < abs(value) else math.nextafter(near, 0.0)
    if int(math.frexp(toward_zero)[0] * _EXACT_INTS) % 2:
        return toward_zero
    return math.nextafter(toward_zero, math.copysign(math.inf, value))


def default_dtype(value: Any) -> DType:
    """The type of an array made of a Python number alone.

    Raises:
        OverflowError: an int beyond uint64.
    """
    cls = type(value)
    if cls is bool:
        return bool_
    if cls is float:
        return float64
    if cls is complex:
        return complex128
    if int64.low <= value <= int64.high:
        return int64
    if 0 <= value <= uint64.high:
        return uint64
    raise OverflowError(f"Python integer {value} is beyond every integer type")


def check_rank(name: str, rank: int, error: type[Exception] = ValueError) -> None:
    """Raises an error for more dimensions than NumPy's arrays have."""
    if rank > _MAX_RANK:
        raise error(f"{name}: an array has at most {_MAX_RANK} dimensions, not {rank}")


def check_size(name: str, shape: tuple[int, ...]) -> None:
    """Raises ValueError for more dimensions than NumPy has, or more elements than memory has
    addresses, as NumPy does."""
    check_rank(name, len(shape))
    size = 16  # bytes of the widest type
    for extent in shape:
        size *= extent or 1
    if size >= 2**63:
        raise ValueError(f"{name}: an array of shape {shape} is larger than the maximum size")


def broadcast(
    name: str, shapes: tuple[tuple[int, ...], ...], dtypes: Iterable[DType] = ()
) -> tuple[int, ...]:
    """The common shape of operands; their types are for the message.

    Raises:
        ShapeError: there is none.
        ValueError: it has more elements than memory can hold.
    """
    found = _shapes.get(shapes)
    if found is not None:
        return found
    rank = max(map(len, shapes))
    result = [1] * rank
    for shape in shapes:
        offset = rank - len(shape)
        for d, extent in enumerate(shape, offset):
            if extent != 1:
                if result[d] != 1 and result[d] != extent:
                    listed = " ".join(map(str, shapes))
                    types = ", ".join([dtype.name for dtype in dtypes])
                    raise ShapeError(
                        f"{name}: operands could not be broadcast together with shapes {listed}"
                        + (f" (types {types})" if types else "")
                    )
                result[d] = extent
    if len(_shapes) >= _MAX_SHAPES:
        _shapes.clear()
    check_size(name, tuple(result))
    found = _shapes[shapes] = tuple(result)
    return found
