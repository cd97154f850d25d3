# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches of kernels on a GPU, on the backend's current stream."""

from __future__ import annotations

import ctypes
from typing import Any

from ..ir.device import Device
from ..ir.value import Value, bytes_of, concrete
from ..native import shape_of
from .library import ELEMENTWISE
from .statistics import statistics
from .steps import Env, KernelStep, Operand, Result


class GpuKernelStep(KernelStep):
    """One launch of a compiled kernel; it returns when the kernel is on the stream.

    Results and scratch memory are the backend's. Its pools hand memory out again in the order of
    the stream, so that scratch memory and dead operands can be given back while the kernel runs.

    Attributes:
        kernel: `launch(words, stream, scratch)` and `scratch(words)`, as `GpuKernel` has them.
    """

    __slots__ = ("kernel", "device", "reduces", "fresh", "words")

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
        # The words are the launch's, which this step keeps.
        self.words = (ctypes.c_int64 * self.launch.count).from_address(self.launch.address)

    def run(self, env: Env) -> None:
        runtime = self.device.runtime
        made: list[Value] = []
        for r in self.fresh:
            shape = shape_of(env, r.extents)
            buffer = runtime.allocate(bytes_of(shape, r.dtype))
            made.append(concrete(r.dtype, shape, buffer, buffer.ptr, None))
        self.launch.pack(env, [value.ptr for value in made])
        scratch = None
        if self.reduces:
            nbytes = self.kernel.scratch(self.words)
            if nbytes:
                scratch = runtime.allocate(nbytes)
        self.kernel.launch(self.words, runtime.stream(), scratch.ptr if scratch else 0)
        statistics.gpu_launches += 1
        for r, value in zip(self.fresh, made, strict=True):
            env[r.slot] = value
            statistics.gpu_output_bytes += value.buffer.nbytes
        for r in self.results:
            if r.takes_over >= 0:
                old = env[r.takes_over]
                shape = shape_of(env, r.extents)
                env[r.slot] = concrete(r.dtype, shape, old.buffer, old.ptr, None)
