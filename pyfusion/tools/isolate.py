# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a tool in a forked child: MLIR's assertions and fatal errors stop a process.

Signals that ask the tool to stop go on to the child, which ends what it runs itself (ptxas, llc);
the tool waits for it. The child says what it does in memory that both share, for the message if it
is stopped.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import IO, Any, NoReturn

__all__ = ["Note", "isolated"]

# Called by the work with what comes next, as "the pass cse".
Note = Callable[[str], None]

_STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

# Seconds to the end of a child that was asked to: passes of MLIR cannot be interrupted.
_GRACE = 2

_PR_SET_PDEATHSIG = 1


class _Stopped(BaseException):
    """The child is to stop."""


def isolated(tool: str, work: Callable[[Note], int]) -> int:
    """The exit code of `work(note)`, run in a child.

    It is 1, with a message, if a signal ends the child, and 128 + the signal if one was sent to
    this process. MLIR must not have been imported: its threads do not survive a fork.
    """
    _open_streams()
    sys.stdout.flush()
    sys.stderr.flush()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # if it is ignored, nobody can wait for a child
    stops = [s for s in _STOPS if signal.getsignal(s) != signal.SIG_IGN]
    doing = mmap.mmap(-1, mmap.PAGESIZE)
    signal.pthread_sigmask(signal.SIG_BLOCK, stops)
    child = os.fork()
    if child == 0:
        _be_child(tool, work, doing, stops)
    status, caught = _wait(child, stops)
    text = doing[:].rstrip(b"\0").decode(errors="replace")
    where = f" in {text}" if text else ""
    if caught:
        _say(f"{tool}: stopped by {signal.Signals(caught[0]).name}")
        return 128 + caught[0]
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        memory = "; was there enough memory?" if number == signal.SIGKILL else ""
        _say(f"{tool}: error: stopped by {signal.Signals(number).name}{where}{memory}")
        return 1
    return os.WEXITSTATUS(status)


def _open_streams() -> None:
    """Gives closed standard streams numbers again, which files would get: using them fails."""
    for number, mode in enumerate((os.O_WRONLY, os.O_RDONLY, os.O_RDWR)):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, mode)  # takes the lowest number that is free

    def opened(stream: IO[str] | None, number: int, mode: str) -> Any:
        if stream is not None:
            return stream
        return open(number, mode, encoding="utf-8", errors="backslashreplace", closefd=False)

    sys.stdin = opened(sys.stdin, 0, "r")
    sys.stdout = opened(sys.stdout, 1, "w")
    sys.stderr = opened(sys.stderr, 2, "w")


def _say(message: str) -> None:
    try:
        print(message, file=sys.stderr, flush=True)
    except OSError:  # nobody listens; Python must not say so when it ends either
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)


def _wait(child: int, stops: list[signal.Signals]) -> tuple[int, list[int]]:
    """The status with which the child ends, and the signals that this process got meanwhile.

    The signals are blocked at the start.
    """
    caught: list[int] = []

    def send(number: int) -> None:
        with suppress(ProcessLookupError):
            os.kill(child, number)

    def forward(number: int, frame: FrameType | None) -> None:
        caught.append(number)
        send(number)
        signal.alarm(_GRACE)

    def kill(number: int, frame: FrameType | None) -> None:
        send(signal.SIGKILL)

    before = {s: signal.signal(s, forward) for s in stops}
    before[signal.SIGALRM] = signal.signal(signal.SIGALRM, kill)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, stops)
    try:
        _, status = os.waitpid(child, 0)
    finally:
        signal.alarm(0)
        for number, handler in before.items():
            signal.signal(number, handler)
    return status, caught


def _be_child(
    tool: str, work: Callable[[Note], int], doing: mmap.mmap, stops: list[signal.Signals]
) -> NoReturn:
    code = 1
    try:
        _prepare(stops)
        code = _child(tool, work, doing)
    except _Stopped as stop:
        code = 128 + stop.args[0]
    except BaseException:  # of the preparation, or of telling what went wrong
        import traceback

        traceback.print_exc()
    finally:
        os._exit(code)


def _prepare(stops: list[signal.Signals]) -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    def stop(number: int, frame: FrameType | None) -> None:
        for other in stops:  # what ends programs is not to be interrupted
            signal.signal(other, signal.SIG_IGN)
        raise _Stopped(number)

    for number in stops:
        signal.signal(number, stop)
    if sys.platform == "linux":  # a tool that is killed tells nobody
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, stops)


def _child(tool: str, work: Callable[[Note], int], doing: mmap.mmap) -> int:
    def note(text: str) -> None:
        doing[:] = text.encode(errors="replace")[: len(doing)].ljust(len(doing), b"\0")

    try:
        code = work(note)
    except SystemExit as stop:  # of argparse, of a pass
        if isinstance(stop.code, str):
            print(stop.code, file=sys.stderr)
        code = 1 if stop.code else 0
    except BrokenPipeError:  # whoever reads has seen enough
        return 1
    except _Stopped:
        raise
    except ImportError as error:  # MLIR or the dialect's library is not there
        print(f"{tool}: error: {error}", file=sys.stderr)
        code = 1
    except BaseException:
        import traceback

        traceback.print_exc()
        print(f"{tool}: error: this should not happen, please report it", file=sys.stderr)
        code = 1
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        code = 1
    except OSError as error:
        print(f"{tool}: error: <stdout>: {error.strerror or error}", file=sys.stderr)
        code = 1
    with suppress(OSError):
        sys.stderr.flush()
    return code
