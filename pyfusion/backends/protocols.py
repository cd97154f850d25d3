# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a backend is to the engine: it owns memory and runs operations one at a time."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable


@runtime_checkable
class FusionBackend(Protocol):
    """Runs any operation of the table eagerly; the fallback of everything that is compiled.

    `pyfusion.Fusion(backend)` makes a device of it. Its arrays are any objects; those that it is
    given must not be written to. A backend may have more:

    - `host_memory = True`: its arrays lie in the host's memory, and `from_numpy` and `to_numpy`
      share it instead of copying. Only then are operations compiled, for the CPU; else all that no
      fuser of yours covers is run by `execute`, one operation at a time.
    - `runs(function, args, options)` and `run(function, args, options)`: functions of NumPy beyond
      the table, as `DeviceBackend` has them. What is not run so is run by NumPy on the host.
    - `synchronize()`: waits for what the backend runs in the background.

    A whole one:

        class Lists:
            name = "lists"

            def execute(self, op, args, attrs, dyn, shape, dtype):
                arrays = [a.array if isinstance(a, Box) else a for a in args]
                return Box(NumpyBackend().execute(op, arrays, attrs, dyn, shape, dtype))

            def from_numpy(self, array): return Box(array)
            def to_numpy(self, box): return box.array
            def describe(self, box): return box.array.shape, box.array.dtype

    Attributes:
        name: of the kind of device, "lists" for "lists:0": a lower-case identifier.
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

    def from_numpy(self, array: Any) -> Any:
        """Its array with the elements of a C-contiguous NumPy array, which nobody writes to."""
        ...

    def to_numpy(self, array: Any) -> Any:
        """A NumPy array with the elements of one of its arrays, when they are there."""
        ...

    def describe(self, array: Any) -> tuple[tuple[int, ...], Any]:
        """Shape and NumPy dtype of one of its arrays."""
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

    def assign(self, target: Any, source: Any) -> None:
        """Copies the elements of one array to another one of its shape and type."""
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
class FusionDevice(Protocol):
    """Where values live; one object for each, compared by identity.

    Attributes:
        name: "cpu", "cuda:0", "lists:0".
        kind: the name without the number.
        index: the number.
        target: what kernels are compiled for, empty where nothing is.
    """

    name: str
    kind: str
    index: int
    target: str


@runtime_checkable
class FusionHandle(Protocol):
    """A tensor that exists: memory with a shape and a type.

    Attributes:
        shape: extents.
        dtype: the `DType`.
        buffer: owns the memory, which goes back when the last reference to it goes; it knows its
            `device`, and is the alias count of the handles that share it.
        ptr: address of the first element; 0 where memory has no addresses.
        strides: in elements; None for C-contiguous.
    """

    shape: tuple[int, ...]
    dtype: Any
    buffer: Any
    ptr: int
    strides: tuple[int, ...] | None


@runtime_checkable
class FusionTensor(Protocol):
    """A tensor that may not exist yet: `pyfusion.Array` is what users hold.

    Reading it (`numpy.asarray`, `float`) runs what it waits for, and raises the `ExecutionError`
    that a failure left in it.
    """

    @property
    def shape(self) -> tuple[int, ...]: ...

    @property
    def dtype(self) -> Any: ...

    @property
    def device(self) -> str: ...

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any: ...


@runtime_checkable
class FusionRuntime(Protocol):
    """Memory of a device and the way between it and NumPy.

    A handle is a concrete `Value`, a `FusionHandle`. Its memory goes back with the last reference
    to it; two handles over one buffer are an alias.
    """

    name: str

    def upload(self, array: Any) -> Any:
        """A handle with an array's elements. Raises MemoryError, TypeError, ValueError."""
        ...

    def download(self, handle: Any) -> Any:
        """A read-only NumPy array over a handle's memory, which it keeps alive."""
        ...
