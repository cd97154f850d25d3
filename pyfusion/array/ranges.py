# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers in a row, and identity matrices."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import client
from ..dtypes import DType, as_dtype, bool_
from ..ir.device import Device
from ..ir.table import OPS
from .backend_call import adopt, to_numpy
from .core import Array, emit, ones_mask, wrap
from .creation import place
from .promote import scalar

__all__ = ["arange", "eye", "identity", "linspace"]

_IOTA = OPS["iota"]


def iota(
    n: int, dtype: DType, start: Any = 0, step: Any = 1, *, device: Device | None = None
) -> Array:
    """`start + i * step` for `i < n`."""
    args = (scalar(start, dtype), scalar(step, dtype))
    return wrap(emit(_IOTA, args, ones_mask((n,)), (n,), (n,), dtype, device))


def arange(
    start: Any, /, stop: Any = None, step: Any = 1, *, dtype: Any = None, device: Any = None
) -> Array:
    """Evenly spaced numbers from `start` up to, not including, `stop`."""
    goal = place(device)
    if start is None:
        raise TypeError("arange: start is a number, not None")
    if stop is None:
        start, stop = 0, start
    if step is None:
        step = 1
    target = None if dtype is None else as_dtype(dtype)
    given = start, stop, step
    plain = all(type(a) is int or type(a) is float for a in given)
    if plain and target is None:
        integral = type(start) is int and type(stop) is int and type(step) is int
        target = as_dtype(int if integral else float)
    if not plain or not _recordable(start, stop, step, target):
        return _numpy_arange(given, target, goal)
    length = (stop - start) / step
    count = max(0, math.ceil(length))
    if length == 0.0 and stop != start:  # the quotient underflows
        count = 0 if math.copysign(1, length) < 0 else 1
    assert target is not None
    if target.kind == "f":
        # NumPy steps by the difference of the first two elements, rounded to the type.
        with np.errstate(all="ignore"):
            first, second = float(target(start)), float(target(start + step))
            step = second - first
            if target.itemsize == 2 and float(target(step)) != step:
                return _numpy_arange(given, target, goal)
            start, step = first, float(target(step))
    return iota(count, target, start, step, device=goal)


def _numpy_arange(given: tuple, target: DType | None, device: Device) -> Array:
    with np.errstate(all="ignore"):
        found = np.arange(*map(to_numpy, given), dtype=None if target is None else target.numpy)
    client.note_unfused("arange")
    return adopt(found, device)


def _recordable(start: Any, stop: Any, step: Any, target: Any) -> bool:
    """Whether `iota` gives NumPy's elements; what NumPy refuses is left to it to refuse."""
    if step == 0 or not all(map(math.isfinite, (start, stop, step))):
        return False
    if not target.compiled or target is bool_:
        return False
    if target.kind == "f":
        return abs(stop - start) < 2.0**1000
    if not all(type(a) is int for a in (start, stop, step)):
        return False
    low, high = target.low, target.high
    return all(low <= a <= high for a in (start, stop, start + step)) and low <= step <= high


def linspace(
    start: Any,
    stop: Any,
    /,
    num: int = 50,
    *,
    dtype: Any = None,
    device: Any = None,
    endpoint: bool = True,
) -> Array:
    """`num` evenly spaced numbers, with or without the last one."""
    goal = place(device)
    kind = None if dtype is None else as_dtype(dtype).numpy
    client.note_unfused("linspace")
    found = np.linspace(to_numpy(start), to_numpy(stop), num, endpoint=endpoint, dtype=kind)
    return adopt(found, goal)


def eye(
    n_rows: int,
    n_cols: int | None = None,
    /,
    *,
    k: int = 0,
    dtype: Any = None,
    device: Any = None,
) -> Array:
    """Ones on the `k`-th diagonal, zeros elsewhere; float64 by default."""
    goal = place(device)
    kind = np.float64 if dtype is None else as_dtype(dtype).numpy
    client.note_unfused("eye")
    return adopt(np.eye(n_rows, n_cols, k, dtype=kind), goal)


def identity(n: int, /, dtype: Any = None, *, device: Any = None) -> Array:
    """The identity matrix."""
    return eye(n, dtype=dtype, device=device)
