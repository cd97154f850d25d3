# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The default backend: each operation by NumPy.

Where NumPy's result depends on the platform, warns or raises for a value, the operation is wrapped
to give the documented result: `GUARDED` lists those.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..dtypes import DType
from ..ir.table import OpInfo
from .complex_guards import GUARDS as COMPLEX_GUARDS
from .complex_guards import sign
from .division import GUARDS as DIVISION_GUARDS
from .half import GUARDS as HALF_GUARDS
from .half import convert, is_bfloat16, is_half, through_float32

Arrays = list[Any]


class NumpyBackend:
    """Runs one operation at a time on NumPy arrays."""

    name = "numpy"
    host_memory = True

    def from_numpy(self, array: np.ndarray) -> np.ndarray:
        return array

    def to_numpy(self, array: np.ndarray) -> np.ndarray:
        return array

    def describe(self, array: np.ndarray) -> tuple[tuple[int, ...], np.dtype]:
        return array.shape, array.dtype

    def execute(
        self, op: OpInfo, args: Arrays, attrs: Any, dyn: tuple[int, ...], shape: Any, dtype: DType
    ) -> np.ndarray:
        """The operation's result.

        Args:
            op: the operation.
            args: arrays, and Python numbers for scalar operands.
            attrs, dyn: as recorded.
            shape, dtype: of the result.
        """
        with np.errstate(all="ignore"):
            kind = op.kind
            if kind == "view":
                result = view(op.name, args[0], attrs, dyn, shape)
            elif kind == "update":
                result = _insert_slice(args[0], args[1], dyn)
            elif kind == "creation":
                make: Any = _CREATION.get(op.name) or op.oracle
                result = make(args, shape, dtype)
            elif kind == "reduction":
                result = _reduce(op, args[0], attrs, dtype)
            else:
                run = GUARDED.get(op.name) or op.oracle
                if run is None:
                    raise RuntimeError(f"the NumPy backend does not know {op.name}")
                options = dict(attrs) if kind in ("opaque", "composite") and attrs else {}
                typed = kind == "elementwise" or op.ufunc is not None
                operands = _operands(op, args, dtype) if typed else args
                if op.name == "cast":
                    operands = [*operands, dtype]
                result = run(*operands, **options)
            return np.asarray(result)


def _operands(op: OpInfo, args: Arrays, dtype: DType) -> Arrays:
    """Python numbers become scalars of the other operands' type, or the result's where that is
    the one."""
    if op.name == "ldexp" and isinstance(args[0], np.ndarray):
        return args  # the exponent is an int, whatever the array
    if op.name in ("select", "ldexp"):
        typed = dtype.numpy
    else:
        typed = next((a.dtype for a in args if isinstance(a, np.ndarray)), dtype.numpy)
    return [a if isinstance(a, np.ndarray) else convert(np.asarray(a), typed)[()] for a in args]


# --- Element-wise operations whose NumPy result needs a guard -------------------------------------


def _cast(x: np.ndarray, dtype: DType) -> np.ndarray:
    target = dtype.numpy
    if x.dtype.kind == "c" and target.kind not in "bc":
        x = x.real
    if target.kind in "iu" and _is_float(x.dtype):
        return _float_to_int(x, dtype)
    return convert(x, target)


def _is_float(dtype: np.dtype) -> bool:
    return dtype.kind == "f" or is_bfloat16(dtype)


def _float_to_int(x: np.ndarray, dtype: DType) -> np.ndarray:
    """Toward zero, saturating, NaN to 0."""
    wide = x.astype(np.float64)
    # The first power of two above the range is a float; the last value in range may not be.
    low, above = float(dtype.low), float(dtype.high + 1)  # type: ignore[arg-type, operator]
    fits = (wide > low - 1) & (wide < above)
    result = np.where(fits, wide, 0.0).astype(dtype.numpy)
    result = np.where(wide >= above, dtype.numpy.type(dtype.high), result)
    return np.where(wide <= low, dtype.numpy.type(dtype.low), result)


def _pow(x: Any, y: Any) -> np.ndarray:
    if y.dtype.kind == "u":
        return np.power(x, y)
    if y.dtype.kind != "i":
        return _float_pow(x, y)
    negative = y < 0
    result = np.power(x, np.where(negative, 0, y).astype(y.dtype))
    if np.any(negative):
        odd = (y & 1).astype(bool)
        unit = np.where(x == 1, 1, np.where(x == -1, np.where(odd, -1, 1), 0))
        result = np.where(negative, unit.astype(result.dtype), result)
    return result


def _float_pow(x: Any, y: Any) -> np.ndarray:
    """NumPy takes the square root for one exponent of 0.5, which differs at -0 and -inf."""
    result = np.power(x, y)
    half = y == 0.5
    if not _is_float(result.dtype) or not np.any(half):
        return result
    return np.where(half & ((x == 0) | (x == -np.inf)), np.abs(x), result)


def _maximum(x: Any, y: Any) -> np.ndarray:
    """+0 is above -0: NumPy takes either."""
    result = np.maximum(x, y)
    if not _is_float(result.dtype):
        return result
    return np.where((x == 0) & (y == 0), x + y, result)


def _minimum(x: Any, y: Any) -> np.ndarray:
    result = np.minimum(x, y)
    if not _is_float(result.dtype):
        return result
    return np.where((x == 0) & (y == 0), -(-x + -y), result)


def _clamp(x: Any, lo: Any, hi: Any) -> np.ndarray:
    return _minimum(_maximum(x, lo), hi)


def _nextafter(x: Any, y: Any) -> np.ndarray:
    """Between zeros the second one: NumPy's float16 gives the first."""
    return np.where(x == y, y, np.nextafter(x, y))


def _each(function: Callable[[float], float], x: Any) -> np.ndarray:
    """A function of Python's `math` on each element, in float64, rounded once."""
    x = np.asarray(x)
    flat = np.fromiter(map(function, x.astype(np.float64).ravel().tolist()), np.float64, x.size)
    return convert(flat.reshape(x.shape), x.dtype)


def _erf(x: Any) -> np.ndarray:
    return _each(math.erf, x)


def _erfc(x: Any) -> np.ndarray:
    return _each(math.erfc, x)


def _lgamma_of(x: float) -> float:
    try:
        return math.lgamma(x)
    except (ValueError, OverflowError):  # a pole, or beyond the largest number
        return math.inf


def _lgamma(x: Any) -> np.ndarray:
    return _each(_lgamma_of, x)


def _sinc(x: Any) -> np.ndarray:
    """By way of the distance to the next integer, so that integers give 0; +-inf gives NaN."""
    x = np.asarray(x)
    wide = np.abs(x.astype(np.float64))
    near = np.rint(wide)
    sine = np.sin(np.pi * (wide - near)) * np.where(near % 2 == 1, -1, 1)
    return convert(np.where(wide == 0, 1, sine / (np.pi * wide) + 0.0), x.dtype)


def _rsqrt(x: Any) -> np.ndarray:
    return convert(1 / np.sqrt(x.astype(np.float64)), x.dtype)


def _sigmoid(x: Any) -> np.ndarray:
    """By e to the -|x|, which does not overflow."""
    wide = x.astype(np.float64)
    small = np.exp(-np.abs(wide))
    return convert(np.where(wide < 0, small, 1) / (1 + small), x.dtype)


GUARDED: dict[str, Callable[..., Any]] = {
    "cast": _cast,
    "pow": _pow,
    "maximum": _maximum,
    "minimum": _minimum,
    "clamp": _clamp,
    "erf": _erf,
    "nextafter": _nextafter,
    "erfc": _erfc,
    "lgamma": _lgamma,
    "sinc": _sinc,
    "rsqrt": _rsqrt,
    "sigmoid": _sigmoid,
    "sign": through_float32(sign),  # `ml_dtypes` keeps the sign of -0
    **COMPLEX_GUARDS,
    **DIVISION_GUARDS,
    **HALF_GUARDS,
}


# --- Views ----------------------------------------------------------------------------------------


def _index(dyn: tuple[int, ...]) -> tuple[slice, ...]:
    """NumPy's index of a slice: offsets, sizes and steps."""
    rank = len(dyn) // 3
    index = []
    for offset, size, step in zip(dyn[:rank], dyn[rank : 2 * rank], dyn[2 * rank :], strict=True):
        stop: int | None = offset + size * step
        if size == 0:
            offset = stop = 0
        elif stop < 0:  # type: ignore[operator]
            stop = None
        index.append(slice(offset, stop, step))
    return tuple(index)


def _insert_slice(value: np.ndarray, base: np.ndarray, dyn: tuple[int, ...]) -> np.ndarray:
    result = np.array(base)
    result[_index(dyn)] = value
    return result


_VIEWS: dict[str, Callable[..., np.ndarray]] = {
    "transpose": lambda x, attrs, dyn, shape: np.transpose(x, attrs),
    "expand_dims": lambda x, attrs, dyn, shape: np.expand_dims(x, attrs),
    "squeeze": lambda x, attrs, dyn, shape: np.squeeze(x, attrs),
    "flip": lambda x, attrs, dyn, shape: np.flip(x, attrs),
    "broadcast": lambda x, attrs, dyn, shape: np.broadcast_to(x, shape),
    "reshape": lambda x, attrs, dyn, shape: np.reshape(x, shape),
    "slice": lambda x, attrs, dyn, shape: x[_index(dyn)],
}


def view(name: str, x: np.ndarray, attrs: Any, dyn: tuple[int, ...], shape: Any) -> np.ndarray:
    """A view operation, by the same name, on a NumPy array."""
    return _VIEWS[name](x, attrs, dyn, shape)


# --- Creation and reductions ----------------------------------------------------------------------


def _full(args: Arrays, shape: Any, dtype: DType) -> np.ndarray:
    return np.full(shape, convert(np.asarray(args[0]), dtype.numpy))


def _iota(args: Arrays, shape: Any, dtype: DType) -> np.ndarray:
    target = dtype.numpy
    start, step = (convert(np.asarray(a), target) for a in args)
    inner = np.dtype(np.float32) if is_half(target) else target
    steps = np.arange(shape[0]).astype(inner) * step.astype(inner)
    return (start.astype(inner) + steps).astype(target)


_CREATION = {"full": _full, "iota": _iota}


def _extreme(name: str, x: np.ndarray, axes: Any, keepdims: bool) -> np.ndarray:
    run = np.max if name == "max" else np.min
    result = run(x, axis=axes, keepdims=keepdims)
    if _is_float(result.dtype) and np.any(result == 0):
        # The sign of zero: +0 is above -0.
        negative = np.signbit(x)
        wanted = negative if name == "min" else ~negative
        found = np.any((x == 0) & wanted, axis=axes, keepdims=keepdims)
        sign = found if name == "min" else ~found
        result = np.where(result == 0, np.where(sign, -0.0, 0.0).astype(x.dtype), result)
    return result


def _reduce(op: OpInfo, x: np.ndarray, attrs: Any, dtype: DType) -> np.ndarray:
    axes, keepdims = attrs
    name = op.name
    if name in ("max", "min"):
        return _extreme(name, x, axes, keepdims)
    if name in ("argmax", "argmin"):
        if x.dtype.kind not in "biufc":  # bfloat16
            x = x.astype(np.float32)
        axis = axes[0] if len(axes) == 1 else None
        find = np.argmax if name == "argmax" else np.argmin
        return np.asarray(find(x, axis=axis, keepdims=keepdims))
    if name in ("any", "all"):
        return (np.any if name == "any" else np.all)(x, axis=axes, keepdims=keepdims)
    # Half types are summed in float32, the others in their own type: NumPy would widen integers.
    half = dtype.kind == "f" and dtype.itemsize == 2
    inner = np.dtype(np.float32) if half else x.dtype
    run = np.prod if name == "prod" else np.sum
    result = np.asarray(run(x, axis=axes, keepdims=keepdims, dtype=inner))
    if name == "mean":
        count = math.prod([x.shape[axis] for axis in axes])
        result = result / np.asarray(count).astype(inner)
    return result.astype(dtype.numpy, copy=False)
