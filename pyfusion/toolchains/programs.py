# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a compiler as a child process."""

from __future__ import annotations

import subprocess
from pathlib import Path

from ..errors import CompileError

__all__ = ["run"]

TIMEOUT = 120.0  # seconds; a kernel takes a tenth of one

_LINES = 20  # of what a program says are quoted


def run(
    program: Path, *arguments: str | Path, data: bytes = b"", timeout: float = TIMEOUT
) -> bytes:
    """What a program writes to standard output, given `data` on standard input.

    Raises:
        CompileError: it does not start, fails or takes too long; with what it said.
    """
    command = [str(program), *map(str, arguments)]
    try:
        done = subprocess.run(command, input=data, capture_output=True, timeout=timeout)
    except subprocess.TimeoutExpired:
        raise CompileError(program.name, [f"{program} took over {timeout:g} s"]) from None
    except OSError as error:
        raise CompileError(program.name, [f"{program}: {error.strerror or error}"]) from None
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().split("\n")[:_LINES]
        how = (
            f"signal {-done.returncode}" if done.returncode < 0 else f"exit code {done.returncode}"
        )
        raise CompileError(program.name, ["\n".join([f"{program}: {how}", *filter(None, said)])])
    return done.stdout
