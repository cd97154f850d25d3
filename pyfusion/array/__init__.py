# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The front end: arrays, and NumPy's functions by family. `pyfusion` exports what is here."""

from __future__ import annotations

from math import e, inf, nan, pi

from ..dtypes import DTYPES, DType
from . import (
    creation,
    dtype_functions,
    elementwise,
    fft,
    indexing,
    info,
    linalg,
    linear,
    manipulation,
    methods,  # noqa: F401  (puts the methods on the class)
    operators,
    reductions,
    searching,
)
from .core import Array

__array_api_version__ = "2024.12"

newaxis = None

_FAMILIES = (
    creation,
    dtype_functions,
    elementwise,
    indexing,
    info,
    linear,
    manipulation,
    reductions,
    searching,
)

_names = {
    **DTYPES,
    **operators.FUNCTIONS,
    **{name: getattr(family, name) for family in _FAMILIES for name in family.__all__},
}
_names["bool_"] = DTYPES["bool"]
globals().update(_names)

__all__ = [
    "Array",
    "DType",
    "__array_api_version__",
    "e",
    "fft",
    "inf",
    "linalg",
    "nan",
    "newaxis",
    "pi",
    *sorted(_names),
]
