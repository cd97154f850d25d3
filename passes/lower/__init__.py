# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From kernels to machine code: one list of passes a target, in phases with a name each."""

from __future__ import annotations

from collections.abc import Sequence

from . import cpu, nvvm, rocdl
from .targets import CHIPS, DEFAULTS, Target, parse_target, target_of_device

__all__ = ["CHIPS", "DEFAULTS", "Target", "parse_target", "phases", "target_of_device"]


def phases(target: Target | str, *, cubin: bool = False) -> Sequence[tuple[str, Sequence[str]]]:
    """The phases of a target that follow "outlined": their names and passes, in order.

    Args:
        cubin: let ptxas compile the PTX of a CUDA target, not the driver.
    """
    target = parse_target(target)
    if target.name == "cuda":
        return nvvm.phases(target, cubin)
    if target.name == "rocm":
        return rocdl.phases(target)
    return cpu.PHASES
