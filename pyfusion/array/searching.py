# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Searching, sorting, sets and scans: by the backend, most with results that depend on values."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..dtypes import as_dtype
from .backend_call import backend_call, delegate
from .core import Array

__all__ = [
    "allclose",
    "argsort",
    "argwhere",
    "array_equal",
    "average",
    "bincount",
    "cross",
    "cumprod",
    "cumsum",
    "cumulative_prod",
    "cumulative_sum",
    "diag",
    "diagonal",
    "diff",
    "digitize",
    "einsum",
    "flatnonzero",
    "histogram",
    "interp",
    "isclose",
    "isin",
    "median",
    "nonzero",
    "partition",
    "percentile",
    "ptp",
    "quantile",
    "searchsorted",
    "select",
    "sort",
    "trace",
    "unique",
    "unique_all",
    "unique_counts",
    "unique_inverse",
    "unique_values",
]

argwhere = delegate(np.argwhere)
average = delegate(np.average)
bincount = delegate(np.bincount)
cross = delegate(np.cross)
cumprod = delegate(np.cumprod)
cumsum = delegate(np.cumsum)
diag = delegate(np.diag)
diagonal = delegate(np.diagonal)
digitize = delegate(np.digitize)
einsum = delegate(np.einsum)
flatnonzero = delegate(np.flatnonzero)
histogram = delegate(np.histogram)
interp = delegate(np.interp)
isclose = delegate(np.isclose)
isin = delegate(np.isin)
median = delegate(np.median)
partition = delegate(np.partition)
percentile = delegate(np.percentile)
ptp = delegate(np.ptp)
quantile = delegate(np.quantile)
searchsorted = delegate(np.searchsorted)
select = delegate(np.select)
trace = delegate(np.trace)
unique = delegate(np.unique)
unique_all = delegate(np.unique_all)
unique_counts = delegate(np.unique_counts)
unique_inverse = delegate(np.unique_inverse)
unique_values = delegate(np.unique_values)


def nonzero(x: Any, /) -> tuple[Array, ...]:
    """The positions of the elements that are not zero, an array for each dimension."""
    return backend_call(np.nonzero, x)


def _sorted_down(x: np.ndarray, axis: int, stable: bool) -> np.ndarray:
    return np.flip(np.sort(x, axis, stable=stable), axis)


def _order_down(x: np.ndarray, axis: int, stable: bool) -> np.ndarray:
    """Descending, and equal elements in their order: ascending positions of the flipped array."""
    order = np.argsort(np.flip(x, axis), axis, stable=stable)
    return np.flip(x.shape[axis] - 1 - order, axis)


def sort(x: Any, /, axis: int = -1, *, descending: bool = False, stable: bool = True) -> Array:
    """The elements in order along an axis."""
    if descending:
        return backend_call(_sorted_down, x, axis, stable)
    return backend_call(np.sort, x, axis, stable=stable)


def argsort(x: Any, /, axis: int = -1, *, descending: bool = False, stable: bool = True) -> Array:
    """The positions of the elements in order along an axis."""
    if descending:
        return backend_call(_order_down, x, axis, stable)
    return backend_call(np.argsort, x, axis, stable=stable)


def diff(x: Any, /, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Array:
    """The `n`-th differences of neighbours along an axis."""
    ends = {"prepend": prepend, "append": append}
    given = {name: end for name, end in ends.items() if end is not None}
    return backend_call(np.diff, x, n, axis, **given)


def _scan(run: Any, x: Any, axis: int | None, dtype: Any, include_initial: bool) -> Array:
    kind = None if dtype is None else as_dtype(dtype).numpy
    return backend_call(run, x, axis=axis, dtype=kind, include_initial=include_initial)


def cumulative_sum(
    x: Any, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False
) -> Array:
    """The sums of all elements up to each one."""
    return _scan(np.cumulative_sum, x, axis, dtype, include_initial)


def cumulative_prod(
    x: Any, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False
) -> Array:
    """The products of all elements up to each one."""
    return _scan(np.cumulative_prod, x, axis, dtype, include_initial)


def allclose(
    a: Any, b: Any, /, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
) -> bool:
    """Whether all elements are equal within a tolerance; reads both."""
    return bool(backend_call(np.allclose, a, b, rtol, atol, equal_nan))


def array_equal(a: Any, b: Any, /, equal_nan: bool = False) -> bool:
    """Whether two arrays have one shape and equal elements; reads both."""
    return bool(backend_call(np.array_equal, a, b, equal_nan))
