# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NVIDIA GPUs: the NVVM dialect, then PTX, which needs no GPU and no toolkit."""

from . import gpu
from .targets import Target

PTX = ["gpu-module-to-binary{format=isa}", "fusion-drop-timings"]

CUBIN = ["fusion-ptx-to-cubin"]


def nvvm(target: Target) -> list[str]:
    """To the NVVM dialect."""
    return [
        f"nvvm-attach-target{{chip={target.chip} features={target.features} O=3}}",
        gpu.device(
            "fusion-unpack-cut-floats",
            "convert-math-to-intrinsics{nvvm=true}",
            "convert-scf-to-cf",
            "expand-strided-metadata",
            "lower-affine",
            "strip-debuginfo",
            "convert-gpu-to-nvvm{index-bitwidth=64}",
            "reconcile-unrealized-casts",
        ),
    ]


def phases(target: Target, cubin: bool) -> list[tuple[str, list[str]]]:
    """From outlined kernels to a host module that holds PTX, or machine code."""
    return [
        ("flat", gpu.FLAT),
        ("linalg", gpu.LINALG),
        ("gpu", gpu.GPU),
        ("nvvm", nvvm(target)),
        ("ptx", PTX),
        *([("cubin", CUBIN)] if cubin else []),
        ("llvm", gpu.HOST),
    ]
