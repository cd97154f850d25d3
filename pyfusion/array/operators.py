# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is derived from the table's element-wise rows: functions and Python's operators.

Each is made once with the common cases first: operands of one element type and shape, an array and
a Python number. `apply` does the rest. The hot path is written out in each factory, as a call costs
more than what it does.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from ..dtypes import DTYPES, DType
from ..errors import DTypeError, ShapeError
from ..ir.table import OPS, UFUNCS, OpInfo
from ..ir.value import device_of
from ..stream import record
from .apply import apply, full_value
from .core import Array, cast, wrap
from .linear import matmul
from .promote import broadcast, rule, scalar
from .views import replace

_new = Array.__new__

_ORDERED = ("less", "less_equal", "greater", "greater_equal")


def _direct(op: OpInfo, nin: int) -> dict[DType, DType]:
    """Operand types that need no conversion, and the result's."""
    found = {}
    for dtype in DTYPES.values():
        try:
            inputs, out = rule(op, (dtype,) * nin)
        except DTypeError:
            continue
        if all(i is dtype for i in inputs):
            found[dtype] = out
    return found


def _with_number(op: OpInfo, direct: dict[DType, DType], number: type) -> set[DType]:
    """The types of an array that stay as they are beside a Python number."""
    found = set()
    for dtype, out in direct.items():
        try:
            if rule(op, (dtype, number)) == ((dtype, dtype), out):
                found.add(dtype)
        except DTypeError:
            continue
    return found


@cache
def _tables(op: OpInfo) -> tuple[dict, dict, dict]:
    """Result types: of two arrays, of an array and a float, and an int's range beside them."""
    direct = _direct(op, 2)
    if op.name == "pow":  # the number decides what is recorded
        return direct, {}, {}
    floats = {d: direct[d] for d in _with_number(op, direct, float) if d.kind == "f"}
    ints = {d: (d.low, d.high) for d in _with_number(op, direct, int) if d.kind in "iu"}
    return direct, floats, ints


def _binary(op: OpInfo, depth: int, operator: bool) -> Callable[..., Array]:
    """`depth`: frames from the record up to the user. An operator leaves strangers to their class,
    a function raises for them."""
    direct, floats, ints = _tables(op)
    name = op.name

    def function(x1: Any, x2: Any, /) -> Array:
        if x1.__class__ is not Array:
            return apply(op, x1, x2)
        a = x1._v
        dtype = a.dtype
        shape = a.shape
        kind = x2.__class__
        if kind is Array:
            b = x2._v
            if b.dtype is not dtype or dtype not in direct:
                return apply(op, x1, x2)
            if b.shape != shape:
                shape = broadcast(name, (shape, b.shape), (dtype, dtype))
        elif dtype in floats and (kind is float or kind is int):
            b = x2 if kind is float else scalar(x2, dtype)
        elif kind is int and dtype in ints:
            low, high = ints[dtype]
            if not low <= x2 <= high:
                return apply(op, x1, x2)
            b = x2
        elif operator and not _accepts(x2):
            return NotImplemented
        else:
            return apply(op, x1, x2)
        x = _new(Array)
        x._v = record(op, (a, b), None, (), shape, direct[dtype], depth)
        x._link = None
        return x

    return function


def _reflected(op: OpInfo) -> Callable[..., Array]:
    direct, floats, ints = _tables(op)

    def method(self: Array, other: Any, /) -> Array:
        a = self._v
        dtype = a.dtype
        kind = other.__class__
        if dtype in floats and (kind is float or kind is int):
            b = other if kind is float else scalar(other, dtype)
        elif kind is int and dtype in ints:
            low, high = ints[dtype]
            if not low <= other <= high:
                return apply(op, other, self)
            b = other
        else:
            return apply(op, other, self) if _accepts(other) else NotImplemented
        x = _new(Array)
        x._v = record(op, (b, a), None, (), a.shape, direct[dtype])
        x._link = None
        return x

    return method


def _unary_function(op: OpInfo) -> Callable[..., Array]:
    direct = {} if op.name in ("floor", "ceil", "trunc", "logical_not") else _direct(op, 1)
    if op.kind == "opaque":
        direct = {}  # some of them are made of other operations

    def function(x: Any, /) -> Array:
        if x.__class__ is Array:
            a = x._v
            out = direct.get(a.dtype)
            if out is not None:
                y = _new(Array)
                y._v = record(op, (a,), None, (), a.shape, out)
                y._link = None
                return y
        return apply(op, x)

    return function


def _functions() -> dict[str, Callable[..., Array]]:
    found: dict[str, Callable[..., Array]] = {}
    for op in [*OPS.values(), *UFUNCS.values()]:
        if op.kind not in ("elementwise", "opaque") or op.ufunc is None or op.name in found:
            continue
        function = _unary_function(op) if op.ufunc.nin == 1 else _binary(op, 2, False)
        function.__name__ = function.__qualname__ = op.name
        how = "deferred" if op.kind == "elementwise" else "deferred, run by the backend unfused"
        function.__doc__ = f"NumPy's `{op.numpy}`, {how}." if op.numpy else f"{op.name}, {how}."
        for name in (op.name, op.numpy, *op.aliases):
            if name:
                found[name] = function
    # Functions with other arguments of their own, in `elementwise.py`; `isnat` is for dates.
    for name in ("round", "rint", "isnat"):
        found.pop(name, None)
    return found


# Every function that is a row of the table, under all of its names.
FUNCTIONS: dict[str, Callable[..., Array]] = _functions()


# --- Python's operators ---------------------------------------------------------------------------


def _accepts(other: Any) -> bool:
    """Whether an operand is ours to convert, or its class should have its say."""
    if isinstance(other, (Array, np.ndarray, np.generic, bool, int, float, complex, list, tuple)):
        return True
    return hasattr(other, "__array__") or hasattr(other, "__dlpack__")


def _equality(op: OpInfo, method: Callable[..., Array]) -> Callable[..., Array]:
    """`==` and `!=` with what is no array are element-wise too: nothing is equal."""

    def compare(self: Array, other: Any, /) -> Array:
        found = method(self, other)
        if found is NotImplemented and (other is None or isinstance(other, (str, bytes))):
            v = self._v
            known = op.name == "not_equal"
            return wrap(full_value(known, v.shape, DTYPES["bool"], device_of(v)))
        return found

    return compare


def assign(x: Array, result: Array, name: str) -> None:
    """Makes a result the new version of an array, as `out=x` does.

    Raises:
        ShapeError: the result has another shape.
        DTypeError: its type does not convert under NumPy's rule `same_kind`.
    """
    old, value = x._v, result._v
    if value.shape != old.shape:
        raise ShapeError(
            f"{name}: non-broadcastable output operand with shape {old.shape} doesn't match the "
            f"broadcast shape {value.shape}"
        )
    if value.dtype is not old.dtype:
        if not np.can_cast(value.dtype.numpy, old.dtype.numpy, "same_kind"):
            raise DTypeError(
                f"Cannot cast ufunc '{name}' output from {value.dtype.numpy!r} to "
                f"{old.dtype.numpy!r} with casting rule 'same_kind'"
            )
        value = cast(value, old.dtype)
    replace(x, value, name)


def finish(result: Array, out: Any, name: str) -> Any:
    """Writes to `out=` as NumPy does, and returns it."""
    if out is None:
        return result
    if isinstance(out, tuple):
        (out,) = out
    if out.__class__ is Array:
        assign(out, result, name)
    else:
        np.copyto(out, np.asarray(result), "same_kind")
    return out


def _in_place(op: OpInfo, compute: Callable[..., Array]) -> Callable[..., Array]:
    def method(self: Array, other: Any, /) -> Array:
        result = compute(self, other)
        if result is NotImplemented:
            return result
        v = result._v
        old = self._v
        if self._link is None and v.dtype is old.dtype and v.shape == old.shape:
            self._v = v
        else:
            assign(self, result, op.numpy)
        return self

    return method


def _matmul_operator(self: Array, other: Any, /) -> Any:
    return matmul(self, other) if _accepts(other) else NotImplemented


def _matmul_reflected(self: Array, other: Any, /) -> Any:
    return matmul(other, self) if _accepts(other) else NotImplemented


def _install() -> None:
    Array.__pos__ = FUNCTIONS["positive"]  # type: ignore[method-assign]
    for op in OPS.values():
        stem = op.operator
        if not stem:
            continue
        if op.kind == "contraction":
            methods = {
                f"__{stem}__": _matmul_operator,
                f"__r{stem}__": _matmul_reflected,
                f"__i{stem}__": _in_place(op, _matmul_operator),
            }
        elif op.ufunc.nin == 1:  # type: ignore[union-attr]
            methods = {f"__{stem}__": _unary_function(op)}
        else:
            if op.name in ("equal", "not_equal"):
                methods = {f"__{stem}__": _equality(op, _binary(op, 3, True))}
            elif op.name in _ORDERED:
                methods = {f"__{stem}__": _binary(op, 2, True)}
            else:
                methods = {
                    f"__{stem}__": _binary(op, 2, True),
                    f"__r{stem}__": _reflected(op),
                    f"__i{stem}__": _in_place(op, _binary(op, 3, True)),
                }
        for name, method in methods.items():
            method.__name__ = name
            method.__qualname__ = f"Array.{name}"
            setattr(Array, name, method)


_install()
