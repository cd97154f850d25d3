# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The array class, and recording from anywhere in this package.

An `Array` is a cell: `_v` is the current version of its value, which is immutable. Operators,
methods and reads are put on the class by `operators.py`, `methods.py` and `reads.py`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from math import prod
from typing import Any

from ..dtypes import DType
from ..ir.device import Device
from ..ir.table import OPS, OpInfo
from ..ir.value import Value, bytes_of, device_of
from ..ir.value import ones_mask as ones_mask
from ..stream import record
from .signatures import Signatures

_frame = sys._getframe
_CAST = OPS["cast"]
# The packages that record on behalf of a user, whose line is the call site.
_ROOT = __package__.rpartition(".")[0]
_RECORDERS = (__package__, *[f"{_ROOT}.{part}" for part in ("custom", "nn", "random")])


class Array(Signatures):
    """An array whose operations are deferred; NumPy's semantics unless documented otherwise.

    Made by `asarray`, the creation functions and operations. `_link` is None, or says which cells
    share its memory in NumPy's terms: see `views.py`.
    """

    __slots__ = ("_v", "_link", "__weakref__")

    _v: Value
    _link: Any

    # NumPy's scalars and arrays leave mixed operations to us.
    __array_priority__ = 1000.0
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise TypeError("an Array is made by pyfusion.asarray or a creation function")

    @property
    def shape(self) -> tuple[int, ...]:
        return self._v.shape

    @property
    def dtype(self) -> DType:
        return self._v.dtype

    @property
    def ndim(self) -> int:
        return len(self._v.shape)

    @property
    def size(self) -> int:
        return prod(self._v.shape)

    @property
    def itemsize(self) -> int:
        return self._v.dtype.itemsize

    @property
    def nbytes(self) -> int:
        return bytes_of(self._v.shape, self._v.dtype)

    @property
    def device(self) -> str:
        """The device that holds the elements: "cpu", "cuda:0"."""
        return device_of(self._v).name

    def __array_namespace__(self, *, api_version: str | None = None) -> Any:
        if api_version not in (None, "2021.12", "2022.12", "2023.12", "2024.12"):
            raise ValueError(f"the array API version {api_version!r} is not supported")
        return sys.modules[__name__.partition(".")[0]]


# Called with each array that `wrap` makes, while a test checks what becomes of them.
on_wrap: list[Callable[[Array], None]] = []


def wrap(value: Value) -> Array:
    """A new cell that shares memory with no other."""
    x = Array.__new__(Array)
    x._v = value
    x._link = None
    if on_wrap:
        on_wrap[0](x)
    return x


def emit(
    op: OpInfo,
    args: tuple,
    attrs: Any,
    dyn: tuple[int, ...],
    shape: tuple[int, ...],
    dtype: DType,
    device: Device | None = None,
) -> Value:
    """Records an operation; its call site is the first frame outside of this package.

    `device` is that of an operation without operands.
    """
    depth = 2
    frame = _frame(1)
    while frame.f_globals.get("__package__") in _RECORDERS and frame.f_back is not None:
        frame = frame.f_back
        depth += 1
    return record(op, args, attrs, dyn, shape, dtype, depth, device)


def cast(value: Value, dtype: DType) -> Value:
    """The value with another element type; itself if it has it."""
    if value.dtype is dtype:
        return value
    return emit(_CAST, (value,), None, (), value.shape, dtype)
