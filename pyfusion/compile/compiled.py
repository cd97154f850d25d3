# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A compiled block: the optimization that the MLIR fuser makes."""

from __future__ import annotations

import sys
import time
from typing import Any

from .. import tracing
from ..config import config
from ..errors import InternalError
from ..ir.device import CPU
from ..native import bind
from ..runtime.library import pf_kernel_destroy
from ..runtime.steps import BackendStep, KernelStep

# Growth of the resident memory: of a block of 5 operations in one kernel 0.93 MB, of 200 in one
# 1.2 MB, of 120 in 25 kernels 1.7 MB.
_ENGINE_BYTES = 900_000
_KERNEL_BYTES = 20_000
_OPERATION_BYTES = 1_500


class CompiledBlock:
    """Runs a program over the leaves, scalars and bounds of a block.

    Attributes:
        refusals: why neighbours were not merged, one line each.
    """

    name = "mlir"

    def __init__(self, program: Any, block: Any, engine: Any, refusals: list[str]):
        self.started = self.consumed = False
        self.culprit: int | None = None
        self.refusals = refusals
        self._engine = engine  # owns the machine code
        self._results: list[int] = list(program.results)
        self._length = len(block.queue)
        self._device = program.device
        self.saved: Any = None  # what `saved.py` writes of it, if it is kept
        self._backend = [s for s in program.steps if isinstance(s, BackendStep)]
        first = len(block.leaves) + len(block.scalars) + len(block.dyn)
        self._empty: list[None] = [None] * (program.slots - first)
        releases = _releases(program, first)
        # Each step, whether it overwrites an argument, and the slots that nothing reads after it.
        self._steps = [
            (step, step.overwrites(first), releases.get(number, ()))
            for number, step in enumerate(program.steps)
        ]

    def __len__(self) -> int:
        return self._length

    @property
    def nbytes(self) -> int:
        """Host memory that the block holds, as far as it can be told: the JIT does not say, so the
        code's size is reckoned from what processes grew by with each compiled block."""
        code = 0 if self.saved is None else len(self.saved[2])
        if self._engine is not None:
            kernels = sum(isinstance(s, KernelStep) for s, *_ in self._steps)
            code += _ENGINE_BYTES + kernels * _KERNEL_BYTES
        return code + self._length * _OPERATION_BYTES

    def describe(self) -> str:
        kernels = sum(isinstance(s, KernelStep) for s, *_ in self._steps)
        return f"{kernels} kernels, {len(self._backend)} backend calls"

    def parts(self) -> list[tuple[str, str, tuple[str, ...]]]:
        """The kernels and the calls of the backend in order: kind, name, operations."""
        found: list[tuple[str, str, tuple[str, ...]]] = []
        for step, *_ in self._steps:
            if isinstance(step, KernelStep):
                found.append(("kernel", step.name, tuple(step.ops)))
            elif isinstance(step, BackendStep):
                found.append(("backend", step.op.name, (step.op.name,)))
        return found

    def execute(self, block: Any) -> None:
        """Gives each survivor of the block its memory; those that exist before a failure too."""
        self.started = self.consumed = False
        self.culprit = None
        env = [*block.leaves, *block.scalars, *block.dyn, *self._empty]
        queue = block.queue
        for call in self._backend:
            call.shape = queue[call.number].shape
        step: Any = None
        try:
            if config.debug >= 2:
                self._run_timed(env)
            elif tracing.tracer is not None:
                self._run_traced(env)
            else:
                for step, overwrites, releases in self._steps:
                    if overwrites:
                        self.consumed = True
                    step.run(env)
                    self.started = True
                    for slot in releases:
                        env[slot] = None
        except Exception:
            self.culprit = getattr(step, "number", self.culprit)
            if self.started:
                self._bind(block, env)
            raise
        self._bind(block, env)

    def _bind(self, block: Any, env: list) -> None:
        wrong = bind(block.queue, block.survivors, env, self._results)
        if wrong is not None:
            number, shape = wrong
            v = block.queue[number]
            raise InternalError(
                f"{v.record[0].name}: the kernel gave shape {shape} where {v.shape} was recorded"
            )

    def _run_traced(self, env: list) -> None:
        for step, overwrites, releases in self._steps:
            self.consumed = self.consumed or overwrites
            self.culprit = getattr(step, "number", None)  # in case it fails
            names = step.ops if isinstance(step, KernelStep) else [step.describe()]
            with tracing.span("launch", step=getattr(step, "name", ""), ops=tuple(names)):
                step.run(env)
            self.started = True
            for slot in releases:
                env[slot] = None

    def _run_timed(self, env: list) -> None:
        if self._device is not CPU:
            self._device.runtime.synchronize()
        for step, overwrites, releases in self._steps:
            self.consumed = self.consumed or overwrites
            self.culprit = getattr(step, "number", None)  # in case it fails
            start = time.perf_counter()
            step.run(env)
            self.started = True
            if self._device is not CPU:
                self._device.runtime.synchronize()
            seconds = time.perf_counter() - start
            if isinstance(step, KernelStep):
                traffic = step.traffic(env)
                print(
                    f"pyfusion:   {step.name} [{', '.join(step.ops)}] {seconds * 1e6:.0f} us, "
                    f"{traffic / seconds / 1e9:.1f} GB/s",
                    file=sys.stderr,
                )
            elif config.debug >= 3:
                print(f"pyfusion:   {step.describe()} {seconds * 1e6:.0f} us", file=sys.stderr)
            for slot in releases:
                env[slot] = None
        if config.debug >= 3:
            for line in self.refusals:
                print(f"pyfusion:   not merged: {line}", file=sys.stderr)

    def __del__(self, _destroy: Any = pf_kernel_destroy, _kind: Any = KernelStep) -> None:
        # Defaults, because at exit the names of the module are gone before the last plan.
        for step, *_ in getattr(self, "_steps", ()):
            if isinstance(step, _kind) and step.handle:  # a GPU's closes itself
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
