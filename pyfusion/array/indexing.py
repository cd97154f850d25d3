# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`x[...]`: basic indices make deferred views; masks and integer arrays run on the backend."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ..ir.table import OPS
from . import views
from .backend_call import backend_call
from .core import Array, ones_mask
from .promote import check_rank
from .regions import Op

_FULL = slice(None)
PLAIN = frozenset([int, slice, type(None), type(Ellipsis)])


def is_advanced(index: Any) -> bool:
    return isinstance(index, (bool, np.bool_, list, np.ndarray, Array))


def scalar_array(index: Any) -> Any:
    """A 0-d array of integers as the int that it holds, anything else as it is."""
    if isinstance(index, (Array, np.ndarray)) and index.ndim == 0 and index.dtype.kind in "iu":
        return operator.index(np.asarray(index)[()])
    return index


def getitem(x: Array, key: Any) -> Array:
    """The elements that an index selects.

    Raises:
        IndexError: out of bounds, too many indices, or not an index.
    """
    items = key if key.__class__ is tuple else (key,)
    for item in items:
        if item.__class__ not in PLAIN:
            items = tuple([scalar_array(i) for i in items])
            if any(map(is_advanced, items)):
                return backend_call(_take, x, items)
            break
    return _basic(x, items)


def _take(x: np.ndarray, items: tuple) -> np.ndarray:
    return x[items].copy()


_take.__name__ = "getitem"


def _integer(index: Any) -> int:
    try:
        return operator.index(index)
    except TypeError:
        raise IndexError(
            "only integers, slices (`:`), ellipsis (`...`), None and integer or boolean arrays "
            f"are valid indices, not {index!r}"
        ) from None


def _expand_ellipsis(items: tuple, rank: int, shape: tuple[int, ...]) -> list[Any]:
    """The index with an entry for every dimension."""
    used = 0
    ellipsis = -1
    for position, item in enumerate(items):
        if item is Ellipsis:
            if ellipsis >= 0:
                raise IndexError("an index can only have a single ellipsis ('...')")
            ellipsis = position
        elif item is not None:
            used += 1
    if used > rank:
        raise IndexError(
            f"too many indices for array: array is {rank}-dimensional, but {used} were indexed "
            f"(shape {shape})"
        )
    fill = [_FULL] * (rank - used)
    if ellipsis < 0:
        return [*items, *fill]
    return [*items[:ellipsis], *fill, *items[ellipsis + 1 :]]


def _basic(x: Array, items: tuple) -> Array:
    ops = basic_views(x._v.shape, items)
    if not ops:
        return views.alias(x)
    for op in ops:
        x = views.derive(x, *op)
    return x


def basic_views(shape: tuple[int, ...], items: tuple) -> list[Op]:
    """The view operations that an index of ints, slices, None and `...` is.

    Raises:
        IndexError: out of bounds, too many indices, or not an index.
    """
    offsets: list[int] = []
    sizes: list[int] = []
    steps: list[int] = []
    dropped: list[int] = []  # dimensions of the slice that an int selects
    inserted: list[int] = []  # dimensions of the result that None makes
    whole = True
    rank = 0  # of the result
    for item in _expand_ellipsis(items, len(shape), shape):
        if item is None:
            inserted.append(rank)
            rank += 1
            continue
        d = len(sizes)
        extent = shape[d]
        if item.__class__ is slice:
            start, stop, step = item.indices(extent)
            size = len(range(start, stop, step))
            if size == 0:
                start, step = 0, 1
            elif size == 1:
                step = 1
            rank += 1
        else:
            start = _integer(item)
            if not -extent <= start < extent:
                raise IndexError(
                    f"index {start} is out of bounds for axis {d} with size {extent} "
                    f"(shape {shape})"
                )
            start %= extent
            size = step = 1
            dropped.append(d)
        whole = whole and start == 0 and size == extent and step == 1
        offsets.append(start)
        sizes.append(size)
        steps.append(step)
    if inserted:
        check_rank("the result of the index", rank, IndexError)
    ops: list[Op] = []
    if not whole:
        shape = tuple(sizes)
        ops.append((OPS["slice"], ones_mask(shape), (*offsets, *sizes, *steps), shape))
    if dropped:
        shape = tuple([n for d, n in enumerate(shape) if d not in dropped])
        ops.append((OPS["squeeze"], tuple(dropped), (), shape))
    if inserted:
        extents = list(shape)
        for axis in inserted:
            extents.insert(axis, 1)
        ops.append((OPS["expand_dims"], tuple(inserted), (), tuple(extents)))
    return ops


def delitem(x: Array, key: Any) -> None:
    """Refuses, as NumPy."""
    raise ValueError("cannot delete array elements")


def take(x: Any, indices: Any, /, *, axis: int | None = None, mode: str = "raise") -> Array:
    """Elements at integer positions along an axis."""
    if axis is None and getattr(x, "ndim", 1) != 1:
        from .manipulation import ravel

        x = ravel(x)
    return backend_call(np.take, x, indices, axis=0 if axis is None else axis, mode=mode)


def take_along_axis(x: Any, indices: Any, /, *, axis: int | None = -1) -> Array:
    """Elements at positions that differ along an axis."""
    return backend_call(np.take_along_axis, x, indices, axis=axis)


__all__ = ["take", "take_along_axis"]
