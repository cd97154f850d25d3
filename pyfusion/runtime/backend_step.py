# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations run by the inner backend."""

from __future__ import annotations

import functools
from typing import Any

from ..backends.protocols import FusionBackend
from ..ir.device import CPU
from ..ir.value import Value, take
from .memory import host_order, placed, to_numpy
from .statistics import statistics


@functools.cache
def backend() -> FusionBackend:
    """The backend whose operations are deferred."""
    from ..backends.numpy_backend import NumpyBackend

    return NumpyBackend()


def execute(op: Any, args: list, attrs: Any, dyn: tuple, shape: tuple | None, dtype: Any) -> Value:
    """Runs one operation on arrays and scalars; the result is a concrete value."""
    if op.kind != "view" and op.kind != "creation":
        statistics.note_unfused(op.name)
    result = backend().execute(op, args, attrs, dyn, shape, dtype)
    array = host_order(result)
    if (shape is not None and array.shape != shape) or array.dtype != dtype.numpy:
        raise RuntimeError(
            f"the backend's {op.name} gave {array.dtype}{list(array.shape)} "
            f"where {dtype.name}{list(shape or ())} was recorded"
        )
    return placed(array, dtype)


def run_value(v: Value) -> None:
    """Runs a pending value's operation; its operands are concrete."""
    op, args, attrs, dyn, _ = v.record
    device = v.stream.device
    if device is not CPU:
        for a in args:
            if isinstance(a, Value) and a.error is not None:
                raise a.error.again()
        take(v, device.runtime.execute(op, list(args), attrs, dyn, v.shape, v.dtype))
        return
    arrays = []
    for a in args:
        if isinstance(a, Value):
            if a.error is not None:
                raise a.error.again()
            arrays.append(to_numpy(a))
        else:
            arrays.append(a)
    take(v, execute(op, arrays, attrs, dyn, v.shape, v.dtype))
