# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Largest and smallest elements with their places, running ones, and sorting with places.

Of equal elements the first counts, and NaN is the largest. Places are int64. Where the whole is one
reduction it is fused; the rest is run by the backend.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..array.apply import apply
from ..array.core import Array
from ..array.reductions import argmax, argmin, max, min, normalize_axis
from ..dtypes import int64
from ..errors import DTypeError
from ..ir.table import OPS
from .checks import array, counts
from .deferred import Deferred
from .gathering import gather

__all__ = [
    "argtopk",
    "cummax",
    "cummin",
    "max_abs",
    "max_with_indices",
    "min_with_indices",
    "sort_with_indices",
    "topk",
    "topk_with_indices",
]


def _order_numpy(x: np.ndarray, *, axis: int, descending: bool, count: int) -> np.ndarray:
    """The places of the first `count` elements in order; equal ones in theirs."""
    if descending:
        order = np.argsort(np.flip(x, axis), axis, stable=True)
        order = np.flip(x.shape[axis] - 1 - order, axis)
    else:
        order = np.argsort(x, axis, stable=True)
    return order[(slice(None),) * axis + (slice(count),)]


def _running_numpy(x: np.ndarray, *, axis: int, name: str) -> np.ndarray:
    return getattr(np, name).accumulate(x, axis)


_order = Deferred("order", _order_numpy)
_running = Deferred("running_extreme", _running_numpy)


def _ordered(name: str, x: Any) -> Array:
    x = array(x)
    if x.dtype.kind == "c":
        raise DTypeError(f"{name}: complex numbers have no order ({x.dtype})")
    return x


def _running_extreme(name: str, ufunc: str, x: Any, axis: int) -> Array:
    x = _ordered(name, x)
    axis = normalize_axis(axis, x.ndim, name)
    if x.dtype.name == "bool":
        ufunc = "logical_and" if ufunc == "minimum" else "logical_or"
    return _running(x, shape=x.shape, dtype=x.dtype, axis=axis, name=ufunc)


def cummin(x: Any, /, axis: int) -> Array:
    """The smallest of the elements up to each one along an axis; NaN stays from where it is on.

    Raises:
        AxisError: the array has no such axis.
        DTypeError: complex numbers.

    Example:
        >>> import pyfusion as pf
        >>> pf.nn.cummin([3, 1, 2], axis=0).tolist()
        [3, 1, 1]
    """
    return _running_extreme("cummin", "minimum", x, axis)


def cummax(x: Any, /, axis: int) -> Array:
    """The largest of the elements up to each one along an axis; otherwise as `cummin`."""
    return _running_extreme("cummax", "maximum", x, axis)


def max_abs(x: Any, /, axis: Any = None, *, keepdims: bool = False) -> Array:
    """The largest absolute value, in one kernel; NaN wins.

    Args:
        axis: an int, a tuple of them, or None for all.

    Raises:
        AxisError: the array has no such axis.
        ValueError: it has no elements.
    """
    return max(apply(OPS["abs"], array(x)), axis=axis, keepdims=keepdims)


def _with_indices(find: Any, place: Any, x: Any, axis: int, keepdims: bool) -> tuple[Array, Array]:
    x = array(x)
    options = dict(axis=axis, keepdims=keepdims)
    return find(x, **options), place(x, **options)


def max_with_indices(x: Any, /, axis: int, *, keepdims: bool = False) -> tuple[Array, Array]:
    """The largest element along an axis, and its place; both fused with what they search.

    Raises:
        AxisError: the array has no such axis.
        ValueError: it has no elements.
    """
    return _with_indices(max, argmax, x, axis, keepdims)


def min_with_indices(x: Any, /, axis: int, *, keepdims: bool = False) -> tuple[Array, Array]:
    """The smallest element along an axis, and its place; otherwise as `max_with_indices`."""
    return _with_indices(min, argmin, x, axis, keepdims)


def _first(name: str, x: Any, k: Any, axis: int) -> tuple[Array, Array]:
    """The array, and the places of its `k` largest elements."""
    x = _ordered(name, x)
    axis = normalize_axis(axis, x.ndim, name)
    (count,) = counts(name, "k", k, 1, 0)
    if count > x.shape[axis]:
        raise ValueError(f"{name}: {count} elements of axis {axis} of shape {x.shape}")
    return x, _places(x, axis, True, count)


def _places(x: Array, axis: int, descending: bool, count: int) -> Array:
    shape = (*x.shape[:axis], count, *x.shape[axis + 1 :])
    options = dict(axis=axis, descending=descending, count=count)
    return _order(x, shape=shape, dtype=int64, **options)


def topk(x: Any, k: int, /, axis: int = -1) -> Array:
    """The `k` largest elements along an axis, the largest first.

    Raises:
        AxisError: the array has no such axis.
        DTypeError: complex numbers.
        ValueError: there are not `k` elements.

    Example:
        >>> import pyfusion as pf
        >>> pf.nn.topk([1, 5, 3], 2).tolist()
        [5, 3]
    """
    return topk_with_indices(x, k, axis)[0]


def argtopk(x: Any, k: int, /, axis: int = -1) -> Array:
    """The places of the `k` largest elements along an axis; otherwise as `topk`."""
    return _first("argtopk", x, k, axis)[1]


def topk_with_indices(x: Any, k: int, /, axis: int = -1) -> tuple[Array, Array]:
    """`topk` and `argtopk`."""
    x, places = _first("topk", x, k, axis)
    return gather(x, places, axis), places


def sort_with_indices(
    x: Any, /, axis: int = -1, *, descending: bool = False
) -> tuple[Array, Array]:
    """The elements in order along an axis, and where each was; equal ones stay in theirs.

    Raises:
        AxisError: the array has no such axis.
        DTypeError: complex numbers.
    """
    x = _ordered("sort_with_indices", x)
    axis = normalize_axis(axis, x.ndim, "sort_with_indices")
    places = _places(x, axis, bool(descending), x.shape[axis])
    return gather(x, places, axis), places
