# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads: what needs elements, and so has the recorded operations run."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any

import numpy as np

from .. import client
from .core import Array


def numpy_view(x: Array) -> np.ndarray:
    """The elements as a read-only NumPy array, on the CPU without a copy."""
    return client.read(x._v)


def __array__(self: Array, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
    found = client.read(self._v)
    if dtype is not None:
        wanted = np.dtype(dtype)
        if wanted != found.dtype:
            if copy is False:
                raise ValueError(
                    f"an array of {self.dtype} cannot be read as {wanted} without a copy"
                )
            return found.astype(wanted)
    return np.array(found) if copy else found


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
    return element in numpy_view(self)


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


def tobytes(self: Array) -> bytes:
    """The elements' memory, in row-major order."""
    return numpy_view(self).tobytes()


def numpy(self: Array) -> np.ndarray:
    """The elements as a read-only NumPy array, on the CPU without a copy."""
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
]
