# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A fuser of one's own: a dense layer, relu(x @ w + b), by BLAS and NumPy. It wins these three
operations by its score; the compiler runs all the others."""

import copy

import numpy as np

import pyfusion as pf
from pyfusion import fusers

PATTERN = ("matmul", "add", "maximum")


class Dense(fusers.Optimization):
    """Runs the layer. What is constant in a plan was seen by the fuser; all else is read here."""

    name = "dense"

    def __len__(self):
        return 3

    def execute(self, block):
        x, w, bias = fusers.inputs(block)
        product = x @ w
        total = product + bias
        results = product, total, np.maximum(total, block.scalars[0])
        for number in block.survivors:
            fusers.write(block, number, results[number])
            self.started = True


class DenseFuser:
    """Covers a matmul, the addition of a bias to its result, and the maximum with a scalar."""

    name = "dense"
    devices = ("cpu",)

    def reset(self):
        self.length, self.closed = 0, False
        self.last = None  # number of the result that the next operation must take

    __init__ = reset

    def clone(self):
        return copy.copy(self)

    def fuse(self, operation):
        arrays = [i for i in operation.inputs if isinstance(i, fusers.TensorIr)]
        fits = operation.op.name == PATTERN[self.length] and operation.output.dtype == pf.float32
        if self.length == 0:
            fits = fits and [len(a.shape) for a in {a.id: a for a in arrays}.values()] == [2, 2]
        else:  # the result so far comes first; a bias is a vector, the maximum is with a number
            fits = fits and (arrays[0].id, arrays[0].shape) == (self.last, operation.output.shape)
            fits = fits and [len(a.shape) for a in arrays[1:]] == [1] * (2 - self.length)
        self.length += fits
        self.last = operation.output.id
        self.closed = not fits or self.length == len(PATTERN)

    def status(self):
        return fusers.FuserStatus.CLOSED if self.closed else fusers.FuserStatus.OPEN

    def properties(self):
        return fusers.FuserProperties(score=10, ready=self.length == len(PATTERN))

    def __len__(self):
        return self.length

    def finish(self, block):
        return Dense()


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    x, w, b = [pf.asarray(rng.standard_normal(s, np.float32)) for s in ((64, 64), (64, 64), (64,))]
    with fusers.register(DenseFuser()), pf.config.scope(debug=1):
        for _ in range(2):
            x = pf.maximum(x @ w + b, 0)
        print(np.asarray(pf.exp(x - pf.max(x, axis=1, keepdims=True)))[0, :4])
