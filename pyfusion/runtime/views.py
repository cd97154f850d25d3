# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Views at launch: arithmetic on shape and strides; a reshape copies where it must."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from ..ir.table import OPS
from ..ir.value import Value, concrete, is_contiguous, strides_of
from .copy import contiguous

Env = list[Any]


class ViewStep:
    """Another shape and strides over the same memory."""

    __slots__ = ("op", "source", "target", "attrs", "dyn")

    def __init__(self, op: str, source: int, target: int, attrs: Any, dyn: list[Any]):
        self.op = op
        self.source = source
        self.target = target
        self.attrs = attrs
        self.dyn = dyn  # ints, or one-element lists holding an environment slot

    def describe(self) -> str:
        return self.op

    def overwrites(self, count: int) -> bool:
        return False

    def reads(self) -> list[int]:
        return [self.source]

    def run(self, env: Env) -> None:
        v = env[self.source]
        dyn = [d if d.__class__ is int else env[d[0]] for d in self.dyn]
        env[self.target] = _VIEWS[self.op](v, self.attrs, dyn)


def apply(name: str, v: Value, attrs: Any, dyn: list) -> Value:
    """A view operation on a concrete value; `dyn` are a slice's bounds, else the shape."""
    return _VIEWS[name](v, attrs, dyn)


def _strided(v: Value, shape: tuple, strides: tuple, ptr: int | None = None) -> Value:
    return concrete(
        v.dtype,
        shape,
        v.buffer,
        v.ptr if ptr is None else ptr,
        None if is_contiguous(shape, strides) else strides,
    )


def _transpose(v: Value, perm: tuple, dyn: list) -> Value:
    strides = strides_of(v)
    return _strided(v, tuple([v.shape[p] for p in perm]), tuple([strides[p] for p in perm]))


def _expand_dims(v: Value, axes: tuple, dyn: list) -> Value:
    shape, strides = list(v.shape), list(strides_of(v))
    for axis in axes:
        shape.insert(axis, 1)
        strides.insert(axis, 0)
    return _strided(v, tuple(shape), tuple(strides))


def _squeeze(v: Value, axes: tuple, dyn: list) -> Value:
    kept = [d for d in range(len(v.shape)) if d not in axes]
    strides = strides_of(v)
    return _strided(v, tuple([v.shape[d] for d in kept]), tuple([strides[d] for d in kept]))


def _flip(v: Value, axes: tuple, dyn: list) -> Value:
    strides = list(strides_of(v))
    offset = 0
    for axis in axes:
        offset += max(v.shape[axis] - 1, 0) * strides[axis]
        strides[axis] = -strides[axis]
    return _strided(v, v.shape, tuple(strides), v.ptr + offset * v.dtype.itemsize)


def _slice(v: Value, attrs: Any, dyn: list) -> Value:
    rank = len(v.shape)
    strides = strides_of(v)
    sizes = tuple(dyn[rank : 2 * rank])
    offset = 0
    if 0 not in sizes:  # an empty slice may start past the end
        for start, stride in zip(dyn, strides, strict=False):
            offset += start * stride
    new = tuple([step * stride for step, stride in zip(dyn[2 * rank :], strides, strict=True)])
    return _strided(v, sizes, new, v.ptr + offset * v.dtype.itemsize)


def _broadcast(v: Value, attrs: Any, dyn: list) -> Value:
    lead = len(dyn) - len(v.shape)
    strides = [0] * lead
    for extent, stride, target in zip(v.shape, strides_of(v), dyn[lead:], strict=True):
        strides.append(0 if extent == 1 and target != 1 else stride)
    return _strided(v, tuple(dyn), tuple(strides))


def _reshape(v: Value, attrs: Any, dyn: list) -> Value:
    shape = tuple(dyn)
    if v.strides is None:
        return concrete(v.dtype, shape, v.buffer, v.ptr, None)
    strides = reshaped_strides(v, shape)
    if strides is not None:
        return _strided(v, shape, strides)
    copied = contiguous(v)
    return concrete(v.dtype, shape, copied.buffer, copied.ptr, None)


def reshaped_strides(v: Value, shape: tuple[int, ...]) -> tuple[int, ...] | None:
    """Strides of a reshape that needs no copy, else None. NumPy knows; no memory is read."""
    item = v.dtype.itemsize
    base = np.empty(1, f"V{item}")
    strides = [s * item for s in strides_of(v)]
    try:
        view = as_strided(base, v.shape, strides).reshape(shape, copy=False)
    except ValueError:
        return None
    return tuple([s // item for s in view.strides])


_VIEWS = {name: globals()[f"_{name}"] for name, op in OPS.items() if op.kind == "view"}
