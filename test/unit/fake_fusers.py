# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations and fusers for tests of the planner: nothing is compiled and no array exists."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

import pyfusion as pf
from pyfusion.fusers import FuserProperties, FuserStatus, OperationIr, TensorIr, UnfusedOp
from pyfusion.fusers.graph import Node


def program(*lines):
    """Operations from lines such as "add 0 -1": a name, then numbers of operands; the result of
    line 3 is number 3, what comes from outside is negative."""
    found = []
    for number, line in enumerate(lines):
        name, *operands = line.split()
        inputs = tuple(TensorIr(int(i), (4, 4), "f32") for i in operands)
        op = SimpleNamespace(name=name, kind="elementwise")
        found.append(OperationIr(op, inputs, TensorIr(number, (4, 4), "f32"), None, (), None))
    return found


def node(produced=(), read=(), freed=(), position=0):
    return Node(frozenset(produced), frozenset(read), frozenset(freed), position)


class Fuser:
    """Keeps the names that it was offered; subclasses say what they cover."""

    def __init__(self, name, score):
        self.name = name
        self.score = score
        self.log = []  # shared by the clones: [name of each operation offered]
        self.reset()

    def reset(self):
        self.covered = 0
        self.closed = False

    def clone(self):
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        return other

    def fuse(self, operation):
        assert not self.closed, "offered an operation after it closed"
        self.log.append(operation.op.name)
        self.take(operation.op.name)

    def status(self):
        return FuserStatus.CLOSED if self.closed else FuserStatus.OPEN

    def properties(self):
        return FuserProperties(score=self.value(), ready=self.ready())

    def __len__(self):
        return self.covered

    def finish(self, block):
        return UnfusedOp() if len(block.queue) == 1 else Backend(self.name, len(block.queue))


class Backend(UnfusedOp):
    """Runs a block on the backend and counts how often."""

    runs = 0

    def __init__(self, name, length):
        self.name = name
        self.length = length

    def __len__(self):
        return self.length

    def execute(self, block):
        from pyfusion.runtime.backend_step import run_value

        Backend.runs += 1
        self.started = True
        for v in block.queue:
            run_value(v)


class Pattern(Fuser):
    """Covers a fixed sequence of names; closed when it is complete or broken."""

    def __init__(self, name, pattern, score=10):
        super().__init__(name, score)
        self.pattern = pattern.split()

    def take(self, name):
        if name == self.pattern[self.covered]:
            self.covered += 1
            self.closed = self.covered == len(self.pattern)
        else:
            self.closed = True

    def ready(self):
        return self.covered == len(self.pattern)

    def value(self):
        return self.score


class Run(Fuser):
    """Covers any run of some names ("*": all); its score is one for each, times `score`."""

    def __init__(self, name, names="*", score=1, least=1):
        super().__init__(name, score)
        self.names = names.split()
        self.least = least

    def take(self, name):
        if self.names == ["*"] or name in self.names:
            self.covered += 1
        else:
            self.closed = True

    def ready(self):
        return self.covered >= self.least

    def value(self):
        return self.score * self.covered


def shown(strategies):
    """Strategies as (name of the fuser, positions); "-" for an operation of its own."""
    return [("-" if s.fuser is None else s.fuser.name, list(s.positions)) for s in strategies]


def data(*shape):
    """An array that exists."""
    x = pf.asarray(np.arange(np.prod(shape), dtype=np.float32).reshape(shape) / 8)
    pf.sync()
    return x


def plan():
    """The only plan there is, as (name, positions) of its parts."""
    (found,) = pf.stream.engine.plans.values()
    return None if found.parts is None else [(p.name, p.positions) for p in found.parts]
