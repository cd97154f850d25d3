# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a backend is to the engine: it owns memory and runs operations one at a time."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable


@runtime_checkable
class FusionBackend(Protocol):
    """Runs any operation of the table eagerly; the fallback of everything that is compiled.

    `name` is for messages.
    """

    name: str

    def execute(
        self,
        op: Any,
        args: list[Any],
        attrs: Any,
        dyn: tuple[int, ...],
        shape: tuple[int, ...] | None,
        dtype: Any,
    ) -> Any:
        """One operation on arrays and Python scalars.

        Args:
            op: the `OpInfo`.
            args: arrays of the backend (read-only) and scalars, as recorded.
            attrs, dyn: static structure and bounds, as recorded.
            shape: of the result; None where only the operation can tell.
            dtype: the `DType` of the result.

        Returns:
            An array of exactly that shape and type. It may alias an argument.
        """
        ...


@runtime_checkable
class DeviceBackend(Protocol):
    """A library that owns the memory and the streams of GPUs and runs operations on them.

    Its arrays are its own class; `owner` is any object that keeps memory alive. Everything is done
    on the library's current stream of the device, and nothing waits but `download`, `synchronize`.

    `name` is for messages; `kind` is "cuda" or "rocm".
    """

    name: str
    kind: str

    def count(self) -> int:
        """The number of devices. Raises DeviceError where there is no driver."""
        ...

    def current(self) -> int:
        """The number of the library's current device."""
        ...

    def arch(self, index: int) -> str:
        """As the driver describes it: "9.0", the compute capability, or "gfx942:xnack-"."""
        ...

    def stream(self, index: int) -> int:
        """The handle of the device's current stream."""
        ...

    def allocate(self, index: int, nbytes: int) -> tuple[int, Any]:
        """Address and owner of new memory of at least one byte. Raises MemoryError."""
        ...

    def upload(self, index: int, array: Any) -> tuple[int, Any]:
        """Address and owner of memory with a C-contiguous NumPy array's bytes."""
        ...

    def download(self, index: int, ptr: int, nbytes: int) -> Any:
        """The bytes at an address as a new NumPy array of uint8, when the stream gets there."""
        ...

    def array(
        self,
        index: int,
        ptr: int,
        shape: tuple[int, ...],
        dtype: Any,
        strides: tuple[int, ...],
        owner: Any,
    ) -> Any:
        """The library's array over memory; `dtype` is NumPy's, strides count elements.

        Raises TypeError for elements or strides that the library does not have.
        """
        ...

    def memory(self, array: Any) -> tuple[int, tuple[int, ...], Any, tuple[int, ...], int]:
        """Address, shape, NumPy's dtype, strides in elements and device of one of its arrays."""
        ...

    def owns(self, array: Any) -> bool:
        """Whether it is one of the library's arrays."""
        ...

    def contiguous(self, array: Any) -> Any:
        """A new C-contiguous copy."""
        ...

    def imported(self, given: Any, dlpack: bool) -> Any:
        """The library's array over another's memory, by DLPack or `__cuda_array_interface__`."""
        ...

    def exported(self, array: Any, stream: Any, max_version: Any) -> Any:
        """The DLPack capsule of an array, for a consumer that works on that stream."""
        ...

    def runs(self, function: Any, args: list[Any], options: dict[str, Any]) -> bool:
        """Whether the library has NumPy's function of that name, and gives what NumPy gives for
        these arguments, among them its arrays."""
        ...

    def run(self, function: Any, args: list[Any], options: dict[str, Any]) -> Any:
        """What a function gives for arguments that `runs` holds for.

        Raises NotOnDevice where the library itself says that it lacks the case, MemoryError, and
        else what NumPy raises or what the library does.
        """
        ...

    def wait(self, index: int, stream: int) -> None:
        """Makes a stream, given by its handle, wait for what the current stream holds."""
        ...

    def wait_for(self, index: int, stream: int) -> None:
        """Makes the current stream wait for what a stream, given by its handle, holds."""
        ...

    def synchronize(self, index: int) -> None:
        """Waits for the device."""
        ...


class NotOnDevice(Exception):
    """The library of a device does not run an operation as NumPy does: the host has to. Its text is
    the reason."""


@runtime_checkable
class FusionRuntime(Protocol):
    """Memory of a device and the way between it and NumPy.

    A handle is a concrete `Value`: buffer, address, shape, strides. Its memory goes back with the
    last reference to it.
    """

    name: str

    def upload(self, array: Any) -> Any:
        """A handle with an array's elements. Raises MemoryError, TypeError, ValueError."""
        ...

    def download(self, handle: Any) -> Any:
        """A read-only NumPy array over a handle's memory, which it keeps alive."""
        ...
