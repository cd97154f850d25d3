# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""AMD GPUs: a gpu.module in the ROCDL dialect. Its translation needs an LLVM with that target."""

from . import gpu

CHIP = "gfx942"

ROCDL = []

PHASES = [("linalg", gpu.LINALG), ("gpu", gpu.GPU), ("rocdl", ROCDL)]
