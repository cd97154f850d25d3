# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loads the native run time and declares its functions.

``pf_launch`` releases the GIL. Calls that take less than giving it up (allocate, free, counters)
keep it. ``native/pyfusion_rt.h`` documents each function. ``from .library import pf_launch`` works
for every one of them and loads the library.
"""

from __future__ import annotations

import ctypes
import functools
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import native
from ..config import config

# Error codes.
OK, NO_MEMORY, INVALID, UNKNOWN_POINTER, UNKNOWN_KERNEL = 0, -1, -2, -3, -4
# Kernel kinds.
ELEMENTWISE, ROW, COL, PLACES = 0, 1, 2, 4
# Operand roles.
IN_DENSE, IN_STRIDED, OUT, INOUT, UNIFORM, SCALAR, OUT_STRIDED = range(7)

MAX_OPERANDS = 256
MAX_RANK = 64
ABI_VERSION = 3

COUNTERS = ("kernels", "allocations", "output_bytes", "bytes_in_use", "bytes_cached")
STATS = (
    *COUNTERS,
    "fresh_blocks",
    "parallel_launches",
    "flat",
    "packed_flat",
    "rows",
    "tiles",
    "reduce_blocks",
    "reduce_chunks",
    "packed_bytes",
)

_i32, _i64, _ptr = ctypes.c_int32, ctypes.c_int64, ctypes.c_void_p
# Addresses are plain integers on both sides: c_size_t gives 0 for null where c_void_p gives None.
_address = ctypes.c_size_t

# name: (result, arguments, keeps the GIL)
_FUNCTIONS = {
    "pf_abi_version": (_i32, (), True),
    "pf_error_text": (ctypes.c_char_p, (_i32,), True),
    "pf_alloc": (_address, (_i64,), True),
    "pf_free": (_i32, (_address,), True),
    "pf_pool_limit": (_i64, (_i64,), False),
    "pf_pool_capacity": (_i64, (_i64,), True),
    "pf_trim": (_i64, (), False),
    "pf_set_threads": (_i32, (_i32,), True),
    "pf_threads": (_i32, (), True),
    "pf_kernel_create": (_i64, (_address, _address, _ptr), True),
    "pf_kernel_destroy": (_i32, (_i64,), True),
    "pf_launch": (_i32, (_i64, _ptr), False),
    "pf_copy_function": (_address, (_i32,), True),
    "pf_set_timing": (None, (_i32,), True),
    "pf_last_ns": (_i64, (_i64,), True),
    "pf_counters": (None, (_ptr,), True),
    "pf_stats": (_i32, (_ptr, _i32), True),
}


class Library:
    """The functions of ``libpyfusion_rt`` as attributes, under their C names."""

    def __init__(self, path: str) -> None:
        self.path = path
        releasing = ctypes.CDLL(path, use_errno=False)
        keeping = ctypes.PyDLL(path, use_errno=False)
        for name, (result, arguments, keeps) in _FUNCTIONS.items():
            function = getattr(keeping if keeps else releasing, name)
            function.restype = result
            function.argtypes = arguments
            setattr(self, name, function)
        found = self.pf_abi_version()
        if found != ABI_VERSION:
            raise ImportError(f"{path} has ABI version {found}, this package needs {ABI_VERSION}")

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...

    def error_text(self, code: int) -> str:
        return self.pf_error_text(code).decode()

    def counters(self) -> dict[str, int]:
        out = (_i64 * len(COUNTERS))()
        self.pf_counters(out)
        return dict(zip(COUNTERS, out, strict=True))

    def stats(self) -> dict[str, int]:
        out = (_i64 * len(STATS))()
        self.pf_stats(out, len(STATS))
        return dict(zip(STATS, out, strict=True))

    def kernel(
        self,
        range_fn: int,
        finish_fn: int = 0,
        *,
        kind: int = ELEMENTWISE,
        dims: tuple[int, int, int],
        operands: Sequence[tuple[int, int]],
        finish_operands: Sequence[tuple[int, int]] = (),
        acc_itemsize: int = 0,
        cost: int = 0,
    ) -> int:
        """A handle for compiled functions, given by address; operands are (role, itemsize).

        Raises:
            ValueError: a spec that the library does not take.
            MemoryError: no memory for the handle.
        """
        spec = [kind, *dims, acc_itemsize, cost]
        for group in (operands, finish_operands):
            spec.append(len(group))
            for role, itemsize in group:
                spec += (role, itemsize)
        handle = self.pf_kernel_create(range_fn, finish_fn, (_i64 * len(spec))(*spec))
        if handle == NO_MEMORY:
            raise MemoryError("out of memory for a kernel")
        if handle < 0:
            raise ValueError(f"kernel spec {spec}: {self.error_text(handle)}")
        return handle


def _file_name() -> str:
    return "libpyfusion_rt.dylib" if sys.platform == "darwin" else "libpyfusion_rt.so"


def _folders() -> Iterator[Path]:
    if config.native_dir:
        yield Path(config.native_dir)
        yield Path(config.native_dir, "pyfusion", "runtime")
        return  # who names a folder does not want those of another build
    from pyfusion import runtime  # an editable install keeps sources and built files in two folders

    yield from map(Path, runtime.__path__)


def _find() -> str:
    tried = []
    for folder in _folders():
        path = folder / _file_name()
        if path.is_file():
            return str(path)
        tried.append(str(folder))
    raise ImportError(
        f"{_file_name()} not found in {', '.join(tried)}; "
        "set PYFUSION_NATIVE_DIR to the folder it was built in"
    )


@functools.cache
def load() -> Library:
    """The library, loaded at the first call and following `config`. ImportError: not found."""
    library = Library(_find())
    calls = (library.pf_launch, library.pf_alloc, library.pf_free)
    native.connect(*[ctypes.cast(call, ctypes.c_void_p).value or 0 for call in calls])
    default_limit = library.pf_pool_limit(-1)

    def set_pool_limit(limit: int) -> None:
        library.pf_pool_limit(limit or default_limit)

    if config.threads:
        library.pf_set_threads(config.threads)
    if config.pool_limit:
        set_pool_limit(config.pool_limit)
    config.on_change("threads", library.pf_set_threads)
    config.on_change("pool_limit", set_pool_limit)
    return library


if TYPE_CHECKING:
    pf_alloc: Any
    pf_free: Any
    pf_launch: Any
    pf_kernel_create: Any
    pf_kernel_destroy: Any


def __getattr__(name: str) -> Any:
    if name not in _FUNCTIONS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    function = getattr(load(), name)
    globals()[name] = function
    return function
