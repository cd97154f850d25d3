# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Buffers of the native pool and memory that NumPy owns, and NumPy views of both."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import native
from ..dtypes import DType, dtype_of
from ..ir.device import CPU
from ..ir.value import Value, concrete, is_contiguous
from ..native import Buffer, view
from .library import load

__all__ = ["Buffer", "adopt", "allocate", "from_numpy", "host_order", "placed", "to_numpy"]


Buffer.device = CPU
load()  # what makes and frees buffers


def allocate(nbytes: int) -> Buffer:
    """A buffer of the pool. Raises MemoryError."""
    buffer = native.allocate(nbytes)
    if buffer is None:
        raise MemoryError(f"no memory for an array of {nbytes:,} bytes")
    return buffer


def to_numpy(value: Value) -> np.ndarray:
    """A read-only view of a concrete value, without a copy; it keeps the buffer alive."""
    return view(value, False)


def from_numpy(array: np.ndarray, copy: bool = True) -> Value:
    """A concrete value with the array's elements.

    Args:
        array: any strides; byte order and alignment must be native if not copied.
        copy: False pins the array, which must not be written to any more.

    Raises:
        TypeError: an element type without a counterpart here.
        ValueError: `copy=False` for memory that cannot be used in place.
        MemoryError: no memory for the copy.
    """
    dtype = dtype_of(array.dtype)
    shape = array.shape
    if copy:
        buffer = allocate(array.nbytes)
        value = concrete(dtype, shape, buffer, buffer.ptr, None)
        view(value, True)[...] = array
        return value
    return adopt(array, dtype)


def adopt(array: np.ndarray, dtype: DType) -> Value:
    """A concrete value over the memory of an array that nobody writes to."""
    item = dtype.itemsize
    if not array.dtype.isnative or any(s % item for s in array.strides):
        raise ValueError(
            f"copy=False: an array of {array.dtype} with strides {array.strides} bytes "
            "cannot be used in place; copy it"
        )
    shape = array.shape
    ptr = array.__array_interface__["data"][0]
    if ptr % (item // 2 if dtype.kind == "c" else item) and array.size:
        raise ValueError("copy=False: the array's memory is not aligned; copy it")
    strides: tuple[int, ...] | None = tuple([s // item for s in array.strides])
    if is_contiguous(shape, strides):  # type: ignore[arg-type]
        strides = None
    return concrete(dtype, shape, Buffer(ptr, array.nbytes, array), ptr, strides)


def placed(array: np.ndarray, dtype: DType) -> Value:
    """A concrete value over the memory of a result that nobody writes to, or over a copy of it
    where its strides or its alignment do not allow that. Raises MemoryError."""
    try:
        return adopt(array, dtype)
    except ValueError:
        return from_numpy(array)


def host_order(given: Any) -> np.ndarray:
    """What a body, a fuser or a backend gave, as a NumPy array in the byte order of the host."""
    array = np.asarray(given)
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))
