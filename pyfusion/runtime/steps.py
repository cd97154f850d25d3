# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Steps: what a compiled block does, one after the other, at launch.

The environment is a list: the block's leaves, scalars and bounds, then a slot for each result.
Tensors in it are concrete `Value`s. A view is arithmetic on shape and strides, a kernel one native
call, anything else a call of the backend.
"""

from __future__ import annotations

from math import prod
from typing import Any

from ..dtypes import DType
from ..errors import ExecutionError
from ..ir.device import CPU
from ..ir.value import Value
from ..native import Launch, shape_of
from . import backend_step
from .library import INOUT, OUT, SCALAR
from .memory import to_numpy

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
        self.code = code  # of a scalar's word: see `words.py`


class Result:
    """A kernel's result: where it goes, its type, and where its extents come from."""

    __slots__ = ("slot", "dtype", "extents", "takes_over")

    def __init__(self, slot: int, dtype: DType, extents: list, takes_over: int):
        self.slot = slot
        self.dtype = dtype
        self.extents = extents
        self.takes_over = takes_over  # environment slot of the value that it overwrites, or -1


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
        "ops",
        "checks",
        "launch",
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
        self.launch = Launch(handle, extents, operands, results, flat)

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

    def run(self, env: Env) -> None:
        code = self.launch.run(env)
        if code:
            _raise(self.name, code, shape_of(env, self.extents))


def _raise(name: str, rc: int, extents: tuple[int, ...]) -> None:
    if rc == -1:
        raise MemoryError(f"no memory for the results of kernel {name} over {list(extents)}")
    raise ExecutionError(f"kernel {name} over {list(extents)}: launch failed with code {rc}")
