# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NumPy's functions that are functions of pyfusion, with NumPy's arguments.

Each row gives NumPy's parameters in their order. Those before the bar are handed on by position,
the others by name; those that begin with "-" do not matter here. Functions whose arguments mean
something else, or that are made of several, are written out.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from ..dtypes import bool_
from ..ir.table import OPS
from ..ir.value import device_of
from . import elementwise, joining, linear, manipulation, reductions, searching
from .apply import apply, full_value
from .core import Array, wrap
from .creation import asarray, copy, full_like, ones_like, zeros_like
from .dtype_functions import can_cast
from .operators import assign, finish

__all__ = ["OWN", "ByNumpy", "Row"]

_NO = np._NoValue
_REDUCED = "a | axis out keepdims initial where"
_TRUTH = "a | axis out keepdims where"
_SPREAD = "a | axis dtype out ddof keepdims where mean correction"
_LIKE = "a | dtype -order -subok shape device"
_JOINED = "dtype casting"

# By the names of NumPy's functions; those of one row have the same parameters.
_ROWS: dict[str, str] = {
    "all any": _TRUTH,
    "max min amax amin": _REDUCED,
    "sum prod": "a | axis dtype out keepdims initial where",
    "mean": "a | axis dtype out keepdims where",
    "std var": _SPREAD,
    "argmax argmin ptp": "a | axis out keepdims",
    "count_nonzero": "a | axis keepdims",
    "round around": "a decimals | out",
    "reshape": "a shape | order copy",
    "ravel": "a | order",
    "transpose": "a axes",
    "swapaxes": "a axis1 axis2",
    "moveaxis": "a source destination",
    "expand_dims squeeze": "a | axis",
    "flip": "m | axis",
    "fliplr flipud": "m",
    "rot90": "m k axes",
    "tril triu": "m k",
    "broadcast_to": "array shape | -subok",
    "unstack": "x | axis",
    "matrix_transpose linalg.matrix_transpose": "x",
    "real imag": "val",
    "angle": "z deg",
    "sinc": "x",
    "copy": "a | -order -subok",
    "zeros_like ones_like": _LIKE,
    "empty_like": "prototype | dtype -order -subok shape device",
    "full_like": "a fill_value | dtype -order -subok shape device",
    "astype": "x dtype | copy device",
    "split array_split": "ary indices_or_sections axis",
    "hsplit vsplit dsplit": "ary indices_or_sections",
    "concatenate": f"arrays | axis out {_JOINED}",
    "stack": f"arrays | axis out {_JOINED}",
    "hstack vstack": f"tup | {_JOINED}",
    "dstack column_stack": "tup",
    "diff": "a n axis prepend append",
    "select": "condlist choicelist default",
    "outer dot": "a b | out",
    "linalg.matmul": "x1 x2",
}


class ByNumpy(Exception):
    """The arguments are such that NumPy has to run the call."""


class Row:
    """How a function of pyfusion is called with NumPy's arguments.

    Attributes:
        names: NumPy's parameters, in order.
    """

    def __init__(self, name: str, spec: str, function: Callable[..., Any]):
        head, _, tail = spec.partition("|")
        self.name = name
        self.function = function
        self.first = head.split()
        self.ignored = frozenset([n[1:] for n in tail.split() if n.startswith("-")])
        self.names = [*self.first, *[n.lstrip("-") for n in tail.split()]]

    def __call__(self, *args: Any, **options: Any) -> Any:
        given = {**dict(zip(self.names, args, strict=False)), **options}
        given = {n: v for n, v in given.items() if v is not _NO and n not in self.ignored}
        if given.pop("casting", "same_kind") != "same_kind":
            raise ByNumpy
        out = given.pop("out", None)
        if out is not None and given.get("dtype") is None and "dtype" in self.names:
            # NumPy computes in the type of `out`, if elements convert to it.
            x = given[self.names[0]]
            if not isinstance(x, Array) or can_cast(x.dtype, out.dtype, "same_kind"):
                given["dtype"] = out.dtype
        if self.name in ("hstack", "vstack", "stack", "concatenate"):
            given = {n: v for n, v in given.items() if n != "dtype" or v is not None}
        first = []
        for name in self.first:
            if name not in given:
                break
            first.append(given.pop(name))
        return finish(self.function(*first, **given), out, self.name)


# --- Written out ----------------------------------------------------------------------------------


def where(condition: Any, *choices: Any) -> Any:
    return elementwise.where(condition, *choices)


def clip(a: Any, a_min: Any = _NO, a_max: Any = _NO, out: Any = None, **more: Any) -> Any:
    """With `min` and `max` as other names of the bounds."""
    low, high = more.pop("min", _NO), more.pop("max", _NO)
    if more:  # options of ufuncs
        raise ByNumpy
    if (a_min is not _NO or a_max is not _NO) and (low is not _NO or high is not _NO):
        raise ValueError(
            "Passing `min` or `max` keyword argument when `a_min` and `a_max` are provided is "
            "forbidden."
        )
    bounds = [b if a is _NO else a for a, b in ((a_min, low), (a_max, high))]
    found = elementwise.clip(a, *[None if b is _NO else b for b in bounds])
    return finish(found, out, "clip")


def nan_to_num(
    x: Any, copy: bool = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None
) -> Any:
    """With `copy=False` the array gets the result."""
    found = elementwise.nan_to_num(x, nan=nan, posinf=posinf, neginf=neginf)
    return found if copy else finish(found, x, "nan_to_num")


def average(
    a: Any, axis: Any = None, weights: Any = None, returned: bool = False, *, keepdims: Any = _NO
) -> Any:
    """Without weights, the mean."""
    if weights is not None or returned:
        raise ByNumpy
    return reductions.mean(a, axis, keepdims=keepdims)


def append(arr: Any, values: Any, axis: Any = None) -> Array:
    return manipulation.concat([asarray(arr), asarray(values)], axis=axis)


def rollaxis(a: Any, axis: Any, start: Any = 0) -> Array:
    x = asarray(a)
    place = reductions.normalize_axis(axis, x.ndim, "axis")
    start = start + x.ndim if start < 0 else start
    reductions.normalize_axis(start, x.ndim + 1, "start")
    return manipulation.moveaxis(x, place, start - 1 if place < start else start)


def broadcast_arrays(*args: Any, subok: bool = False) -> tuple[Any, ...]:
    """Objects and strings stay NumPy's: Matplotlib passes options so, beside numbers."""
    given = [_ours_if_possible(a) for a in args]
    if all(isinstance(a, Array) for a in given):
        return manipulation.broadcast_arrays(*given)
    common = np.broadcast_shapes(*[a.shape for a in given])
    return tuple(
        [
            manipulation.broadcast_to(a, common)
            if isinstance(a, Array)
            else np.broadcast_to(a, common)
            for a in given
        ]
    )


def _ours_if_possible(given: Any) -> Any:
    try:
        return asarray(given)
    except TypeError:  # no element type of ours
        return np.asarray(given)


def _infinite(sign: float) -> Callable[..., Any]:
    def function(x: Any, out: Any = None) -> Any:
        x = asarray(x)
        if x.dtype.kind == "c":
            raise TypeError(
                "This operation is not supported for complex values because it would be ambiguous."
            )
        if x.dtype.kind != "f":
            found = wrap(full_value(False, x.shape, bool_, device_of(x._v)))
        else:
            found = apply(OPS["equal"], x, sign * float("inf"))
        return finish(found, out, "isposinf" if sign > 0 else "isneginf")

    return function


def _imaginary(name: str) -> Callable[..., Any]:
    def function(x: Any) -> Array:
        return apply(OPS[name], elementwise.imag(asarray(x)), 0)

    return function


def fix(x: Any, out: Any = None) -> Any:
    x = asarray(x)
    if x.dtype.kind != "f":  # versions of NumPy give different types
        raise ByNumpy
    return finish(apply(OPS["trunc"], x), out, "fix")


def copyto(dst: Any, src: Any, casting: Any = "same_kind", where: Any = True) -> None:
    """The array gets a new version; an array of NumPy's is written to."""
    if not isinstance(dst, Array):
        np.copyto(dst, np.asarray(src), casting, np.asarray(where))
        return
    src = asarray(src)
    if not np.can_cast(src.dtype.numpy, dst.dtype.numpy, casting):
        raise TypeError(
            f"Cannot cast array data from {src.dtype.numpy!r} to {dst.dtype.numpy!r} according to "
            f"the rule {casting!r}"
        )
    found = elementwise.astype(manipulation.broadcast_to(src, dst.shape), dst.dtype)
    if where is not True:
        found = elementwise.where(manipulation.broadcast_to(where, dst.shape), found, dst)
    assign(dst, found, "copyto")


_FAMILIES = (elementwise, joining, linear, manipulation, reductions, searching)


def _function(name: str) -> Callable[..., Any]:
    made: dict[str, Callable[..., Any]] = {
        "copy": copy,
        "zeros_like": zeros_like,
        "empty_like": zeros_like,
        "ones_like": ones_like,
        "full_like": full_like,
        "around": elementwise.round,
    }
    short = name.rpartition(".")[2]
    if short in made:
        return made[short]
    for family in _FAMILIES:
        if short in family.__all__:
            return getattr(family, short)
    return functools.partial(apply, OPS[short])


# By NumPy's name without `numpy.`.
OWN: dict[str, Callable[..., Any]] = {
    **{
        name: Row(name, spec, _function(name))
        for names, spec in _ROWS.items()
        for name in names.split()
    },
    "where": where,
    "clip": clip,
    "nan_to_num": nan_to_num,
    "average": average,
    "append": append,
    "rollaxis": rollaxis,
    "broadcast_arrays": broadcast_arrays,
    "atleast_1d": manipulation.atleast_1d,
    "atleast_2d": manipulation.atleast_2d,
    "atleast_3d": manipulation.atleast_3d,
    "meshgrid": joining.meshgrid,
    "isposinf": _infinite(1.0),
    "isneginf": _infinite(-1.0),
    "isreal": _imaginary("equal"),
    "iscomplex": _imaginary("not_equal"),
    "fix": fix,
    "copyto": copyto,
}
