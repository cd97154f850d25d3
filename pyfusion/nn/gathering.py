# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elements read and written at indices that are arrays; run by the backend.

Indices are integers of any type and count from the end where they are negative. One out of bounds
is an ExecutionError of the result. Where an element is written to more than once, all updates count
in row-major order: of "assign" the last one. Functions that write give a new array.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..array.core import Array, wrap
from ..array.promote import broadcast
from ..array.reductions import normalize_axis
from ..errors import DTypeError, ShapeError
from .checks import Shape, array, choice, integers, same_type, shape
from .deferred import Deferred

__all__ = [
    "gather",
    "gather_nd",
    "scatter",
    "scatter_nd",
    "select",
    "select_assign",
    "slice_assign",
]

_UPDATES = ("assign", "add", "mul", "min", "max")
_UFUNCS = {"add": np.add, "mul": np.multiply, "min": np.minimum, "max": np.maximum}


def _bounded(indices: np.ndarray, extent: int, axis: int) -> np.ndarray:
    """Indices from 0 on. Raises IndexError."""
    wide = indices.astype(np.int64)
    wrong = (wide < -extent) | (wide >= extent)
    if wrong.any():
        raise IndexError(
            f"index {wide[wrong].flat[0]} is out of bounds for axis {axis} with size {extent}"
        )
    return np.where(wide < 0, wide + extent, wide)


def _updated(x: np.ndarray, key: tuple, values: np.ndarray, update: str) -> np.ndarray:
    found = x.copy()
    if update == "assign":
        found[key] = values
    else:
        _UFUNCS[update].at(found, key, values)
    return found


def _grid(indices: np.ndarray, axis: int, extent: int) -> tuple[np.ndarray, ...]:
    """The index of each element of `indices`, with its own value on one axis."""
    key: list[np.ndarray] = list(np.indices(indices.shape, sparse=True))
    key[axis] = _bounded(indices, extent, axis)
    return tuple(key)


def _gather_numpy(x: np.ndarray, indices: np.ndarray, *, axis: int) -> np.ndarray:
    return x[_grid(indices, axis, x.shape[axis])]


def _scatter_numpy(
    x: np.ndarray, indices: np.ndarray, values: np.ndarray, *, axis: int, update: str
) -> np.ndarray:
    key = _grid(indices, axis, x.shape[axis])
    return _updated(x, key, np.broadcast_to(values, indices.shape), update)


def _select_numpy(x: np.ndarray, indices: np.ndarray, *, axis: int) -> np.ndarray:
    return x.take(_bounded(indices, x.shape[axis], axis), axis)


def _select_assign_numpy(
    x: np.ndarray, indices: np.ndarray, values: np.ndarray, *, axis: int, update: str
) -> np.ndarray:
    key = (slice(None),) * axis + (_bounded(indices, x.shape[axis], axis),)
    wanted = (*x.shape[:axis], indices.size, *x.shape[axis + 1 :])
    return _updated(x, key, np.broadcast_to(values, wanted), update)


def _tuples(indices: np.ndarray, extents: Shape) -> tuple[np.ndarray, ...]:
    parts = np.moveaxis(indices, -1, 0)
    return tuple([_bounded(p, n, d) for d, (p, n) in enumerate(zip(parts, extents, strict=False))])


def _gather_nd_numpy(x: np.ndarray, indices: np.ndarray) -> np.ndarray:
    if indices.shape[-1] == 0:
        return np.broadcast_to(x, (*indices.shape[:-1], *x.shape))
    return x[_tuples(indices, x.shape)]


def _scatter_nd_numpy(
    x: np.ndarray, indices: np.ndarray, values: np.ndarray, *, update: str
) -> np.ndarray:
    return _updated(x, _tuples(indices, x.shape), values, update)


_gather = Deferred("gather", _gather_numpy)
_scatter = Deferred("scatter", _scatter_numpy)
_select = Deferred("take_along", _select_numpy)
_select_assign = Deferred("select_assign", _select_assign_numpy)
_gather_nd = Deferred("gather_nd", _gather_nd_numpy)
_scatter_nd = Deferred("scatter_nd", _scatter_nd_numpy)


def _update(name: str, x: Array, update: str) -> str:
    choice(name, "update", update, _UPDATES)
    if x.dtype.kind == "c" and update in ("min", "max"):
        raise DTypeError(f"{name}: complex numbers have no {update}")
    return update


def _fits(name: str, x: Array, indices: Array, axis: int) -> None:
    pairs = list(zip(indices.shape, x.shape, strict=False))
    if indices.ndim != x.ndim or any(i > n for d, (i, n) in enumerate(pairs) if d != axis):
        raise ShapeError(
            f"{name}: indices of shape {indices.shape} for an array of shape {x.shape}: they have "
            f"its rank, and are no larger on the axes other than {axis}"
        )


def gather(x: Any, indices: Any, /, axis: int) -> Array:
    """`out[i, j, ...] = x[i, indices[i, j, ...], ...]`, here for axis 1.

    Args:
        x: of any type, at least one dimension.
        indices: integers, of the rank of `x`, no larger than it on the other axes.

    Returns:
        The shape of `indices`, the type of `x`.

    Raises:
        AxisError: the array has no such axis.
        DTypeError: the indices are no integers.
        ShapeError: shapes that do not fit.

    Example:
        >>> import pyfusion as pf
        >>> pf.nn.gather([[1, 2], [3, 4]], [[1], [0]], axis=1).tolist()
        [[2], [3]]
    """
    x = array(x)
    indices = integers("gather", "indices", indices, x)
    axis = normalize_axis(axis, x.ndim, "gather")
    _fits("gather", x, indices, axis)
    return _gather(x, indices, shape=indices.shape, dtype=x.dtype, axis=axis)


def scatter(x: Any, indices: Any, values: Any, /, axis: int, *, update: str = "add") -> Array:
    """`x` with `x[i, indices[i, j, ...], ...]` updated by `values[i, j, ...]`, here for axis 1.

    Args:
        x: of any type.
        indices: integers, of the rank of `x`, no larger than it on the other axes.
        values: of the type of `x`, a number or an array that broadcasts to the indices' shape.
        update: "assign", "add", "mul", "min" or "max". Of booleans "add" is "or", "mul" is "and".

    Raises:
        AxisError, DTypeError, ShapeError: as `gather`.
        ValueError: an unknown update.
    """
    x = array(x)
    indices = integers("scatter", "indices", indices, x)
    axis = normalize_axis(axis, x.ndim, "scatter")
    _fits("scatter", x, indices, axis)
    values = same_type("scatter", x, values, "values")
    _broadcasts("scatter", values, indices.shape)
    options = dict(axis=axis, update=_update("scatter", x, update))
    return _scatter(x, indices, values, shape=x.shape, dtype=x.dtype, **options)


def _broadcasts(name: str, values: Array, wanted: Shape) -> None:
    try:
        found = broadcast(name, (values.shape, wanted))
    except ShapeError:
        found = ()
    if found != wanted:
        raise ShapeError(f"{name}: values of shape {values.shape} do not broadcast to {wanted}")


def select(x: Any, indices: Any, /, axis: int) -> Array:
    """The parts of `x` at positions along an axis, as `numpy.take`; deferred.

    Args:
        x: of any type.
        indices: integers of one dimension.

    Raises:
        AxisError: the array has no such axis.
        DTypeError: the indices are no integers.
        ShapeError: they have not one dimension.
    """
    x = array(x)
    indices = _one_dimension("select", integers("select", "indices", indices, x))
    axis = normalize_axis(axis, x.ndim, "select")
    return take(x, indices, axis)


def take(x: Array, indices: Array, axis: int) -> Array:
    """The parts of an array at positions along an axis, which the axes of `indices` replace."""
    found = (*x.shape[:axis], *indices.shape, *x.shape[axis + 1 :])
    return _select(x, indices, shape=found, dtype=x.dtype, axis=axis)


def _one_dimension(name: str, indices: Array) -> Array:
    if indices.ndim != 1:
        raise ShapeError(f"{name} takes indices of one dimension, not of shape {indices.shape}")
    return indices


def select_assign(
    x: Any, indices: Any, values: Any, /, axis: int, *, update: str = "assign"
) -> Array:
    """`x` with its parts at positions along an axis updated.

    Args:
        x: of any type.
        indices: integers of one dimension.
        values: of the type of `x`, a number or an array that broadcasts to what `select` gives.
        update: as of `scatter`.

    Raises:
        AxisError, DTypeError, ShapeError, ValueError: as `select` and `scatter`.
    """
    name = "select_assign"
    x = array(x)
    indices = _one_dimension(name, integers(name, "indices", indices, x))
    axis = normalize_axis(axis, x.ndim, name)
    values = same_type(name, x, values, "values")
    _broadcasts(name, values, (*x.shape[:axis], indices.size, *x.shape[axis + 1 :]))
    options = dict(axis=axis, update=_update(name, x, update))
    return _select_assign(x, indices, values, shape=x.shape, dtype=x.dtype, **options)


def _depth(name: str, x: Array, indices: Array) -> int:
    if indices.ndim == 0 or indices.shape[-1] > x.ndim:
        raise ShapeError(
            f"{name}: indices of shape {indices.shape} for an array of shape {x.shape}: their last "
            "axis holds an index for each of its first axes"
        )
    return indices.shape[-1]


def gather_nd(x: Any, indices: Any, /) -> Array:
    """The parts of `x` at tuples of indices: `out[i, ...] = x[tuple(indices[i])]`.

    Args:
        x: of any type.
        indices: integers; their last axis, of `k` elements, holds those of the first `k` axes.

    Returns:
        The shape `indices.shape[:-1] + x.shape[k:]`.

    Raises:
        DTypeError: the indices are no integers.
        ShapeError: shapes that do not fit.
    """
    x = array(x)
    indices = integers("gather_nd", "indices", indices, x)
    k = _depth("gather_nd", x, indices)
    return _gather_nd(x, indices, shape=(*indices.shape[:-1], *x.shape[k:]), dtype=x.dtype)


def scatter_nd(x: Any, indices: Any, values: Any, /, *, update: str = "add") -> Array:
    """`x` with its parts at tuples of indices updated.

    Args:
        x, indices: as of `gather_nd`.
        values: of the type of `x`, and of the shape that `gather_nd` gives.
        update: as of `scatter`.

    Raises:
        DTypeError, ShapeError, ValueError: as `gather_nd` and `scatter`.
    """
    x = array(x)
    indices = integers("scatter_nd", "indices", indices, x)
    k = _depth("scatter_nd", x, indices)
    values = same_type("scatter_nd", x, values, "values")
    shape("scatter_nd", "values", values, (*indices.shape[:-1], *x.shape[k:]))
    update = _update("scatter_nd", x, update)
    return _scatter_nd(x, indices, values, shape=x.shape, dtype=x.dtype, update=update)


def slice_assign(x: Any, slices: Any, values: Any, /) -> Array:
    """`x` with a part replaced, as `x[slices] = values` on a copy.

    Args:
        x: of any type.
        slices: a slice, or a tuple of them, one for each of the first axes.
        values: of the type of `x`, a number or an array that broadcasts to the part.

    Raises:
        DTypeError: another type.
        TypeError: something else than slices.
        IndexError: more slices than axes.
        ShapeError: shapes that do not fit.
    """
    x = array(x)
    items = slices if isinstance(slices, tuple) else (slices,)
    if not all(isinstance(item, slice) for item in items):
        raise TypeError(f"slice_assign takes slices, not {slices!r:.60}")
    if len(items) > x.ndim:
        raise IndexError(f"slice_assign: {len(items)} slices for an array of shape {x.shape}")
    part = [len(range(*item.indices(extent))) for item, extent in zip(items, x.shape, strict=False)]
    values = same_type("slice_assign", x, values, "values")
    _broadcasts("slice_assign", values, (*part, *x.shape[len(part) :]))
    result = wrap(x._v)
    result[items] = values
    return result
