# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What CUDA's driver says of an address."""

from __future__ import annotations

import ctypes
import functools
from typing import Any

_DEVICE_ORDINAL = 9  # CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL


@functools.cache
def _driver() -> Any:
    """The library that PyTorch has loaded. Raises OSError where there is none."""
    return ctypes.CDLL("libcuda.so.1")


def device_of_pointer(address: int) -> int | None:
    """The number of the device that an address lies on; None for the address 0 of an empty array.

    Raises:
        ValueError: the driver does not know the address.
    """
    if address == 0:
        return None
    found = ctypes.c_int(-1)
    code = _driver().cuPointerGetAttribute(
        ctypes.byref(found), ctypes.c_int(_DEVICE_ORDINAL), ctypes.c_size_t(address)
    )
    if code:
        raise ValueError(f"{address:#x} is no address of a GPU's memory (CUDA error {code})")
    return found.value
