# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""GPUs: kernels as functions of a gpu.module that one thread runs for one element.

The vendors' lists (nvvm.py, rocdl.py) go on from here.
"""

BLOCK = 256  # threads

LINALG = ["convert-fusion-to-linalg"]

GPU = [
    "convert-linalg-to-parallel-loops",
    f"func.func(scf-parallel-loop-tiling{{parallel-loop-tile-sizes={BLOCK} no-min-max-bounds=true}})",
    "func.func(gpu-map-parallel-loops)",
    "convert-parallel-loops-to-gpu",
    "gpu-kernel-outlining",
]
