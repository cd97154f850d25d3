# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Steps: what a compiled block does, one after the other, at launch.

The environment is a list: the block's leaves, scalars and bounds, then a slot for each result.
Tensors in it are concrete `Value`s. A view is arithmetic on shape and strides, a kernel one native
call, anything else a call of the backend.
"""

from __future__ import annotations

import ctypes
import struct
from math import prod
from typing import Any

import numpy as np

from ..dtypes import DType
from ..errors import ExecutionError
from ..ir.value import Value, concrete, contiguous_strides, is_contiguous
from . import backend_step
from .library import pf_launch
from .memory import Buffer, adopt, allocate, to_numpy

Env = list[Any]

# Roles of kernel operands, shared with the native launcher.
IN_DENSE, IN_STRIDED, OUT, INOUT, UNIFORM, SCALAR = range(6)


def strides_of(v: Value) -> tuple[int, ...]:
    return contiguous_strides(v.shape) if v.strides is None else v.strides


class ViewStep:
    """Another shape and strides over the same memory."""

    __slots__ = ("op", "source", "target", "attrs", "dyn")

    def __init__(self, op: str, source: int, target: int, attrs: Any, dyn: list[Any]):
        self.op = op
        self.source = source
        self.target = target
        self.attrs = attrs
        self.dyn = dyn  # ints, or one-element lists holding an environment slot

    def reads(self) -> list[int]:
        return [self.source]

    def run(self, env: Env) -> None:
        v = env[self.source]
        dyn = [d if d.__class__ is int else env[d[0]] for d in self.dyn]
        env[self.target] = _VIEWS[self.op](v, self.attrs, dyn)


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
    view = to_numpy(v).reshape(shape)  # NumPy knows which strided arrays can be viewed
    if view.base is not None and view.size and _shares(view, v):
        item = v.dtype.itemsize
        ptr = view.__array_interface__["data"][0]
        return _strided(v, shape, tuple([s // item for s in view.strides]), ptr)
    return adopt(view, v.dtype)


def _shares(view: Any, v: Value) -> bool:
    ptr = view.__array_interface__["data"][0]
    start = v.buffer.ptr
    return start <= ptr < start + max(v.buffer.nbytes, 1)


_VIEWS = {
    "transpose": _transpose,
    "expand_dims": _expand_dims,
    "squeeze": _squeeze,
    "flip": _flip,
    "slice": _slice,
    "broadcast": _broadcast,
    "reshape": _reshape,
}


class ConstantStep:
    """Data that stood in the IR."""

    __slots__ = ("target", "value")

    def __init__(self, target: int, value: Value):
        self.target = target
        self.value = value

    def reads(self) -> list[int]:
        return []

    def run(self, env: Env) -> None:
        env[self.target] = self.value


class BackendStep:
    """An operation that the backend runs; `number` is its place in the block."""

    __slots__ = ("op", "args", "attrs", "dyn", "dtype", "number", "target", "shape")

    def __init__(self, op: Any, args: list, attrs: Any, dyn: list, dtype: DType, number: int):
        self.op = op
        self.args = args  # environment slots
        self.attrs = attrs
        self.dyn = dyn  # environment slots
        self.dtype = dtype
        self.number = number
        self.target = -1
        self.shape: tuple[int, ...] | None = None

    def reads(self) -> list[int]:
        return self.args

    def run(self, env: Env) -> None:
        args = []
        for slot in self.args:
            a = env[slot]
            args.append(to_numpy(a) if a.__class__ is Value else a)
        dyn = tuple([env[slot] for slot in self.dyn])
        env[self.target] = backend_step.execute(
            self.op, args, self.attrs, dyn, self.shape, self.dtype
        )


class Operand:
    """How a kernel's operand gets its words: role, environment slot and, where strided, for each
    dimension of the launch the dimension of the value (-1: broadcast)."""

    __slots__ = ("role", "slot", "dims", "itemsize", "code")

    def __init__(self, role: int, slot: int, itemsize: int, dims: Any = None, code: str = "q"):
        self.role = role
        self.slot = slot
        self.dims = dims
        self.itemsize = itemsize
        self.code = code  # struct format of a scalar's word


class Result:
    """A kernel's result: where it goes, its type, and where its extents come from."""

    __slots__ = ("slot", "dtype", "extents", "takes_over", "word")

    def __init__(self, slot: int, dtype: DType, extents: list, takes_over: int):
        self.slot = slot
        self.dtype = dtype
        self.extents = extents
        self.takes_over = takes_over  # environment slot of the value that it overwrites, or -1
        self.word = -1


class KernelStep:
    """One launch of a compiled kernel."""

    __slots__ = (
        "name",
        "handle",
        "extents",
        "operands",
        "results",
        "flat",
        "struct",
        "words",
        "address",
        "ops",
    )

    def __init__(
        self,
        name: str,
        handle: int,
        extents: list,
        operands: list[Operand],
        results: list[Result],
        flat: bool,
        ops: list[str],
    ):
        self.name = name
        self.handle = handle
        self.extents = extents  # an int, or (slot, dim); dim None: the slot holds the extent
        self.operands = operands
        self.results = results
        self.flat = flat  # all operands dense: one dimension, the number of elements
        self.ops = ops
        rank = 1 if flat else len(extents)
        layout = "=" + "q" * rank
        outs = iter([r for r in results if r.takes_over < 0])
        count = rank
        for o in operands:
            if o.role == IN_STRIDED:
                layout += "q" * (1 + len(o.dims))
                count += 1 + len(o.dims)
            else:
                if o.role == OUT:
                    next(outs).word = count
                layout += o.code
                count += 1
        self.struct = struct.Struct(layout)
        self.words = (ctypes.c_int64 * count)()
        self.address = ctypes.addressof(self.words)

    def reads(self) -> list[int]:
        return [o.slot for o in self.operands if o.role != OUT]

    def traffic(self, env: Env) -> int:
        """Bytes of the distinct operands and results of the launch that has just run."""
        seen: dict[int, int] = {}
        for o in self.operands:
            v = env[o.slot]
            if o.role != SCALAR:
                seen[v.ptr] = max(seen.get(v.ptr, 0), prod(v.shape) * o.itemsize)
        return sum(seen.values())

    def shape(self, env: Env, extents: list) -> tuple[int, ...]:
        found = []
        for e in extents:
            if e.__class__ is int:
                found.append(e)
            else:
                slot, dim = e
                found.append(env[slot] if dim is None else env[slot].shape[dim])
        return tuple(found)

    def run(self, env: Env) -> None:
        extents = self.shape(env, self.extents)
        words: list[Any] = [prod(extents)] if self.flat else [*extents]
        append = words.append
        for o in self.operands:
            role = o.role
            if role == SCALAR:
                append(env[o.slot])
            elif role == OUT:
                append(0)
            elif role == IN_STRIDED:
                v = env[o.slot]
                append(v.ptr)
                strides = v.strides
                if strides is None:
                    strides = contiguous_strides(v.shape)
                for d in o.dims:
                    append(0 if d < 0 else strides[d])
            else:
                append(env[o.slot].ptr)
        try:
            self.struct.pack_into(self.words, 0, *words)
        except OverflowError:  # a Python float beyond float32 is infinite there
            self.struct.pack_into(self.words, 0, *[_to_float32(w) for w in words])
        rc = pf_launch(self.handle, self.address)
        if rc:
            _raise(self.name, rc, extents)
        for r in self.results:
            shape = extents if r.extents is self.extents else self.shape(env, r.extents)
            if r.takes_over >= 0:
                old = env[r.takes_over]
                env[r.slot] = concrete(r.dtype, shape, old.buffer, old.ptr, None)
            else:
                nbytes = prod(shape) * r.dtype.itemsize
                ptr = self.words[r.word]
                buffer = Buffer(ptr, nbytes) if ptr else allocate(nbytes)
                env[r.slot] = concrete(r.dtype, shape, buffer, buffer.ptr, None)


def _to_float32(word: Any) -> Any:
    if word.__class__ is float and abs(word) > 3.4e38:
        with np.errstate(over="ignore"):
            return float(np.float32(word))
    return word


def _raise(name: str, rc: int, extents: tuple[int, ...]) -> None:
    if rc == -1:
        raise MemoryError(f"no memory for the results of kernel {name} over {list(extents)}")
    raise ExecutionError(f"kernel {name} over {list(extents)}: launch failed with code {rc}")
