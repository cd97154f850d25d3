# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A fuser of one's own: a dense layer, relu(x @ w + b), by BLAS and in-place NumPy.

It wins these three operations by its score; the compiler runs all the others.

python examples/own_fuser.py
"""

from __future__ import annotations

from typing import Any

import numpy as np

import pyfusion as pf
from pyfusion import fusers

PATTERN = ("matmul", "add", "maximum")


class Dense(fusers.Optimization):
    """Runs the layer. What is constant in a plan was seen by the fuser; all else is read here."""

    name = "dense"

    def __len__(self) -> int:
        return len(PATTERN)

    def execute(self, block: Any) -> None:
        x, w, bias = fusers.inputs(block)
        needed = block.survivors  # others use the memory of the result before
        product = np.matmul(x, w)
        total = np.add(product, bias, out=None if 0 in needed else product)
        out = np.maximum(total, block.scalars[0], out=None if 1 in needed else total)
        for number in needed:
            fusers.write(block, number, (product, total, out)[number])
            self.started = True


class DenseFuser:
    """Covers a matmul, the addition of a bias to its result, and the maximum with a scalar."""

    name = "dense"
    devices = ("cpu",)

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        self.length, self.closed = 0, False
        self.last: int | None = None  # number of the result that the next operation must take

    def clone(self) -> DenseFuser:
        other = DenseFuser()
        other.__dict__.update(self.__dict__)
        return other

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
        self.closed = not fits or self.length == len(PATTERN)

    def status(self) -> fusers.FuserStatus:
        return fusers.FuserStatus.CLOSED if self.closed else fusers.FuserStatus.OPEN

    def properties(self) -> fusers.FuserProperties:
        # The compiler's score is one more than the operations.
        return fusers.FuserProperties(score=10, ready=self.length == len(PATTERN))

    def __len__(self) -> int:
        return self.length

    def finish(self, block: Any) -> Dense:
        return Dense()


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    x, w, b = (pf.asarray(rng.standard_normal(s, np.float32)) for s in ((9, 64), (64, 64), (64,)))
    with fusers.register(DenseFuser()), pf.config.scope(debug=1):  # a line for each block
        print(np.asarray(pf.tanh(pf.maximum(pf.maximum(x @ w + b, 0) @ w + b, 0)))[0, :4])
