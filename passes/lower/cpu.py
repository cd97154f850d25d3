# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""CPU: kernels as scalar loops over a range of a flat index, which LLVM vectorises for the host.

No clean-up passes: LLVM does that work again in any case, and each pass costs compile time.
"""

import platform


def _converts_float16() -> bool:
    """Whether the host has instructions for it: x86 since 2012 (F16C), every 64-bit ARM.

    Elsewhere LLVM may call functions of a library that is not there.
    """
    machine = platform.machine()
    if machine not in ("x86_64", "AMD64"):
        return machine in ("aarch64", "arm64")
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            flags = next((line for line in lines if line.startswith("flags")), "")
    except OSError:
        return False
    return "f16c" in flags.split()


FLAT = ["fusion-flatten-kernels"]

LINALG = ["convert-fusion-to-linalg"]

LOOPS = ["convert-linalg-to-ranges", "fusion-widen-loops"]

EXPAND = ["fusion-expand-bfloat16"]
if not _converts_float16():
    EXPAND.append("fusion-expand-float16")

LLVM = [
    *EXPAND,
    "fusion-pack-kernels",
    "convert-vector-to-llvm",  # the lanes of float sums
    "expand-strided-metadata",
    "convert-scf-to-cf",
    "convert-to-llvm",  # arith, math, memref, func, cf
    "reconcile-unrealized-casts",
    "fusion-finalize-kernels",
]

PHASES = [("flat", FLAT), ("linalg", LINALG), ("cpu", LOOPS), ("llvm", LLVM)]
