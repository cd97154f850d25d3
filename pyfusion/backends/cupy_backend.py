# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""CuPy as the owner of GPUs, NVIDIA's and AMD's: its memory pool, its current streams."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import cupy
import cupyx
import numpy as np

from ..errors import DeviceError
from ..ir.value import reach
from .half import is_bfloat16
from .on_device import on_device
from .protocols import NotOnDevice

_runtime = cupy.cuda.runtime
_FUNCTIONS = on_device("cupy")


class CupyBackend:
    """See `DeviceBackend`. One process sees either CUDA or ROCm, as CuPy was built."""

    name = "cupy"

    def __init__(self, kind: str):
        own = "rocm" if _runtime.is_hip else "cuda"
        if own != kind:
            raise DeviceError(f"this CuPy was built for {own}")
        self.kind = kind
        self._bfloat16: bool | None = None
        self._current = _runtime.getDevice

    # -- Devices and streams ---------------------------------------------------------------------

    def count(self) -> int:
        try:
            return _runtime.getDeviceCount()
        except Exception as error:  # CUDARuntimeError: no driver, or one that is too old
            raise DeviceError(f"CuPy finds no device: {error}") from None

    def current(self) -> int:
        try:
            return self._current()
        except Exception as error:
            raise DeviceError(f"CuPy finds no device: {error}") from None

    def arch(self, index: int) -> str:
        about = _runtime.getDeviceProperties(index)
        if self.kind == "rocm":
            name = about["gcnArchName"]
            return name.decode() if isinstance(name, bytes) else name
        return f"{about['major']}.{about['minor']}"

    def _on(self, index: int) -> Any:
        return cupy.cuda.Device(index)

    def stream(self, index: int) -> int:
        return cupy.cuda.get_current_stream(index).ptr

    def wait(self, index: int, stream: int) -> None:
        with self._on(index):
            mine = cupy.cuda.get_current_stream()
            if mine.ptr != stream:
                cupy.cuda.ExternalStream(stream, index).wait_event(mine.record())

    def wait_for(self, index: int, stream: int) -> None:
        with self._on(index):
            mine = cupy.cuda.get_current_stream()
            if mine.ptr != stream:
                mine.wait_event(cupy.cuda.ExternalStream(stream, index).record())

    def synchronize(self, index: int) -> None:
        with self._on(index):
            _runtime.deviceSynchronize()

    # -- Memory ----------------------------------------------------------------------------------

    def allocate(self, index: int, nbytes: int) -> tuple[int, Any]:
        if self._current() != index:
            with self._on(index):
                memory = cupy.cuda.alloc(nbytes or 1)
        else:
            memory = cupy.cuda.alloc(nbytes or 1)
        return memory.ptr, memory

    def upload(self, index: int, array: Any) -> tuple[int, Any]:
        ptr, memory = self.allocate(index, array.nbytes)
        if array.nbytes:
            with self._on(index):
                host = array.ctypes.data
                memory.copy_from_host_async(host, array.nbytes)
                # Pageable memory is staged before the call returns: the array may change then.
                if self.kind != "cuda" or _is_pinned(host):
                    cupy.cuda.get_current_stream().synchronize()
        return ptr, memory

    def download(self, index: int, ptr: int, nbytes: int) -> Any:
        found = np.empty(nbytes, np.uint8)
        if nbytes:
            with self._on(index):
                stream = cupy.cuda.get_current_stream()
                kind = _runtime.memcpyDeviceToHost
                _runtime.memcpyAsync(found.ctypes.data, ptr, nbytes, kind, stream.ptr)
                stream.synchronize()
        return found

    # -- Arrays ----------------------------------------------------------------------------------

    def _knows_bfloat16(self, dtype: Any) -> bool:
        if self._bfloat16 is None:
            try:
                cupy.ndarray((0,), dtype)
                self._bfloat16 = True
            except (TypeError, ValueError):
                self._bfloat16 = False
        return self._bfloat16

    def array(
        self,
        index: int,
        ptr: int,
        shape: tuple[int, ...],
        dtype: Any,
        strides: tuple[int, ...],
        owner: Any,
    ) -> Any:
        if is_bfloat16(dtype) and not self._knows_bfloat16(dtype):
            raise TypeError("this CuPy has no bfloat16")
        item = dtype.itemsize
        low, high = reach(shape, strides)
        nbytes = (high - low + 1) * item
        memory = cupy.cuda.UnownedMemory(ptr + low * item, nbytes, owner, index)
        start = cupy.cuda.MemoryPointer(memory, -low * item)
        return cupy.ndarray(shape, dtype, start, strides=[s * item for s in strides])

    def memory(self, array: Any) -> tuple[int, tuple[int, ...], Any, tuple[int, ...], int]:
        item = array.dtype.itemsize
        if any(s % item for s in array.strides):
            raise ValueError(f"strides of {array.strides} bytes are not whole elements")
        strides = tuple([s // item for s in array.strides])
        return array.data.ptr, array.shape, array.dtype, strides, array.device.id

    def owns(self, array: Any) -> bool:
        return isinstance(array, cupy.ndarray)

    def contiguous(self, array: Any) -> Any:
        with array.device:
            return array.copy(order="C")

    def assign(self, target: Any, source: Any) -> None:
        with target.device:
            target[...] = source

    def imported(self, given: Any, dlpack: bool) -> Any:
        return cupy.from_dlpack(given) if dlpack else cupy.asarray(given)

    def exported(self, array: Any, stream: Any, max_version: Any) -> Any:
        with array.device:
            return array.__dlpack__(stream=stream, max_version=max_version)

    # -- Operations ------------------------------------------------------------------------------

    def runs(self, function: Any, args: list[Any], options: dict[str, Any]) -> bool:
        call = _of_cupy(function)
        arrays = _arrays([args, list(options.values())])
        if call is None or not arrays:
            return False
        if any(is_bfloat16(a.dtype) for a in arrays):
            return function is np.matmul and not options
        if not _takes(call, args, _options(function, options)):
            return False
        if function is np.searchsorted and not _sorter_is_an_array(args, options):
            return False
        if function is np.inner and any(a.size == 0 for a in arrays):  # CuPy divides by 0
            return False
        # CuPy counts repetitions on the host.
        return function is not np.repeat or not _arrays([args[1:], list(options.values())])

    def run(self, function: Any, args: list[Any], options: dict[str, Any]) -> Any:
        arrays = _arrays([args, list(options.values())])
        # As NumPy, CuPy has to raise for a matrix that is singular: else it gives NaN.
        with arrays[0].device, cupyx.errstate(linalg="raise"):
            if is_bfloat16(arrays[0].dtype):
                return self._matmul_bfloat16(*args)
            try:
                call: Any = _of_cupy(function)
                return call(*args, **_options(function, options))
            except NotImplementedError as error:
                raise NotOnDevice(str(error)) from None

    def _matmul_bfloat16(self, x: Any, y: Any) -> Any:
        """By PyTorch where it is installed: CuPy's own goes by way of float32, twice the bytes."""
        torch = _torch() if self.kind == "cuda" else None
        if torch is None:
            wide = cupy.matmul(x.astype(np.float32), y.astype(np.float32))
            return wide.astype(x.dtype)
        index, handle = x.device.id, cupy.cuda.get_current_stream().ptr
        stream = (
            torch.cuda.ExternalStream(handle, torch.device("cuda", index))
            if handle
            else torch.cuda.default_stream(index)
        )
        with torch.cuda.stream(stream):
            found = torch.matmul(
                *[
                    torch.as_tensor(a.view(np.int16), device=stream.device).view(torch.bfloat16)
                    for a in (x, y)
                ]
            )
            return cupy.asarray(found.view(torch.int16)).view(x.dtype)


@functools.cache
def _torch() -> Any:
    """PyTorch, if there is one that uses the GPUs that CuPy does."""
    try:
        import torch
    except ImportError:
        return None
    return torch if torch.version.cuda is not None and torch.cuda.is_available() else None


@functools.cache
def _of_cupy(function: Any) -> Callable[..., Any] | None:
    """CuPy's function of the same name in the same module as NumPy's, or None."""
    module, name = function.__module__ or "numpy", function.__name__
    if name not in _FUNCTIONS or module.partition(".")[0] != "numpy":
        return None
    found: Any = cupy
    for part in module.split(".")[1:]:
        found = getattr(found, part, None)
    return getattr(found, name, None)


def _options(function: Any, options: dict[str, Any]) -> dict[str, Any]:
    """Without those that CuPy lacks because it does so anyway: its sorts are stable."""
    if function in (np.sort, np.argsort):
        return {key: value for key, value in options.items() if key != "stable"}
    return options


def _sorter_is_an_array(args: list[Any], options: dict[str, Any]) -> bool:
    """Or none is given: CuPy takes no list for it."""
    sorter = args[3] if len(args) > 3 else options.get("sorter")
    return sorter is None or isinstance(sorter, cupy.ndarray)


def _takes(call: Callable[..., Any], args: list[Any], options: dict[str, Any]) -> bool:
    """Whether a function has these parameters."""
    try:
        signature = inspect.signature(call)
    except (TypeError, ValueError):  # a ufunc of CuPy: operands alone
        return not options
    try:
        signature.bind(*args, **options)
    except TypeError:
        return False
    return True


def _is_pinned(address: int) -> bool:
    return _runtime.pointerGetAttributes(address).type == 1


def _arrays(item: Any) -> list[Any]:
    """CuPy's arrays in lists and tuples."""
    if isinstance(item, cupy.ndarray):
        return [item]
    if isinstance(item, (list, tuple)):
        return [a for i in item for a in _arrays(i)]
    return []
