# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""AMD GPUs: the ROCDL dialect. LLVM IR and a code object need an LLVM that has the target."""

from . import gpu

CHIP = "gfx942"

ROCDL = [
    f"rocdl-attach-target{{chip={CHIP} O=3}}",
    gpu.device(
        "convert-math-to-intrinsics",
        "convert-scf-to-cf",
        "expand-strided-metadata",
        "lower-affine",
        "strip-debuginfo",
        f"convert-gpu-to-rocdl{{chipset={CHIP} index-bitwidth=64}}",
    ),
]

PHASES = [("flat", gpu.FLAT), ("linalg", gpu.LINALG), ("gpu", gpu.GPU), ("rocdl", ROCDL)]
