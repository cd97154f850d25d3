# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One immutable value: the result of a queued operation, or data in a buffer."""

from __future__ import annotations

from math import prod
from typing import Any

from ..errors import ExecutionError
from ..native import Value, concrete, contiguous_strides
from .device import CPU, Device

__all__ = [
    "Value",
    "bytes_of",
    "concrete",
    "contiguous_strides",
    "device_of",
    "fail",
    "is_contiguous",
    "ones_mask",
    "reach",
    "site_text",
    "strides_of",
    "take",
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


class _Masks(dict[tuple[int, ...], tuple[bool, ...]]):
    """By shape; what was asked before is kept, up to a limit."""

    def __missing__(self, shape: tuple[int, ...]) -> tuple[bool, ...]:
        if len(self) >= 4096:
            self.clear()
        found = self[shape] = tuple([d == 1 for d in shape])
        return found


_masks = _Masks()


def ones_mask(shape: tuple[int, ...]) -> tuple[bool, ...]:
    """Which extents are 1: all that plan keys hold of a shape."""
    return _masks[shape]


def take(v: Value, result: Value) -> None:
    """Gives a pending value the memory of a concrete one."""
    v.buffer = result.buffer
    v.ptr = result.ptr
    v.strides = result.strides
    v.desc = result.desc
    v.error = None
    v.stream = None


def bytes_of(shape: tuple[int, ...], dtype: Any) -> int:
    """The size in bytes of dense data."""
    return prod(shape) * dtype.itemsize


def strides_of(v: Value) -> tuple[int, ...]:
    """The strides of a concrete value in elements, dense ones too."""
    return contiguous_strides(v.shape) if v.strides is None else v.strides


def reach(shape: tuple[int, ...], strides: tuple[int, ...]) -> tuple[int, int]:
    """How far the first and the last element in memory are from element 0, in what strides count:
    `(-6, 0)` for `x[::-1]` of 7 elements."""
    if 0 in shape:
        return 0, 0
    spans = [(n - 1) * s for n, s in zip(shape, strides, strict=True)]
    return sum([s for s in spans if s < 0]), sum([s for s in spans if s > 0])


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
