# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where a value lives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..config import GPU_KINDS

# Called for each device but the CPU when it is made.
on_new: list[Callable[[], None]] = []


class Device:
    """A device; there is one object for each, so that `is` compares them.

    Attributes:
        name: "cpu", "cuda:0", "rocm:1", or that of a decorated backend, "mine:0".
        kind: "cpu", "cuda", "rocm" or the name of a decorated backend.
        index: its number among those of its kind.
        target: what its kernels are compiled for: "cpu", "cuda:sm_90", "rocm:gfx942"; empty where
            memory has no addresses, so that nothing is compiled.
        runtime: its memory and eager operations, a `FusionRuntime`; the CPU's is not here.
        device: itself. A failed value keeps the device where others have their buffer.
    """

    __slots__ = ("name", "kind", "index", "target", "runtime")

    def __init__(self, kind: str, index: int, target: str, runtime: Any = None):
        self.name = kind if kind == "cpu" else f"{kind}:{index}"
        self.kind = kind
        self.index = index
        self.target = target
        self.runtime = runtime
        for call in on_new:
            call()

    @property
    def is_gpu(self) -> bool:
        """Whether its memory is that of a GPU's driver."""
        return self.kind in GPU_KINDS

    @property
    def device(self) -> Device:
        return self

    def __repr__(self) -> str:
        return self.name


CPU = Device("cpu", 0, "cpu")
