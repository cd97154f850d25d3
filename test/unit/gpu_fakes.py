# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches of GPU kernels without a GPU: a driver that writes down what it is asked for."""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import functools
import os
import shutil
import subprocess
import tempfile
import types
from collections.abc import Iterator
from pathlib import Path

import pytest

from pyfusion.runtime import gpu_library as gpu
from pyfusion.runtime import library as rt

VARIABLES = {"cuda": "PYFUSION_CUDA_LIBRARY", "rocm": "PYFUSION_HIP_LIBRARY"}
ARCHS = {"cuda": ("sm_90", "sm_80"), "rocm": ("gfx942", "gfx90a")}


@functools.cache
def folder() -> Path:
    path = tempfile.mkdtemp(prefix="pyfusion-fakes-")
    atexit.register(shutil.rmtree, path, ignore_errors=True)
    return Path(path)


@functools.cache
def driver_file(api: str, old: bool = False) -> str:
    """The compiled driver; an old one lacks a function. Skips where there is no C compiler."""
    compiler = os.environ.get("CC") or shutil.which("cc") or shutil.which("gcc")
    if not compiler:
        pytest.skip("needs a C compiler")
    source = Path(__file__).with_name("fake_gpu_driver.c")
    target = folder() / f"{api}{'-old' if old else ''}.so"
    defines = ["-DFAKE_CUDA"] if api == "cuda" else []
    defines += ["-DFAKE_OLD"] if old else []
    flags = ["-O1", "-shared", "-fPIC", *defines]
    subprocess.run([compiler, *flags, str(source), "-o", str(target)], check=True)
    return str(target)


class Fake:
    """The driver's own functions, for tests."""

    def __init__(self, file: str):
        self._lib = ctypes.CDLL(file)
        self._lib.fake_log.restype = ctypes.c_char_p

    def inject(self, function: str, error: int, nth: int = 1, times: int = 1 << 30) -> None:
        self._lib.fake_inject(function.encode(), nth, times, error)

    def reset(self, devices: int = 2) -> None:
        self._lib.fake_reset()
        self._lib.fake_devices(devices)

    def quiet(self, on: bool) -> None:
        self._lib.fake_quiet(on)

    def last_error(self) -> int:
        return self._lib.fake_last_error()

    def log(self) -> list[list[str]]:
        """The calls so far, each a list of words."""
        return [line.split() for line in self._lib.fake_log().decode().splitlines()]

    def calls(self, name: str) -> list[list[str]]:
        return [words[1:] for words in self.log() if words[0] == name]


_copies = 0
_library_path = ""


@contextlib.contextmanager
def fresh(api: str, file: str | None = None) -> Iterator[Fake | None]:
    """`gpu_library` with a native library of its own, which has opened no driver yet."""
    global _copies, _library_path
    _copies += 1
    path = file or driver_file(api)
    fake = Fake(path) if os.path.exists(path) and not file else None
    if fake:
        fake.reset()
    copy = folder() / f"rt-{_copies}.so"
    shutil.copy(rt.load().path, copy)
    functions = gpu._declare(types.SimpleNamespace(path=str(copy)))
    _library_path = str(copy)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLES[api], path)
        patch.setattr(gpu, "_functions", lambda: functions)
        yield fake
    os.remove(copy)


class Module:
    """Code for the fake driver, as the constructor of a JIT-ed module gives it away."""

    def __init__(self, text: str, jit: bool = False):
        lib = self.lib = ctypes.CDLL(_library_path)
        for name in ("mgpuModuleLoad", "mgpuModuleLoadJIT", "mgpuModuleGetFunction"):
            getattr(lib, name).restype = ctypes.c_void_p
        self.data = ctypes.create_string_buffer(text.encode())
        if jit:
            self.handle = lib.mgpuModuleLoadJIT(self.data, 2)
        else:
            self.handle = lib.mgpuModuleLoad(self.data, ctypes.c_uint64(len(self.data)))
        self._names: dict[str, ctypes.Array] = {}

    def launch(self, name: str, grid: int, block: int, stream: int, *values: int) -> None:
        """What a host function does."""
        lib, i64 = self.lib, ctypes.c_int64
        text = self._names.setdefault(name, ctypes.create_string_buffer(name.encode()))
        function = lib.mgpuModuleGetFunction(ctypes.c_void_p(self.handle), text)
        words = [i64(value) for value in values]
        pointers = (ctypes.c_void_p * len(words))(*(ctypes.addressof(w) for w in words))
        one, count = i64(1), ctypes.c_uint64(len(words))
        lib.mgpuLaunchKernel(
            ctypes.c_void_p(function), i64(grid), one, one, i64(block), one, one,
            ctypes.c_int32(0), ctypes.c_void_p(stream), pointers, None, count,
        )  # fmt: skip

    def unload(self) -> None:
        self.lib.mgpuModuleUnload(ctypes.c_void_p(self.handle))


HOST = ctypes.CFUNCTYPE(None, ctypes.POINTER(ctypes.c_void_p))


def address(function) -> int:
    """Of a `HOST` function, which the caller keeps alive."""
    return ctypes.cast(function, ctypes.c_void_p).value


def words(*values: int) -> ctypes.Array:
    return (ctypes.c_int64 * max(len(values), 1))(*values)
