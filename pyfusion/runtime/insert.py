# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inserting a slice at launch: in place where nobody needs the old version, else into a copy."""

from __future__ import annotations

from typing import Any

from ..ir.value import Value, concrete, reach, strides_of
from . import views
from .copy import assign, contiguous

Env = list[Any]


class InsertStep:
    """A tensor with other elements in a slice.

    Attributes:
        value: the slot of what is inserted; -1: the kernel that makes it comes next and writes it
            to the slot `region`.
        base, target: slots of the old and of the new version.
        region: the slot of the slice of the new version, or -1.
        takes_over: nothing else reads the old version, so its memory becomes the new one's.
        readers: slots that the kernel reads and that may show memory of the base, each with whether
            it reads them by strides. What it writes at another index than it reads is copied.
    """

    __slots__ = ("value", "base", "target", "region", "dyn", "takes_over", "readers")

    def __init__(
        self,
        value: int,
        base: int,
        target: int,
        region: int,
        dyn: list[Any],
        takes_over: bool,
        readers: list[tuple[int, bool]],
    ):
        self.value = value
        self.base = base
        self.target = target
        self.region = region
        self.dyn = dyn  # ints, or one-element lists holding an environment slot
        self.takes_over = takes_over
        self.readers = readers

    def describe(self) -> str:
        return "insert_slice"

    def overwrites(self, count: int) -> bool:
        return self.takes_over and self.base < count

    def reads(self) -> list[int]:
        return [
            self.base,
            *[slot for slot, _ in self.readers],
            *([self.value] if self.value >= 0 else []),
        ]

    def run(self, env: Env) -> None:
        base = env[self.base]
        dyn = [d if d.__class__ is int else env[d[0]] for d in self.dyn]
        in_place = self.takes_over and base.buffer.owner is None and base.strides is None
        if in_place:
            target = concrete(base.dtype, base.shape, base.buffer, base.ptr, None)
        else:
            target = contiguous(base)
        region = views.apply("slice", target, None, dyn)
        if self.value < 0:
            env[self.region] = region
            if in_place:
                for slot, strided in self.readers:
                    v = env[slot]
                    if _overlaps(v, region) and not (strided and _is_same(v, region)):
                        env[slot] = contiguous(v)
        else:
            v = env[self.value]
            if 0 not in region.shape:
                assign(region, contiguous(v) if in_place and _overlaps(v, region) else v)
        env[self.target] = target


def inserted(value: Value, base: Value, dyn: list[int]) -> Value:
    """A copy of the base with a value in a slice: offsets, sizes, steps."""
    target = contiguous(base)
    region = views.apply("slice", target, None, dyn)
    if 0 not in region.shape:
        assign(region, value)
    return target


def _is_same(v: Value, region: Value) -> bool:
    """Whether a kernel that reads one and writes the other meets each element at one index."""
    return v.ptr == region.ptr and v.shape == region.shape and v.strides == region.strides


def _overlaps(v: Value, region: Value) -> bool:
    """Whether what two values of one type span in memory has a byte in common."""
    low, high = _span(v)
    other_low, other_high = _span(region)
    return low < other_high and other_low < high


def _span(v: Value) -> tuple[int, int]:
    """The addresses of the first byte and of the one after the last."""
    if 0 in v.shape:
        return 0, 0
    item = v.dtype.itemsize
    first, last = reach(v.shape, strides_of(v))
    return v.ptr + item * first, v.ptr + item * (last + 1)
