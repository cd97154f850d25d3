# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""fusion-join-gpu-modules: all kernels in one gpu.module, and so in one binary."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from mlir import ir

from .registry import Pass, PassContext, PipelineError, option

__all__ = ["JoinGpuModules"]


@dataclass(frozen=True)
class JoinGpuModules(Pass):
    """Moves what is in the gpu.modules into one; a name that is taken gets a number."""

    name = "fusion-join-gpu-modules"
    symbol: str = option("kernels", "Name of the gpu.module.")

    def run(self, module: ir.Module, context: PassContext) -> None:
        operations = [o.operation for o in module.body.operations]
        modules = [op for op in operations if op.name == "gpu.module"]
        if not modules:
            return
        if any(_symbol(op) == self.symbol for op in operations if op not in modules):
            raise PipelineError(f"{self.name}: there is a @{self.symbol} already")
        names: dict[tuple[str, str], str] = {}  # of what is moved, by the module it was in
        target = modules[0].regions[0].blocks[0]
        for source in modules:
            for op in [o.operation for o in source.regions[0].blocks[0].operations]:
                old = _symbol(op)
                if old:
                    new = _free(old, set(names.values()))
                    names[_symbol(source), old] = new
                    if new != old:
                        ir.SymbolTable.replace_all_symbol_uses(old, new, source)
                        op.attributes["sym_name"] = ir.StringAttr.get(new, module.context)
                if source is not modules[0]:
                    target.append(op)

        def relink(op: ir.Operation) -> ir.WalkResult:
            if op.name == "gpu.launch_func":
                place, kernel = ir.SymbolRefAttr(op.attributes["kernel"]).value
                path = [self.symbol, names[place, kernel]]
                op.attributes["kernel"] = ir.SymbolRefAttr.get(path, module.context)
            return ir.WalkResult.ADVANCE

        module.operation.walk(relink)
        modules[0].attributes["sym_name"] = ir.StringAttr.get(self.symbol, module.context)
        for source in modules[1:]:
            source.erase()


def _symbol(op: ir.Operation) -> str:
    return ir.StringAttr(op.attributes["sym_name"]).value if "sym_name" in op.attributes else ""


def _free(name: str, taken: set[str]) -> str:
    if name not in taken:
        return name
    return next(n for i in itertools.count() if (n := f"{name}_{i}") not in taken)
