# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches of GPU kernels through the native run time; ``native/pyfusion_gpu.h`` says how.

``from .gpu_library import pf_gpu_launch`` works for every function there and loads the library.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import CompileError, ExecutionError, OutOfMemoryError
from . import library
from .library import ELEMENTWISE, NO_MEMORY, OK

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


def _declare(lib: library.Library) -> dict[str, Any]:
    releasing, keeping = ctypes.CDLL(lib.path), ctypes.PyDLL(lib.path)
    found = {}
    for name, (result, arguments, keeps) in _FUNCTIONS.items():
        function = getattr(keeping if keeps else releasing, name)
        function.restype = result
        function.argtypes = arguments
        found[name] = function
    return found


@functools.cache
def _functions() -> dict[str, Any]:
    return _declare(library.load())


def error_text() -> str:
    """The text of the last error of this thread; it belongs to the last call that failed."""
    buffer = ctypes.create_string_buffer(4096)
    _functions()["pf_gpu_error"](buffer, len(buffer))
    return buffer.value.decode(errors="replace")


def error(code: int, what: str = "") -> Exception:
    """The exception for a code that a function of the library has just returned."""
    text = f"{what}: {error_text()}" if what else error_text()
    if code == NO_MEMORY:
        return OutOfMemoryError(text)
    return ExecutionError(text)


def count(api: str) -> int:
    """Devices of an API ("cuda" or "rocm"). ExecutionError: no driver."""
    found = _functions()["pf_gpu_count"](APIS[api])
    if found < 0:
        raise error(found)
    return found


def _text(name: str, api: str, device: int) -> str:
    buffer = ctypes.create_string_buffer(256)
    code = _functions()[name](APIS[api], device, buffer, len(buffer))
    if code < 0:
        raise error(code)
    return buffer.value.decode(errors="replace")


def name(api: str, device: int = 0) -> str:
    """What the driver calls a device. ExecutionError: no driver, no such device."""
    return _text("pf_gpu_name", api, device)


def arch(api: str, device: int = 0) -> str:
    """`"sm_90"`, `"gfx942"`. ExecutionError: no driver, no such device."""
    return _text("pf_gpu_arch", api, device)


def counters() -> dict[str, int]:
    """Launches so far, the kernels of each variant, splits, modules loaded, functions found."""
    out = (_i64 * len(COUNTERS))()
    _functions()["pf_gpu_counters"](out, len(COUNTERS))
    return dict(zip(COUNTERS, out, strict=True))


class GpuKernel:
    """The host functions of one kernel, ready for launches on one device.

    Its `handle` is for `pf_gpu_launch`, which callers in a hurry call themselves; a code other than
    `OK` becomes an exception by `error`. Whoever owns the functions outlives it.
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
        self.name = name
        self.handle = 0
        self._destroy = _functions()["pf_gpu_kernel_destroy"]
        spec = [kind, *dims, acc_itemsize, APIS[api], device, IOTA if iota else 0, len(functions)]
        for variant, (_, vector, unroll, block) in functions.items():
            spec += (VARIANTS[variant], vector, unroll, block)
        for group in (operands, finish_operands):
            spec.append(len(group))
            for role, itemsize, inner in group:
                spec += (role, itemsize, inner)
        addresses = (_address * len(functions))(*(f.address for f in functions.values()))
        handle = _functions()["pf_gpu_kernel_create"](addresses, (_i64 * len(spec))(*spec))
        if handle == NO_MEMORY:
            raise MemoryError(f"{name}: {error_text()}")
        if handle < 0:
            raise ValueError(f"{name}: {error_text()} in {spec}")
        self.handle = handle

    def _check(self, code: int) -> None:
        if code != OK:
            raise self.error(code)

    def preload(self) -> None:
        """Loads its code on the device.

        Raises:
            CompileError: the driver does not take it.
            ExecutionError: no driver, no such device.
            OutOfMemoryError: no memory there.
        """
        code = _functions()["pf_gpu_preload"](self.handle)
        if code == BAD_BINARY:
            raise CompileError(f"loading {self.name}", [error_text()])
        self._check(code)

    def scratch(self, words: Any) -> int:
        """Bytes of device memory that a launch of these words (a ctypes array) needs."""
        found = _functions()["pf_gpu_scratch"](self.handle, words)
        if found < 0:
            raise self.error(found)
        return found

    def launch(self, words: Any, stream: int = 0, scratch: int = 0) -> None:
        """Puts the kernel on a stream; the device computes later.

        Raises:
            ExecutionError: the driver, the device or the words do not allow it.
            OutOfMemoryError: no memory for its code.
        """
        self._check(_functions()["pf_gpu_launch"](self.handle, words, stream, scratch))

    def error(self, code: int) -> Exception:
        """`error` with the kernel's name."""
        return error(code, self.name)

    def close(self) -> None:
        """Gives the handle back; called by itself in the end."""
        handle, self.handle = self.handle, 0
        if handle:
            self._destroy(handle)

    def __del__(self) -> None:
        if getattr(self, "handle", 0):
            self.close()


if TYPE_CHECKING:
    pf_gpu_launch: Any
    pf_gpu_scratch: Any


def __getattr__(name: str) -> Any:
    if name not in _FUNCTIONS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    function = _functions()[name]
    globals()[name] = function
    return function
