# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Machine code for the kernels of a module in the LLVM dialect."""

from __future__ import annotations

from typing import Any

from mlir import ir
from mlir.execution_engine import ExecutionEngine

from ..errors import CompileError

# What a module may leave undefined. Any other name would abort the process when the JIT links.
_KNOWN = frozenset({"memcpy", "memset", "memmove"})
# Of the host code of GPU kernels; the native run time has them.
_LAUNCHING = frozenset(
    {
        "mgpuModuleLoad",
        "mgpuModuleLoadJIT",
        "mgpuModuleUnload",
        "mgpuModuleGetFunction",
        "mgpuLaunchKernel",
        "mgpuStreamCreate",
        "mgpuStreamSynchronize",
        "mgpuStreamDestroy",
    }
)


def undefined_symbols(module: ir.Module, known: frozenset[str] = _KNOWN) -> list[str]:
    """Functions that the module calls but does not define, other than LLVM's intrinsics."""
    found = []
    for op in module.body.operations:
        o = op.operation
        if o.name == "llvm.func" and not o.regions[0].blocks:
            name = ir.StringAttr(o.attributes["sym_name"]).value
            if name not in known and not name.startswith("llvm."):
                found.append(name)
    return found


class Engine:
    """Owns the machine code; `address(name)` is the packed entry of a kernel function.

    Args:
        launches: the module holds GPU code and calls the native run time to launch it. The path
            of that library.
    """

    def __init__(self, module: ir.Module, launches: str = ""):
        missing = undefined_symbols(module, _KNOWN | _LAUNCHING if launches else _KNOWN)
        if missing:
            raise CompileError("jit", [f"undefined symbols: {', '.join(missing)}"])
        libraries = [launches] if launches else []
        # Functions that only launch are not worth more of the optimiser's time. At level 0 nobody
        # finds out that the constructors throw nothing (see fusion-forbid-unwinding).
        level = 1 if launches else 3
        self._engine: Any = ExecutionEngine(module, opt_level=level, shared_libs=libraries)
        if launches:
            self._engine.initialize()  # runs the constructors that register the GPU code

    def address(self, name: str) -> int:
        found = self._engine.raw_lookup(f"_mlir_ciface_{name}")
        if not found:
            raise CompileError("jit", [f"no kernel function {name}"])
        return found
