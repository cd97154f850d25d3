# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reading values, bringing data in, waiting: what the array front end asks of the engine."""

from __future__ import annotations

import numpy as np

from .ir.value import Value
from .runtime.cpu import runtime
from .runtime.statistics import statistics
from .stream import engine
from .stream.stream import current, made


def realize(value: Value) -> Value:
    """Runs what the value waits for. Raises the `ExecutionError` that a failure left in it."""
    stream = value.stream
    if stream is not None:
        engine.flush(stream)
    if value.error is not None:
        raise value.error.with_traceback(None)  # each reader has a traceback of its own
    return value


def read(value: Value) -> np.ndarray:
    """A read-only array over the value's memory, without a copy.

    Raises:
        ExecutionError: the work that was to write the value failed.
    """
    return runtime.download(realize(value))


def from_numpy(array: np.ndarray, copy: bool = True) -> Value:
    """A concrete value with the elements of a NumPy array; see `runtime.memory.from_numpy`."""
    value = runtime.upload(array, copy)
    if array.nbytes > 4096:
        made(array.nbytes)
    return value


def note_unfused(name: str) -> None:
    """Counts an operation that the backend ran at once."""
    statistics.note_unfused(name)


def sync() -> None:
    """Runs what this thread's stream holds.

    Raises:
        ExecutionError: one of the operations failed; its values keep the error.
    """
    failure = engine.flush(current())
    if failure is not None:
        raise failure.with_traceback(None)
