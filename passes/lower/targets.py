# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is compiled for: `"cpu"`, `"cuda:sm_90"`, `"rocm:gfx942"`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..registry import PipelineError, suggestion

__all__ = ["CHIPS", "DEFAULTS", "Target", "parse_target", "target_of_device"]

# The version of PTX, and the chips that need a newer one of the LLVM that writes it. 8.1 is what
# drivers since 530 read.
_PTX = 81
_NEWER_PTX = {
    "sm_88": 90,
    "sm_100": 86,
    "sm_101": 86,
    "sm_103": 88,
    "sm_110": 90,
    "sm_120": 87,
    "sm_121": 88,
}

CHIPS = {
    "cpu": (),
    "cuda": (
        *("sm_70", "sm_72", "sm_75", "sm_80", "sm_86", "sm_87", "sm_88", "sm_89", "sm_90"),
        *("sm_100", "sm_101", "sm_103", "sm_110", "sm_120", "sm_121"),
    ),
    "rocm": ("gfx90a", "gfx942", "gfx1100", "gfx1201"),
}

DEFAULTS = {"cuda": "sm_90", "rocm": "gfx942"}


@dataclass(frozen=True)
class Target:
    """What is compiled for.

    Attributes:
        name: cpu, cuda or rocm.
        chip: as LLVM names it; empty for the CPU, which is the one of this machine.
    """

    name: str
    chip: str = ""

    def __str__(self) -> str:
        return f"{self.name}:{self.chip}" if self.chip else self.name

    @property
    def wave_size(self) -> int:
        """Threads that run in step; 1 on the CPU."""
        if self.name == "rocm":
            return 64 if _generation(self.chip) == 9 else 32
        return 32 if self.name == "cuda" else 1

    @property
    def features(self) -> str:
        """What LLVM is told beyond the chip, as in its `-mattr`."""
        if self.name == "cuda":
            return f"+ptx{_NEWER_PTX.get(self.chip, _PTX)}"
        if self.name == "rocm":
            return f"+wavefrontsize{self.wave_size}"
        return ""


def _generation(chip: str) -> int:
    """9 of gfx90a, 11 of gfx1100: the last two places are the version within it."""
    return int(chip.removeprefix("gfx")[:-2])


def parse_target(text: str | Target) -> Target:
    """A target from its name, or name and chip.

    Raises:
        PipelineError: there is no such target, or it has no such chip.
    """
    if isinstance(text, Target):
        return text
    name, colon, chip = text.partition(":")
    if name not in CHIPS:
        hint = suggestion(name, CHIPS)
        raise PipelineError(f"no target {name!r}; there are {', '.join(CHIPS)}{hint}")
    if not colon:
        return Target(name, DEFAULTS.get(name, ""))
    known = CHIPS[name]
    if not known:
        raise PipelineError(f"target {name} has no chips to choose from: write {name!r}")
    if chip not in known:
        prefix = re.match("[a-z_]*", known[0])
        assert prefix
        guess = prefix[0] + chip
        hint = f"; did you mean {guess!r}?" if guess in known else suggestion(chip, known)
        raise PipelineError(f"{name} has no chip {chip!r}{hint}; there are {', '.join(known)}")
    return Target(name, chip)


def target_of_device(name: str, arch: str) -> Target:
    """The target of a device, as its driver describes it.

    Args:
        name: cuda or rocm.
        arch: `"9.0"`, the compute capability, or `"gfx942:sramecc+:xnack-"`.

    A CUDA device that is newer than the chips known here gets the newest of them that it runs: PTX
    is compiled by the driver.

    Raises:
        PipelineError: nothing is compiled for the device.
    """
    if name == "rocm":
        return parse_target(f"rocm:{arch.partition(':')[0]}")
    major, _, minor = arch.partition(".")
    version = int(major) * 10 + int(minor)
    older = [chip for chip in CHIPS["cuda"] if int(chip[3:]) <= version]
    if not older:
        oldest = CHIPS["cuda"][0]
        raise PipelineError(f"compute capability {arch} is older than {oldest}, the oldest target")
    return Target("cuda", older[-1])
