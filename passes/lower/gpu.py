# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""GPUs: kernels as functions of a gpu.module, launched by host functions on a caller's stream.

The vendors' lists (nvvm.py, rocdl.py) go on from here.
"""

FLAT = ["fusion-flatten-kernels{access=true}"]

LINALG = ["convert-fusion-to-linalg"]

GPU = ["convert-linalg-to-gpu"]

# What launches the kernels, beside their binary. A launch on a token that was a stream goes to that
# stream, and nothing waits for it.
HOST = [
    "convert-scf-to-cf",
    "expand-strided-metadata",
    "lower-affine",
    "gpu-to-llvm",
    "reconcile-unrealized-casts",
    "fusion-forbid-unwinding",
]


def device(*passes: str) -> str:
    """Passes that run on the code of the GPU."""
    return f"gpu.module({','.join(passes)})"
