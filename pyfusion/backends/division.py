# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`//` of floats as documented: the floor of the exact quotient, rounded once."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from .half import through_float32

__all__ = ["GUARDS"]


def _floor_divide(x: Any, y: Any) -> np.ndarray:
    """NumPy rounds the quotient of x less the remainder, itself rounded: exact while that has a few
    digits to spare."""
    result = np.asarray(np.floor_divide(x, y))
    if result.dtype.kind != "f":
        return result
    digits = np.finfo(result.dtype).nmant + 1
    large = (np.abs(result) >= 2.0 ** (digits - 4)) & np.isfinite(x) & (y != 0)
    if not np.any(large):
        return result
    x, y = (np.broadcast_to(a, result.shape)[large].tolist() for a in (x, y))
    exact = [_floor_of_quotient(a, b, digits) for a, b in zip(x, y, strict=True)]
    result[large] = np.array(exact).astype(result.dtype)
    return result


def _floor_of_quotient(x: float, y: float, digits: int) -> float:
    (a, b), (c, d) = x.as_integer_ratio(), y.as_integer_ratio()
    floor = a * d // (b * c)
    more = abs(floor).bit_length() - digits
    if more > 0:
        floor = round(Fraction(floor, 1 << more)) << more
    try:
        return float(floor)
    except OverflowError:
        return math.inf if floor > 0 else -math.inf


GUARDS: dict[str, Callable[..., Any]] = {"floor_divide": through_float32(_floor_divide)}
