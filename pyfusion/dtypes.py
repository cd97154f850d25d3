# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element types.

Each `DType` is a singleton, so that they compare by identity inside the library. They stand for
NumPy's types without importing what NumPy alone does not have (`ml_dtypes`, for bfloat16).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .native import Coded

__all__ = [
    "DType",
    "as_dtype",
    "bfloat16",
    "bool_",
    "complex64",
    "complex128",
    "computed_in",
    "dtype_of",
    "float16",
    "float32",
    "float64",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
]


class DType(Coded):
    """An element type.

    Attributes:
        name: NumPy's name of it.
        code: a small number, in plan keys.
        kind: `b`, `i`, `u`, `f` or `c`.
        itemsize: bytes of an element.
        mlir: the type in the IR (`i1` stands for a boolean, one byte in memory; complex types
            occur only in calls of the backend).
        compiled: whether the compiler takes it; the backend runs operations on other types.
        low, high: range of an integer type, else None.
    """

    __slots__ = ("name", "kind", "itemsize", "mlir", "compiled", "low", "high", "_numpy")

    name: str
    kind: str
    itemsize: int
    mlir: str
    compiled: bool
    low: int | None
    high: int | None
    _numpy: Any

    def __init__(self, name: str, kind: str, itemsize: int, mlir: str, compiled: bool):
        self.name = name
        self.code = len(DTYPES)
        self.kind = kind
        self.itemsize = itemsize
        self.mlir = mlir
        self.compiled = compiled
        self.low = self.high = None
        if kind == "i":
            self.low, self.high = -(1 << 8 * itemsize - 1), (1 << 8 * itemsize - 1) - 1
        elif kind == "u":
            self.low, self.high = 0, (1 << 8 * itemsize) - 1
        self._numpy = None
        DTYPES[name] = self

    @property
    def numpy(self) -> np.dtype:
        """The same type in NumPy."""
        found = self._numpy
        if found is None:
            if self.name == "bfloat16":
                import ml_dtypes

                found = np.dtype(ml_dtypes.bfloat16)
            else:
                found = np.dtype(self.name)
            self._numpy = found
        return found

    dtype = numpy  # np.dtype(pf.float32) asks for this name

    @property
    def type(self) -> Any:
        """NumPy's scalar class."""
        return self.numpy.type

    def __call__(self, value: Any = 0) -> Any:
        """A NumPy scalar of this type."""
        return self.numpy.type(value)

    def __eq__(self, other: object) -> bool:
        if other.__class__ is DType or other is None:
            return self is other
        try:
            return self is as_dtype(other)
        except TypeError:
            return False

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return f"pyfusion.{self.name}"

    def __str__(self) -> str:
        return self.name

    def __reduce__(self) -> Any:
        return as_dtype, (self.name,)


DTYPES: dict[str, DType] = {}

bool_ = DType("bool", "b", 1, "i1", True)
int8 = DType("int8", "i", 1, "i8", True)
int16 = DType("int16", "i", 2, "i16", True)
int32 = DType("int32", "i", 4, "i32", True)
int64 = DType("int64", "i", 8, "i64", True)
uint8 = DType("uint8", "u", 1, "ui8", True)
uint16 = DType("uint16", "u", 2, "ui16", True)
uint32 = DType("uint32", "u", 4, "ui32", True)
uint64 = DType("uint64", "u", 8, "ui64", True)
float16 = DType("float16", "f", 2, "f16", True)
bfloat16 = DType("bfloat16", "f", 2, "bf16", True)
float32 = DType("float32", "f", 4, "f32", True)
float64 = DType("float64", "f", 8, "f64", True)
complex64 = DType("complex64", "c", 8, "complex<f32>", False)
complex128 = DType("complex128", "c", 16, "complex<f64>", False)

_FROM_PYTHON: dict[Any, DType] = {bool: bool_, int: int64, float: float64, complex: complex128}
_from_numpy: dict[np.dtype, DType] = {}


def dtype_of(dtype: np.dtype) -> DType:
    """The counterpart of a NumPy type; byte order does not matter.

    Raises:
        TypeError: there is none.
    """
    found = _from_numpy.get(dtype)
    if found is None:
        found = DTYPES.get(dtype.name)
        # A structured or foreign type may carry a known name, so the kind must agree as well.
        if found is None or dtype.kind != found.numpy.kind or dtype.itemsize != found.itemsize:
            raise TypeError(
                f"arrays of {dtype!r} are not supported; the types are {', '.join(DTYPES)}"
            )
        _from_numpy[dtype] = found
    return found


def as_dtype(given: Any) -> DType:
    """The type that a user names: by a `DType`, a NumPy type, a name, or a Python class.

    Raises:
        TypeError: it names no type, or one that is not supported.
    """
    if given.__class__ is DType:
        return given
    try:
        found = _FROM_PYTHON.get(given) or DTYPES.get(given)
        if found is not None:
            return found
    except TypeError:  # not hashable
        pass
    if given is None:
        raise TypeError("None names no element type")
    try:
        dtype = np.dtype(given)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{given!r} names no element type: {error}") from None
    return dtype_of(dtype)


def computed_in(dtype: DType) -> DType:
    """The type that functions of several steps compute in: float32 for floats of 16 bits."""
    return float32 if dtype is float16 or dtype is bfloat16 else dtype
