# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays put together and taken apart, by views and `concat`."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from ..errors import ShapeError
from . import views
from .core import Array, wrap
from .creation import asarray
from .indexing import getitem
from .manipulation import atleast_1d, atleast_2d, atleast_3d, concat, expand_dims
from .reductions import normalize_axis

__all__ = [
    "array_split",
    "column_stack",
    "dsplit",
    "dstack",
    "hsplit",
    "hstack",
    "meshgrid",
    "split",
    "stack",
    "vsplit",
    "vstack",
]


def _arrays(name: str, given: Any) -> list[Array]:
    """A sequence of arrays; an array is one of its rows."""
    if isinstance(given, Array):
        given = list(given)
    if not hasattr(given, "__getitem__"):
        raise TypeError(
            f"{name}: arrays to stack must be passed as a sequence, such as a list or tuple, not "
            f"{type(given).__name__}"
        )
    found = [asarray(a) for a in given]
    if not found:
        raise ValueError(f"{name}: need at least one array to join")
    return found


def stack(arrays: Any, /, *, axis: int = 0, dtype: Any = None) -> Array:
    """Arrays of one shape joined along a new axis.

    Raises:
        ShapeError: their shapes differ.
        AxisError: no such axis of the result.
    """
    parts = _arrays("stack", arrays)
    shapes = {a.shape for a in parts}
    if len(shapes) > 1:
        raise ShapeError(
            f"stack: all input arrays must have the same shape, not {sorted(shapes)}; "
            "concatenate joins along an axis that is there"
        )
    place = normalize_axis(axis, parts[0].ndim + 1, "stack")
    return concat([expand_dims(a, axis=place) for a in parts], axis=place, dtype=dtype)


def _raised(arrays: list[Array], at_least: Callable[..., Any]) -> list[Array]:
    return [at_least(a) for a in arrays]


def hstack(arrays: Any, /, *, dtype: Any = None) -> Array:
    """Arrays joined along the second axis, those of one dimension along the first."""
    parts = _raised(_arrays("hstack", arrays), atleast_1d)
    return concat(parts, axis=0 if parts[0].ndim == 1 else 1, dtype=dtype)


def vstack(arrays: Any, /, *, dtype: Any = None) -> Array:
    """Arrays joined along the first axis, those of one dimension as rows."""
    return concat(_raised(_arrays("vstack", arrays), atleast_2d), axis=0, dtype=dtype)


def dstack(arrays: Any, /) -> Array:
    """Arrays joined along the third axis, those of fewer dimensions with an extent of 1 there."""
    return concat(_raised(_arrays("dstack", arrays), atleast_3d), axis=2)


def column_stack(arrays: Any, /) -> Array:
    """Arrays of one dimension as columns, beside each other and those of two."""
    parts = [
        expand_dims(atleast_1d(a), axis=1) if a.ndim < 2 else a
        for a in _arrays("column_stack", arrays)
    ]
    return concat(parts, axis=1)


# --- Apart ----------------------------------------------------------------------------------------


def _cuts(name: str, extent: int, where: Any, even: bool) -> list[int]:
    """The bounds of the parts: `where` is their number, or the places between them."""
    if isinstance(where, Array) and where.ndim:
        where = where.tolist()
    try:
        count = operator.index(where)
    except TypeError:
        return [0, *[operator.index(w) for w in where], extent]
    if count <= 0:
        raise ValueError(f"{name}: number sections must be larger than 0, not {count}")
    if even and extent % count:
        raise ValueError(
            f"{name}: array split does not result in an equal division: {extent} elements into "
            f"{count} parts; array_split takes uneven ones"
        )
    size, more = divmod(extent, count)
    return [n * size + min(n, more) for n in range(count + 1)]


def _parts(name: str, x: Any, where: Any, axis: int, even: bool) -> list[Array]:
    x = asarray(x)
    place = normalize_axis(axis, x.ndim, name)
    bounds = _cuts(name, x.shape[place], where, even)
    before = (slice(None),) * place
    found = []
    for start, stop in zip(bounds[:-1], bounds[1:], strict=True):
        found.append(getitem(x, (*before, slice(start, stop))))
    return found


def split(x: Any, indices_or_sections: Any, axis: int = 0) -> list[Array]:
    """Views of equal parts along an axis, or of the parts between given places.

    Raises:
        ValueError: the extent is no multiple of the number of parts.
    """
    return _parts("split", x, indices_or_sections, axis, True)


def array_split(x: Any, indices_or_sections: Any, axis: int = 0) -> list[Array]:
    """As `split`; the first parts are longer by one where the extent is no multiple."""
    return _parts("array_split", x, indices_or_sections, axis, False)


def _split_along(name: str, x: Any, where: Any, axis: int, rank: int) -> list[Array]:
    x = asarray(x)
    if x.ndim < rank:
        raise ValueError(f"{name}: only works on arrays of {rank} or more dimensions: {x.shape}")
    return _parts(name, x, where, axis, True)


def vsplit(x: Any, indices_or_sections: Any) -> list[Array]:
    """`split` along the first of two or more axes."""
    return _split_along("vsplit", x, indices_or_sections, 0, 2)


def hsplit(x: Any, indices_or_sections: Any) -> list[Array]:
    """`split` along the second axis, of arrays of one dimension along that."""
    x = asarray(x)
    return _split_along("hsplit", x, indices_or_sections, 0 if x.ndim == 1 else 1, 1)


def dsplit(x: Any, indices_or_sections: Any) -> list[Array]:
    """`split` along the third axis."""
    return _split_along("dsplit", x, indices_or_sections, 2, 3)


def meshgrid(
    *arrays: Any, indexing: str = "xy", sparse: bool = False, copy: bool = True
) -> tuple[Array, ...]:
    """Coordinate matrices of coordinate vectors.

    Args:
        indexing: "xy", where the first vector runs along the second axis, or "ij".
        sparse: leaves the extents along which a matrix does not change at 1.
        copy: False gives read-only views.
    """
    if indexing not in ("xy", "ij"):
        raise ValueError(f"meshgrid: indexing is 'xy' or 'ij', not {indexing!r}")
    given = [views.reshape(a, (a.size,)) for a in map(asarray, arrays)]
    rank = len(given)
    order = list(range(rank))
    if indexing == "xy" and rank > 1:
        order[:2] = [1, 0]
    extents = [0] * rank
    for axis, a in zip(order, given, strict=True):
        extents[axis] = a.shape[0]
    found = []
    for axis, a in zip(order, given, strict=True):
        a = views.reshape(a, tuple([d if n == axis else 1 for n, d in enumerate(extents)]))
        if not sparse:
            a = views.broadcast_to(a, tuple(extents))
        found.append(wrap(a._v) if copy else a)
    return tuple(found)
