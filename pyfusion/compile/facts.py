# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sizes of a block's kernels at the extents it was recorded with, without running it."""

from __future__ import annotations

from math import prod
from typing import Any

from ..ir.value import Value, concrete
from ..native import shape_of
from ..runtime.insert import InsertStep
from ..runtime.steps import ConstantStep
from ..runtime.views import ViewStep, apply, reshaped_strides
from .kernel_shape import element_dtype
from .makers import maker


def facts(module: Any, block: Any) -> tuple[list[tuple], list[str]]:
    """Kernels as `(name, kind, ops, bytes read, bytes written)`, and names of backend calls."""
    from mlir import ir

    env: list[Any] = [*block.leaves, *block.scalars, *block.dyn]
    device = block.device
    reader = maker(device.kind).reader(module, list(env), block.queue, "main", device)
    env += [None] * (reader.program.slots - len(env))
    calls = {place: call for place, call in reader.calls}
    kernels, backend = [], []
    for place, step in enumerate(reader.program.steps):
        if place in calls:
            call = calls[place]
            inputs = {slot: env[slot] for slot in call.operands if isinstance(env[slot], Value)}
            extents = shape_of(env, reader._iteration(call))
            if call.kind == "reduction":
                if call.keepdims:
                    extents = tuple([1 if d in call.axes else e for d, e in enumerate(extents)])
                else:
                    extents = tuple([e for d, e in enumerate(extents) if d not in call.axes])
            written = 0
            for slot, type_ in call.results:
                dtype = element_dtype(ir.RankedTensorType(type_).element_type)
                env[slot] = _unreal(dtype, extents)
                written += _bytes(env[slot])
            reads: dict[int, int] = {}
            for v in inputs.values():
                reads[id(v.buffer)] = max(reads.get(id(v.buffer), 0), _bytes(v))
            kernels.append((call.name, call.kind, tuple(call.ops), sum(reads.values()), written))
        elif isinstance(step, InsertStep):
            kernels += _insert(step, env)
        elif isinstance(step, ViewStep) and step.op == "reshape":
            kernels += _reshape(step, env)
        elif isinstance(step, (ViewStep, ConstantStep)):
            step.run(env)
        else:
            v = block.queue[step.number]
            env[step.target] = _unreal(v.dtype, v.shape)
            backend.append(step.op.name)
    return kernels, backend


def _reshape(step: ViewStep, env: list) -> list[tuple]:
    """A reshape without touching memory; where it has to copy, the copy as a kernel."""
    v = env[step.source]
    shape = tuple([d if isinstance(d, int) else env[d[0]] for d in step.dyn])
    env[step.target] = _unreal(v.dtype, shape)
    if v.strides is None or reshaped_strides(v, shape) is not None:
        return []
    return [("copy", "copy", ("reshape",), _bytes(v), _bytes(env[step.target]))]


def _insert(step: InsertStep, env: list) -> list[tuple]:
    """An insertion without touching memory: the copy of the base, if it is needed, and that of what
    is inserted, if no kernel writes it."""
    base = env[step.base]
    in_place = step.takes_over and base.strides is None
    target = base if in_place else _unreal(base.dtype, base.shape)
    env[step.target] = target
    dyn = [d if isinstance(d, int) else env[d[0]] for d in step.dyn]
    region = apply("slice", target, None, dyn)
    name = ("insert_slice",)
    found = [] if in_place else [("copy", "copy", name, _bytes(base), _bytes(target))]
    if step.value < 0:
        env[step.region] = region
    else:
        found.append(("store", "copy", name, _bytes(env[step.value]), _bytes(region)))
    return found


class _NoBuffer:
    """Stands for memory that will not be allocated."""

    ptr = 0
    nbytes = 0
    owner = None


def _unreal(dtype: Any, shape: tuple[int, ...]) -> Value:
    return concrete(dtype, shape, _NoBuffer(), 0, None)


def _bytes(v: Value) -> int:
    strides = v.strides
    if strides is None:
        strides = (1,) * len(v.shape)
    return prod(d for d, s in zip(v.shape, strides, strict=True) if s) * v.dtype.itemsize
