# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counters of this process that the native run time does not see."""

from __future__ import annotations


class Statistics:
    """Monotonic counters; `unfused` are names of operations that the backend ran, `on_host` of
    those for a GPU that the host ran."""

    def __init__(self) -> None:
        self.blocks = 0
        self.compiles = 0
        self.plans = 0  # stored
        self.loaded = 0  # plans taken from a file instead
        self.fallbacks = 0
        self.unfused: list[str] = []
        self.gpu_allocations = 0
        self.gpu_launches = 0
        self.gpu_output_bytes = 0
        self.transfers = 0  # copies between host and device, and their bytes
        self.transfer_bytes = 0
        self.on_host: list[str] = []  # operations of a GPU that the host ran
        self.watching = 0  # the names are kept only while somebody inspects

    def note_unfused(self, name: str) -> None:
        if self.watching:
            self.unfused.append(name)

    def note_transfer(self, nbytes: int) -> None:
        self.transfers += 1
        self.transfer_bytes += nbytes

    def note_host(self, name: str) -> None:
        if self.watching:
            self.on_host.append(name)


statistics = Statistics()
