# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`x[...] = value`: new versions of arrays, with NumPy's aliasing between arrays and their views.

Basic indices write to a strided region. A mask and a value that is the same for all that it selects
become `where`. What else there is of masks and integer arrays is an operation of the backend,
deferred as well.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..dtypes import DType
from ..errors import DTypeError, ShapeError
from ..ir.table import OPS, custom_op
from ..ir.value import Value, device_of
from . import views
from .apply import full_value, operand
from .core import Array, cast, emit, ones_mask
from .indexing import PLAIN, basic_views, is_advanced, scalar_array
from .promote import key_text, scalar

_BROADCAST = OPS["broadcast"]
_NAME = "x[...] = value"


def setitem(x: Array, key: Any, value: Any) -> None:
    """Writes to the elements that an index selects, as NumPy: the value is converted to the array's
    type, and broadcast to the shape of what is selected.

    Raises:
        IndexError: out of bounds, too many indices, or not an index.
        ShapeError: the value does not broadcast to what is selected.
        ValueError: the array is a broadcast view, or a NaN is written to integers.
        OverflowError: a Python int beyond the array's type, or an infinity to integers.
        TypeError: what is no number, or a complex number to real ones.
    """
    items = key if key.__class__ is tuple else (key,)
    for item in items:
        if item.__class__ not in PLAIN:
            items = tuple([scalar_array(i) for i in items])
            if any(map(is_advanced, items)):
                _advanced(x, items, _given(x, value))
                return
            break
    ops = basic_views(x._v.shape, items)
    if value.__class__ is Array and views.shows(value, x, ops):
        return  # as the last part of `x[...] += v` does
    shape = ops[-1][3] if ops else x._v.shape
    views.write(x, ops, _spread(x, _given(x, value), shape), _NAME)


def _given(x: Array, value: Any) -> Any:
    """What is written, of the array's type: a value, or a number for all elements."""
    try:
        found, key = operand(value)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"{_NAME}: {type(value).__name__} cannot be written to an array of {x.dtype.name}: "
            f"{error}"
        ) from None
    dtype = x._v.dtype
    if found.__class__ is Value:
        if key.kind == "c" and dtype.kind != "c":
            raise DTypeError(
                f"{_NAME}: {key.name} to {dtype.name} would lose the imaginary parts: write "
                "value.real"
            )
        return cast(found, dtype)
    return _number(found, key, dtype)


def _number(number: Any, key: Any, dtype: DType) -> Any:
    if isinstance(number, complex) and dtype.kind != "c":
        raise TypeError(f"{_NAME}: a complex number cannot be written to an array of {dtype.name}")
    if dtype.kind in "iu":
        if isinstance(number, float):
            if math.isnan(number):
                raise ValueError(f"{_NAME}: cannot convert float NaN to {dtype.name}")
            number = int(number)  # OverflowError: infinity
        if key.__class__ is DType:  # a NumPy scalar wraps, as its array would
            return int(np.asarray(number).astype(key.numpy).astype(dtype.numpy))
    return scalar(number, dtype)


def _spread(x: Array, given: Any, shape: tuple[int, ...]) -> Value:
    """What is written, of the shape of what is selected."""
    if given.__class__ is not Value:
        return full_value(given, shape, x._v.dtype, device_of(x._v))
    own = given.shape
    if own == shape:
        return given
    excess = len(own) - len(shape)
    if excess > 0 and all(n == 1 for n in own[:excess]):  # as NumPy
        axes = tuple(range(excess))
        own = own[excess:]
        given = emit(OPS["squeeze"], (given,), axes, (), own, given.dtype)
        if own == shape:
            return given
    lead = len(shape) - len(own)
    if lead < 0 or any(n not in (1, m) for n, m in zip(own, shape[lead:], strict=True)):
        raise ShapeError(
            f"{_NAME}: could not broadcast input array from shape {given.shape} into shape {shape}"
        )
    return emit(_BROADCAST, (given,), ones_mask(shape), shape, shape, given.dtype)


# --- Masks and integer arrays ---------------------------------------------------------------------


def _advanced(x: Array, items: tuple, given: Any) -> None:
    v = x._v
    mask = _mask(items)
    if mask is not None:
        found = operand(mask)[0]
        _check_mask(v, found)
        rest = len(v.shape) - (len(found.shape) if found.__class__ is Value else 0)
        if given.__class__ is not Value or _is_same_for_all(given, rest):
            views.replace(x, _where(x, found, given, rest), _NAME)
            return
    views.replace(x, _scatter(x, items, given), _NAME)


def _mask(items: tuple) -> Any:
    """The mask that an index is, `...` beside it or not; else None."""
    alone = [i for i in items if i is not Ellipsis]
    if len(alone) != 1 or (len(items) > 1 and items[0] is Ellipsis):
        return None
    (item,) = alone
    if isinstance(item, (bool, np.bool_)):
        return item
    dtype = getattr(item, "dtype", None)
    if dtype is None and isinstance(item, list):
        dtype = np.asarray(item).dtype
        item = np.asarray(item)
    return item if dtype is not None and dtype.kind == "b" else None


def _check_mask(v: Value, mask: Any) -> None:
    shape = mask.shape if mask.__class__ is Value else ()
    if len(shape) > len(v.shape):
        raise IndexError(
            f"too many indices for array: array is {len(v.shape)}-dimensional, but {len(shape)} "
            "were indexed"
        )
    for axis, (own, extent) in enumerate(zip(shape, v.shape, strict=False)):
        if own != extent:
            raise IndexError(
                f"boolean index did not match indexed array along axis {axis}; size of axis is "
                f"{extent} but size of corresponding boolean axis is {own}"
            )


def _is_same_for_all(given: Value, rest: int) -> bool:
    """Whether a value has no dimension along what a mask selects, or one of extent 1."""
    return len(given.shape) <= rest or all(n == 1 for n in given.shape[: len(given.shape) - rest])


def _where(x: Array, mask: Any, given: Any, rest: int) -> Value:
    """The elements that a mask leaves, and the value at the others."""
    v = x._v
    shape = v.shape
    if mask.__class__ is not Value:
        mask = full_value(bool(mask), (), operand(True)[1], device_of(v))
    elif rest:
        axes = tuple(range(len(mask.shape), len(shape)))
        own = (*mask.shape, *([1] * rest))
        mask = emit(OPS["expand_dims"], (mask,), axes, (), own, mask.dtype)
    if given.__class__ is Value:
        tail = shape[len(shape) - rest :]
        given = _spread(x, given, tail if len(given.shape) <= rest else (1, *tail))
        if len(given.shape) > len(shape):
            given = emit(OPS["squeeze"], (given,), (0,), (), given.shape[1:], given.dtype)
    return emit(OPS["select"], (mask, given, v), None, (), shape, v.dtype)


class Items:
    """An index with its arrays left out: static, for keys. Slices are not hashable before 3.12."""

    __slots__ = ("parts",)

    def __init__(self, parts: tuple):
        self.parts = parts

    def __hash__(self) -> int:
        return hash(self.parts)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Items) and self.parts == other.parts

    def __repr__(self) -> str:
        return repr(self.parts)

    def filled(self, arrays: tuple) -> tuple:
        """The index with these arrays."""
        rest = iter(arrays)
        found: list[Any] = []
        for kind, *given in self.parts:
            if kind == "array":
                found.append(next(rest))
            elif kind == "slice":
                found.append(slice(*given))
            else:
                found.append(given[0])
        return tuple(found)


def apart(items: tuple) -> tuple[Items, list[Value]]:
    """The static part of an index, and its arrays as values.

    Raises:
        IndexError: an array of neither integers nor booleans.
    """
    parts: list[tuple] = []
    arrays: list[Value] = []
    for item in items:
        if isinstance(item, (list, np.ndarray, Array)):
            if isinstance(item, list) and not item:
                item = np.zeros(0, np.intp)
            v = operand(item)[0]
            if v.dtype.kind not in "biu":
                raise IndexError(
                    f"arrays used as indices must be of integer (or boolean) type, not "
                    f"{key_text(v.dtype)}"
                )
            arrays.append(v)
            parts.append(("array",))
        elif isinstance(item, slice):
            parts.append(("slice", item.start, item.stop, item.step))
        else:
            parts.append(("item", item))
    return Items(tuple(parts)), arrays


def _put_at(whole: np.ndarray, value: Any, *arrays: np.ndarray, items: Items) -> np.ndarray:
    result = np.array(whole)
    result[items.filled(arrays)] = value
    return result


_PUT = custom_op("put_at", _put_at)


def _check_index(shape: tuple[int, ...], items: tuple, given: tuple[int, ...]) -> None:
    """IndexError, ShapeError: of an index whose arrays are known, and of a value's shape."""
    selected = np.broadcast_to(np.False_, shape)[items].shape
    excess = max(len(given) - len(selected), 0)
    tail = selected[len(selected) - len(given) + excess :]
    pairs = zip(given[excess:], tail, strict=True)
    if any(n != 1 for n in given[:excess]) or any(n not in (1, m) for n, m in pairs):
        raise ShapeError(
            f"{_NAME}: shape mismatch: value array of shape {given} could not be broadcast to "
            f"indexing result of shape {selected}"
        )


def _scatter(x: Array, items: tuple, given: Any) -> Value:
    v = x._v
    index, arrays = apart(items)
    if not any(i.__class__ is Array for i in items):
        _check_index(v.shape, items, given.shape if given.__class__ is Value else ())
    if given.__class__ is not Value:
        given = full_value(given, (), v.dtype, device_of(v))
    return emit(_PUT, (v, given, *arrays), (("items", index),), (), v.shape, v.dtype)


__all__ = ["setitem"]
