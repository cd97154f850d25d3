# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A GPU as a `FusionRuntime`: memory of the backend's pool, eager operations of the backend.

An operation that the backend's library lacks, or does as NumPy does not, runs on the host: its
operands are copied there and its result back. Which one does is known before the call; errors of
the library are errors of the operation. `on_host` counts the calls on the host and warns of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..backends.protocols import DeviceBackend, NotOnDevice
from ..dtypes import DType, dtype_of
from ..ir.device import Device
from ..ir.value import Value, bytes_of, concrete, is_contiguous, reach, strides_of
from . import backend_step, nested, views
from .copy import as_words
from .device_buffer import DeviceBuffer
from .insert import inserted
from .on_host import note_host
from .statistics import statistics


class GpuRuntime:
    """Memory and eager operations of one GPU."""

    def __init__(self, device: Device, backend: DeviceBackend):
        self.device = device
        self.backend = backend
        self.name = device.name
        self.index = device.index

    def stream(self) -> int:
        """The handle of the backend's current stream."""
        return self.backend.stream(self.index)

    def synchronize(self) -> None:
        """Waits for the device."""
        self.backend.synchronize(self.index)

    def allocate(self, nbytes: int) -> DeviceBuffer:
        """A buffer of the backend's pool. Raises MemoryError."""
        ptr, memory = self.backend.allocate(self.index, nbytes)
        statistics.gpu_allocations += 1
        return DeviceBuffer(ptr, nbytes, self.device, memory)

    # -- Host and device -------------------------------------------------------------------------

    def upload(self, array: np.ndarray) -> Value:
        """A concrete value with a NumPy array's elements, copied on the current stream."""
        dtype = dtype_of(array.dtype)
        packed = np.asarray(array, dtype.numpy, order="C")  # native byte order
        shape = packed.shape
        statistics.note_transfer(packed.nbytes)
        if dtype.name == "bool":
            packed = packed.view(np.uint8)
            if packed.size and packed.max() > 1:
                packed = (packed != 0).view(np.uint8)
        ptr, memory = self.backend.upload(self.index, packed)
        buffer = DeviceBuffer(ptr, packed.nbytes, self.device, memory)
        return concrete(dtype, shape, buffer, ptr, None)

    def download(self, handle: Value) -> np.ndarray:
        """A read-only NumPy array with a value's elements; waits for the stream to write them."""
        v = handle
        if v.strides is not None:
            v = _thin(v)
        if v.strides is not None:
            source = self._array_or_none(v)
            if source is None:
                return self._spread(self._host_copy(v), handle.shape)
            v = self.adopt(self.backend.contiguous(source), ours=True)
        dtype, shape = v.dtype, v.shape
        nbytes = bytes_of(shape, dtype)
        statistics.note_transfer(nbytes)
        raw = self.backend.download(self.index, v.ptr, nbytes)
        return self._spread(raw.view(dtype.numpy).reshape(shape), handle.shape)

    @staticmethod
    def _spread(found: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
        """The array, read-only, with its extents of 1 repeated as a shape says."""
        if found.shape != shape:
            return np.broadcast_to(found, shape)
        found.flags.writeable = False
        return found

    # -- The backend's arrays ----------------------------------------------------------------------

    def array(self, v: Value) -> Any:
        """The backend's array over a concrete value, which it keeps alive. Raises TypeError."""
        strides = strides_of(v)
        return self.backend.array(self.index, v.ptr, v.shape, v.dtype.numpy, strides, v.buffer)

    def adopt(self, array: Any, ours: bool = False) -> Value:
        """A concrete value over the memory of one of the backend's arrays.

        Args:
            ours: nobody else refers to its memory, which may so be overwritten when it dies.
        """
        ptr, shape, dtype, strides, index = self.backend.memory(array)
        if index != self.index:
            raise RuntimeError(f"{self.backend.name} gave an array of another device: {index}")
        return self.over(ptr, shape, dtype_of(dtype), strides, array, ours)

    def over(
        self,
        ptr: int,
        shape: tuple[int, ...],
        dtype: DType,
        strides: tuple[int, ...],
        owner: Any,
        ours: bool = False,
    ) -> Value:
        """A concrete value over memory that `owner` keeps alive; strides count elements."""
        aligned = dtype.itemsize // 2 if dtype.kind == "c" else dtype.itemsize
        if ptr % aligned:
            raise ValueError(
                f"memory of a GPU at {ptr:#x} is not aligned to elements of {dtype.name}: copy it"
            )
        layout = None if is_contiguous(shape, strides) else strides
        nbytes = bytes_of(shape, dtype)
        buffer = DeviceBuffer(ptr, nbytes, self.device, owner, None if ours else owner)
        return concrete(dtype, shape, buffer, ptr, layout)

    def contiguous(self, v: Value) -> Value:
        """A C-contiguous copy."""
        source = self._array_or_none(v)
        if source is None:
            return self.upload(np.ascontiguousarray(self._host_copy(v)))
        return self.adopt(self.backend.contiguous(source), ours=True)

    def assign(self, target: Value, source: Value) -> None:
        """Copies the elements of a value to the memory of another one; they do not overlap."""
        backward = tuple([d for d, s in enumerate(target.strides or ()) if s < 0])
        if backward:  # not every library has negative strides
            target = views.apply("flip", target, backward, [])
            source = views.apply("flip", source, backward, [])
        try:
            given = self._bits(source)
        except TypeError:
            given = self._bits(self.contiguous(source))
        self.backend.assign(self._bits(target), given)

    def _bits(self, v: Value) -> Any:
        """The backend's array over a value's memory, as integers: every library has those."""
        item, shape, strides = as_words(v)
        kind = np.dtype("u1" if item == 1 else f"i{item}")
        return self.backend.array(self.index, v.ptr, shape, kind, strides, v.buffer)

    def _array_or_none(self, v: Value) -> Any:
        """The backend's array over a value, or None: a copy by way of the host is to follow."""
        try:
            return self.array(v)
        except TypeError as error:
            note_host("copy", str(error))
            return None

    def _host_copy(self, v: Value) -> np.ndarray:
        """A value's elements by way of the memory that it spans."""
        strides = strides_of(v)
        item = v.dtype.itemsize
        if 0 in v.shape:
            return np.empty(v.shape, v.dtype.numpy)
        low, high = reach(v.shape, strides)
        nbytes = (high - low + 1) * item
        statistics.note_transfer(nbytes)
        raw = self.backend.download(self.index, v.ptr + low * item, nbytes)
        flat = raw.view(v.dtype.numpy)
        return np.lib.stride_tricks.as_strided(
            flat[-low:], v.shape, [s * item for s in strides], writeable=False
        )

    # -- Operations ------------------------------------------------------------------------------

    def execute(
        self, op: Any, args: list, attrs: Any, dyn: tuple, shape: Any, dtype: DType
    ) -> Value:
        """Runs one operation on concrete values and scalars."""
        if op.kind == "view":
            target = dyn if op.name == "slice" else shape
            return views.apply(op.name, args[0], attrs, list(target))
        if op.kind == "update":
            return inserted(args[0], args[1], list(dyn))
        if op.kind != "creation":
            statistics.note_unfused(op.name)
        why = "arithmetic of its types is not compiled, and is left to NumPy"
        if op.kind == "contraction" or (op.kind == "opaque" and op.oracle is not None):
            options = dict(attrs) if op.kind == "opaque" and attrs else {}
            try:
                found = self.call(op.oracle, args, options)
            except NotOnDevice as error:
                why = str(error)
            else:
                return self._checked(op, found, shape, dtype)
        host = [self.download(a) if isinstance(a, Value) else a for a in args]
        if any(isinstance(a, Value) for a in args):
            note_host(op.name, why)
        result = backend_step.backend().execute(op, host, attrs, dyn, shape, dtype)
        return self._checked(op, self.upload(np.asarray(result)), shape, dtype)

    def call(self, function: Any, args: list, options: dict[str, Any]) -> Any:
        """NumPy's function by the backend: on values as its arrays; the result likewise.

        Raises:
            NotOnDevice: the backend does not run it, or not on these arguments.
            Exception: what the library raises.
        """
        try:
            given = [nested.arguments(a, self.array) for a in args]
            named = {key: nested.arguments(a, self.array) for key, a in options.items()}
        except TypeError as error:
            raise NotOnDevice(str(error)) from None
        if not self.backend.runs(function, given, named):
            raise NotOnDevice(f"{self.backend.name} does not do it as NumPy does")
        return nested.results(self.backend.run(function, given, named), self._result)

    def _result(self, item: Any) -> Any:
        """The value of one of the backend's arrays, or of a number of NumPy's."""
        if self.backend.owns(item):
            return self.adopt(item)
        return self.upload(np.asarray(item)) if isinstance(item, np.generic) else item

    def _checked(self, op: Any, result: Any, shape: Any, dtype: DType) -> Value:
        if not isinstance(result, Value):
            raise RuntimeError(
                f"the {self.backend.name} backend's {op.name} gave {type(result).__name__}, "
                "not an array"
            )
        if (shape is not None and result.shape != shape) or result.dtype is not dtype:
            raise RuntimeError(
                f"the {self.backend.name} backend's {op.name} gave {result.dtype}"
                f"{list(result.shape)} where {dtype.name}{list(shape or ())} was recorded"
            )
        return result


def _thin(v: Value) -> Value:
    """A value with strides, with extents of 1 where its elements are repeated."""
    assert v.strides is not None
    shape = tuple([1 if s == 0 else n for n, s in zip(v.shape, v.strides, strict=True)])
    if 0 in v.shape:
        shape = v.shape
    layout = None if is_contiguous(shape, v.strides) else v.strides
    return concrete(v.dtype, shape, v.buffer, v.ptr, layout)
