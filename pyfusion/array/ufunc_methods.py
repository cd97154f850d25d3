# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Methods of NumPy's ufuncs on arrays: `np.add.reduce(x)` is a sum, `np.multiply.outer(x, y)` a
product with broadcasting, the others are run by the backend when their turn comes."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ..dtypes import as_dtype, dtype_of
from ..ir.device import CPU
from . import reductions, searching, views
from .backend_call import device_in
from .core import Array, cast, wrap
from .creation import asarray
from .deferred import Rule, recorded
from .reductions import normalize_axis
from .ufunc_results import store
from .ufuncs import Options, by_numpy, called, is_foreign

__all__ = ["array_ufunc"]

_REDUCE: dict[np.ufunc, Callable[..., Array]] = {
    np.add: reductions.sum,
    np.multiply: reductions.prod,
    np.maximum: reductions.max,
    np.minimum: reductions.min,
    np.logical_and: reductions.all,
    np.logical_or: reductions.any,
}
_SCAN: dict[np.ufunc, Callable[..., Array]] = {
    np.add: searching.cumsum,
    np.multiply: searching.cumprod,
}
# Their quotients are not NumPy's: `ufunc_division.py`.
_OWN_VALUES = (np.floor_divide, np.divmod)
_KEPT = Rule(((0, "array"),))


def array_ufunc(self: Array, ufunc: np.ufunc, method: str, /, *inputs: Any, **options: Any) -> Any:
    """`__array_ufunc__`.

    Raises:
        TypeError: `at` of an Array, which would write into it; no such types.
        Exception: what NumPy raises.
    """
    given = Options(options)
    if any(map(is_foreign, (*inputs, *given.out))):
        return NotImplemented
    if method == "__call__":
        return called(ufunc, inputs, given)
    return _METHODS[method](ufunc, inputs, given)


def _target(x: Array, options: Options) -> Any:
    """The type that a reduction computes in: the one asked for, or that of `out`."""
    dtype = options.more.get("dtype")
    if dtype is not None:
        return as_dtype(dtype)
    (out,) = options.out or (None,)
    if out is None:
        return None
    found = out.dtype if isinstance(out, Array) else dtype_of(out.dtype)
    return found if np.can_cast(x.dtype.numpy, found.numpy, "same_kind") else None


def _finished(result: Array | None, ufunc: np.ufunc, method: str, inputs: Any, o: Options) -> Any:
    if result is None:
        return by_numpy(ufunc, method, inputs, o)
    (out,) = o.out or (None,)
    return store(result, out, True, "same_kind", ufunc.__name__)


def _is_plain(ufunc: np.ufunc, inputs: tuple, options: Options) -> bool:
    """Whether a reduction can be recorded; what NumPy refuses is left to it."""
    on_host = device_in(list(inputs), ufunc.__name__) is CPU
    return (
        (ufunc in _REDUCE or on_host)
        and ufunc not in _OWN_VALUES
        and options.casting == ("same_kind")
    )


def _reduce(ufunc: np.ufunc, inputs: tuple, options: Options) -> Any:
    if not _is_plain(ufunc, inputs, options):
        return by_numpy(ufunc, "reduce", inputs, options)
    x = asarray(inputs[0])
    target = _target(x, options)
    more = {
        "axis": options.more.get("axis", 0),
        "keepdims": options.more.get("keepdims", False),
        "where": options.where,
        "initial": options.more.get("initial", np._NoValue),
    }
    own = _REDUCE.get(ufunc)
    result: Array | None = None
    if own is not None and not (own in (reductions.all, reductions.any) and target is not None):
        result = _own_reduce(own, x, target, more)
    elif device_in([x], ufunc.__name__) is CPU:
        given = {key: value for key, value in more.items() if value is not np._NoValue}
        if given["where"] is True:
            del given["where"]
        dtype = {} if target is None else {"dtype": target.numpy}
        result = recorded(ufunc.reduce, _KEPT, (x,), {**given, **dtype})
    return _finished(result, ufunc, "reduce", inputs, options)


def _own_reduce(own: Callable[..., Array], x: Array, target: Any, more: dict[str, Any]) -> Any:
    more = {key: value for key, value in more.items() if value is not np._NoValue}
    if more["where"] is True:
        del more["where"]
    if own in (reductions.all, reductions.any):
        if "initial" in more:
            return None
    elif own in (reductions.max, reductions.min):
        if target is not None:
            if not np.can_cast(x.dtype.numpy, target.numpy, "same_kind"):
                return None
            x = wrap(cast(x._v, target))
    elif target is not None:
        more["dtype"] = target
    return own(x, **more)


def _accumulate(ufunc: np.ufunc, inputs: tuple, options: Options) -> Any:
    x = asarray(inputs[0])
    if ufunc in _OWN_VALUES or device_in([x], ufunc.__name__) is not CPU:
        return by_numpy(ufunc, "accumulate", inputs, options)
    target = _target(x, options)
    axis = options.more.get("axis", 0)
    dtype = {} if target is None else {"dtype": target.numpy}
    result: Array | None
    if ufunc in _SCAN and x.ndim and axis is not None:
        result = _SCAN[ufunc](x, axis=axis, **dtype)
    else:
        result = recorded(ufunc.accumulate, _KEPT, (x,), {"axis": axis, **dtype})
    return _finished(result, ufunc, "accumulate", inputs, options)


def _pieces(array: Any, indices: Any, axis: Any = 0, dtype: Any = None) -> tuple[int, ...] | None:
    """Places out of bounds raise: they have to be known."""
    if isinstance(indices, Array):
        return None
    places = [operator.index(i) for i in indices]
    axis = normalize_axis(axis, array.ndim, "reduceat")
    if any(not 0 <= place < array.shape[axis] for place in places):
        return None
    return (*array.shape[:axis], len(places), *array.shape[axis + 1 :])


def _pieces_of_model(array: Any, indices: Any, **more: Any) -> tuple[tuple, dict[str, Any]]:
    return (array, [0]), more


_REDUCEAT = Rule(((0, "array"),), shape=_pieces, model=_pieces_of_model)


def _reduceat(ufunc: np.ufunc, inputs: tuple, options: Options) -> Any:
    x, indices = asarray(inputs[0]), inputs[1]
    result: Array | None = None
    if ufunc not in _OWN_VALUES and device_in([x], ufunc.__name__) is CPU:
        target = _target(x, options)
        dtype = {} if target is None else {"dtype": target.numpy}
        if isinstance(indices, np.ndarray):
            indices = indices.tolist()
        more = {"axis": options.more.get("axis", 0), **dtype}
        result = recorded(ufunc.reduceat, _REDUCEAT, (x, indices), more)
    return _finished(result, ufunc, "reduceat", inputs, options)


def _outer(ufunc: np.ufunc, inputs: tuple, options: Options) -> Any:
    """Each element of the first with each of the second; numbers count as arrays."""
    if ufunc.signature is not None:
        raise TypeError(f"method outer is not allowed in ufunc with non-trivial signature: {ufunc}")
    if ufunc.nin != 2:
        raise ValueError(f"outer product only supported for binary functions, not {ufunc}")
    x, y = map(asarray, inputs)
    spread = views.expand_dims(x, tuple(range(x.ndim, x.ndim + y.ndim)))
    return called(ufunc, (spread, y), options)


def _at(ufunc: np.ufunc, inputs: tuple, options: Options) -> Any:
    if isinstance(inputs[0], Array):
        name = f"numpy.{ufunc.__name__}.at"
        raise TypeError(
            f"{name} writes into its first argument, a pyfusion.Array; pyfusion.where(mask, value, "
            f"x) makes the new array, and {name} writes into numpy.array(x)"
        )
    return by_numpy(ufunc, "at", inputs, options)


_METHODS: dict[str, Callable[..., Any]] = {
    "reduce": _reduce,
    "accumulate": _accumulate,
    "reduceat": _reduceat,
    "outer": _outer,
    "at": _at,
}
