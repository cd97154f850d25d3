# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One immutable value: the result of a queued operation, or data in a buffer."""

from __future__ import annotations

from itertools import count
from math import prod
from typing import Any

from ..errors import ExecutionError
from .device import CPU, Device


class Value:
    """A value that may not exist yet.

    `shape` is a tuple of ints and `dtype` a `DType`, always set. The rest depends on the state:

    - pending: `stream` is the stream that holds it; `record` is the tuple
      `(op, args, attrs, dyn, site)`.
    - concrete: `stream` is None, `error` None; `buffer` owns the memory, `ptr` is the address of
      element 0, `strides` counts elements, None for C-contiguous data; `desc` is the number of its
      layout in plan keys.
    - failed: `stream` is None and `error` an `ExecutionError`.

    Its device is that of the stream that holds it or of the buffer; see `device_of`.

    `slot` is its number inside the block that is being flushed, -1 outside.
    """

    __slots__ = (
        "shape",
        "dtype",
        "stream",
        "record",
        "slot",
        "buffer",
        "ptr",
        "strides",
        "desc",
        "error",
    )

    shape: tuple[int, ...]
    dtype: Any
    stream: Any
    record: Any
    slot: int
    buffer: Any
    ptr: int
    strides: tuple[int, ...] | None
    desc: int
    error: ExecutionError | None


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


_descs: dict[tuple, int] = {}
_numbers = count()


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


def layout_desc(dtype: Any, shape: tuple[int, ...], contiguous: bool) -> int:
    """The number of a layout class: element type, rank, extents of 1, contiguous or not."""
    key = (dtype.code, contiguous, _masks[shape])
    desc = _descs.get(key)
    if desc is None:
        # One number for each, whatever other threads do in between.
        desc = _descs.setdefault(key, next(_numbers))
    return desc


def concrete(
    dtype: Any, shape: tuple[int, ...], buffer: Any, ptr: int, strides: tuple[int, ...] | None
) -> Value:
    """A value over memory that exists; strides count elements, None means C-contiguous."""
    v = Value.__new__(Value)
    v.shape = shape
    v.dtype = dtype
    v.record = v.stream = v.error = None
    v.slot = -1
    v.buffer = buffer
    v.ptr = ptr
    v.strides = strides
    v.desc = layout_desc(dtype, shape, strides is None)
    return v


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


def contiguous_strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Strides in elements of C-contiguous data."""
    strides = []
    step = 1
    for extent in reversed(shape):
        strides.append(step)
        step *= extent
    strides.reverse()
    return tuple(strides)


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
