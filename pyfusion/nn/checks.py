# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What functions of several operands ask of them; the errors name the function and what it got."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ..array.core import Array
from ..array.creation import asarray
from ..dtypes import DType
from ..errors import DTypeError, ShapeError

Shape = tuple[int, ...]


def array(given: Any, like: Array | None = None) -> Array:
    """What a user passes as an array; one of NumPy's goes to the device of `like`."""
    if isinstance(given, Array):
        return given
    return asarray(given, device=None if like is None else like.device)


def floats(name: str, *given: Any) -> list[Array]:
    """Arrays of one float type. None stays out, and a Python number takes the first one's type.

    Raises:
        DTypeError: another kind of type, or several types.
    """
    first = array(given[0])
    found = [first] + [_beside(first, g) for g in given[1:] if g is not None]
    if any(x.dtype.kind != "f" for x in found):
        raise DTypeError(f"{name} takes arrays of floats, not {_types(found)}: use astype")
    if any(x.dtype is not first.dtype for x in found):
        raise DTypeError(f"{name} takes arrays of one type, not {_types(found)}: use astype")
    return found


def _beside(first: Array, given: Any) -> Array:
    if type(given) in (int, float) and first.dtype.kind == "f":
        return asarray(given, dtype=first.dtype, device=first.device)
    return array(given, first)


def integers(name: str, what: str, given: Any, like: Array) -> Array:
    """An array of integers. Raises DTypeError."""
    found = array(given, like)
    if found.dtype.kind not in "iu":
        raise DTypeError(f"{name}: {what} are integers, not {found.dtype}")
    return found


def same_type(name: str, x: Array, given: Any, what: str) -> Array:
    """An array of the type of `x`; Python numbers become one. Raises DTypeError."""
    if isinstance(given, (bool, int, float)):
        return asarray(given, dtype=x.dtype, device=x.device)
    found = array(given, x)
    if found.dtype is not x.dtype:
        raise DTypeError(f"{name}: {what} are {found.dtype}, the array is {x.dtype}: use astype")
    return found


def number(name: str, what: str, given: Any) -> float:
    """A Python number. Raises TypeError."""
    if isinstance(given, np.generic):
        given = given.item()
    if isinstance(given, bool) or not isinstance(given, (int, float)):
        raise TypeError(f"{name}: {what} is a number, not {given!r:.60}")
    return float(given)


def rank(name: str, x: Array, wanted: int, dims: str) -> None:
    """Raises ShapeError for an array of another rank."""
    if x.ndim != wanted:
        raise ShapeError(f"{name} takes an array {dims}, not one of shape {x.shape}")


def shape(name: str, what: str, x: Array, wanted: Shape) -> None:
    """Raises ShapeError for an array of another shape."""
    if x.shape != wanted:
        raise ShapeError(f"{name}: {what} has shape {x.shape}, but has to have {wanted}")


def counts(name: str, what: str, given: Any, dims: int, least: int = 1) -> Shape:
    """An int for each of the dimensions; one stands for all of them.

    Raises:
        TypeError: it is no int, nor a sequence of as many.
        ValueError: one is below `least`.
    """
    items = given if isinstance(given, (tuple, list)) else (given,) * dims
    try:
        found = tuple([operator.index(item) for item in items])
    except TypeError:
        raise TypeError(f"{name}: {what} is an int or {dims} of them, not {given!r:.60}") from None
    if len(found) != dims:
        raise TypeError(f"{name}: {what} is an int or {dims} of them, not {given!r:.60}")
    if any(item < least for item in found):
        raise ValueError(f"{name}: {what} is at least {least}, not {given!r:.60}")
    return found


def choice(name: str, what: str, given: Any, known: tuple[str, ...]) -> str:
    """One of several words. Raises ValueError."""
    if given not in known:
        raise ValueError(f"{name}: {what} is one of {', '.join(known)}, not {given!r:.60}")
    return given


def _types(arrays: list[Array]) -> str:
    names: dict[str, None] = dict.fromkeys([x.dtype.name for x in arrays])
    return ", ".join(names)


def is_half(dtype: DType) -> bool:
    return dtype.kind == "f" and dtype.itemsize == 2
