# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What differs for GPUs: how operands are addressed, and the host functions of a kernel."""

from __future__ import annotations

from typing import Any

from mlir import ir

from ..config import config
from ..errors import CompileError, InternalError
from ..ir.device import Device
from ..runtime import gpu_library, library
from ..runtime.gpu_library import VARIANTS, GpuKernel, Variant
from ..runtime.gpu_steps import GpuKernelStep
from ..runtime.library import IN_STRIDED
from ..runtime.steps import KernelStep, Operand
from .jit import Engine
from .kernel_call import Call
from .kernel_shape import string_attribute
from .makers import pipelines
from .program import Reader


class GpuReader(Reader):
    """Reads a program whose kernels address their operands themselves.

    Launch dimensions are those of the iteration space whose extents are not statically 1. Whether
    an operand is dense is what the kernel was compiled for.
    """

    fuses_stores = False

    def _order(self, iteration: list) -> list[int]:
        return [d for d, extent in enumerate(iteration) if extent != 1]

    def _is_dense(self, possible: bool, access: str, order: list) -> bool:
        if access == "dense":
            if not possible and order:
                raise InternalError("a kernel takes an operand for dense that is not")
            return True
        return False

    def _operand_spec(self, o: Operand) -> tuple:
        varies = o.role != IN_STRIDED or (bool(o.dims) and o.dims[-1] >= 0)
        return (o.role, o.itemsize, varies)  # along the last launch dimension

    def _about(self, call: Call) -> dict[str, Any]:
        return {"iota": "iota" in call.ops}


def variants_of(module: Any) -> dict[str, dict[str, tuple[str, int, int, int]]]:
    """The host functions of each kernel by variant: name, vector, unroll, block."""
    found: dict[str, dict[str, tuple[str, int, int, int]]] = {}
    for op in module.body.operations:
        o = op.operation
        if o.name != "func.func" or "fusion.block" not in o.attributes:
            continue
        name = string_attribute(o, "sym_name") or ""
        kernel, _, variant = name.rpartition("_")
        if variant not in VARIANTS:
            raise InternalError(f"a host function of an unknown kind: {name}")
        numbers = [
            ir.IntegerAttr(o.attributes[key]).value if key in o.attributes else 1
            for key in ("fusion.vector", "fusion.unroll", "fusion.block")
        ]
        found.setdefault(kernel, {})[variant] = (name, numbers[0], numbers[1], numbers[2])
    return found


class GpuMaker:
    """See `makers.Maker`. A native kernel is a `GpuKernel` whose code is on the device."""

    def phases(self, device: Device) -> dict[str, Any]:
        return pipelines(device.target, device.kind == "cuda" and config.gpu_format == "cubin")

    def reader(
        self, module: Any, arguments: list[Any], queue: list[Any], entry: str, device: Device
    ) -> Reader:
        return GpuReader(module, arguments, queue, entry, device, self.step)

    def engine(self, module: Any) -> Any:
        return Engine(module, library.load().path)

    def kernel(
        self,
        engine: Any,
        device: Device,
        name: str,
        spec: dict[str, Any],
        variants: dict[str, dict[str, Any]],
    ) -> Any:
        """Raises CompileError: the run time does not take the kernel, or the driver its code."""
        functions = {
            variant: Variant(engine.address(function), vector, unroll, block)
            for variant, (function, vector, unroll, block) in variants[name].items()
        }
        try:
            kernel = GpuKernel(
                name,
                functions,
                api=device.kind,
                device=device.index,
                kind=spec["kind"],
                dims=spec["dims"],
                operands=[gpu_library.Operand(*o) for o in spec["operands"]],
                finish_operands=[gpu_library.Operand(*o) for o in spec.get("finish_operands", ())],
                acc_itemsize=spec.get("acc_itemsize", 0),
                iota=spec["iota"],
            )
        except ValueError as error:
            raise CompileError("launch", [str(error)]) from None
        kernel.preload()
        return kernel

    def step(
        self, name: str, native: Any, spec: dict[str, Any], device: Device, *about: Any
    ) -> KernelStep:
        return GpuKernelStep(name, native, spec, device, *about)
