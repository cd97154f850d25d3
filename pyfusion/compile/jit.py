# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Machine code for the kernels of a module in the LLVM dialect."""

from __future__ import annotations

from typing import Any

from mlir import ir
from mlir.execution_engine import ExecutionEngine

from ..errors import CompileError

# What a module may leave undefined. Any other name would abort the process when the JIT links.
_KNOWN = frozenset({"memcpy", "memset", "memmove"})


def undefined_symbols(module: ir.Module) -> list[str]:
    """Functions that the module calls but does not define, other than LLVM's intrinsics."""
    found = []
    for op in module.body.operations:
        o = op.operation
        if o.name == "llvm.func" and not o.regions[0].blocks:
            name = ir.StringAttr(o.attributes["sym_name"]).value
            if name not in _KNOWN and not name.startswith("llvm."):
                found.append(name)
    return found


class Engine:
    """Owns the machine code; `address(name)` is the packed entry of a kernel function."""

    def __init__(self, module: ir.Module):
        missing = undefined_symbols(module)
        if missing:
            raise CompileError("jit", [f"undefined symbols: {', '.join(missing)}"])
        self._engine: Any = ExecutionEngine(module, opt_level=3)

    def address(self, name: str) -> int:
        found = self._engine.raw_lookup(f"_mlir_ciface_{name}")
        if not found:
            raise CompileError("jit", [f"no kernel function {name}"])
        return found
