# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Buffers of the native pool and memory that NumPy owns, and NumPy views of both."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..dtypes import DType, dtype_of
from ..ir.device import CPU
from ..ir.value import Value, concrete, is_contiguous
from .library import pf_alloc, pf_free


class Buffer:
    """Memory of one or more values.

    `owner` is None for memory of the pool, which goes back there with the last reference; else the
    object that keeps the memory alive, and the memory is read-only to us.
    """

    __slots__ = ("ptr", "nbytes", "owner")

    device = CPU

    def __init__(self, ptr: int, nbytes: int, owner: Any = None):
        self.ptr = ptr
        self.nbytes = nbytes
        self.owner = owner

    def __del__(self, _free: Any = pf_free) -> None:
        try:
            if self.owner is None and self.ptr:
                _free(self.ptr)
        except AttributeError:  # an interrupt came before it was made
            pass


def allocate(nbytes: int) -> Buffer:
    """A buffer of the pool. Raises MemoryError."""
    buffer = Buffer(0, nbytes)
    buffer.ptr = pf_alloc(max(nbytes, 1)) or 0
    if not buffer.ptr:
        raise MemoryError(f"no memory for an array of {nbytes:,} bytes")
    return buffer


class _Memory:
    """What NumPy needs to see a buffer; it keeps the buffer alive as the base of the array."""

    __slots__ = ("buffer", "__array_interface__")

    def __init__(self, buffer: Buffer, interface: dict):
        self.buffer = buffer
        self.__array_interface__ = interface


def _as_numpy(
    buffer: Buffer,
    ptr: int,
    shape: tuple[int, ...],
    dtype: DType,
    strides: tuple[int, ...] | None,
    readonly: bool,
) -> np.ndarray:
    item = dtype.itemsize
    known = dtype.name != "bfloat16"  # not a type that the interface can name
    interface = {
        "version": 3,
        "typestr": dtype.numpy.str if known else "<u2",
        "shape": shape,
        "data": (ptr or 1, readonly),  # NumPy takes address 0 for a request to allocate
        "strides": None if strides is None else tuple([s * item for s in strides]),
    }
    view = np.asarray(_Memory(buffer, interface))
    return view if known else view.view(dtype.numpy)


def to_numpy(value: Value) -> np.ndarray:
    """A read-only view of a concrete value, without a copy; it keeps the buffer alive."""
    return _as_numpy(value.buffer, value.ptr, value.shape, value.dtype, value.strides, True)


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
        _as_numpy(buffer, buffer.ptr, shape, dtype, None, False)[...] = array
        return concrete(dtype, shape, buffer, buffer.ptr, None)
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


def native(given: Any) -> np.ndarray:
    """What a body, a fuser or a backend gave, as a NumPy array in the byte order of the host."""
    array = np.asarray(given)
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))
