# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of complex numbers where NumPy's result is not that of the array API standard."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["GUARDS", "sign"]


def _expm1(x: Any) -> np.ndarray:
    """By `exp` where a part is not finite: NumPy multiplies infinity by 0 there."""
    result = np.expm1(x)
    if result.dtype.kind != "c":
        return result
    other = np.asarray(np.exp(x))
    other.real -= 1
    return np.where(np.isfinite(x) & np.isfinite(result), result, other)


def sign(x: Any) -> np.ndarray:
    """NaN where either part is: NumPy looks for an infinite one first."""
    result = np.sign(x)
    if result.dtype.kind != "c":
        return result
    return np.where(np.isnan(x), result.dtype.type(complex(np.nan, np.nan)), result)


GUARDS: dict[str, Callable[..., Any]] = {"expm1": _expm1}
