# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What watches the engine from inside: observers, tracing, checks of tests.

The engine asks whether there are watchers before it calls anything here, so that nobody pays for
them who has none.
"""

from __future__ import annotations

import os
import threading
from typing import Any

from . import failures

# Those that are told, in order. Changed in place, under `changing`.
watchers: list[Watcher] = []
changing = threading.Lock()


def _after_fork() -> None:
    """Another thread may have held the lock, and it is none of the child's."""
    global changing
    changing = threading.Lock()


os.register_at_fork(after_in_child=_after_fork)

# The blocks that are being run, with how many failures there were before each.
_open: list[tuple[Any, int]] = []


class Watcher:
    """Base class of what watches; its methods do nothing, and must not raise.

    What they are given must not be kept: a reference to a value says that somebody needs it.
    """

    def recorded(self, v: Any) -> None:
        """An operation was queued, and nothing has come of it yet."""

    def opened(self, block: Any) -> None:
        """A block is about to be planned; the engine's lock is held until `ran`."""

    def starts(self, block: Any, plan: Any) -> None:
        """It is about to be run by a plan; None: each operation by the backend, or not at all, as
        one of its operands has failed."""

    def ran(self, block: Any, error: BaseException | None) -> None:
        """It was run, or was not: the first failure of its own."""


def add(watcher: Watcher) -> None:
    with changing:
        watchers.append(watcher)


def remove(watcher: Watcher) -> None:
    """Takes a watcher out, if it is there; equal ones stay."""
    with changing:
        for place, other in enumerate(watchers):
            if other is watcher:
                del watchers[place]
                return


def recorded(v: Any) -> None:
    for watcher in tuple(watchers):
        watcher.recorded(v)


def opened(block: Any) -> None:
    _open.append((block, len(failures.raised)))
    for watcher in tuple(watchers):
        watcher.opened(block)


def starts(block: Any, plan: Any) -> None:
    for watcher in tuple(watchers):
        watcher.starts(block, plan)


def ran(block: Any, error: BaseException | None) -> None:
    """It is over: by an exception, or with failures of its own, or well."""
    if not _open or _open[-1][0] is not block:  # the first watcher came meanwhile
        return
    _, before = _open.pop()
    if error is None:
        error = next(iter(failures.raised[before:]), None)
    for watcher in tuple(watchers):
        watcher.ran(block, error)
