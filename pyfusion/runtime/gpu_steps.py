# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches of kernels on a GPU, on the backend's current stream."""

from __future__ import annotations

from math import prod
from typing import Any

from ..ir.device import Device
from ..ir.value import Value, concrete, contiguous_strides
from .library import ELEMENTWISE, IN_STRIDED, OUT, SCALAR
from .statistics import statistics
from .steps import Env, KernelStep, Operand, Result


class GpuKernelStep(KernelStep):
    """One launch of a compiled kernel; it returns when the kernel is on the stream.

    Results and scratch memory are the backend's. Its pools hand memory out again in the order of
    the stream, so that scratch memory and dead operands can be given back while the kernel runs.

    Attributes:
        kernel: `launch(words, stream, scratch)` and `scratch(words)`, as `GpuKernel` has them.
    """

    __slots__ = ("kernel", "device", "reduces", "fresh")

    def __init__(
        self,
        name: str,
        kernel: Any,
        spec: dict[str, Any],
        device: Device,
        extents: list,
        operands: list[Operand],
        results: list[Result],
        flat: bool,
        ops: list[str],
    ):
        super().__init__(name, 0, spec, extents, operands, results, flat, ops)
        self.kernel = kernel
        self.device = device
        self.reduces = spec["kind"] != ELEMENTWISE
        self.fresh = [r for r in results if r.takes_over < 0]

    def run(self, env: Env) -> None:
        runtime = self.device.runtime
        extents = self.shape(env, self.extents)
        words: list[Any] = [prod(extents)] if self.flat else [*extents]
        append = words.append
        made: list[tuple[int, Value]] = []
        for o in self.operands:
            role = o.role
            if role == SCALAR:
                append(env[o.slot])
            elif role == OUT:
                r = self.fresh[len(made)]
                shape = self.shape(env, r.extents)
                buffer = runtime.allocate(prod(shape) * o.itemsize)
                made.append((r.slot, concrete(r.dtype, shape, buffer, buffer.ptr, None)))
                append(buffer.ptr)
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
        self.pack(words)
        scratch = None
        if self.reduces:
            nbytes = self.kernel.scratch(self.words)
            if nbytes:
                scratch = runtime.allocate(nbytes)
        self.kernel.launch(self.words, runtime.stream(), scratch.ptr if scratch else 0)
        statistics.gpu_launches += 1
        for slot, value in made:
            env[slot] = value
            statistics.gpu_output_bytes += value.buffer.nbytes
        for r in self.results:
            if r.takes_over >= 0:
                old = env[r.takes_over]
                shape = self.shape(env, r.extents)
                env[r.slot] = concrete(r.dtype, shape, old.buffer, old.ptr, None)
