# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The program that the README opens with.

python examples/first.py
"""

import numpy as np

import pyfusion as pf


def energy(x, y):
    gelu = 0.5 * x * (1 + pf.tanh(0.7978846 * (x + 0.044715 * x * x * x)))
    return (pf.where(gelu > 0, gelu, y.T) ** 2).sum(axis=0)


if __name__ == "__main__":
    x = pf.asarray(np.linspace(-3, 3, 4096 * 4096, dtype=np.float32).reshape(4096, 4096))
    y = pf.asarray(np.full((4096, 4096), 0.5, np.float32))
    with pf.testing.inspect() as report:
        result = energy(x, y)  # recorded, not run
    print(np.asarray(result)[:4])
    print(report)
    print(pf.explain(energy, x, y))
