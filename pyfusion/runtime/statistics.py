# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counters of this process that the native run time does not see."""

from __future__ import annotations


class Statistics:
    """Monotonic counters; `unfused` are names of operations that the backend ran."""

    def __init__(self) -> None:
        self.blocks = 0
        self.compiles = 0
        self.fallbacks = 0
        self.unfused: list[str] = []
        self.watching = 0  # the names are kept only while somebody inspects

    def note_unfused(self, name: str) -> None:
        if self.watching:
            self.unfused.append(name)


statistics = Statistics()
