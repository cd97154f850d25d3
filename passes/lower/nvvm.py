# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NVIDIA GPUs: the NVVM dialect, then PTX, which needs no GPU and no toolkit."""

from . import gpu

CHIP = "sm_90"
FEATURES = "+ptx80"

NVVM = [
    f"nvvm-attach-target{{chip={CHIP} features={FEATURES} O=3}}",
    gpu.device(
        "convert-math-to-intrinsics{nvvm=true}",
        "convert-scf-to-cf",
        "expand-strided-metadata",
        "lower-affine",
        "strip-debuginfo",
        "convert-gpu-to-nvvm{index-bitwidth=64}",
    ),
]

PTX = ["gpu-module-to-binary{format=isa}"]

PHASES = [("flat", gpu.FLAT), ("linalg", gpu.LINALG), ("gpu", gpu.GPU), ("nvvm", NVVM), ("ptx", PTX)]
