# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LLVM for AMD GPUs: from LLVM IR to assembly and code objects.

ROCm's LLVM if ROCM_PATH says where it is, else one on PATH, where Debian installs it, or in
/opt/rocm. It has to be of the version whose IR the MLIR here writes, or a newer one. No library of
device functions is linked.
"""

from __future__ import annotations

import functools
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ..errors import CompileError
from .programs import run, written_by

__all__ = ["Toolchain", "assembly", "code_object", "find"]

TRIPLE = "amdgcn-amd-amdhsa"
VERSION = 22  # LLVM reads the IR of older versions, not of newer ones
CODE_OBJECT = 5

_SUFFIXES = ("-22", "", "-23", "-24", "-25")
_FOLDERS = (*(f"/usr/lib/llvm-{v}/bin" for v in range(VERSION, VERSION + 4)), "/opt/rocm/llvm/bin")


@dataclass(frozen=True)
class Toolchain:
    """The programs of one LLVM."""

    opt: Path
    llc: Path
    lld: Path


def find() -> Toolchain:
    """The LLVM to use.

    Raises:
        CompileError: there is none; it says what was tried and what to install.
    """
    return _find(os.environ.get("ROCM_PATH", ""), os.environ.get("PATH", ""), _FOLDERS)


@functools.cache
def _find(rocm: str, path: str, folders: tuple[str, ...]) -> Toolchain:
    refused = []
    for found in _candidates(rocm, path, folders):
        reason = _reason_against(found)
        if reason is None:
            return found
        refused.append(f"{found.llc}: {reason}")
    raise CompileError(
        "ROCm toolchain",
        [
            f"found no LLVM {VERSION} or later with opt, llc and ld.lld for AMD GPUs; install it "
            f"(Debian: apt-get install llvm-{VERSION} lld-{VERSION}), or set ROCM_PATH to a ROCm "
            "that has it",
            *dict.fromkeys(refused),
        ],
    )


def _candidates(rocm: str, path: str, folders: tuple[str, ...]) -> Iterator[Toolchain]:
    for suffix, where in (
        *([("", str(Path(rocm, "llvm", "bin")))] if rocm else ()),
        *((suffix, path) for suffix in _SUFFIXES),
        *(("", folder) for folder in folders),
    ):
        found = [shutil.which(name + suffix, path=where) for name in ("opt", "llc", "ld.lld")]
        if all(found):
            yield Toolchain(*(Path(program) for program in found if program))


def _reason_against(found: Toolchain) -> str | None:
    try:
        text = run(found.llc, "--version", timeout=10).decode(errors="replace")
    except CompileError as error:
        return error.diagnostics[0]
    version = re.search(r"LLVM version (\d+)", text)
    if version is None or int(version[1]) < VERSION:
        return f"LLVM {version[1]}" if version else "says no version"
    return None if "amdgcn" in text else "has no AMDGPU target"


def _code(found: Toolchain, ir: str, chip: str, features: str, kind: str) -> bytes:
    """Optimises LLVM IR and generates code."""
    target = [f"-mtriple={TRIPLE}", f"-mcpu={chip}", f"-mattr={features}"]
    target.append(f"--amdhsa-code-object-version={CODE_OBJECT}")
    bitcode = run(found.opt, *target, "-passes=default<O3>", "-o", "-", "-", data=ir.encode())
    return run(found.llc, *target, "-O3", f"-filetype={kind}", "-o", "-", "-", data=bitcode)


def assembly(ir: str, chip: str, features: str) -> str:
    """LLVM IR as assembly, the kernels' metadata at its end."""
    return _code(find(), ir, chip, features, "asm").decode()


def code_object(ir: str, chip: str, features: str) -> bytes:
    """LLVM IR as a code object (hsaco), which the driver loads."""
    found = find()
    with tempfile.TemporaryDirectory(prefix="pyfusion-") as folder:
        object_, linked = Path(folder, "kernels.o"), Path(folder, "kernels.hsaco")
        object_.write_bytes(_code(found, ir, chip, features, "obj"))
        run(found.lld, "-shared", "--no-undefined", object_, "-o", linked)
        return written_by(found.lld, linked)
