# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a compiler as a child process."""

from __future__ import annotations

import os
import signal
import subprocess
from contextlib import suppress
from pathlib import Path

from ..errors import CompileError

__all__ = ["run", "written_by"]

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
    pipe = subprocess.PIPE
    try:
        # In a session of its own: it may be a script, whose programs are to end with it.
        with subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True
        ) as process:
            try:
                output, errors = process.communicate(data, timeout)
            except BaseException:  # the time is over, or this process is to stop
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                raise
    except subprocess.TimeoutExpired:
        raise CompileError(program.name, [f"{program} took over {timeout:g} s"]) from None
    except OSError as error:
        raise CompileError(program.name, [f"{program}: {error.strerror or error}"]) from None
    code = process.returncode
    if code:
        said = errors.decode(errors="replace").strip().split("\n")[:_LINES]
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        raise CompileError(program.name, ["\n".join([f"{program}: {how}", *filter(None, said)])])
    return output


def written_by(program: Path, result: Path) -> bytes:
    """The file that a program has written.

    Raises:
        CompileError: it has not, or wrote nothing into it, though it did not fail.
    """
    try:
        data = result.read_bytes()
    except OSError as error:
        reason = error.strerror or str(error)
        raise CompileError(
            program.name, [f"{program} ended well, but left no result: {reason}"]
        ) from None
    if not data:
        raise CompileError(program.name, [f"{program} ended well, but its result is empty"])
    return data
