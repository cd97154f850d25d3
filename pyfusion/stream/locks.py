# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The two locks of the engine, and what becomes of them when the process forks.

In a forked child they are new ones: always ask this module for them.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Any

from ..errors import InsideFlushError
from . import failures
from .stream import all_streams

# Guards plans, compiler and launches: who calls the compiler or the launcher must hold it.
lock = threading.RLock()
# Held while a stream is flushed or an ordered function runs. Who holds `lock` and finds it taken is
# inside of one.
busy = threading.Lock()

_FORK_WAIT = 60.0  # seconds for what another thread runs to end
_forking: dict[int, bool] = {}  # by thread: whether it holds the lock


def check_idle() -> None:
    """Refuses what must not happen inside of a flush; the caller holds the lock.

    Raises:
        RuntimeError: this thread is flushing a stream, or runs an ordered function.
    """
    if busy.locked():
        raise InsideFlushError(
            "an array was read, or used on another stream, or a stream flushed, inside the flush "
            "of another one or an ordered function, as by a signal handler, a destructor or an "
            "operation of the user's: read it later"
        )


def run_ordered(function: Callable[[], Any]) -> Any:
    """Runs a function while nothing else is compiled or launched.

    Raises:
        RuntimeError: inside of a flush or another such function.
        Exception: what the function raises.
    """
    with lock:
        check_idle()
        with busy:
            return function()


def _before_fork() -> None:
    """Lets another thread's flush end: a child would have its operations half done."""
    _forking[threading.get_ident()] = lock.acquire(timeout=_FORK_WAIT)


def _after_fork_in_parent() -> None:
    if _forking.pop(threading.get_ident(), False):
        lock.release()


def _after_fork_in_child() -> None:
    global lock, busy
    running = busy.locked()
    _forking.clear()
    lock = threading.RLock()
    busy = threading.Lock()
    if running:  # another thread did not end in time, or an operation forks
        error = RuntimeError("it was running when the process forked")
        for stream in all_streams():
            for part in stream.parts:
                failures.claim([v for v in part if v is not None], error)


os.register_at_fork(
    before=_before_fork,
    after_in_parent=_after_fork_in_parent,
    after_in_child=_after_fork_in_child,
)
