# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch as the owner of NVIDIA's GPUs: its caching allocator, its current streams."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from ..errors import DeviceError
from . import torch_functions
from .pointers import device_of_pointer
from .protocols import NotOnDevice

_NAMES = (
    "bool",
    "uint8",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint16",
    "uint32",
    "uint64",
    "float16",
    "bfloat16",
    "float32",
    "float64",
    "complex64",
    "complex128",
)
_TYPES = {name: getattr(torch, name) for name in _NAMES if hasattr(torch, name)}
_OF_TORCH = {dtype: name for name, dtype in _TYPES.items()}


def _numpy_type(dtype: torch.dtype) -> np.dtype:
    name = _OF_TORCH.get(dtype)
    if name is None:
        raise TypeError(f"arrays of {dtype} are not supported")
    if name == "bfloat16":
        import ml_dtypes

        return np.dtype(ml_dtypes.bfloat16)
    return np.dtype(name)


class _Interface:
    """Memory as `__cuda_array_interface__` describes it, of bytes; keeps its owner alive."""

    def __init__(self, ptr: int, nbytes: int, owner: Any):
        self.owner = owner
        self.__cuda_array_interface__ = {
            "version": 3,
            "typestr": "|u1",
            "shape": (nbytes,),
            "data": (ptr, False),
            "strides": None,
        }


class TorchBackend:
    """See `DeviceBackend`."""

    name = "torch"

    def __init__(self, kind: str):
        if kind != "cuda" or torch.version.hip is not None:
            raise DeviceError("PyTorch is used for NVIDIA's GPUs only; AMD's need CuPy")
        if torch.version.cuda is None:
            raise DeviceError("this PyTorch was built without CUDA")
        self.kind = kind
        self._devices: dict[int, torch.device] = {}

    # -- Devices and streams ---------------------------------------------------------------------

    def count(self) -> int:
        if not torch.cuda.is_available():
            raise DeviceError("PyTorch finds no CUDA driver or device")
        return torch.cuda.device_count()

    def current(self) -> int:
        self.count()
        return torch.cuda.current_device()

    def arch(self, index: int) -> str:
        major, minor = torch.cuda.get_device_capability(index)
        return f"{major}.{minor}"

    def _device(self, index: int) -> torch.device:
        found = self._devices.get(index)
        if found is None:
            found = self._devices[index] = torch.device("cuda", index)
        return found

    def stream(self, index: int) -> int:
        return torch.cuda.current_stream(index).cuda_stream

    def _external(self, index: int, stream: int) -> Any:
        # 1 and 2 name the two default streams; PyTorch's own default stream is the first.
        if stream in (0, 1):
            return torch.cuda.default_stream(index)
        return torch.cuda.ExternalStream(stream, self._device(index))

    def wait(self, index: int, stream: int) -> None:
        self._external(index, stream).wait_stream(torch.cuda.current_stream(index))

    def wait_for(self, index: int, stream: int) -> None:
        torch.cuda.current_stream(index).wait_stream(self._external(index, stream))

    def synchronize(self, index: int) -> None:
        torch.cuda.synchronize(index)

    # -- Memory ----------------------------------------------------------------------------------

    def allocate(self, index: int, nbytes: int) -> tuple[int, Any]:
        try:
            memory = torch.empty(nbytes or 1, dtype=torch.uint8, device=self._device(index))
        except torch.OutOfMemoryError as error:
            raise MemoryError(str(error)) from None
        return memory.data_ptr(), memory

    def upload(self, index: int, array: Any) -> tuple[int, Any]:
        ptr, memory = self.allocate(index, array.nbytes)
        if array.nbytes:
            flat = array.reshape(-1).view(np.uint8)
            if not flat.flags.writeable:
                flat = flat.copy()  # PyTorch warns of arrays that it must not write to
            memory.copy_(torch.from_numpy(flat))
        return ptr, memory

    def download(self, index: int, ptr: int, nbytes: int) -> Any:
        if nbytes == 0:
            return np.empty(0, np.uint8)
        return self._bytes(index, ptr, nbytes, None).cpu().numpy()

    # -- Arrays ----------------------------------------------------------------------------------

    def _bytes(self, index: int, ptr: int, nbytes: int, owner: Any) -> torch.Tensor:
        return torch.as_tensor(_Interface(ptr, nbytes, owner), device=self._device(index))

    def array(
        self,
        index: int,
        ptr: int,
        shape: tuple[int, ...],
        dtype: Any,
        strides: tuple[int, ...],
        owner: Any,
    ) -> Any:
        kind = _TYPES.get(dtype.name)
        if kind is None:
            raise TypeError(f"this PyTorch has no {dtype.name}")
        if any(s < 0 for s in strides):
            raise TypeError("PyTorch has no negative strides")
        if 0 in shape:
            return torch.empty(shape, dtype=kind, device=self._device(index))
        span = sum((n - 1) * s for n, s in zip(shape, strides, strict=True)) + 1
        flat = self._bytes(index, ptr, span * dtype.itemsize, owner).view(kind)
        return flat.as_strided(shape, strides)

    def memory(self, array: Any) -> tuple[int, tuple[int, ...], Any, tuple[int, ...], int]:
        kind = _numpy_type(array.dtype)
        return array.data_ptr(), tuple(array.shape), kind, tuple(array.stride()), array.device.index

    def owns(self, array: Any) -> bool:
        return isinstance(array, torch.Tensor)

    def contiguous(self, array: Any) -> Any:
        return array.clone(memory_format=torch.contiguous_format)

    def assign(self, target: Any, source: Any) -> None:
        target.copy_(source)

    def imported(self, given: Any, dlpack: bool) -> Any:
        if dlpack:
            return torch.from_dlpack(given)
        about = given.__cuda_array_interface__
        index = device_of_pointer(about["data"][0])
        if index is None:
            index = self.current()
        stream = about.get("stream")
        if stream is not None:  # whose work PyTorch does not wait for
            self.wait_for(index, stream)
        return torch.as_tensor(given, device=self._device(index))

    def exported(self, array: Any, stream: Any, max_version: Any) -> Any:
        try:
            return array.__dlpack__(stream=stream, max_version=max_version)
        except TypeError:  # PyTorch before 2.9
            return array.__dlpack__(stream=stream)

    # -- Operations ------------------------------------------------------------------------------

    def runs(self, function: Any, args: list[Any], options: dict[str, Any]) -> bool:
        return torch_functions.runs(function.__name__, args, options)

    def run(self, function: Any, args: list[Any], options: dict[str, Any]) -> Any:
        try:
            return torch_functions.FUNCTIONS[function.__name__].call(*args, **options)
        except torch.OutOfMemoryError as error:
            raise MemoryError(str(error)) from error
        except NotImplementedError as error:
            raise NotOnDevice(str(error)) from None
