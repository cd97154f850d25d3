# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reading values, bringing data in, waiting: what the array front end asks of the engine.

`get_client(device)` gives the same, and recording, as an object for code below the arrays.

**Order and locks.** There is no server thread: what runs, runs on the thread that asks, under one
lock that all threads, streams and devices share. It guards plans, compiling and launching.
Recording takes no lock. A thread that holds the lock because it runs a block, or an ordered
function, must not read what is pending, nor flush, nor record with what is pending on another
stream: that raises a RuntimeError, where it would else wait for itself or disturb the block. Values
that exist can be read. Nor may it wait for another thread that reads: nothing finds that out. A
fork waits for the lock, so that a child never has half of a block.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from . import errors
from .errors import ExecutionError
from .ir.device import CPU, Device
from .ir.value import Value, device_of
from .runtime import devices
from .runtime.cpu import runtime
from .runtime.memory import from_numpy as load
from .runtime.statistics import statistics
from .stream import engine, locks
from .stream.bounds import made
from .stream.check import checked
from .stream.stream import current, own, record


def realize(value: Value) -> Value:
    """Runs what the value waits for. Raises the `ExecutionError` that a failure left in it."""
    stream = value.stream
    if stream is not None:
        engine.flush(stream)
    if value.error is not None:
        raise value.error.again()
    return value


def read(value: Value) -> np.ndarray:
    """A read-only array over the value's memory, without a copy; of a GPU's, with a copy of it.

    Raises:
        ExecutionError: the work that was to write the value failed.
    """
    device = realize(value).buffer.device
    return (runtime if device is CPU else device.runtime).download(value)


def from_numpy(array: np.ndarray, copy: bool = True, device: Device = CPU) -> Value:
    """A concrete value with the elements of a NumPy array; see `runtime.memory.from_numpy`."""
    value = load(array, copy) if device is CPU else device.runtime.upload(array)
    if array.nbytes > 4096:
        made(array.nbytes, device)
    return value


def transfer(value: Value, device: Device) -> Value:
    """A concrete value with the same elements on another device; runs what it waits for.

    Raises:
        ExecutionError: the work that was to write the value failed.
    """
    if device_of(value) is device:
        return value
    return from_numpy(read(value), device=device)


def save_plans(path: Any) -> int:
    """Writes the plans of the blocks compiled so far to a file, for `load_plans`.

    Those that were compiled while `pyfusion.config.keep_plans` was set, and those that were loaded,
    used or not.

    Args:
        path: of the file, a str, bytes or os.PathLike; it is replaced as a whole, or not at all.

    Returns:
        The number of plans written.

    Raises:
        TypeError: `path` is no path.
        OSError: the file cannot be written.
    """
    from .compile import saved

    file = saved.path_of(path, "save_plans")
    with locks.lock:
        return saved.write(file, engine.compiled_blocks())


def load_plans(path: Any) -> int:
    """Reads plans that `save_plans` wrote: blocks that they fit are not compiled again.

    They fit blocks of the same operations, types and layouts, whatever the extents, on the CPU or
    on GPUs of the chip that they were compiled for. The file holds code that is run: load only
    what you trust.

    Args:
        path: of the file, a str, bytes or os.PathLike.

    Returns:
        The number of plans read.

    Raises:
        TypeError: `path` is no path.
        ValueError: the file holds no plans, is damaged, or was written by another version of the
            package or with other native libraries.
        OSError: it cannot be read.
    """
    from .compile import saved

    file = saved.path_of(path, "load_plans")
    with locks.lock:
        return saved.read(file)


def note_unfused(name: str) -> None:
    """Counts an operation that the backend ran at once."""
    statistics.note_unfused(name)


def flush() -> None:
    """Runs what this thread's streams hold, or those of the scope it is in, without waiting for
    GPUs.

    What fails is raised where its result is read. With the flag `strict` a block that does not
    compile raises here too.

    Raises:
        RuntimeError: inside of a flush, an ordered function, `lower` or `explain`.
    """
    for stream in own():
        engine.flush(stream)


def sync(device: str | Device | None = None) -> None:
    """Runs what this thread's streams hold, and waits for the GPUs that are in use.

    Args:
        device: the one to run for and to wait for; None for all of them.

    Raises:
        ExecutionError: the first of the operations that failed; its values keep the error.
        DeviceError: no such device.
        TypeError: `device` is no name.
        RuntimeError: inside of a flush, an ordered function, `lower` or `explain`.
    """
    only = None if device is None else _device("sync", device)
    failure: ExecutionError | None = None
    for stream in own():
        if only is None or stream.device is only:
            found = engine.flush(stream)
            failure = failure or found
    for used in devices.used():
        if only is not None and used is not only:
            continue
        try:
            used.runtime.synchronize()
        except Exception as error:
            failure = failure or errors.failure(f"{used}", error)
    if failure is not None:
        raise failure.again()


def _device(name: str, given: Any) -> Device:
    if isinstance(given, Device):
        return given
    if isinstance(given, str):
        return devices.find(given)
    raise TypeError(
        f"{name} takes a device by its name, such as 'cpu' or 'cuda:0', not {type(given).__name__}"
    )


def _value(name: str, given: Any) -> Value:
    if isinstance(given, Value):
        return given
    raise TypeError(
        f"{name} takes a Value, as create and register give it, not {type(given).__name__}"
    )


def _function(name: str, given: Any) -> Any:
    if callable(given):
        return given
    raise TypeError(f"{name} takes a function without arguments, not {type(given).__name__}")


class Client:
    """The engine as seen from one device: records operations, reads and moves values.

    Clients of one device are equal. They work on `Value`s, which an array wraps, and check nothing
    that the array functions check; they can be used by any thread, each on its own streams.

    Attributes:
        device: the `Device`.
    """

    __slots__ = ("device",)

    def __init__(self, device: Device):
        self.device = device

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Client) and other.device is self.device

    def __hash__(self) -> int:
        return hash(self.device)

    def __repr__(self) -> str:
        return f"<client of {self.device}>"

    def register(
        self,
        op: Any,
        args: tuple,
        shape: tuple[int, ...],
        dtype: Any,
        attrs: Any = None,
        dyn: tuple[int, ...] = (),
    ) -> Value:
        """Records an operation on this thread's stream for the device; nothing is run.

        What each argument is and how many operands there are is checked, and nothing else: not the
        operands' element types, not that they broadcast, nor that the operation gives this shape
        and type. Compiled code takes all of it for granted, and reads and writes memory by it: what
        is wrong gives wrong values, or ends the process. The functions of `pyfusion` check it.

        Args:
            op: an `OpInfo` of `ir.table.OPS`, or one that `ir.table.custom_op` made.
            args: the operands, each a `Value` or a Python scalar of the operand's kind.
            shape, dtype: of the result, as the operation will give it.
            attrs: static structure, hashable; part of the plan's key. Of an opaque operation pairs
                of names and values.
            dyn: bounds and extents.

        Raises:
            TypeError: an argument is of another kind, or there are too many operands or too few.
            ValueError: a negative extent, one beyond 64 bits, or more than 64 of them.
            DeviceError: an operand is on another device.
        """
        given = checked(op, args, shape, dtype, attrs, dyn)
        return record(op, *given, 2, self.device)

    def create(self, array: np.ndarray, copy: bool = True) -> Value:
        """A value on the device with a NumPy array's elements; see `from_numpy`.

        Raises:
            TypeError: `array` is none of NumPy's, its elements are of a type that there is not, or
                `copy` is no bool.
            ValueError: `copy=False` for memory that cannot be used in place.
        """
        if not isinstance(array, (np.ndarray, np.generic)):
            raise TypeError(
                f"create takes a NumPy array, not {type(array).__name__}: numpy.asarray makes one"
            )
        if not isinstance(copy, bool):
            raise TypeError(f"create: copy is a bool, not {copy!r:.100}")
        return from_numpy(array, copy, self.device)

    def read(self, value: Value) -> np.ndarray:
        """The value's elements, read-only; runs what it waits for.

        Raises:
            ExecutionError: the work that was to write it failed.
            RuntimeError: it is pending, and this is inside of a flush or an ordered function.
            TypeError: it is no Value.
        """
        return read(_value("read", value))

    def move(self, value: Value, device: str | Device) -> Value:
        """The value on another device; see `transfer`. DeviceError: no such device."""
        return transfer(_value("move", value), _device("move", device))

    def flush(self) -> None:
        """Runs what this thread's stream for the device holds; raises no failure of it.

        Raises:
            RuntimeError: inside of a flush, an ordered function, `lower` or `explain`.
        """
        engine.flush(current(self.device))

    def sync(self, function: Callable[[], Any] | None = None) -> Any:
        """Runs what the stream holds, then a function as `run` does, and waits for the device.

        Returns:
            What the function returned.

        Raises:
            ExecutionError: the first of the operations that failed.
            Exception: what the function raises.
            RuntimeError: as `flush`.
        """
        if function is None:
            return sync(self.device)
        _function("sync", function)
        sync(self.device)
        result = locks.run_ordered(function)
        sync(self.device)
        return result

    def run(self, function: Callable[[], Any]) -> Any:
        """Runs a function now, while no thread compiles or launches; flushes nothing first.

        It may read values that exist, and record. It must not read what is pending, use a value
        that is pending on another stream, flush, or wait for another thread that does.

        Returns:
            What the function returned.

        Raises:
            RuntimeError: inside of a flush or another ordered function.
            Exception: what the function raises.
        """
        return locks.run_ordered(_function("run", function))


def get_client(device: str | Device = CPU) -> Client:
    """The client of a device: "cpu", "cuda:0". DeviceError: no such device; TypeError: no name."""
    return Client(_device("get_client", device))
