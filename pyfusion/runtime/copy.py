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
def _kernel(itemsize: int, rank: int) -> int:
    """A copying kernel over `rank` dimensions; elements of 16 bytes are two of 8."""
    native = library.load()
    return native.kernel(
        native.pf_copy_function(itemsize),
        kind=library.ELEMENTWISE,
        dims=(rank, 0, 0),
        operands=[(library.IN_STRIDED, itemsize), (library.OUT, itemsize)],
    )


def contiguous(v: Value) -> Value:
    """A C-contiguous copy on the value's device. Raises MemoryError."""
    device = v.buffer.device
    return on_host(v) if device is CPU else device.runtime.contiguous(v)


def on_host(v: Value) -> Value:
    """A C-contiguous copy of what lies in the host's memory, in a buffer of the pool."""
    shape, item = v.shape, v.dtype.itemsize
    strides = strides_of(v)
    extents = shape
    if item == 16:
        item = 8
        extents = (*shape, 2)
        strides = (*[2 * s for s in strides], 1)
    words = (ctypes.c_int64 * (2 * len(extents) + 2))(*extents, v.ptr, *strides, 0)
    rc = library.pf_launch(_kernel(item, len(extents)), ctypes.addressof(words))
    if rc:
        raise MemoryError(f"no memory for a copy of {v.dtype.name}{list(shape)}")
    ptr = words[len(words) - 1]
    return concrete(v.dtype, shape, Buffer(ptr, bytes_of(shape, v.dtype)), ptr, None)
