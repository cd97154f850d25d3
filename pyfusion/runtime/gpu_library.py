# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches of GPU kernels through the native run time; ``native/pyfusion_gpu.h`` says how.

``from .gpu_library import pf_gpu_launch`` works for every function there and loads the library.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..errors import ExecutionError
from .library import ELEMENTWISE

# Codes beside those of `library`.
TOO_LARGE, NO_DRIVER, NO_DEVICE, BAD_BINARY, DEVICE_ERROR = -5, -6, -7, -8, -9

APIS = {"cuda": 0, "rocm": 1}
VARIANTS = {"flat": 0, "rows": 1, "strided": 2, "tile": 3, "reduce": 4, "finish": 5}
IOTA = 1

COUNTERS = ("calls", *VARIANTS, "splits", "modules", "functions")

_i32, _i64, _ptr = ctypes.c_int32, ctypes.c_int64, ctypes.c_void_p
_address = ctypes.c_size_t

# name: (result, arguments, keeps the GIL). A launch takes a few microseconds and waits for nobody.
_FUNCTIONS = {
    "pf_gpu_count": (_i32, (_i32,), False),
    "pf_gpu_name": (_i32, (_i32, _i32, ctypes.c_char_p, _i32), False),
    "pf_gpu_arch": (_i32, (_i32, _i32, ctypes.c_char_p, _i32), False),
    "pf_gpu_error": (_i32, (ctypes.c_char_p, _i32), True),
    "pf_gpu_kernel_create": (_i64, (_ptr, _ptr), True),
    "pf_gpu_kernel_destroy": (_i32, (_i64,), True),
    "pf_gpu_preload": (_i32, (_i64,), False),
    "pf_gpu_launch": (_i32, (_i64, _ptr, _address, _address), False),
    "pf_gpu_scratch": (_i64, (_i64, _ptr), True),
    "pf_gpu_counters": (_i32, (_ptr, _i32), True),
}


class Variant(NamedTuple):
    """One host function: its address and its attributes `fusion.vector`, `.unroll`, `.block`."""

    address: int
    vector: int
    unroll: int
    block: int


class Operand(NamedTuple):
    """`inner`: whether it varies along the inner dimension."""

    role: int
    itemsize: int
    inner: bool = True


class GpuKernel:
    """The host functions of one kernel, ready for launches on one device.

    Its `handle` is for `pf_gpu_launch`, which callers in a hurry call themselves; a code other than
    `OK` becomes an exception by `error`.
    """

    def __init__(
        self,
        name: str,
        functions: Mapping[str, Variant],
        *,
        api: str = "cuda",
        device: int = 0,
        kind: int = ELEMENTWISE,
        dims: tuple[int, int, int],
        operands: Sequence[Operand],
        finish_operands: Sequence[Operand] = (),
        acc_itemsize: int = 0,
        iota: bool = False,
    ) -> None:
        """`functions` by names of `VARIANTS`; touches no driver.

        Raises:
            ValueError: a spec that the library does not take.
            MemoryError: no memory for the handle.
        """
        raise RuntimeError

    def preload(self) -> None:
        """Loads its code on the device. CompileError: the driver does not take it."""

    def scratch(self, words: Any) -> int:
        """Bytes of device memory that a launch of these words (a ctypes array) needs."""
        return 0

    def launch(self, words: Any, stream: int = 0, scratch: int = 0) -> None:
        """Puts the kernel on a stream. ExecutionError, OutOfMemoryError: nothing was computed."""

    def error(self, code: int) -> Exception:
        """The exception for a code that a function of the library has just returned."""
        return ExecutionError(self.name)

    def close(self) -> None:
        """Gives the handle back; called by itself in the end."""
