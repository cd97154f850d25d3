# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The front end: arrays, and NumPy's functions by family. `pyfusion` exports what is here."""

from __future__ import annotations

import sys
from math import e, inf, nan, pi
from types import FunctionType, ModuleType

from ..dtypes import DTYPES, DType
from . import (
    creation,
    dtype_functions,
    elementwise,
    fft,
    indexing,
    info,
    joining,
    linalg,
    linear,
    manipulation,
    methods,  # noqa: F401  (puts the methods on the class)
    operators,
    ranges,
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
    joining,
    linear,
    manipulation,
    ranges,
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


def _place(names: dict[str, object], module: str) -> None:
    """Has functions say where they are found, so that they can be pickled."""
    for name, found in names.items():
        if isinstance(found, FunctionType) and found.__module__.startswith(__name__):
            found.__module__ = module
            found.__name__ = found.__qualname__ = (
                found.__name__ if names.get(found.__name__) is found else name
            )


def _publish(module: ModuleType, name: str) -> None:
    """Has `import pyfusion.linalg` find the module of that name."""
    _place({n: getattr(module, n) for n in module.__all__}, name)
    sys.modules[name] = module


_ROOT = __name__.partition(".")[0]
_place(_names, _ROOT)
_publish(linalg, f"{_ROOT}.linalg")
_publish(fft, f"{_ROOT}.fft")

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
