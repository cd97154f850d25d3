# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the array API standard lets a program ask about the namespace."""

from __future__ import annotations

from typing import Any

from ..dtypes import DTYPES, DType, complex128, float64, int64
from ..runtime import devices
from .dtype_functions import isdtype

__all__ = ["__array_namespace_info__"]


def _check(device: Any) -> None:
    """The types are those of every device. Raises DeviceError for what is none."""
    if device is not None:
        devices.find(device)


class _NamespaceInfo:
    def capabilities(self) -> dict[str, Any]:
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self) -> str:
        return devices.default().name

    def devices(self) -> list[str]:
        return devices.names()

    def default_dtypes(self, *, device: Any = None) -> dict[str, DType]:
        _check(device)
        return {
            "real floating": float64,
            "complex floating": complex128,
            "integral": int64,
            "indexing": int64,
        }

    def dtypes(self, *, device: Any = None, kind: Any = None) -> dict[str, DType]:
        _check(device)
        standard = {k: d for k, d in DTYPES.items() if k not in ("float16", "bfloat16")}
        return {k: d for k, d in standard.items() if kind is None or isdtype(d, kind)}


def __array_namespace_info__() -> _NamespaceInfo:
    """Devices, types and capabilities."""
    return _NamespaceInfo()
