# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""GPUs: kernels as functions of a gpu.module in which one thread computes one element.

The vendors' lists (nvvm.py, rocdl.py) go on from here.
"""

BLOCK = 256  # threads

LINALG = ["convert-fusion-to-linalg"]

GPU = [
    "convert-linalg-to-parallel-loops",
    f"func.func(scf-parallel-loop-tiling{{parallel-loop-tile-sizes={BLOCK}}})",
    # A constant step and tile size, from which the number of threads is derived. Not canonicalize:
    # it removes loops of one iteration, and what they hold has to run on the GPU.
    "sccp",
    "func.func(scf-for-loop-canonicalization)",
    "func.func(gpu-map-parallel-loops)",
    "convert-parallel-loops-to-gpu",
    "lower-affine",
    "gpu-launch-sink-index-computations",  # constants are no arguments of the kernel
    "gpu-kernel-outlining",
]

# What launches the kernels, beside their binary. A launch on a token that was a stream goes to that
# stream, and nothing waits for it.
HOST = [
    "convert-scf-to-cf",
    "expand-strided-metadata",
    "lower-affine",
    "gpu-to-llvm",
    "reconcile-unrealized-casts",
]


def device(*passes: str) -> str:
    """Passes that run on the code of the GPU."""
    return f"gpu.module({','.join(passes)})"
