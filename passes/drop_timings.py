# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""fusion-drop-timings: the same IR each time.

gpu-module-to-binary notes beside the code how long LLVM took; nothing reads it.
"""

from __future__ import annotations

from dataclasses import dataclass

from mlir import ir
from mlir.dialects import gpu

from .gpu_binaries import binaries
from .registry import Pass, PassContext

__all__ = ["DropTimings"]


@dataclass(frozen=True)
class DropTimings(Pass):
    """Removes the times of compilation from the properties of the objects of gpu.binaries."""

    name = "fusion-drop-timings"

    def run(self, module: ir.Module, context: PassContext) -> None:
        for op in binaries(module):
            objects = [_without_times(gpu.ObjectAttr(o)) for o in op.attributes["objects"]]
            op.attributes["objects"] = ir.ArrayAttr.get(objects, module.context)


def _without_times(found: gpu.ObjectAttr) -> gpu.ObjectAttr:
    if found.properties is None:
        return found
    named = [(n.name, n.attr) for n in ir.DictAttr(found.properties)]
    kept = {name: value for name, value in named if not name.endswith("TimeInMs")}
    context = found.context
    properties = ir.DictAttr.get(kept, context) if kept else None
    return gpu.ObjectAttr.get(
        found.target, found.format, found.object, properties, found.kernels, context
    )
