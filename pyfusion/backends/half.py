# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""float16 and bfloat16 in NumPy: conversions that round once, functions by way of float32."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["GUARDS", "convert", "is_bfloat16", "is_half", "through_float32"]


def is_bfloat16(dtype: np.dtype) -> bool:
    return dtype.kind == "V" and dtype.name == "bfloat16"


def is_half(dtype: np.dtype) -> bool:
    return dtype == np.float16 or is_bfloat16(dtype)


def convert(x: Any, target: np.dtype) -> Any:
    """`x.astype(target)`, to bfloat16 rounded once whatever the version of `ml_dtypes`."""
    if not is_bfloat16(target) or x.dtype.itemsize < 4 or x.dtype == np.float32:
        return x.astype(target)  # one rounding, as NumPy's to float16: 2**24 is infinite there
    if x.dtype.kind in "iu":
        x = _integers_to_odd(x)
    return _to_odd(x).astype(target)


def _to_odd(x: Any) -> np.ndarray:
    """float64 to float32, rounded to odd: rounding that again is rounding once."""
    near = np.asarray(x.astype(np.float32))
    back = near.astype(np.float64)
    bits = near.view(np.uint32)
    odd = (bits - (np.abs(back) > np.abs(x))) | np.uint32(1)
    exact = (back == x) | np.isnan(back)
    return np.where(exact, bits, odd).astype(np.uint32).view(np.float32)


def _integers_to_odd(x: Any) -> np.ndarray:
    """64-bit integers to float64: what the last 11 bits hold is kept in the bit above them."""
    if x.dtype.itemsize < 8:
        return x.astype(np.float64)
    low = x & np.asarray(0x7FF, x.dtype)
    sticky = (x - low) | np.where(low != 0, 0x800, 0).astype(x.dtype)
    small = (x < 2**53) & (x > -(2**53) if x.dtype.kind == "i" else True)
    return np.where(small, x, sticky).astype(np.float64)


def through_float32(run: Callable[..., Any]) -> Callable[..., Any]:
    """A function of arrays that computes in float32 and rounds the result to the halves' type."""

    def function(*args: Any, **options: Any) -> Any:
        half = next((a.dtype for a in args if hasattr(a, "dtype") and is_half(a.dtype)), None)
        if half is None:
            return run(*args, **options)
        args = tuple(
            [a.astype(np.float32) if hasattr(a, "dtype") and a.dtype == half else a for a in args]
        )
        result = np.asarray(run(*args, **options))
        return result.astype(half) if result.dtype == np.float32 else result

    return function


# What accumulates, and what `ml_dtypes` does not define for bfloat16.
GUARDS: dict[str, Callable[..., Any]] = {
    name: through_float32(getattr(np, name)) for name in ("matmul", "degrees", "radians", "ldexp")
}
