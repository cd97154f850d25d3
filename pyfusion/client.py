# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reading values, bringing data in, waiting: what the array front end asks of the engine.

`get_client(device)` gives the same, and recording, as an object for code below the arrays.

**Order and locks.** There is no server thread: what runs, runs on the thread that asks, under one
lock that all threads, streams and devices share. It guards plans, compiling and launching.
Recording takes no lock. A thread that holds the lock because it runs a block, or an ordered
function, must not read what is pending, nor flush: that raises a RuntimeError, where it would else
wait for itself or disturb the block. Values that exist can be read. Nor may it wait for another
thread that reads: nothing finds that out. A fork waits for the lock, so that a child never has half
of a block.
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
        RuntimeError: inside of a flush, an ordered function, `lower` or `explain`.
    """
    only = devices.find(device) if isinstance(device, str) else device
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

        Nothing else than the devices is checked: not how many operands there are nor their types,
        not that they broadcast, nor that the operation gives this shape and type. Compiled code
        takes all of it for granted, and reads and writes memory by it: what is wrong gives wrong
        values, or ends the process. The functions of `pyfusion` check it.

        Args:
            op: an `OpInfo` of `ir.table.OPS`, or one that `ir.table.custom_op` made.
            args: the operands, each a `Value` or a Python scalar of the operand's kind.
            shape, dtype: of the result, as the operation will give it.
            attrs: static structure, hashable; part of the plan's key.
            dyn: bounds and extents.

        Raises:
            DeviceError: an operand is on another device.
        """
        return record(op, args, attrs, dyn, shape, dtype, 2, self.device)

    def create(self, array: np.ndarray, copy: bool = True) -> Value:
        """A value on the device with a NumPy array's elements; see `from_numpy`."""
        return from_numpy(array, copy, self.device)

    def read(self, value: Value) -> np.ndarray:
        """The value's elements, read-only; runs what it waits for.

        Raises:
            ExecutionError: the work that was to write it failed.
            RuntimeError: it is pending, and this is inside of a flush or an ordered function.
        """
        return read(value)

    def move(self, value: Value, device: str | Device) -> Value:
        """The value on another device; see `transfer`. DeviceError: no such device."""
        return transfer(value, devices.find(device) if isinstance(device, str) else device)

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
        sync(self.device)
        if function is None:
            return None
        result = locks.run_ordered(function)
        sync(self.device)
        return result

    def run(self, function: Callable[[], Any]) -> Any:
        """Runs a function now, while no thread compiles or launches; flushes nothing first.

        It may read values that exist, and record. It must not read what is pending, flush, or wait
        for another thread that does.

        Returns:
            What the function returned.

        Raises:
            RuntimeError: inside of a flush or another ordered function.
            Exception: what the function raises.
        """
        return locks.run_ordered(function)


def get_client(device: str | Device = CPU) -> Client:
    """The client of a device: "cpu", "cuda:0". DeviceError: no such device."""
    return Client(devices.find(device) if isinstance(device, str) else device)
