# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element-wise functions with more than operands, or made of several operations.

The functions that are rows of the table alone are in `operators.py`.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ..dtypes import as_dtype, bfloat16, bool_, dtype_of, float16
from ..errors import DTypeError
from ..ir.table import OPS, custom_op
from ..ir.value import Value, device_of
from .apply import apply, as_value, full_value, operand, record_op
from .core import Array, cast, emit, wrap
from .promote import result_dtype

__all__ = [
    "angle",
    "astype",
    "clip",
    "imag",
    "nan_to_num",
    "real",
    "rint",
    "round",
    "where",
]


def astype(x: Any, dtype: Any, /, *, copy: bool = True, device: Any = None) -> Array:
    """The array with another element type.

    Floats are truncated to integers and saturate at the ends of the range, NaN becomes 0. float16
    and bfloat16 are rounded with precision "fast" too.

    Args:
        copy: if it is False, an array that has the type is returned as it is.
    """
    from .creation import asarray

    x = asarray(x, device=device)
    target = as_dtype(dtype)
    v = x._v
    if v.dtype is not target:
        return wrap(cast(v, target))
    if not copy:
        return x
    if (target is float16 or target is bfloat16) and v.stream is not None:
        # Not stored yet: the block that computes it may hold more digits.
        return wrap(emit(OPS["cast"], (v,), None, (), v.shape, target))
    return wrap(v)


def where(condition: Any, /, *choices: Any) -> Any:
    """Elements of `x1` where the condition holds, else of `x2`. Alone: `nonzero`."""
    if not choices:
        from .searching import nonzero

        return nonzero(condition)
    if len(choices) != 2:
        raise ValueError("where: either both or neither of x and y should be given")
    op = OPS["select"]
    x, y = map(operand, choices)
    placed = [device_of(a) for a, _ in (x, y) if a.__class__ is Value]
    test = cast(as_value(operand(condition), *placed[:1]), bool_)
    numbers = [key is int or key is float or key is complex for _, key in (x, y)]
    if all(numbers):
        device = device_of(test)
        x, y = [(v, v.dtype) for v in (as_value(x, device), as_value(y, device))]
    out = result_dtype(x[1], y[1])
    return record_op(op, [(test, bool_), x, y], (bool_, out, out), out)


def clip(
    x: Any, /, min: Any = None, max: Any = None, *, a_min: Any = None, a_max: Any = None
) -> Array:
    """`minimum(maximum(x, min), max)`; None is no bound, NaN stays."""
    min = a_min if min is None else min
    max = a_max if max is None else max
    value = as_value(operand(x))
    dtype = value.dtype
    if dtype.kind in "iu":  # a Python int beyond the type does not bound
        if min.__class__ is int and min <= dtype.low:
            min = None
        if max.__class__ is int and max >= dtype.high:
            max = None
    if min is None and max is None:
        return wrap(value)
    if max is None:
        return apply(OPS["maximum"], wrap(value), min)
    if min is None:
        return apply(OPS["minimum"], wrap(value), max)
    operands = [(value, dtype), operand(min), operand(max)]
    out = result_dtype(*[key for _, key in operands])
    if out.kind in "bc":
        return apply(OPS["minimum"], apply(OPS["maximum"], wrap(value), min), max)
    return record_op(OPS["clamp"], operands, (out, out, out), out)


def _round_decimals(x: np.ndarray, decimals: int) -> np.ndarray:
    return np.round(x, decimals)


def round(x: Any, /, decimals: int = 0) -> Array:
    """To the nearest multiple of `10**-decimals`, ties to even."""
    value = as_value(operand(x))
    dtype = value.dtype
    decimals = operator.index(decimals)
    if dtype.kind in "iu" and decimals >= 0:
        return wrap(value)
    if decimals == 0 and dtype.kind in "bf":
        return apply(OPS["round"], wrap(value))
    if dtype.kind == "f" and dtype.compiled and abs(decimals) <= 22:
        scale = 10.0 ** abs(decimals)
        to, back = ("multiply", "divide") if decimals > 0 else ("divide", "multiply")
        rounded = apply(OPS["round"], apply(OPS[to], wrap(value), scale))
        return apply(OPS[back], rounded, scale)
    if dtype is bool_:
        raise DTypeError("round: decimals are not defined for bool")
    op = custom_op("round_decimals", _round_decimals)
    return wrap(emit(op, (value,), (("decimals", decimals),), (), value.shape, dtype))


def rint(x: Any, /) -> Array:
    """To the nearest integer, ties to even."""
    return apply(OPS["round"], x)


def _part(name: str, x: Any) -> Array:
    value = as_value(operand(x))
    dtype = value.dtype
    if dtype.kind != "c":
        if name == "real":
            return wrap(value)
        return wrap(full_value(0, value.shape, dtype, device_of(value)))
    out = dtype_of(getattr(np.empty(0, dtype.numpy), name).dtype)
    return wrap(emit(custom_op(name, getattr(np, name)), (value,), None, (), value.shape, out))


def real(x: Any, /) -> Array:
    """Real parts."""
    return _part("real", x)


def imag(x: Any, /) -> Array:
    """Imaginary parts; zeros for a real array."""
    return _part("imag", x)


def angle(z: Any, deg: bool = False) -> Array:
    """The argument of complex numbers."""
    x = wrap(as_value(operand(z)))
    found = apply(OPS["atan2"], imag(x), real(x))
    return apply(OPS["multiply"], found, 180 / np.pi) if deg else found


def nan_to_num(
    x: Any, /, copy: bool = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None
) -> Array:
    """NaN and infinities replaced by numbers."""
    a = wrap(as_value(operand(x)))
    dtype = a.dtype
    if dtype.kind in "biu":
        return wrap(a._v)
    if dtype.kind == "c":
        from .backend_call import backend_call

        return backend_call(np.nan_to_num, a, nan=nan, posinf=posinf, neginf=neginf)
    limits = np.finfo(dtype.numpy) if dtype.name != "bfloat16" else None
    if limits is None:
        from .dtype_functions import finfo

        limits = finfo(dtype)
    high = float(limits.max) if posinf is None else posinf
    low = float(limits.min) if neginf is None else neginf
    a = where(apply(OPS["isnan"], a), nan, a)
    a = where(apply(OPS["equal"], a, float("inf")), high, a)
    return where(apply(OPS["equal"], a, float("-inf")), low, a)
