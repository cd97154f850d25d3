# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NVIDIA GPUs: a gpu.module in the NVVM dialect, then PTX."""

from . import gpu

CHIP = "sm_90"
FEATURES = "+ptx80"

NVVM = [
    f"nvvm-attach-target{{chip={CHIP} features={FEATURES} O=3}}",
]
PTX = ["gpu-module-to-binary{format=isa}"]

PHASES = [("linalg", gpu.LINALG), ("gpu", gpu.GPU), ("nvvm", NVVM), ("ptx", PTX)]
