# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What makes programs and kernels for the devices of a kind: the way there, reader, steps."""

from __future__ import annotations

import functools
from typing import Any, Protocol

from ..config import GPU_KINDS
from ..ir.device import Device
from ..runtime import library
from ..runtime.decorated import PlacedKernelStep
from ..runtime.steps import KernelStep
from .jit import Engine
from .program import Reader


class Maker(Protocol):
    """How blocks become programs on the devices of a kind."""

    def phases(self, device: Device) -> dict[str, Any]:
        """The pipelines of the phases in order: fusion, merged, outlined, flat, ..., llvm."""
        ...

    def reader(
        self, module: Any, arguments: list[Any], queue: list[Any], entry: str, device: Device
    ) -> Reader:
        """What reads the outlined function."""
        ...

    def engine(self, module: Any) -> Any:
        """Machine code of a module in the LLVM dialect."""
        ...

    def kernel(
        self,
        engine: Any,
        device: Device,
        name: str,
        spec: dict[str, Any],
        variants: dict[str, dict[str, Any]],
    ) -> Any:
        """A native kernel of the machine code, by what the reader found out about it.

        Args:
            variants: host functions of GPU kernels, by the kernels' names.
        """
        ...

    def step(
        self, name: str, native: Any, spec: dict[str, Any], device: Device, *about: Any
    ) -> KernelStep:
        """The launch of a native kernel."""
        ...


class CpuMaker:
    """See `Maker`. A native kernel is a handle of the native run time."""

    def phases(self, device: Device) -> dict[str, Any]:
        return pipelines(device.target)

    def reader(
        self, module: Any, arguments: list[Any], queue: list[Any], entry: str, device: Device
    ) -> Reader:
        return Reader(module, arguments, queue, entry, device, self.step)

    def engine(self, module: Any) -> Any:
        return Engine(module)

    def kernel(
        self,
        engine: Any,
        device: Device,
        name: str,
        spec: dict[str, Any],
        variants: dict[str, dict[str, Any]],
    ) -> Any:
        last = engine.address(f"{name}_finish") if "finish_operands" in spec else 0
        return library.load().kernel(engine.address(name), last, **spec)

    def step(
        self, name: str, native: Any, spec: dict[str, Any], device: Device, *about: Any
    ) -> KernelStep:
        return KernelStep(name, native, spec, *about)


class DecoratedMaker(CpuMaker):
    """See `Maker`. Kernels of the CPU on the memory of a decorated backend."""

    def step(
        self, name: str, native: Any, spec: dict[str, Any], device: Device, *about: Any
    ) -> KernelStep:
        return PlacedKernelStep(name, native, spec, device, *about)


def maker(kind: str) -> Maker:
    """The maker for a kind of device."""
    found = MAKERS.get(kind)
    if found is None:
        if kind in GPU_KINDS:
            from .gpu import GpuMaker

            found = GpuMaker()
        else:
            found = DecoratedMaker()
        MAKERS[kind] = found
    return found


MAKERS: dict[str, Maker] = {"cpu": CpuMaker()}


@functools.cache
def pipelines(target: str, cubin: bool = False) -> dict[str, Any]:
    """The phases of a target's pipeline."""
    from ..passes import Pipeline, phases

    return {phase.name: Pipeline(phase.passes) for phase in phases(target, cubin=cubin)}
