# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From kernels to machine code: one list of passes a target, in phases with a name each."""

from __future__ import annotations

from collections.abc import Sequence

from . import cpu, nvvm, rocdl

__all__ = ["TARGETS", "phases"]

TARGETS = {"cpu": cpu.PHASES, "cuda": nvvm.PHASES, "rocm": rocdl.PHASES}


def phases(target: str) -> Sequence[tuple[str, Sequence[str]]]:
    """The phases of a target that follow "outlined": their names and passes, in order."""
    if target not in TARGETS:
        raise ValueError(f"no target {target!r}; there are {', '.join(TARGETS)}")
    return TARGETS[target]
