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

from ..dtypes import DType
from ..errors import ExecutionError
from ..ir.device import CPU
from ..ir.value import Value, concrete, contiguous_strides
from . import backend_step
from .library import IN_STRIDED, INOUT, OUT, OUT_STRIDED, SCALAR, pf_free, pf_launch
from .memory import Buffer, allocate, to_numpy
from .words import BFLOAT16, NARROW, bfloat16_bits, narrowed

Env = list[Any]


class ConstantStep:
    """Data that stood in the IR."""

    __slots__ = ("target", "value")

    def __init__(self, target: int, value: Value):
        self.target = target
        self.value = value

    def reads(self) -> list[int]:
        return []

    def describe(self) -> str:
        return "constant"

    def overwrites(self, count: int) -> bool:
        return False

    def run(self, env: Env) -> None:
        env[self.target] = self.value


class BackendStep:
    """An operation that the backend runs; `number` is its place in the block."""

    __slots__ = ("op", "args", "attrs", "dyn", "dtype", "number", "target", "shape", "device")

    def __init__(self, op: Any, args: list, attrs: Any, dyn: list, dtype: DType, number: int):
        self.op = op
        self.args = args  # environment slots
        self.attrs = attrs
        self.dyn = dyn  # environment slots
        self.dtype = dtype
        self.number = number
        self.target = -1
        self.shape: tuple[int, ...] | None = None
        self.device = CPU

    def describe(self) -> str:
        return f"backend {self.op.name}"

    def overwrites(self, count: int) -> bool:
        return False

    def reads(self) -> list[int]:
        return self.args

    def run(self, env: Env) -> None:
        dyn = tuple([env[slot] for slot in self.dyn])
        if self.device is not CPU:
            env[self.target] = self.device.runtime.execute(
                self.op, [env[slot] for slot in self.args], self.attrs, dyn, self.shape, self.dtype
            )
            return
        args = []
        for slot in self.args:
            a = env[slot]
            args.append(to_numpy(a) if a.__class__ is Value else a)
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
        "spec",
        "extents",
        "operands",
        "results",
        "flat",
        "struct",
        "words",
        "address",
        "ops",
        "checks",
        "narrow",
        "brain",
        "layout",
        "fresh",
        "nulls",
        "like",
    )

    def __init__(
        self,
        name: str,
        handle: int,
        spec: dict[str, Any],
        extents: list,
        operands: list[Operand],
        results: list[Result],
        flat: bool,
        ops: list[str],
    ):
        self.name = name
        self.handle = handle
        self.spec = spec  # what the native kernel was made by; for saved plans
        self.extents = extents  # an int, or (slot, dim); dim None: the slot holds the extent
        self.operands = operands
        self.results = results
        self.flat = flat  # all operands dense: one dimension, the number of elements
        self.ops = ops
        # Each operand with the extents that it meets; for IR whose extents nobody has checked.
        self.checks: list[tuple[Operand, list]] = []
        # Of each operand, in order: role, environment slot, dimensions where strided.
        self.layout = [
            (IN_STRIDED if o.role == OUT_STRIDED else o.role, o.slot, o.dims) for o in operands
        ]
        self.fresh = [r for r in results if r.takes_over < 0]
        self.nulls = [0] * len(self.fresh)
        # A slot whose value's first extents they are, or -1.
        slots = {e[0] for e in extents if e.__class__ is tuple}
        self.like = slots.pop() if len(slots) == 1 else -1
        if extents != [(self.like, d) for d in range(len(extents))]:
            self.like = -1
        rank = 1 if flat else len(extents)
        layout = "=" + "q" * rank
        outs = iter(self.fresh)
        count = rank
        self.narrow: list[tuple[int, str]] = []  # words of floats narrower than Python's
        self.brain: list[int] = []  # words that hold the bits of a bfloat16
        for o in operands:
            if o.code in NARROW:
                self.narrow.append((count, o.code))
            elif o.code == BFLOAT16:
                self.brain.append(count)
            if o.role in (IN_STRIDED, OUT_STRIDED):
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

    def overwrites(self, count: int) -> bool:
        """Whether the kernel writes into one of the first `count` slots."""
        return any(o.role == INOUT and o.slot < count for o in self.operands)

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

    def pack(self, words: list[Any]) -> None:
        """Writes the words of a launch, scalars in the format of their type."""
        for place in self.brain:
            words[place] = bfloat16_bits(words[place])
        try:
            self.struct.pack_into(self.words, 0, *words)
        except OverflowError:  # a Python float beyond the type is infinite there
            for place, code in self.narrow:
                words[place] = narrowed(words[place], code)
            self.struct.pack_into(self.words, 0, *words)

    def words_of(self, env: Env, extents: tuple[int, ...], outs: list[int]) -> list[Any]:
        """The words of a launch; `outs` are the addresses of the results that take over none."""
        words: list[Any] = [prod(extents)] if self.flat else [*extents]
        append = words.append
        number = 0
        for role, slot, dims in self.layout:
            if role == SCALAR:
                append(env[slot])
            elif role == OUT:
                append(outs[number])
                number += 1
            elif role == IN_STRIDED:
                v = env[slot]
                append(v.ptr)
                strides = v.strides
                if strides is None:
                    strides = contiguous_strides(v.shape)
                for d in dims:
                    append(0 if d < 0 else strides[d])
            else:
                append(env[slot].ptr)
        return words

    def run(self, env: Env) -> None:
        like = self.like
        if like >= 0:
            extents = env[like].shape[: len(self.extents)]
        else:
            extents = self.shape(env, self.extents)
        self.pack(self.words_of(env, extents, self.nulls))
        try:
            rc = pf_launch(self.handle, self.address)
            if rc:
                self._forget()  # what the native code has freed
                _raise(self.name, rc, extents)
            for r in self.results:
                shape = extents if r.extents is self.extents else self.shape(env, r.extents)
                if r.takes_over >= 0:
                    old = env[r.takes_over]
                    env[r.slot] = concrete(r.dtype, shape, old.buffer, old.ptr, None)
                else:
                    nbytes = prod(shape) * r.dtype.itemsize
                    ptr = self.words[r.word]
                    if ptr:  # from one owner to the other without a call, that is an interrupt
                        buffer = Buffer(0, nbytes)
                        buffer.ptr = ptr
                        self.words[r.word] = 0
                    else:
                        buffer = allocate(nbytes)
                    env[r.slot] = concrete(r.dtype, shape, buffer, buffer.ptr, None)
        except BaseException:  # an interrupt, raised when the call had returned
            for r in self.fresh:
                if self.words[r.word]:
                    pf_free(self.words[r.word])
            raise

    def _forget(self) -> None:
        for r in self.results:
            if r.word >= 0:
                self.words[r.word] = 0


def _raise(name: str, rc: int, extents: tuple[int, ...]) -> None:
    if rc == -1:
        raise MemoryError(f"no memory for the results of kernel {name} over {list(extents)}")
    raise ExecutionError(f"kernel {name} over {list(extents)}: launch failed with code {rc}")
