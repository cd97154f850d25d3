# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions along axes."""

from __future__ import annotations

import operator
from math import prod as product
from typing import Any

import numpy as np
from numpy.exceptions import AxisError

from ..dtypes import DType, as_dtype, bool_, float32, float64, int64, uint64
from ..ir.table import OPS
from .apply import apply
from .backend_call import backend_call
from .core import Array, cast, emit, wrap
from .creation import asarray
from .elementwise import where as select
from .operators import finish
from .promote import broadcast, result_dtype
from .views import broadcast_to

__all__ = [
    "all",
    "amax",
    "amin",
    "any",
    "argmax",
    "argmin",
    "count_nonzero",
    "max",
    "mean",
    "min",
    "prod",
    "std",
    "sum",
    "var",
]


def normalize_axis(axis: Any, rank: int, name: str) -> int:
    """A non-negative axis. Raises AxisError, as NumPy."""
    index = operator.index(axis)
    if not -rank <= index < rank:
        raise AxisError(index, rank, name)
    return index % rank


def normalize_axes(axis: Any, rank: int, name: str) -> tuple[int, ...]:
    """Sorted axes; None means all of them."""
    if axis is None:
        return tuple(range(rank))
    if isinstance(axis, (bool, list)):
        raise TypeError(f"{name}: axis is an integer or a tuple of them, not {axis!r}")
    if isinstance(axis, tuple):
        axes = sorted([normalize_axis(a, rank, name) for a in axis])
        if len(set(axes)) != len(axes):
            raise ValueError(f"{name}: duplicate value in 'axis': {tuple(axis)}")
        return tuple(axes)
    if rank == 0 and operator.index(axis) in (0, -1) and name != "mean":
        return ()  # NumPy lets an axis of a 0-d array pass
    return (normalize_axis(axis, rank, name),)


def reduced_shape(shape: tuple[int, ...], axes: tuple[int, ...], keepdims: bool) -> tuple[int, ...]:
    if keepdims:
        return tuple([1 if d in axes else extent for d, extent in enumerate(shape)])
    return tuple([extent for d, extent in enumerate(shape) if d not in axes])


def _reduce(
    name: str, x: Array, axes: tuple[int, ...], keepdims: bool, inner: DType, out: DType
) -> Array:
    """Casts to the inner type, reduces, casts to the result's."""
    value = cast(x._v, inner)
    if axes:
        shape = reduced_shape(value.shape, axes, keepdims)
        value = emit(OPS[name], (value,), (axes, keepdims), (), shape, inner)
    return wrap(cast(value, out))


def _on_backend(name: str, x: Array, options: dict[str, Any]) -> Any:
    """With options that the operations do not have."""
    options = {key: value for key, value in options.items() if value is not np._NoValue}
    if options.get("dtype") is not None:
        options["dtype"] = as_dtype(options["dtype"]).numpy
    out = options.pop("out", None)
    return finish(backend_call(getattr(np, name), x, **options), out, name)


_NO = np._NoValue


def _masked(x: Array, where: Any, fill: Any) -> Array | None:
    """The array with a number where a mask does not hold; None for a mask that NumPy refuses."""
    if where is _NO or where is True:
        return x
    mask = asarray(where)
    if mask._v.dtype is not bool_ or broadcast("where", (mask.shape, x.shape)) != x.shape:
        return None
    return select(mask, x, x._v.dtype(fill))


def _initial(initial: Any, dtype: DType) -> Any:
    """What a reduction starts with, if it is a number of that type; else None."""
    if isinstance(initial, np.generic):
        initial = initial.item()
    if initial is _NO or type(initial) is bool:
        return initial if initial is _NO else None
    if type(initial) not in (int, float, complex):
        return None
    return initial if result_dtype(dtype, type(initial)) is dtype else None


def _accumulator(dtype: DType, given: Any) -> DType:
    if given is not None:
        return as_dtype(given)
    if dtype.kind in "bi":
        return int64
    return uint64 if dtype.kind == "u" else dtype


def _sum_or_prod(
    name: str, x: Any, axis: Any, dtype: Any, keepdims: Any, out: Any, initial: Any, where: Any
) -> Array:
    x = asarray(x)
    keepdims = keepdims is not _NO and bool(keepdims)
    target = _accumulator(x._v.dtype, dtype)
    if initial is not _NO or where is not _NO:
        first = _initial(initial, target)
        chosen = _masked(x, where, 0 if name == "sum" else 1)
        if first is None or chosen is None or target is bool_:
            options = dict(axis=axis, dtype=dtype, keepdims=keepdims, initial=initial, where=where)
            return _on_backend(name, x, {**options, "out": out})
        axes = normalize_axes(axis, x.ndim, name)
        found = _reduce(name, chosen, axes, keepdims, target, target)
        if first is not _NO:
            found = apply(OPS["add" if name == "sum" else "multiply"], found, first)
        return finish(found, out, name)
    axes = normalize_axes(axis, x.ndim, name)
    if target is bool_:
        name = "any" if name == "sum" else "all"
    return finish(_reduce(name, x, axes, keepdims, target, target), out, name)


def sum(
    x: Any,
    /,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = _NO,
    initial: Any = _NO,
    where: Any = _NO,
) -> Array:
    """Sum; integers are added up in 64 bits by default."""
    return _sum_or_prod("sum", x, axis, dtype, keepdims, out, initial, where)


def prod(
    x: Any,
    /,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = _NO,
    initial: Any = _NO,
    where: Any = _NO,
) -> Array:
    """Product; integers are multiplied in 64 bits by default."""
    return _sum_or_prod("prod", x, axis, dtype, keepdims, out, initial, where)


def _extreme(
    name: str, x: Any, axis: Any, out: Any, keepdims: Any, initial: Any, where: Any
) -> Array:
    x = asarray(x)
    keepdims = keepdims is not _NO and bool(keepdims)
    if initial is not _NO or where is not _NO:
        first = _initial(initial, x._v.dtype)
        chosen = None if first is None or first is _NO else _masked(x, where, first)
        axes = normalize_axes(axis, x.ndim, name)
        if chosen is None or any_zero(x.shape, axes) or x._v.dtype.kind in "bc":
            options = dict(axis=axis, keepdims=keepdims, initial=initial, where=where)
            return _on_backend(name, x, {**options, "out": out})
        found = _reduce(name, chosen, axes, keepdims, x._v.dtype, x._v.dtype)
        return finish(apply(OPS[f"{name}imum"], found, first), out, name)
    axes = normalize_axes(axis, x.ndim, name)
    if any_zero(x.shape, axes) and 0 not in reduced_shape(x.shape, axes, False):
        raise ValueError(
            f"zero-size array to reduction operation {name}imum which has no identity: "
            f"shape {x.shape}, axes {axes}"
        )
    return finish(_reduce(name, x, axes, keepdims, x._v.dtype, x._v.dtype), out, name)


def any_zero(shape: tuple[int, ...], axes: tuple[int, ...]) -> bool:
    return 0 in [shape[axis] for axis in axes]


def max(
    x: Any,
    /,
    axis: Any = None,
    out: Any = None,
    keepdims: Any = _NO,
    initial: Any = _NO,
    where: Any = _NO,
) -> Array:
    """The largest element; NaN wins."""
    return _extreme("max", x, axis, out, keepdims, initial, where)


def min(
    x: Any,
    /,
    axis: Any = None,
    out: Any = None,
    keepdims: Any = _NO,
    initial: Any = _NO,
    where: Any = _NO,
) -> Array:
    """The smallest element; NaN wins."""
    return _extreme("min", x, axis, out, keepdims, initial, where)


amax, amin = max, min


def _place(name: str, x: Any, axis: Any, out: Any, keepdims: bool) -> Array:
    x = asarray(x)
    axes = normalize_axes(axis if axis is None else operator.index(axis), x.ndim, name)
    if any_zero(x.shape, axes):
        raise ValueError(
            f"attempt to get {name} of an empty sequence: shape {x.shape}, axes {axes}"
        )
    shape = reduced_shape(x.shape, axes, bool(keepdims))
    value = emit(OPS[name], (x._v,), (axes, bool(keepdims)), (), shape, int64)
    return finish(wrap(value), out, name)


def argmax(x: Any, /, axis: Any = None, out: Any = None, *, keepdims: bool = False) -> Array:
    """The place of the first largest element along an axis, int64; the first NaN wins.

    Without an axis the place among all elements in row-major order, whatever the layout. Of equal
    elements, as +0 and -0 are, the first counts. Raises ValueError if there is no element.
    """
    return _place("argmax", x, axis, out, keepdims)


def argmin(x: Any, /, axis: Any = None, out: Any = None, *, keepdims: bool = False) -> Array:
    """The place of the first smallest element along an axis, int64; otherwise as `argmax`."""
    return _place("argmin", x, axis, out, keepdims)


def count_nonzero(x: Any, /, axis: Any = None, *, keepdims: bool = False) -> Array:
    """The number of elements that are not zero, int64; NaN is not zero."""
    x = asarray(x)
    axes = normalize_axes(axis, x.ndim, "count_nonzero")
    nonzero = cast(x._v if x._v.dtype is bool_ else apply(OPS["not_equal"], x, 0)._v, int64)
    return _reduce("sum", wrap(nonzero), axes, bool(keepdims), int64, int64)


def _truth(name: str, x: Any, axis: Any, out: Any, keepdims: Any, where: Any) -> Array:
    x = asarray(x)
    keepdims = keepdims is not _NO and bool(keepdims)
    if where is not _NO:
        truth = x if x._v.dtype is bool_ else apply(OPS["not_equal"], x, 0)
        chosen = _masked(truth, where, name == "all")
        if chosen is None:
            return _on_backend(name, x, dict(axis=axis, keepdims=keepdims, where=where, out=out))
        x = chosen
    axes = normalize_axes(axis, x.ndim, name)
    return finish(_reduce(name, x, axes, keepdims, bool_, bool_), out, name)


def any(
    x: Any, /, axis: Any = None, out: Any = None, keepdims: Any = _NO, where: Any = _NO
) -> Array:
    """Whether an element is true."""
    return _truth("any", x, axis, out, keepdims, where)


def all(
    x: Any, /, axis: Any = None, out: Any = None, keepdims: Any = _NO, where: Any = _NO
) -> Array:
    """Whether no element is false."""
    return _truth("all", x, axis, out, keepdims, where)


def mean(
    x: Any,
    /,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = _NO,
    where: Any = _NO,
) -> Array:
    """The arithmetic mean; of integers in float64."""
    x = asarray(x)
    keepdims = keepdims is not _NO and bool(keepdims)
    axes = normalize_axes(axis, x.ndim, "mean")
    out_dtype = as_dtype(dtype) if dtype is not None else x._v.dtype
    if dtype is None and out_dtype.kind in "biu":
        out_dtype = float64
    if where is not _NO:
        chosen = _masked(x, where, 0)
        if chosen is None or out_dtype.kind in "biu":
            options = dict(axis=axis, dtype=dtype, keepdims=keepdims, where=where, out=out)
            return _on_backend("mean", x, options)
        inner = float32 if out_dtype.itemsize == 2 else out_dtype
        total = _reduce("sum", chosen, axes, keepdims, inner, inner)
        ones = broadcast_to(asarray(where), x.shape)
        count = _reduce("sum", ones, axes, keepdims, int64, int64)
        found = apply(OPS["divide"], total, wrap(cast(count._v, inner)))
        return finish(wrap(cast(found._v, out_dtype)), out, "mean")
    if out_dtype.kind in "biu":  # an integer mean was asked for
        return _on_backend("mean", x, dict(axis=axis, dtype=dtype, keepdims=keepdims, out=out))
    return finish(_reduce("mean", x, axes, keepdims, out_dtype, out_dtype), out, "mean")


def _variance(x: Array, axis: Any, dtype: Any, correction: Any, keepdims: bool) -> tuple:
    """The variance in its inner type, float64 for reals, and the type of the result.

    Two passes over the elements: the mean, then the squares of the deviations from it. Squares of
    float32 in their own type would overflow and lose what the deviations hold.
    """
    axes = normalize_axes(axis, x.ndim, "mean")
    out = as_dtype(dtype) if dtype is not None else x._v.dtype
    if out.kind in "biu":
        out = float64
    wide = wrap(cast(x._v, float64))
    center = _reduce("mean", wide, axes, True, float64, float64)
    deviation = apply(OPS["subtract"], wide, center)
    squares = apply(OPS["multiply"], deviation, deviation)
    total = _reduce("sum", squares, axes, keepdims, float64, float64)
    count = product([x.shape[a] for a in axes]) - correction
    # The array API standard: NaN where the correction leaves nothing. NumPy divides by 0.
    return apply(OPS["divide"], total, float(count) if count > 0 else float("nan")), out


def _spread(
    name: str, x: Any, axis: Any, dtype: Any, out: Any, ddof: Any, correction: Any, more: dict
) -> Array:
    x = asarray(x)
    correction = ddof if correction is None else correction
    more = {key: value for key, value in more.items() if value is not _NO}
    keepdims = bool(more.pop("keepdims", False))
    kinds = x._v.dtype.kind + (as_dtype(dtype).kind if dtype is not None else "")
    if more or "c" in kinds:
        options = dict(axis=axis, dtype=dtype, ddof=correction, keepdims=keepdims, out=out, **more)
        return _on_backend(name, x, options)
    found, target = _variance(x, axis, dtype, correction, keepdims)
    if name == "std":
        found = apply(OPS["sqrt"], found)
    return finish(wrap(cast(found._v, target)), out, name)


def var(
    x: Any,
    /,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: Any = 0,
    keepdims: Any = _NO,
    *,
    where: Any = _NO,
    mean: Any = _NO,
    correction: Any = None,
) -> Array:
    """The variance, computed in float64 whatever the type of the array."""
    more = dict(keepdims=keepdims, where=where, mean=mean)
    return _spread("var", x, axis, dtype, out, ddof, correction, more)


def std(
    x: Any,
    /,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: Any = 0,
    keepdims: Any = _NO,
    *,
    where: Any = _NO,
    mean: Any = _NO,
    correction: Any = None,
) -> Array:
    """The standard deviation, computed in float64 whatever the type of the array."""
    more = dict(keepdims=keepdims, where=where, mean=mean)
    return _spread("std", x, axis, dtype, out, ddof, correction, more)
