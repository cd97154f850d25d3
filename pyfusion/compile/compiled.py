# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A compiled block: the optimization that the MLIR fuser makes."""

from __future__ import annotations

import sys
import time
from typing import Any

from ..config import config
from ..errors import ExecutionError
from ..ir.value import layout_desc
from ..runtime.library import pf_kernel_destroy
from ..runtime.steps import BackendStep, KernelStep


class CompiledBlock:
    """Runs a program over the leaves, scalars and bounds of a block.

    Attributes:
        outlined: text of the outlined IR, with one function for each kernel.
        refusals: why neighbours were not merged, as the passes recorded it.
    """

    name = "mlir"

    def __init__(self, program: Any, block: Any, engine: Any, outlined: str, refusals: list):
        self.started = False
        self.outlined = outlined
        self.refusals = refusals
        self.program = program
        self._engine = engine  # owns the machine code
        self._steps = program.steps
        self._results = program.results
        self._length = len(block.queue)
        self._backend = [s for s in program.steps if isinstance(s, BackendStep)]
        first = len(block.leaves) + len(block.scalars) + len(block.dyn)
        self._empty: list[None] = [None] * (program.slots - first)
        self._releases = _releases(program, first)

    def __len__(self) -> int:
        return self._length

    def describe(self) -> str:
        kernels = sum(isinstance(s, KernelStep) for s in self._steps)
        return f"{kernels} kernels, {len(self._backend)} backend calls"

    def execute(self, block: Any) -> None:
        """Gives each survivor of the block its memory."""
        self.started = False
        env = [*block.leaves, *block.scalars, *block.dyn, *self._empty]
        queue = block.queue
        for step in self._backend:
            step.shape = queue[step.number].shape
        if config.debug >= 2:
            self._run_timed(env)
        else:
            releases = self._releases
            for number, step in enumerate(self._steps):
                step.run(env)
                self.started = True
                if number in releases:
                    for slot in releases[number]:
                        env[slot] = None
        for number, slot in zip(block.survivors, self._results, strict=True):
            v = queue[number]
            result = env[slot]
            v.buffer = result.buffer
            v.ptr = result.ptr
            v.strides = strides = result.strides
            if result.shape != v.shape:
                raise ExecutionError(
                    f"{v.record[0].name}: the kernel gave shape {result.shape} "
                    f"where {v.shape} was recorded"
                )
            v.desc = layout_desc(v.dtype, v.shape, strides is None)
            v.error = None
            v.stream = None

    def _run_timed(self, env: list) -> None:
        for step in self._steps:
            start = time.perf_counter()
            step.run(env)
            self.started = True
            if isinstance(step, KernelStep):
                seconds = time.perf_counter() - start
                traffic = step.traffic(env)
                print(
                    f"pyfusion:   {step.name} [{', '.join(step.ops)}] {seconds * 1e6:.0f} us, "
                    f"{traffic / seconds / 1e9:.1f} GB/s",
                    file=sys.stderr,
                )

    def __del__(self, _destroy: Any = pf_kernel_destroy, _kind: Any = KernelStep) -> None:
        # Defaults, because at exit the names of the module are gone before the last plan.
        for step in getattr(self, "_steps", ()):
            if isinstance(step, _kind):
                _destroy(step.handle)


def _releases(program: Any, first: int) -> dict[int, list[int]]:
    """After which step a slot is read for the last time: its memory goes back to the pool."""
    last: dict[int, int] = {}
    for number, step in enumerate(program.steps):
        for slot in step.reads():
            if slot >= first:
                last[slot] = number
    kept = set(program.results)
    found: dict[int, list[int]] = {}
    for slot, number in last.items():
        if slot not in kept:
            found.setdefault(number, []).append(slot)
    return found
