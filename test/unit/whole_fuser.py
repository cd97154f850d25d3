# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A fuser whose blocks run as a whole without a compiler: each operation by NumPy, and all results
at the end or none."""

from contextlib import contextmanager

import pyfusion as pf
from pyfusion import fusers
from pyfusion.fusers import FuserProperties, FuserStatus
from pyfusion.ir.value import Value, take
from pyfusion.runtime import backend_step
from pyfusion.runtime.memory import to_numpy


class WholeBlock:
    name = "whole block"

    def __init__(self, length):
        self.length = length
        self.started = self.consumed = False
        self.culprit = None

    def __len__(self):
        return self.length

    def execute(self, block):
        self.started = True  # a failure is one of all its results
        found = {}
        for number in sorted(self.needed(block)):
            op, args, attrs, dyn, _ = block.queue[number].record
            given = []
            for a in args:
                if a.__class__ is Value:
                    a = to_numpy(found[a.slot] if a.slot >= 0 else a)
                given.append(a)
            v = block.queue[number]
            found[number] = backend_step.execute(op, given, attrs, dyn, v.shape, v.dtype)
        for number in block.survivors:
            take(block.queue[number], found[number])

    @staticmethod
    def needed(block):
        wanted = set(block.survivors)
        for number in range(len(block.queue) - 1, -1, -1):
            if number in wanted:
                args = block.queue[number].record[1]
                wanted |= {a.slot for a in args if a.__class__ is Value and a.slot >= 0}
        return wanted

    def describe(self):
        return "as a whole"


class WholeFuser:
    name = "whole"

    def __init__(self):
        self.length = 0

    def fuse(self, operation):
        self.length += 1

    def clone(self):
        other = WholeFuser()
        other.length = self.length
        return other

    def finish(self, block):
        return WholeBlock(self.length)

    def reset(self):
        self.length = 0

    def status(self):
        return FuserStatus.OPEN

    def properties(self):
        return FuserProperties(score=1 << 30, ready=self.length > 0)

    def __len__(self):
        return self.length


@contextmanager
def whole_blocks():
    """Has every block run by a `WholeFuser`."""
    pf.flush()
    with fusers.register(WholeFuser(), before="mlir"), pf.config.scope(mode="fused"):
        yield
