# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Searching, sorting, sets and scans: most by the backend."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ..dtypes import as_dtype, bool_
from ..ir.table import OPS
from .apply import apply
from .backend_call import backend_call, delegate
from .core import Array
from .creation import asarray
from .elementwise import where
from .indexing import getitem
from .manipulation import broadcast_to, concat
from .operators import finish
from .promote import broadcast
from .reductions import max, min, normalize_axis

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
quantile = delegate(np.quantile)
searchsorted = delegate(np.searchsorted)
trace = delegate(np.trace)
unique = delegate(np.unique)
unique_all = delegate(np.unique_all)
unique_counts = delegate(np.unique_counts)
unique_inverse = delegate(np.unique_inverse)


def unique_values(x: Any, /) -> Array:
    """The elements without repetition, in ascending order; each NaN is one of its own.

    The standard leaves the order open, and `numpy.unique_values` gives any; clients, as
    scikit-learn, rely on the order that array_api_compat gives, which is this one. The shape is
    `(n,)`, the type that of `x`.

    >>> pf.unique_values(pf.asarray([3, 1, 3])).tolist()
    [1, 3]
    """
    return backend_call(np.unique, x, equal_nan=False)


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
    """The `n`-th differences of neighbours along an axis; of booleans, whether they differ.

    Args:
        prepend, append: what stands before and after the elements; a number for one of them.

    Raises:
        ValueError: `n` is negative, or the array is 0-d.
    """
    x = asarray(x)
    n = operator.index(n)
    if n < 0:
        raise ValueError(f"diff: order must be non-negative but got {n}")
    if x.ndim == 0:
        raise ValueError("diff requires input that is at least one dimensional")
    place = normalize_axis(axis, x.ndim, "diff")
    parts = [x if end is x else _end(x, end, place) for end in (prepend, x, append)]
    if n and len(present := [part for part in parts if part is not None]) > 1:
        x = concat(present, axis=place)
    before = (slice(None),) * place
    for _ in range(n):
        op = OPS["not_equal" if x._v.dtype is bool_ else "subtract"]
        x = apply(op, *[getitem(x, (*before, s)) for s in (slice(1, None), slice(None, -1))])
    return x


def _end(x: Array, end: Any, axis: int) -> Array | None:
    if end is None:
        return None
    end = asarray(end)
    shape = tuple([1 if d == axis else extent for d, extent in enumerate(x.shape)])
    return end if end.ndim else broadcast_to(end, shape)


def ptp(x: Any, /, axis: Any = None, out: Any = None, keepdims: Any = np._NoValue) -> Array:
    """The largest element less the smallest, along axes; in the type of the array."""
    found = apply(OPS["subtract"], *[f(x, axis, keepdims=keepdims) for f in (max, min)])
    return finish(found, out, "ptp")


def select(condlist: Any, choicelist: Any, default: Any = 0) -> Array:
    """Elements of the choice whose condition is the first that holds; the default where none does.

    Args:
        condlist: arrays of booleans.
        choicelist: as many arrays or numbers.

    Raises:
        ValueError: the lists differ in length, or are empty.
        TypeError: a condition is not boolean.
    """
    if len(condlist) != len(choicelist):
        raise ValueError("select: list of cases must be same length as list of conditions")
    if not len(condlist):
        raise ValueError("select with an empty condition list is not possible")
    conditions = [asarray(c) for c in condlist]
    for number, condition in enumerate(conditions):
        if condition.dtype is not bool_:
            raise TypeError(
                f"select: invalid entry {number} in condlist: should be boolean, not "
                f"{condition.dtype}"
            )
    found = default
    shape = broadcast("select", tuple([c.shape for c in conditions]))
    for condition, choice in zip(reversed(conditions), reversed(choicelist), strict=True):
        found = where(condition, choice, found)
    return found if found.ndim >= len(shape) else broadcast_to(found, shape)


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
