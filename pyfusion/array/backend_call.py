# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls that the backend runs at once: results whose shape or count depends on values, and all that
no operation of the table does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import client
from .core import Array, wrap

_NUMBERS = (bool, int, float, complex, np.generic)


def to_numpy(given: Any) -> Any:
    """Arrays become read-only NumPy arrays, inside of lists, tuples and dicts as well."""
    cls = given.__class__
    if cls is Array:
        return client.read(given._v)
    if cls is list or cls is tuple:
        return cls([to_numpy(g) for g in given])
    if cls is dict:
        return {key: to_numpy(g) for key, g in given.items()}
    if cls is slice:
        return slice(to_numpy(given.start), to_numpy(given.stop), to_numpy(given.step))
    return given


def from_result(result: Any) -> Any:
    """What NumPy returned: arrays and numbers become arrays, inside of tuples and lists as well."""
    if isinstance(result, np.ndarray):
        return adopt(result)
    if isinstance(result, _NUMBERS):
        return adopt(np.asarray(result))
    if isinstance(result, tuple):
        parts = [from_result(part) for part in result]
        return type(result)(*parts) if hasattr(result, "_fields") else tuple(parts)
    if isinstance(result, list):
        return [from_result(part) for part in result]
    return result


def adopt(array: np.ndarray) -> Array:
    """An array over memory that nobody else writes to, without a copy where its layout allows."""
    if type(array) is not np.ndarray:
        array = np.asarray(array)
    item = array.dtype.itemsize
    usable = array.dtype.isnative and array.flags.aligned
    if usable and item and all(s % item == 0 for s in array.strides):
        return wrap(client.from_numpy(array, copy=False))
    return wrap(client.from_numpy(array))


def backend_call(run: Callable[..., Any], *args: Any, **options: Any) -> Any:
    """`run(*args, **options)` by NumPy, at once; counted as not fused."""
    args = to_numpy(args)
    options = to_numpy(options)
    client.note_unfused(run.__name__)
    with np.errstate(all="ignore"):
        result = run(*args, **options)
    return from_result(result)


def delegate(run: Callable[..., Any], name: str = "") -> Callable[..., Any]:
    """A function that calls NumPy's of the same arguments on the backend."""

    def function(*args: Any, **options: Any) -> Any:
        return backend_call(run, *args, **options)

    function.__name__ = function.__qualname__ = name or run.__name__
    function.__doc__ = f"`{run.__module__}.{run.__name__}`, run at once by the backend."
    return function
