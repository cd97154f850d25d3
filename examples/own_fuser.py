# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A fuser of one's own: a dense layer, relu(x @ w + b), by BLAS and in-place NumPy.

It wins these three operations by its score: the compiler's is one more than the operations.

python examples/own_fuser.py
"""

import copy
from typing import Any

import numpy as np

import pyfusion as pf
from pyfusion import fusers

PATTERN = ("matmul", "add", "maximum")


class Dense(fusers.Optimization):
    name = "dense"

    def __len__(self) -> int:
        return len(PATTERN)

    def execute(self, block: Any) -> None:
        x, w, bias = fusers.inputs(block)
        product, needed = np.matmul(x, w), block.survivors  # the others give up their memory
        total = np.add(product, bias, out=None if 0 in needed else product)
        out = np.maximum(total, block.scalars[0], out=None if 1 in needed else total)
        for number in needed:
            fusers.write(block, number, (product, total, out)[number])


class DenseFuser:
    name = "dense"
    devices = ("cpu",)

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        self.length, self.last, self.state = 0, 0, fusers.FuserStatus.OPEN

    def clone(self) -> "DenseFuser":
        return copy.copy(self)

    def fuse(self, operation: fusers.OperationIr) -> None:
        arrays = [i for i in operation.inputs if isinstance(i, fusers.TensorIr)]
        ranks = [len(a.shape) for a in arrays]
        fits = operation.op.name == PATTERN[self.length] and operation.output.dtype == pf.float32
        if self.length == 0:
            fits = fits and ranks == [2, 2] and arrays[0].id != arrays[1].id
        else:  # the result so far, then a vector or a number
            fits = fits and arrays[0].id == self.last and ranks == [2, 1][: 3 - self.length]
            fits = fits and arrays[0].shape == operation.output.shape
        self.length += fits
        self.last = operation.output.id
        if not fits or self.length == len(PATTERN):
            self.state = fusers.FuserStatus.CLOSED

    def status(self) -> fusers.FuserStatus:
        return self.state

    def properties(self) -> fusers.FuserProperties:
        return fusers.FuserProperties(score=10, ready=self.length == len(PATTERN))

    def __len__(self) -> int:
        return self.length

    def finish(self, block: Any) -> Dense:
        return Dense()


if __name__ == "__main__":
    x, w, b = (pf.ones(shape, dtype=pf.float32) for shape in ((9, 64), (64, 64), 64))
    with fusers.register(DenseFuser()), pf.testing.inspect() as report:
        y = pf.maximum(pf.maximum(x @ w + b, 0) @ w + b, 0) - 1
    print(f"{float(y[0, 0]):.0f}: {report.blocks} blocks, {report.kernels} kernel")
