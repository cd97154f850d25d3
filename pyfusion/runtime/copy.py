# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Contiguous copies of strided values, by the native launcher: a kernel of its own making."""

from __future__ import annotations

import ctypes
import functools

from ..ir.device import CPU
from ..ir.value import Value, bytes_of, concrete, strides_of
from . import library
from .memory import Buffer


@functools.cache
def _kernel(itemsize: int, rank: int, result: int) -> int:
    """A copying kernel over `rank` dimensions; `result` is the result's role."""
    native = library.load()
    return native.kernel(
        native.pf_copy_function(itemsize),
        kind=library.ELEMENTWISE,
        dims=(rank, 0, 0),
        operands=[(library.IN_STRIDED, itemsize), (result, itemsize)],
    )


def contiguous(v: Value) -> Value:
    """A C-contiguous copy on the value's device. Raises MemoryError."""
    device = v.buffer.device
    return on_host(v) if device is CPU else device.runtime.contiguous(v)


def on_host(v: Value) -> Value:
    """A C-contiguous copy of what lies in the host's memory, in a buffer of the pool."""
    shape = v.shape
    item, extents, strides = as_words(v)
    words = (ctypes.c_int64 * (2 * len(extents) + 2))(*extents, v.ptr, *strides, 0)
    rc = library.pf_launch(_kernel(item, len(extents), library.OUT), ctypes.addressof(words))
    if rc:
        raise MemoryError(f"no memory for a copy of {v.dtype.name}{list(shape)}")
    ptr = words[len(words) - 1]
    return concrete(v.dtype, shape, Buffer(ptr, bytes_of(shape, v.dtype)), ptr, None)


def assign(target: Value, source: Value) -> None:
    """Copies the elements of one value to the memory of another one of its shape, type and device,
    which do not overlap. Raises MemoryError."""
    device = target.buffer.device
    if device is CPU:
        assign_on_host(target, source)
    else:
        device.runtime.assign(target, source)


def assign_on_host(target: Value, source: Value) -> None:
    """The same for what lies in the host's memory."""
    item, extents, strides = as_words(source)
    _, _, target_strides = as_words(target)
    given = (*extents, source.ptr, *strides, target.ptr, *target_strides)
    words = (ctypes.c_int64 * len(given))(*given)
    rc = library.pf_launch(
        _kernel(item, len(extents), library.OUT_STRIDED), ctypes.addressof(words)
    )
    if rc:
        raise MemoryError(f"no memory to copy {source.dtype.name}{list(source.shape)}")


def as_words(v: Value) -> tuple[int, tuple[int, ...], tuple[int, ...]]:
    """Size of an element, extents and strides; elements of 16 bytes are two of 8."""
    item, extents = v.dtype.itemsize, v.shape
    strides = strides_of(v)
    if item == 16:
        return 8, (*extents, 2), (*[2 * s for s in strides], 1)
    return item, extents, strides
