# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One immutable value: the result of a queued operation, or data in a buffer."""

from __future__ import annotations

from typing import Any

from ..errors import ExecutionError
from ..native import Value, concrete, contiguous_strides
from .device import CPU, Device

__all__ = [
    "Value",
    "concrete",
    "contiguous_strides",
    "device_of",
    "fail",
    "is_contiguous",
    "site_text",
]


def device_of(v: Value) -> Device:
    """Where the value lives or will live."""
    stream = v.stream
    if stream is not None:
        return stream.device
    buffer = v.buffer
    return CPU if buffer is None else buffer.device


def fail(v: Value, error: ExecutionError) -> None:
    """Makes a value a failed one; it stays on its device."""
    device = device_of(v)
    v.buffer = None if device is CPU else device
    v.error = error
    v.stream = None


def is_contiguous(shape: tuple[int, ...], strides: tuple[int, ...]) -> bool:
    """Whether elements lie in row-major order without gaps (extents of 0 and 1 do not matter)."""
    if 0 in shape:
        return True
    step = 1
    for extent, stride in zip(reversed(shape), reversed(strides), strict=True):
        if extent != 1:
            if stride != step:
                return False
            step *= extent
    return True


def site_text(site: Any) -> str | None:
    """`"file:line"` of a recorded call site `(code object, instruction offset)`."""
    if site is None:
        return None
    code, offset = site
    line = code.co_firstlineno
    for start, end, number in code.co_lines():
        if start <= offset < end and number is not None:
            line = number
            break
    return f"{code.co_filename}:{line}"
