# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How many kernels ran, what was allocated and written, what was not fused."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from .. import client
from ..runtime import library
from ..runtime.statistics import statistics


class Report:
    """Counts of what ran inside an `inspect()` block; final when the block ends.

    Attributes:
        kernels: kernels launched.
        compiles: blocks compiled.
        plans: plans stored; a block that comes again has one.
        allocations: buffers taken from the pool.
        bytes_written: size of the buffers bound as outputs of kernels.
        unfused: names of the operations that the backend ran, in order.
        on_host: of those for a GPU the ones that NumPy ran on the host, with copies there and back.
        transfers: copies between the host and GPUs.
        blocks: blocks run.
        fallbacks: blocks that the backend ran because they did not compile or launch.
    """

    def __init__(self) -> None:
        self.kernels = self.compiles = self.allocations = self.bytes_written = 0
        self.blocks = self.fallbacks = self.plans = 0
        self.transfers = 0
        self.unfused: list[str] = []
        self.on_host: list[str] = []

    def __repr__(self) -> str:
        names: tuple[str, ...] = (
            "kernels",
            "compiles",
            "plans",
            "allocations",
            "bytes_written",
            "unfused",
            "blocks",
        )
        if self.transfers:
            names = (*names, "transfers", "on_host")
        return ", ".join(f"{n}={getattr(self, n)}" for n in (*names, "fallbacks"))


def _now() -> tuple[int, ...]:
    native = library.load().counters()
    s = statistics
    return (
        native["kernels"] + s.gpu_launches,
        s.compiles,
        native["allocations"] + s.gpu_allocations,
        native["output_bytes"] + s.gpu_output_bytes,
        s.blocks,
        s.fallbacks,
        s.transfers,
        s.plans,
    )


@contextmanager
def inspect(flush: bool = True) -> Iterator[Report]:
    """Counts what this process runs inside the `with` block.

    Args:
        flush: run what was queued before the block, outside the count, and what is queued in it,
            inside the count. False leaves the queue alone.

    Example:
        >>> import pyfusion as pf
        >>> x = pf.ones(4)
        >>> with pf.testing.inspect() as report:
        ...     y = x * 2 + 1
        >>> report.kernels
        1
    """
    if flush:
        client.sync()
    report = Report()
    start = _now()
    first = len(statistics.unfused)
    first_on_host = len(statistics.on_host)
    statistics.watching += 1
    try:
        yield report
        if flush:
            client.sync()
    finally:
        statistics.watching -= 1
        delta = [b - a for a, b in zip(start, _now(), strict=True)]
        (
            report.kernels,
            report.compiles,
            report.allocations,
            report.bytes_written,
            report.blocks,
            report.fallbacks,
            report.transfers,
            report.plans,
        ) = delta
        report.on_host = statistics.on_host[first_on_host:]
        report.unfused = statistics.unfused[first:]
        if not statistics.watching:
            statistics.unfused.clear()
            statistics.on_host.clear()
