# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shapes: views where NumPy views; joining and repeating on the backend."""

from __future__ import annotations

import operator
from math import prod
from typing import Any

import numpy as np

from ..dtypes import int64
from ..errors import ShapeError
from ..ir.table import OPS
from ..ir.value import device_of
from . import views
from .apply import apply
from .backend_call import backend_call, delegate
from .core import Array
from .creation import asarray, shape_of, zeros
from .elementwise import where
from .promote import broadcast
from .ranges import iota
from .reductions import normalize_axes, normalize_axis

__all__ = [
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "broadcast_arrays",
    "broadcast_shapes",
    "broadcast_to",
    "concat",
    "concatenate",
    "expand_dims",
    "flip",
    "fliplr",
    "flipud",
    "moveaxis",
    "ndim",
    "pad",
    "permute_dims",
    "ravel",
    "repeat",
    "reshape",
    "roll",
    "rot90",
    "shape",
    "size",
    "squeeze",
    "swapaxes",
    "tile",
    "transpose",
    "tril",
    "triu",
    "unstack",
]


def reshape(x: Any, /, shape: Any, order: str = "C", *, copy: bool | None = None) -> Array:
    """The elements in another shape; one extent may be -1. A view where NumPy views."""
    x = asarray(x)
    try:
        wanted = [operator.index(shape)]
    except TypeError:
        try:
            wanted = [operator.index(d) for d in shape]
        except TypeError:
            raise TypeError(f"reshape takes an int or a sequence of ints, not {shape!r}") from None
    order = order.upper() if isinstance(order, str) else order
    if order not in ("C", "A", "K"):
        if order != "F":
            raise ValueError(f"reshape: order must be C, F or A, not {order!r}")
        turned = transpose(x)
        return transpose(reshape(turned, tuple(reversed(wanted)), copy=copy))
    return views.reshape(x, _resolve(wanted, x._v.shape), copy)


def _resolve(wanted: list[int], old: tuple[int, ...]) -> tuple[int, ...]:
    size = prod(old)
    unknown = [i for i, d in enumerate(wanted) if d < 0]
    if len(unknown) > 1:
        raise ValueError("reshape: can only specify one unknown dimension")
    if unknown:
        known = prod([d for d in wanted if d >= 0])
        if known == 0 or size % known:
            raise ShapeError(f"cannot reshape array of shape {old} into shape {tuple(wanted)}")
        wanted[unknown[0]] = size // known
    elif prod(wanted) != size:
        raise ShapeError(
            f"cannot reshape array of size {size} into shape {tuple(wanted)}; its shape is {old}"
        )
    return tuple(wanted)


def ravel(x: Any, /, order: str = "C") -> Array:
    """One dimension: a view where NumPy views."""
    return reshape(x, (-1,) if asarray(x).size else (0,), order)


def permute_dims(x: Any, /, axes: Any) -> Array:
    """A view with its dimensions in another order."""
    return transpose(x, axes)


def transpose(x: Any, /, axes: Any = None) -> Array:
    """A view with its dimensions in another order, reversed by default."""
    x = asarray(x)
    rank = x.ndim
    if axes is None:
        return views.transpose(x, tuple(range(rank - 1, -1, -1)))
    try:
        axes = (operator.index(axes),)
    except TypeError:
        axes = tuple(axes)
    if len(axes) != rank:
        raise ValueError(f"transpose: axes {axes} don't match an array of shape {x.shape}")
    perm = tuple([normalize_axis(a, rank, "transpose") for a in axes])
    if len(set(perm)) != rank:
        raise ValueError(f"transpose: repeated axis in {axes}")
    return views.transpose(x, perm)


def swapaxes(x: Any, axis1: int, axis2: int, /) -> Array:
    """A view with two dimensions exchanged."""
    x = asarray(x)
    perm = list(range(x.ndim))
    a, b = (normalize_axis(axis, x.ndim, "swapaxes") for axis in (axis1, axis2))
    perm[a], perm[b] = b, a
    return views.transpose(x, tuple(perm))


def moveaxis(x: Any, source: Any, destination: Any, /) -> Array:
    """A view with dimensions moved to other places."""
    x = asarray(x)
    rank = x.ndim
    given = [(a if isinstance(a, (tuple, list)) else (a,)) for a in (source, destination)]
    start, end = ([normalize_axis(i, rank, "moveaxis") for i in a] for a in given)
    if len(start) != len(end):
        raise ValueError("moveaxis: source and destination must have the same number of elements")
    if len(set(start)) != len(start) or len(set(end)) != len(end):
        raise ValueError(f"moveaxis: repeated axis in {source} or {destination}")
    perm = [d for d in range(rank) if d not in start]
    for to, origin in sorted(zip(end, start, strict=True)):
        perm.insert(to, origin)
    return views.transpose(x, tuple(perm))


def expand_dims(x: Any, /, axis: Any = 0) -> Array:
    """A view with new dimensions of extent 1 at the given axes of the result."""
    x = asarray(x)
    given = axis if isinstance(axis, (tuple, list)) else (axis,)
    return views.expand_dims(x, normalize_axes(tuple(given), x.ndim + len(given), "expand_dims"))


def squeeze(x: Any, /, axis: Any = None) -> Array:
    """A view without dimensions of extent 1: all of them, or those given."""
    x = asarray(x)
    extents = x._v.shape
    if axis is None:
        return views.squeeze(x, tuple([d for d, extent in enumerate(extents) if extent == 1]))
    axes = normalize_axes(axis, len(extents), "squeeze")
    if any(extents[a] != 1 for a in axes):
        raise ValueError(
            "squeeze: cannot select an axis to squeeze out which has size not equal to one: "
            f"axis {axis} of shape {extents}"
        )
    return views.squeeze(x, axes)


def flip(x: Any, /, axis: Any = None) -> Array:
    """A view with the order reversed along axes, all of them by default."""
    x = asarray(x)
    return views.flip(x, normalize_axes(axis, x.ndim, "flip"))


def _flip_one(x: Any, axis: int) -> Array:
    x = asarray(x)
    if x.ndim <= axis:
        raise ValueError(f"Input must be >= {axis + 1}-d, but the shape is {x.shape}")
    return views.flip(x, (axis,))


def flipud(x: Any, /) -> Array:
    """A view with the order reversed along the first axis."""
    return _flip_one(x, 0)


def fliplr(x: Any, /) -> Array:
    """A view with the order reversed along the second axis."""
    return _flip_one(x, 1)


def rot90(x: Any, /, k: int = 1, axes: tuple[int, int] = (0, 1)) -> Array:
    """A view rotated by `k` quarter turns in the plane of two axes."""
    x = asarray(x)
    first, second = (normalize_axis(a, x.ndim, "rot90") for a in axes)
    if first == second:
        raise ValueError("rot90: axes must be different")
    k %= 4
    if k == 0:
        return views.alias(x)
    if k == 2:
        return views.flip(x, tuple(sorted((first, second))))
    if k == 1:
        return swapaxes(views.flip(x, (second,)), first, second)
    return views.flip(swapaxes(x, first, second), (second,))


def broadcast_shapes(*shapes: Any) -> tuple[int, ...]:
    """The shape that arrays of these shapes broadcast to."""
    return broadcast("broadcast_shapes", tuple(map(shape_of, shapes))) if shapes else ()


def broadcast_to(x: Any, /, shape: Any) -> Array:
    """A read-only view repeated to a shape."""
    x = asarray(x)
    wanted = shape_of(shape)
    if len(wanted) < x.ndim or broadcast("broadcast_to", (x.shape, wanted)) != wanted:
        raise ShapeError(
            f"broadcast_to: shape {x.shape} of {x.dtype} does not broadcast to {wanted}"
        )
    return views.broadcast_to(x, wanted)


def broadcast_arrays(*arrays: Any) -> tuple[Array, ...]:
    """Read-only views of one common shape."""
    given = [asarray(a) for a in arrays]
    if not given:
        return ()
    common = broadcast("broadcast_arrays", tuple([a._v.shape for a in given]))
    return tuple([views.broadcast_to(a, common) for a in given])


def _at_least(rank: int, arrays: tuple) -> Any:
    found = []
    for a in map(asarray, arrays):
        if a.ndim >= rank:
            found.append(a)
        elif rank == 3 and a.ndim == 2:
            found.append(views.expand_dims(a, (2,)))
        elif rank == 3 and a.ndim == 1:
            found.append(views.expand_dims(a, (0, 2)))
        else:
            found.append(views.expand_dims(a, tuple(range(rank - a.ndim))))
    return found[0] if len(found) == 1 else tuple(found)


def atleast_1d(*arrays: Any) -> Any:
    """Views of at least one dimension."""
    return _at_least(1, arrays)


def atleast_2d(*arrays: Any) -> Any:
    """Views of at least two dimensions."""
    return _at_least(2, arrays)


def atleast_3d(*arrays: Any) -> Any:
    """Views of at least three dimensions."""
    return _at_least(3, arrays)


def unstack(x: Any, /, *, axis: int = 0) -> tuple[Array, ...]:
    """Views of the parts along an axis."""
    x = asarray(x)
    if x.ndim == 0:
        raise ValueError("unstack: the input must be at least 1-d")
    front = moveaxis(x, normalize_axis(axis, x.ndim, "unstack"), 0)
    return tuple(front)


def _band(x: Array, keep: Any) -> Array:
    """Elements where `keep(row, column - row)` holds, zeros elsewhere; all deferred."""
    if x.ndim == 0:
        raise ValueError("tril and triu need at least one dimension")
    if x.ndim == 1:  # NumPy makes a square of it
        x = views.broadcast_to(x, (x.shape[0], x.shape[0]))
    rows, columns = x.shape[-2:]
    device = device_of(x._v)
    row = views.expand_dims(iota(rows, int64, device=device), (1,))
    distance = apply(OPS["subtract"], iota(columns, int64, device=device), row)
    return where(keep(distance), x, zeros((), x.dtype, device=device.name))


def tril(x: Any, /, k: int = 0) -> Array:
    """The lower triangles of matrices: zeros above the `k`-th diagonal."""
    k = operator.index(k)
    return _band(asarray(x), lambda distance: apply(OPS["less_equal"], distance, k))


def triu(x: Any, /, k: int = 0) -> Array:
    """The upper triangles of matrices: zeros below the `k`-th diagonal."""
    k = operator.index(k)
    return _band(asarray(x), lambda distance: apply(OPS["greater_equal"], distance, k))


def shape(x: Any, /) -> tuple[int, ...]:
    """The shape of an array."""
    return asarray(x).shape


def ndim(x: Any, /) -> int:
    """The number of dimensions of an array."""
    return asarray(x).ndim


def size(x: Any, /, axis: int | None = None) -> int:
    """The number of elements of an array, or along one axis."""
    x = asarray(x)
    return x.size if axis is None else x.shape[normalize_axis(axis, x.ndim, "size")]


# --- On the backend -------------------------------------------------------------------------------


def concat(arrays: Any, /, *, axis: int | None = 0, dtype: Any = None) -> Array:
    """Arrays joined along an axis; None joins their elements."""
    kind = None if dtype is None else np.dtype(dtype)
    return backend_call(np.concatenate, list(arrays), axis=axis, dtype=kind)


def concatenate(arrays: Any, axis: int | None = 0, *, dtype: Any = None) -> Array:
    """Arrays joined along an axis; None joins their elements."""
    return concat(arrays, axis=axis, dtype=dtype)


def roll(x: Any, /, shift: Any, axis: Any = None) -> Array:
    """Elements moved along axes, those pushed out re-entering at the other end."""
    return backend_call(np.roll, x, shift, axis)


pad = delegate(np.pad)
repeat = delegate(np.repeat)
tile = delegate(np.tile)
