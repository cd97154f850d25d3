# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Comparisons of results: bit for bit, or within distances between floats."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

_FAR = np.uint64(2**64 - 1)


def is_float(dtype: np.dtype) -> bool:
    """Whether the elements are real floats, bfloat16 included (NumPy calls its kind V)."""
    return dtype.kind == "f" or dtype.name == "bfloat16"


def is_nan(x: np.ndarray) -> np.ndarray:
    return x != x


def bits(x: np.ndarray) -> np.ndarray:
    """Bit patterns as unsigned integers, with one pattern for every NaN; complex as two floats."""
    x = np.ascontiguousarray(x)
    if x.dtype.kind == "c":
        x = x[..., None].view(x.real.dtype)
    found = x.view(f"u{x.itemsize}")
    if is_float(x.dtype):
        pattern = np.array(np.nan).astype(x.dtype).view(found.dtype)
        found = np.where(is_nan(x), pattern, found)
    return found


def ulp_distance(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """How many floats of their type lie from x to y, as uint64.

    0 for zeros of either sign and for two NaNs; the largest integer where one alone is NaN.
    Infinity is one step from the largest finite number.
    """
    sides = []
    for side in (x, y):
        pattern = np.ascontiguousarray(side).view(f"u{side.itemsize}").astype(np.uint64)
        sign = np.uint64(1 << 8 * side.itemsize - 1)
        size = pattern & (sign - np.uint64(1))
        sides.append(np.where(pattern & sign, sign - size, sign + size).reshape(side.shape))
    a, b = sides
    distance = np.where(a > b, a - b, b - a)
    nan_x, nan_y = is_nan(x), is_nan(y)
    return np.where(nan_x & nan_y, np.uint64(0), np.where(nan_x | nan_y, _FAR, distance))


def _float_parts(x: np.ndarray) -> np.ndarray:
    return x[..., None].view(x.real.dtype) if x.dtype.kind == "c" else x


def equal_bits(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Which elements have the same bits, all NaNs being equal."""
    same = bits(x) == bits(y)
    return same.all(-1) if x.dtype.kind == "c" else same.reshape(x.shape)


def close(x: np.ndarray, y: np.ndarray, ulp: int, rtol: float, atol: float) -> np.ndarray:
    """Which elements are equal, or floats within `ulp` steps or `atol + rtol * |y|`."""
    if not is_float(x.dtype) and x.dtype.kind != "c":
        return np.asarray(x == y)
    a, b = _float_parts(np.ascontiguousarray(x)), _float_parts(np.ascontiguousarray(y))
    near = ulp_distance(a, b) <= np.uint64(ulp)
    with np.errstate(all="ignore"):
        wide_a, wide_b = a.astype(np.float64), b.astype(np.float64)
        near |= np.abs(wide_a - wide_b) <= atol + rtol * np.abs(wide_b)
        # What overflows is near nothing finite by subtraction, and infinite bounds allow nothing.
        near &= (ulp_distance(a, b) <= np.uint64(ulp)) | np.isfinite(wide_a) & np.isfinite(wide_b)
    return near.all(-1) if x.dtype.kind == "c" else near.reshape(x.shape)


def leaves(result: Any, path: str = "result") -> Iterator[tuple[str, Any]]:
    """The arrays and scalars in nested tuples, lists and dicts, each with how to reach it."""
    if isinstance(result, (list, tuple)):
        yield path, (type(result), len(result))
        for number, item in enumerate(result):
            yield from leaves(item, f"{path}[{number}]")
    elif isinstance(result, dict):
        yield path, (type(result), tuple(result))
        for key, item in result.items():
            yield from leaves(item, f"{path}[{key!r}]")
    else:
        yield path, result


def describe(x: np.ndarray, index: tuple[int, ...]) -> str:
    """An element and its bits."""
    element = x[index]
    text = str(element)
    if is_float(x.dtype):
        pattern = int(np.asarray(element).view(f"u{x.itemsize}"))
        text += f" (bits {pattern:#0{2 + 2 * x.itemsize}x})"
    return text


def difference(x: np.ndarray, y: np.ndarray, same: np.ndarray) -> str:
    """Where and by how much two arrays of one type and shape differ."""
    index = tuple(int(i) for i in np.argwhere(~same)[0])
    lines = [f"at index {index}: {describe(x, index)} is not {describe(y, index)}"]
    if is_float(x.dtype):
        distance = ulp_distance(x, y)
        if int(distance[index]) == int(_FAR):
            lines[0] += ", NaN on one side"
        else:
            lines[0] += f", {int(distance[index])} ulp apart"
    lines.append(f"{int((~same).sum())} of {same.size} elements of {x.dtype} differ")
    return "\n".join(lines)
