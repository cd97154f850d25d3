# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An observer that counts what a program records and how long its blocks take.

python examples/own_observer.py
"""

import time
from collections import Counter

import numpy as np

import pyfusion as pf


class Profile(pf.observer.FusionObserver):
    """Operations by name, and a line for each block."""

    def __init__(self):
        self.recorded = Counter()
        self.lines = []
        self.started = 0.0

    def registered(self, operation):
        self.recorded[operation.op.name] += 1

    def block_starts(self, block):
        self.started = time.perf_counter()

    def block_ran(self, block, error):
        micros = (time.perf_counter() - self.started) * 1e6
        how = " | ".join(f"{part.runs} {', '.join(part.ops)}" for part in block.parts)
        site = block.operations[0].site.rpartition("/")[2]
        outcome = "ok" if error is None else f"failed: {error}"
        self.lines.append(
            f"{len(block.operations)} operations from {site} on {block.device}, "
            f"{micros:.0f} us, {outcome}: {how}"
        )


def program(x):
    y = pf.exp(x - x.max(axis=1, keepdims=True))
    y = y / y.sum(axis=1, keepdims=True)
    return float((y @ y.T).sum())


if __name__ == "__main__":
    x = pf.asarray(np.random.default_rng(0).normal(size=(256, 256)).astype(np.float32))
    with pf.observer.install(Profile()) as guard:
        for _ in range(3):
            program(x)
    profile = guard.observer
    print(*profile.lines, sep="\n")
    print(dict(profile.recorded))
    assert profile.recorded["matmul"] == 3 and len(profile.lines) == 3
