# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a tool in a forked child: MLIR's assertions and fatal errors stop a process."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

__all__ = ["isolated"]


def isolated(tool: str, work: Callable[[], int]) -> int:
    """The exit code of `work()`, run in a child; 1, with a message, if a signal stops the child.

    MLIR must not have been imported: its threads do not survive a fork.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        os._exit(_child(tool, work))
    while True:
        try:
            _, status = os.waitpid(child, 0)
            break
        except KeyboardInterrupt:  # the child gets it too
            continue
    if os.WIFSIGNALED(status):
        import signal

        name = signal.Signals(os.WTERMSIG(status)).name
        print(f"{tool}: error: stopped by {name}", file=sys.stderr)
        return 1
    return os.WEXITSTATUS(status)


def _child(tool: str, work: Callable[[], int]) -> int:
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        code = work()
        sys.stdout.flush()
    except SystemExit as stop:  # argparse
        code = 1 if stop.code else 0
    except KeyboardInterrupt:
        print(f"{tool}: error: interrupted", file=sys.stderr)
        code = 1
    except BrokenPipeError:  # whoever reads has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        code = 1
    except BaseException:
        import traceback

        traceback.print_exc()
        print(f"{tool}: error: this should not happen, please report it", file=sys.stderr)
        code = 1
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        code = 1
    return code
