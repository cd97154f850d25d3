# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A decorated backend as a `FusionRuntime`: its arrays are the handles.

Where the backend's arrays lie in the host's memory, values have addresses and kernels of the CPU
run on them. Else a value holds the backend's array and nothing else, and what is not run by a fuser
of the user goes to the backend, one operation at a time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..backends.protocols import FusionBackend, NotOnDevice
from ..dtypes import DType, dtype_of
from ..errors import failure, message
from ..ir.device import Device
from ..ir.value import Value, concrete
from . import copy, memory, nested, views
from .device_buffer import DeviceBuffer
from .insert import inserted
from .statistics import statistics
from .steps import Env, KernelStep

# What a backend's method raises that is given something else than one of its arrays.
_OF_WRONG_OBJECTS = (AttributeError, TypeError, ValueError, LookupError)
_NOT_DESCRIBED = "of which its describe gives no shape and type"


class DecoratedRuntime:
    """Memory and eager operations of a backend.

    Attributes:
        hosted: its arrays lie in the host's memory.
        fusers: what competes for the blocks of its device, beside those for all devices.
    """

    def __init__(self, device: Device, backend: FusionBackend, fusers: tuple = ()):
        self.device = device
        self.backend = backend
        self.name = device.name
        self.hosted = bool(getattr(backend, "host_memory", False))
        self.fusers = fusers

    def synchronize(self) -> None:
        """Waits for the backend, if it has something to wait for."""
        wait = getattr(self.backend, "synchronize", None)
        if wait is not None:
            wait()

    # -- Handles ---------------------------------------------------------------------------------

    def upload(self, array: np.ndarray) -> Value:
        """A handle with the elements of a NumPy array. Raises what the backend raises."""
        dtype = dtype_of(array.dtype)
        packed = np.array(array, dtype.numpy, order="C")
        return self.adopt(self.backend.from_numpy(packed), packed.shape, dtype, True, "from_numpy")

    def download(self, handle: Value) -> np.ndarray:
        """A read-only NumPy array with a handle's elements; the host's memory is not copied."""
        if self.hosted:
            return memory.to_numpy(handle)
        try:
            found = memory.host_order(self.backend.to_numpy(handle.buffer.memory))
        except Exception as error:
            raise failure(f"a read from {self.device}: to_numpy", error) from error
        self._check("to_numpy", found.shape, found.dtype, handle.shape, handle.dtype)
        found = found.view()
        found.flags.writeable = False
        return found

    def array(self, v: Value) -> Any:
        """The backend's array of a handle; it must not be written to."""
        if self.hosted:
            return self.backend.from_numpy(memory.to_numpy(v))
        return v.buffer.memory

    def adopt(
        self, array: Any, shape: Any, dtype: DType, ours: bool = False, what: str = "execute"
    ) -> Value:
        """The handle of one of the backend's arrays.

        Args:
            shape: what it has to have; None where only the array can tell.
            ours: nobody else refers to its memory, which may so be overwritten when it dies.
            what: the method that gave the array, for messages.
        """
        if not self.hosted:
            found, numpy_dtype = self._described(array, what)
            self._check(what, found, numpy_dtype, shape, dtype)
            buffer = DeviceBuffer(0, 0, self.device, array, None if ours else array)
            return concrete(dtype, found, buffer, 0, None)
        try:
            host = memory.host_order(None if array is None else self.backend.to_numpy(array))
        except _OF_WRONG_OBJECTS as error:
            raise self._wrong(what, array, "which its to_numpy does not take", error) from error
        if host.dtype.kind == "O":
            raise self._wrong(what, array, "of which its to_numpy makes no array")
        self._check(what, host.shape, host.dtype, shape, dtype)
        v = memory.placed(host, dtype)
        if v.buffer.owner is None:  # a copy, as its layout was not one of ours
            return self._placed(v, v.buffer, ours=True)
        return self._placed(v, (array, host), ours)

    def _described(self, array: Any, what: str) -> tuple[tuple[int, ...], np.dtype]:
        """Shape and type of what a method gave. Raises RuntimeError if it is none of the backend's
        arrays."""
        try:
            shape, numpy_dtype = self.backend.describe(array)
            if numpy_dtype is not None and array is not None:
                return tuple(shape), np.dtype(numpy_dtype)
        except _OF_WRONG_OBJECTS as error:
            raise self._wrong(
                what, array, "of which its describe gives no shape and type", error
            ) from error
        raise self._wrong(what, array, "of which its describe gives no shape and type")

    def _wrong(self, what: str, array: Any, why: str, error: Any = None) -> RuntimeError:
        given = "None" if array is None else f"an object of {type(array).__name__}"
        said = "" if error is None else f": {type(error).__name__}: {message(error)}"
        return RuntimeError(f"the {self.backend.name} backend's {what} gave {given}, {why}{said}")

    def _placed(self, v: Value, owner: Any, ours: bool) -> Value:
        """A value of the host's memory as one of this device."""
        nbytes = v.buffer.nbytes
        v.buffer = DeviceBuffer(v.ptr, nbytes, self.device, owner, None if ours else owner)
        return v

    def contiguous(self, v: Value) -> Value:
        """A C-contiguous copy. Raises MemoryError."""
        if self.hosted:
            copied = copy.on_host(v)
            return self._placed(copied, copied.buffer, ours=True)
        return self.upload(self.download(v))

    def assign(self, target: Value, source: Value) -> None:
        """Copies the elements of a value to the memory of another one, in the host's memory."""
        copy.assign_on_host(target, source)

    def _check(self, what: str, shape: Any, numpy_dtype: Any, wanted: Any, dtype: DType) -> None:
        if (wanted is not None and shape != wanted) or np.dtype(numpy_dtype) != dtype.numpy:
            raise RuntimeError(
                f"the {self.backend.name} backend's {what} gave {numpy_dtype}{list(shape)} "
                f"where {dtype.name}{list(wanted or ())} was recorded"
            )

    # -- Operations ------------------------------------------------------------------------------

    def execute(
        self, op: Any, args: list, attrs: Any, dyn: tuple, shape: Any, dtype: DType
    ) -> Value:
        """Runs one operation on handles and scalars."""
        if self.hosted and op.kind == "view":
            target = dyn if op.name == "slice" else shape
            return views.apply(op.name, args[0], attrs, list(target))
        if self.hosted and op.kind == "update":
            return inserted(args[0], args[1], list(dyn))
        if op.kind not in ("view", "creation"):
            statistics.note_unfused(op.name)
        given = [self.array(a) if a.__class__ is Value else a for a in args]
        result = self.backend.execute(op, given, attrs, dyn, shape, dtype)
        return self.adopt(result, shape, dtype)

    def call(self, function: Callable[..., Any], args: list, options: dict[str, Any]) -> Any:
        """A function of NumPy that no operation is: by the backend if it has it, else by NumPy
        where memory is the host's.

        Raises:
            NotOnDevice: the backend does not run it, and its arrays have to be copied for NumPy.
            Exception: what the backend or NumPy raises.
        """
        given = [nested.arguments(a, self.array) for a in args]
        named = {key: nested.arguments(a, self.array) for key, a in options.items()}
        runs = getattr(self.backend, "runs", None)
        if runs is not None and runs(function, given, named):
            found = self.backend.run(function, given, named)  # type: ignore[attr-defined]
            if found is None:
                raise RuntimeError(
                    f"the {self.backend.name} backend's run gave None for {function.__name__}"
                )
            return nested.results(found, self._result)
        if not self.hosted:
            raise NotOnDevice(f"the {self.backend.name} backend has no {function.__name__}")
        given = [nested.arguments(a, memory.to_numpy) for a in args]
        named = {key: nested.arguments(a, memory.to_numpy) for key, a in options.items()}
        with np.errstate(all="ignore"):
            return nested.results(function(*given, **named), self._result)

    def _result(self, item: Any) -> Any:
        """The value of an array of NumPy's or of the backend's; numbers and text as they are."""
        if isinstance(item, (np.ndarray, np.generic)):
            return self.upload(np.asarray(item))
        if isinstance(item, (bool, int, float, complex, str)) or item is None:
            return item
        shape, numpy_dtype = self._described(item, "run")
        return self.adopt(item, shape, dtype_of(numpy_dtype), what="run")


class PlacedKernelStep(KernelStep):
    """A kernel of the CPU whose results are values of a decorated backend's device."""

    __slots__ = ("device",)

    def __init__(self, name: str, handle: int, spec: dict, device: Device, *about: Any):
        super().__init__(name, handle, spec, *about)
        self.device = device

    def run(self, env: Env) -> None:
        super().run(env)
        for r in self.results:
            if r.takes_over < 0:
                v = env[r.slot]
                v.buffer = DeviceBuffer(v.ptr, v.buffer.nbytes, self.device, v.buffer)
