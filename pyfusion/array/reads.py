# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads: what needs elements, and so has the recorded operations run."""

from __future__ import annotations

import operator
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from .. import client
from ..dtypes import bfloat16
from ..ir.value import device_of
from . import reductions
from .core import Array


def numpy_view(x: Array) -> np.ndarray:
    """The elements as a read-only NumPy array, on the CPU without a copy."""
    return client.read(x._v)


def __array__(self: Array, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
    """The elements as a NumPy array: read-only and without a copy, unless one is asked for or
    needed, for another type or from a GPU.

    Raises:
        ValueError: `copy=False`, and a copy is needed.
    """
    wanted = self._v.dtype.numpy if dtype is None else np.dtype(dtype)
    if copy is False and (wanted != self._v.dtype.numpy or device_of(self._v).is_gpu):
        raise ValueError(
            f"an array of {self.dtype} on {self.device} cannot be read as {wanted} without a copy"
        )
    found = client.read(self._v)
    if wanted != found.dtype:
        return found.astype(wanted)
    return np.array(found) if copy else found


def __buffer__(self: Array, flags: int, /) -> memoryview:
    """PEP 688, for CPython from 3.12 on: `memoryview(x)`, `bytes(x)`; read-only, without a copy.

    Raises:
        BufferError: elements of bfloat16, which the protocol has no format for, or memory of a GPU.
    """
    device = device_of(self._v)
    if device.is_gpu:
        raise BufferError(f"memory of {device} is no buffer of the host; read it by numpy.asarray")
    if self._v.dtype is bfloat16:
        raise BufferError("buffers have no format for bfloat16; x.astype('float32') has one")
    found: Any = numpy_view(self)
    return memoryview(found)


def __release_buffer__(self: Array, buffer: memoryview, /) -> None:
    """Ends a view that `__buffer__` gave, and with it the hold on the memory."""
    buffer.release()


def __bool__(self: Array) -> bool:
    return bool(numpy_view(self))


def __int__(self: Array) -> int:
    return int(numpy_view(self))


def __float__(self: Array) -> float:
    return float(numpy_view(self))


def __complex__(self: Array) -> complex:
    return complex(numpy_view(self))


def __index__(self: Array) -> int:
    return operator.index(numpy_view(self))


def __len__(self: Array) -> int:
    shape = self._v.shape
    if not shape:
        raise TypeError("len() of unsized object")
    return shape[0]


def __iter__(self: Array) -> Iterator[Array]:
    if not self._v.shape:
        raise TypeError("iteration over a 0-d array")
    return map(self.__getitem__, range(self._v.shape[0]))


def __contains__(self: Array, element: Any) -> bool:
    """Whether an element is equal; compared and reduced in one kernel."""
    found: Any = self == element
    if isinstance(found, Array):
        found = reductions.any(found)  # what is compared is let go of before it runs
    return bool(found)


def __repr__(self: Array) -> str:
    return repr(numpy_view(self))


def __str__(self: Array) -> str:
    return str(numpy_view(self))


def __format__(self: Array, spec: str) -> str:
    if not self._v.shape or not spec:
        return format(numpy_view(self), spec)
    raise TypeError("unsupported format string passed to Array.__format__")


def item(self: Array, *args: Any) -> Any:
    """One element as a Python number."""
    return numpy_view(self).item(*args)


def tolist(self: Array) -> Any:
    """The elements as nested lists of Python numbers."""
    return numpy_view(self).tolist()


def tobytes(self: Array, order: Any = "C") -> bytes:
    """The elements' memory, in row-major order, or with `order="F"` in column-major order."""
    return numpy_view(self).tobytes(order)


def numpy(self: Array) -> np.ndarray:
    """The elements as a read-only NumPy array, on the CPU without a copy."""
    return numpy_view(self)


def to_numpy(self: Array) -> np.ndarray:
    """As `numpy`: the name that Matplotlib looks for, before it takes columns of an array.

    >>> pf.asarray([1, 2]).to_numpy()
    array([1, 2])
    """
    return numpy_view(self)


METHODS = [
    __array__,
    __bool__,
    __int__,
    __float__,
    __complex__,
    __index__,
    __len__,
    __iter__,
    __contains__,
    __repr__,
    __str__,
    __format__,
    item,
    tolist,
    tobytes,
    numpy,
    to_numpy,
]
if sys.version_info >= (3, 12):  # earlier ones do not ask, and would be misled
    METHODS += [__buffer__, __release_buffer__]
