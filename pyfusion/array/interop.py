# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Other libraries' memory and ours, without copies: DLPack, `__cuda_array_interface__`, devices.

Memory that comes from outside is read-only to us, and must not be written to any more by others.
What is handed out must not be written to either, and is not reused while it is referred to.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from .. import client
from ..dtypes import bfloat16
from ..ir.device import CPU, Device
from ..ir.value import Value, device_of, strides_of
from ..runtime import devices
from .core import Array, wrap

# DLPack's numbers of kinds of devices; managed memory of CUDA is CUDA's.
_KINDS = {2: "cuda", 10: "rocm", 13: "cuda"}
_NUMBERS = {"cpu": 1, "cuda": 2, "rocm": 10}


def is_gpu_memory(given: Any) -> bool:
    """Whether an object exports the memory of a GPU."""
    ask = getattr(given, "__dlpack_device__", None)
    if ask is not None:
        try:
            return int(ask()[0]) in _KINDS
        except Exception:  # it cannot say: as jax arrays on several devices
            return False
    return hasattr(type(given), "__cuda_array_interface__") or (
        "__cuda_array_interface__" in getattr(given, "__dict__", {})
    )


def import_gpu(given: Any, copy: bool | None) -> Array:
    """An array over the memory of an object for which `is_gpu_memory` holds."""
    dlpack = hasattr(given, "__dlpack_device__")
    kind, number = "cuda", None
    if dlpack:
        code, number = given.__dlpack_device__()
        kind = _KINDS[int(code)]
    elif not isinstance(given.__cuda_array_interface__, dict):
        found = given.__cuda_array_interface__
        raise TypeError(
            f"__cuda_array_interface__ of a {type(given).__name__} is a dict, not {found!r:.80}"
        )
    elif given.__cuda_array_interface__.get("stream") == 0:
        raise ValueError(
            "__cuda_array_interface__ names stream 0, which the interface forbids: 1 is the legacy "
            "default stream, 2 the one of the thread, None needs no waiting"
        )
    backend = devices.backend_for(kind)
    try:
        array = backend.imported(given, dlpack)
        index = backend.memory(array)[4]
        value = devices.numbered(kind, index).runtime.adopt(array)
    except (TypeError, ValueError, BufferError, RuntimeError):
        if "bfloat16" not in str(getattr(given, "dtype", "")):
            raise
        value = _bfloat16(given, kind, backend)
    if copy:
        value = device_of(value).runtime.contiguous(value)
    return wrap(value)


def bits_of(given: Any) -> Any:
    """An array of bfloat16 as one of integers, for a library that lacks the type."""
    wanted: Any = "int16"
    if type(given).__module__.partition(".")[0] == "torch":
        import torch

        wanted = torch.int16
    return given.view(wanted)


def _bfloat16(given: Any, kind: str, backend: Any) -> Value:
    array = backend.imported(bits_of(given), True)
    ptr, shape, _, strides, index = backend.memory(array)
    runtime = devices.numbered(kind, index).runtime
    return runtime.over(ptr, shape, bfloat16, strides, (array, given))


# --- Out ------------------------------------------------------------------------------------------


def _dlpack_of(device: Device) -> tuple[int, int]:
    return (_NUMBERS[device.kind], device.index) if device.is_gpu else (_NUMBERS["cpu"], 0)


def __dlpack__(
    self: Array,
    *,
    stream: Any = None,
    max_version: Any = None,
    dl_device: Any = None,
    copy: bool | None = None,
) -> Any:
    """A capsule over the elements. A GPU's are ready for work on `stream`, which is that of the
    consumer; the memory must not be written to, which DLPack before version 1 cannot say."""
    wanted = _two_ints("dl_device", "(kind, number)", dl_device)
    max_version = _two_ints("max_version", "(major, minor)", max_version)
    value = client.realize(self._v)
    device = value.buffer.device
    if device.is_gpu and wanted in (None, _dlpack_of(device)):
        return _gpu_capsule(value, device, stream, max_version, copy)
    if device.is_gpu:
        if wanted != _dlpack_of(CPU):
            raise BufferError(f"an array on {device} is exported there or to the CPU")
        if copy is False:
            raise BufferError(f"an array on {device} needs a copy to the CPU, but copy=False")
    elif stream is not None:
        raise ValueError(f"stream must be None for memory of the CPU, not {stream!r}")
    if value.dtype is bfloat16:
        raise BufferError("NumPy has no bfloat16 to export by DLPack; x.astype('float32') has one")
    found = client.read(value)
    if max_version is None or max_version[0] < 1:  # cannot say that the memory is read-only
        if copy is False:
            raise BufferError("DLPack before version 1 needs a copy of a read-only array")
        found = np.array(found, order="C")
    elif any(stride < 0 for stride in found.strides):
        if copy is False:
            raise BufferError("DLPack's consumers take no negative strides, but copy=False")
        found = np.array(found, order="C")
    return found.__dlpack__(max_version=max_version, dl_device=dl_device, copy=copy)


def _two_ints(name: str, what: str, given: Any) -> tuple[int, int] | None:
    if given is None:
        return None
    try:
        first, second = map(operator.index, given)
    except (TypeError, ValueError):
        raise TypeError(f"__dlpack__: {name} is None or {what}, two ints, not {given!r}") from None
    return first, second


def _gpu_capsule(value: Value, device: Device, stream: Any, version: Any, copy: Any) -> Any:
    runtime = device.runtime
    if copy:
        value = runtime.contiguous(value)
    try:
        array = runtime.array(value)
    except TypeError as error:
        raise BufferError(f"DLPack of {value.dtype} on {device}: {error}") from None
    return runtime.backend.exported(array, stream, version)


def __dlpack_device__(self: Array) -> tuple[int, int]:
    return _dlpack_of(device_of(self._v))


def cuda_array_interface(self: Array) -> dict[str, Any]:
    """Version 3 of the interface, of an array on a GPU; runs what the array waits for.

    Raises:
        AttributeError: the array is not on a GPU, or of bfloat16, which the interface cannot name.
    """
    device = device_of(self._v)
    if not device.is_gpu or self._v.dtype is bfloat16:
        what = "of bfloat16" if device.is_gpu else f"on {device}"
        raise AttributeError(f"an array {what} has no __cuda_array_interface__")
    value = client.realize(self._v)
    strides = strides_of(value)
    item = value.dtype.itemsize
    return {
        "version": 3,
        "typestr": value.dtype.numpy.str,
        "shape": value.shape,
        "data": (value.ptr if self.size else 0, True),
        "strides": None if value.strides is None else tuple([s * item for s in strides]),
        "stream": device.runtime.stream() or 1,  # 1 names the stream whose handle is 0
    }


def to_device(self: Array, device: Any, /, *, stream: Any = None) -> Array:
    """The array on another device; on its own one a second array of the same elements.

    Args:
        stream: the copy also waits for what this stream of the GPU holds, and the stream for the
            copy: a handle, or an object of CuPy or PyTorch.

    Raises:
        DeviceError: the device does not exist, or what it needs is missing.
        TypeError: `stream` is none.
        ExecutionError: the work that was to write the array failed.
    """
    goal = devices.find(device)
    source = device_of(self._v)
    handle = None if stream is None else _handle(stream)
    if goal is source:
        return wrap(self._v)
    gpu = goal if goal.is_gpu else source
    if handle is None or not gpu.is_gpu:
        return wrap(client.transfer(self._v, goal))
    backend = gpu.runtime.backend
    backend.wait_for(gpu.index, handle)
    moved = client.transfer(self._v, goal)
    backend.wait(gpu.index, handle)
    return wrap(moved)


def _handle(stream: Any) -> int:
    if isinstance(stream, int):
        return stream
    if hasattr(stream, "__cuda_stream__"):
        return stream.__cuda_stream__()[1]
    for name in ("cuda_stream", "ptr"):
        if hasattr(stream, name):
            return getattr(stream, name)
    raise TypeError(f"{stream!r} is no stream")


METHODS = [__dlpack__, __dlpack_device__, to_device]
