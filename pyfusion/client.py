# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reading values, bringing data in, waiting: what the array front end asks of the engine."""

from __future__ import annotations

from typing import Any

import numpy as np

from .errors import ExecutionError
from .ir.device import CPU, Device
from .ir.value import Value, device_of
from .runtime import devices
from .runtime.cpu import runtime
from .runtime.memory import from_numpy as load
from .runtime.statistics import statistics
from .stream import engine
from .stream.stream import made, own


def realize(value: Value) -> Value:
    """Runs what the value waits for. Raises the `ExecutionError` that a failure left in it."""
    stream = value.stream
    if stream is not None:
        engine.flush(stream)
    if value.error is not None:
        raise value.error.with_traceback(None)  # each reader has a traceback of its own
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
    with engine.lock():
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
    with engine.lock():
        return saved.read(file)


def note_unfused(name: str) -> None:
    """Counts an operation that the backend ran at once."""
    statistics.note_unfused(name)


def sync() -> None:
    """Runs what this thread's streams hold, and waits for the GPUs that are in use.

    Raises:
        ExecutionError: the first of the operations that failed; its values keep the error.
    """
    failure: ExecutionError | None = None
    for stream in own():
        found = engine.flush(stream)
        failure = failure or found
    for device in devices.used():
        try:
            device.runtime.synchronize()
        except Exception as error:
            found = ExecutionError(f"{device}: {type(error).__name__}: {error}")
            found.__cause__ = error
            failure = failure or found
    if failure is not None:
        raise failure.with_traceback(None)
