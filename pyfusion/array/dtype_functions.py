# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Questions about element types."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..dtypes import DType, as_dtype
from .apply import operand
from .core import Array
from .promote import result_dtype

__all__ = ["can_cast", "finfo", "iinfo", "isdtype", "promote_types", "result_type"]


def _dtype(given: Any) -> DType:
    return given.dtype if given.__class__ is Array else as_dtype(given)


def can_cast(from_: Any, to: Any, /, casting: Any = "safe") -> bool:
    """Whether one type converts to another under a casting rule."""
    return bool(np.can_cast(_dtype(from_).numpy, as_dtype(to).numpy, casting))


def finfo(type: Any, /) -> Any:
    """Limits of a floating-point type."""
    dtype = _dtype(type)
    if dtype.name == "bfloat16":
        import ml_dtypes

        return ml_dtypes.finfo(dtype.numpy)
    return np.finfo(dtype.numpy)


def iinfo(type: Any, /) -> np.iinfo:
    """Limits of an integer type."""
    return np.iinfo(_dtype(type).numpy)


def isdtype(dtype: Any, kind: Any) -> bool:
    """Whether a type is of a kind: a type, a name of the array API standard, or a tuple."""
    known = _dtype(dtype)
    if isinstance(kind, tuple):
        return any(isdtype(known, k) for k in kind)
    if isinstance(kind, str) and kind in _KINDS:
        return known.kind in _KINDS[kind]
    if isinstance(kind, str) and " " in kind:
        raise ValueError(f"isdtype: {kind!r} is not a kind of types")
    return known is as_dtype(kind)


_KINDS = {
    "bool": "b",
    "signed integer": "i",
    "unsigned integer": "u",
    "integral": "iu",
    "real floating": "f",
    "complex floating": "c",
    "numeric": "iufc",
}


def promote_types(type1: Any, type2: Any, /) -> DType:
    """The smallest type that both convert to."""
    return result_dtype(as_dtype(type1), as_dtype(type2))


def result_type(*arrays_and_dtypes: Any) -> DType:
    """The type of a result of these arrays, types and Python numbers."""
    if not arrays_and_dtypes:
        raise ValueError("result_type: at least one array or type is required")
    keys = []
    for given in arrays_and_dtypes:
        if isinstance(given, (Array, np.ndarray, np.generic, bool, int, float, complex)):
            keys.append(operand(given)[1])
        else:
            keys.append(as_dtype(given))
    if not any(key.__class__ is DType for key in keys):
        keys = [as_dtype(key) for key in keys]
    return result_dtype(*keys)
