# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""AMD GPUs: the ROCDL dialect, then a code object, which needs an LLVM that has the target.

No device library: what `math` holds by then are instructions, or what LLVM expands to some.
"""

from . import gpu
from .targets import Target

CODE_OBJECT = 500  # version 5: what ROCm reads since 5.6

HSACO = ["fusion-rocdl-to-hsaco"]


def rocdl(target: Target) -> list[str]:
    """To the ROCDL dialect."""
    options = f"chip={target.chip} features={target.features} abi={CODE_OBJECT} O=3"
    return [
        f"rocdl-attach-target{{{options}}}",
        gpu.device(
            "convert-math-to-intrinsics",
            "convert-scf-to-cf",
            "expand-strided-metadata",
            "lower-affine",
            "strip-debuginfo",
            f"convert-gpu-to-rocdl{{chipset={target.chip} index-bitwidth=64 runtime=HIP}}",
            "reconcile-unrealized-casts",
        ),
    ]


def phases(target: Target) -> list[tuple[str, list[str]]]:
    """From outlined kernels to a host module that holds a code object."""
    return [
        ("flat", gpu.FLAT),
        ("linalg", gpu.LINALG),
        ("gpu", gpu.GPU),
        ("rocdl", rocdl(target)),
        ("hsaco", HSACO),
        ("llvm", gpu.HOST),
    ]
