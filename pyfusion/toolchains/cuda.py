# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ptxas: from PTX to machine code of one chip (a cubin).

It is part of the CUDA toolkit, of NVIDIA's wheel nvidia-cuda-nvcc, and of Triton's.
"""

from __future__ import annotations

import functools
import importlib.util
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from ..errors import CompileError
from .programs import run, written_by

__all__ = ["cubin", "find"]

_FOLDERS = ("/usr/local/cuda/bin",)

# Of wheels: the package, and where ptxas is in it.
_WHEELS = (
    ("nvidia", "cu*/bin/ptxas"),
    ("nvidia", "cuda_nvcc/bin/ptxas"),
    ("triton", "backends/nvidia/bin/ptxas"),
)


def find() -> Path:
    """The ptxas to use: of PATH, CUDA_HOME, CUDA_PATH, a wheel, /usr/local/cuda, in this order.

    Raises:
        CompileError: there is none; it says what to install.
    """
    roots = tuple(os.environ.get(name, "") for name in ("CUDA_HOME", "CUDA_PATH"))
    return _find(os.environ.get("PATH", ""), roots, _WHEELS, _FOLDERS)


@functools.cache
def _find(
    path: str, roots: tuple[str, ...], wheels: tuple[tuple[str, str], ...], folders: tuple[str, ...]
) -> Path:
    for where in (path, *(str(Path(root, "bin")) for root in roots if root)):
        found = shutil.which("ptxas", path=where)
        if found:
            return Path(found)
    for place in _in_wheels(wheels):
        return place
    for where in folders:
        found = shutil.which("ptxas", path=where)
        if found:
            return Path(found)
    raise CompileError(
        "CUDA toolchain",
        [
            "found no ptxas on PATH, in CUDA_HOME or CUDA_PATH, in a wheel or in /usr/local/cuda; "
            "install the CUDA toolkit, or pip install nvidia-cuda-nvcc"
        ],
    )


def _in_wheels(wheels: tuple[tuple[str, str], ...]) -> Iterator[Path]:
    for package, pattern in wheels:
        spec = importlib.util.find_spec(package)
        for root in spec.submodule_search_locations or () if spec else ():
            yield from (p for p in sorted(Path(root).glob(pattern)) if os.access(p, os.X_OK))


def cubin(ptx: bytes, chip: str) -> bytes:
    """PTX as machine code of a chip.

    Raises:
        CompileError: there is no ptxas, it does not know the chip, or it refuses the PTX.
    """
    found = find()
    with tempfile.TemporaryDirectory(prefix="pyfusion-") as folder:
        source, result = Path(folder, "kernels.ptx"), Path(folder, "kernels.cubin")
        source.write_bytes(ptx.rstrip(b"\0"))
        try:
            run(found, f"-arch={chip}", "-O3", source, "-o", result)
        except CompileError as error:
            if f"'{chip}' is not defined" not in str(error):
                raise
            hint = (
                f"it does not compile for {chip}{_other_chips(found)} (that of CUDA 13 does from "
                "sm_75 on, older ones not for the newest chips): let PATH or CUDA_HOME lead to one "
                "that does, or take PTX, which the driver compiles"
            )
            raise CompileError(error.stage, [*error.diagnostics, hint]) from None
        return written_by(found, result)


def _other_chips(ptxas: Path) -> str:
    """`" but for ..."`, as far as its help lists them."""
    try:
        text = run(ptxas, "--help", timeout=10).decode(errors="replace")
    except CompileError:
        return ""
    start = text.find("--gpu-name")
    allowed = text[start : text.find("\n--", start + 1)]
    chips = sorted({int(number) for number in re.findall(r"'sm_(\d+)'", allowed)})
    return f" but for {', '.join(f'sm_{chip}' for chip in chips)}" if chips else ""
