# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""fusion-join-gpu-modules: all kernels in one gpu.module, and so in one binary."""

from __future__ import annotations

from dataclasses import dataclass

from mlir import ir

from .registry import Pass, PassContext, PipelineError, option

__all__ = ["JoinGpuModules"]


@dataclass(frozen=True)
class JoinGpuModules(Pass):
    """Moves what is in the gpu.modules into one, and the launches with it."""

    name = "fusion-join-gpu-modules"
    symbol: str = option("kernels", "Name of the gpu.module.")

    def run(self, module: ir.Module, context: PassContext) -> None:
        modules = [o.operation for o in module.body.operations if o.operation.name == "gpu.module"]
        if not modules:
            return
        symbol = ir.StringAttr.get(self.symbol, module.context)
        self._check(module)
        target = modules[0].regions[0].blocks[0]
        for other in modules[1:]:
            for op in list(other.regions[0].blocks[0].operations):
                target.append(op.operation)
        modules[0].attributes["sym_name"] = symbol
        for other in modules[1:]:
            other.erase()

        def relink(op: ir.Operation) -> ir.WalkResult:
            if op.name == "gpu.launch_func":
                _, *inner = ir.SymbolRefAttr(op.attributes["kernel"]).value
                op.attributes["kernel"] = ir.SymbolRefAttr.get(
                    [self.symbol, *inner], module.context
                )
            return ir.WalkResult.ADVANCE

        module.operation.walk(relink)

    def _check(self, module: ir.Module) -> None:
        seen = set()
        for op in (o.operation for o in module.body.operations):
            inner = op.regions[0].blocks[0].operations if op.name == "gpu.module" else [op]
            for o in inner:
                if "sym_name" not in o.operation.attributes:
                    continue
                symbol = ir.StringAttr(o.operation.attributes["sym_name"]).value
                own = op.name != "gpu.module"  # of the host
                if symbol == self.symbol if own else symbol in seen:
                    raise PipelineError(f"{self.name}: a second @{symbol}")
                if not own:
                    seen.add(symbol)
