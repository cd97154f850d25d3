# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""CPU: kernels as scalar loops over a range of a flat index, which LLVM vectorises for the host.

No clean-up passes: LLVM does that work again in any case, and each pass costs compile time.
"""

FLAT = ["fusion-flatten-kernels"]

LINALG = ["convert-fusion-to-linalg"]

LOOPS = ["convert-linalg-to-ranges"]

LLVM = [
    "fusion-pack-kernels",
    "convert-vector-to-llvm",  # the lanes of float sums
    "expand-strided-metadata",
    "convert-scf-to-cf",
    "convert-to-llvm",  # arith, math, memref, func, cf
    "reconcile-unrealized-casts",
    "fusion-finalize-kernels",
]

PHASES = [("flat", FLAT), ("linalg", LINALG), ("cpu", LOOPS), ("llvm", LLVM)]
