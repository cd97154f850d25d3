# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs of recording, failing, draining, recovering and dropping, against a model.

The model knows nothing of the engine: it keeps what each handle should read as, a number or a
failure's number and depth. `PYFUSION_ERROR_SEEDS` sets how many programs are tried.
"""

import contextlib
import gc
import os
import random
import weakref

import numpy as np
import pytest
from whole_fuser import whole_blocks

import pyfusion as pf
from pyfusion.array.core import wrap
from pyfusion.client import get_client
from pyfusion.ir.table import custom_op

pytestmark = pytest.mark.host

SEEDS = int(os.environ.get("PYFUSION_ERROR_SEEDS", "300"))
STEPS = 80


class Boom(Exception):
    alive: "weakref.WeakSet[Boom]" = weakref.WeakSet()

    def __new__(cls, *args):
        error = super().__new__(cls, *args)
        cls.alive.add(error)
        return error


def mix(*numbers):
    return (3 * numbers[0] + numbers[-1] + 1) % 1009


def run(*arrays, tag):
    if tag >= 0:
        raise Boom(tag)
    return mix(*arrays)


OP = custom_op("mix_or_fail", run)


class Node:
    """What a recorded value should become: `state` is None, a number, or (failure, depth)."""

    def __init__(self, args=(), tag=-1, stream=0, state=None):
        self.args, self.tag, self.stream, self.state = args, tag, stream, state
        self.handles = 0

    @property
    def bad(self):
        return isinstance(self.state, tuple)


class Model:
    """How failures spread, said again without queues, blocks and claims."""

    def __init__(self, whole):
        self.whole = whole
        self.pending = {}

    def record(self, args, tag, stream):
        for a in args:
            if a.state is None and a.stream != stream:
                self.drain(a.stream)
        node = Node(args, tag, stream)
        self.pending.setdefault(stream, []).append(node)
        return node

    def drain(self, stream):
        """Runs what is pending; returns the nodes that somebody holds and that have failed now."""
        nodes = self.pending.pop(stream, [])
        (self._as_units if self.whole else self._one_by_one)(nodes)
        for node in nodes:
            node.args = ()
        return [n for n in nodes if n.bad and n.handles]

    @staticmethod
    def _one_by_one(nodes):
        for n in nodes:
            bad = next((a for a in n.args if a.bad), None)
            if bad:
                n.state = (bad.state[0], bad.state[1] + 1)
            elif n.tag >= 0:
                n.state = (n.tag, 0)
            else:
                n.state = mix(*[a.state for a in n.args])

    @staticmethod
    def _as_units(nodes):
        skipped = set()
        rest = []
        for n in nodes:
            bad = next((a for a in n.args if a.bad), None)
            if bad is None:
                rest.append(n)
                continue
            n.state = (bad.state[0], bad.state[1] + (bad not in skipped))
            skipped.add(n)
        wanted = set()
        for n in reversed(rest):
            if n.handles or n in wanted:
                wanted.add(n)
                wanted.update(n.args)
        failed = next((n for n in rest if n in wanted and n.tag >= 0), None)
        for n in rest:
            if failed:
                n.state = (failed.tag, 0)
            elif n in wanted:
                n.state = mix(*[a.state for a in n.args])


class Program:
    def __init__(self, seed, whole):
        self.random = random.Random(seed)
        self.model = Model(whole)
        self.cells = []  # [array, node]
        self.scopes = [None, pf.stream(), pf.stream()]
        self.stream = 0
        self.tags = 0

    def __call__(self):
        for _ in range(3):
            self.new()
        steps = [self.record] * 5 + [self.fail, self.read, self.read, self.read, self.drop]
        steps += [self.recover, self.write_to, self.sync, self.flush, self.switch, self.new]
        for _ in range(STEPS):
            with self.scopes[self.stream] or contextlib.nullcontext():
                self.random.choice(steps)()
        for cell in range(len(self.cells)):
            self.read(cell)
        self.cells.clear()

    def hold(self, array, node):
        node.handles += 1
        self.cells.append([array, node])

    def pick(self):
        return self.random.choice(self.cells)

    def new(self):
        number = self.random.randrange(1000)
        self.hold(pf.asarray([number] * 2), Node(state=number))

    def mixed(self, tag=-1):
        chosen = [self.pick() for _ in range(self.random.choice((1, 2, 2)))]
        values = tuple([array._v for array, _ in chosen])
        value = get_client().register(OP, values, (2,), pf.int64, (("tag", tag),))
        return value, self.model.record([node for _, node in chosen], tag, self.stream)

    def record(self):
        value, node = self.mixed()
        self.hold(wrap(value), node)

    def fail(self):
        self.tags += 1
        value, node = self.mixed(self.tags)
        self.hold(wrap(value), node)

    def write_to(self):
        """A cell of a handle gets a new value: it is as good as that."""
        value, node = self.mixed()
        cell = self.pick()
        cell[1].handles -= 1
        node.handles += 1
        cell[0]._v, cell[1] = value, node

    def recover(self):
        """A write through `out=` to what has failed."""
        self.flush()  # the model knows nothing of the multiplication: it is a block of its own
        number = self.random.randrange(1000)
        for cell in self.cells:
            if cell[1].bad:
                found = np.multiply(pf.asarray([number] * 2), 1, out=cell[0])
                assert found is cell[0]
                assert found.tolist() == [number] * 2
                cell[1] = Node(state=number)
                cell[1].handles = 1
                return

    def drained(self, stream):
        return self.model.drain(stream)

    def drop(self):
        if len(self.cells) > 2:
            _, node = self.cells.pop(self.random.randrange(len(self.cells)))
            node.handles -= 1

    def read(self, number=None):
        array, node = self.pick() if number is None else self.cells[number]
        if node.state is None:
            self.drained(node.stream)
        try:
            got = array.tolist()
        except pf.ExecutionError as error:
            got = (error.cause.args[0], error.depth)
        want = node.state if node.bad else [node.state] * 2
        assert got == want

    def sync(self):
        failed = self.drained(self.stream)
        try:
            pf.sync()
        except pf.ExecutionError as error:
            assert 0 < error.cause.args[0] <= self.tags
        else:
            assert not failed

    def flush(self):
        self.drained(self.stream)
        pf.flush()

    def switch(self):
        self.stream = self.random.randrange(len(self.scopes))


@pytest.mark.parametrize("whole", [False, True], ids=["operations", "blocks"])
def test_random_failures_are_those_of_the_model(whole):
    gc.collect()
    gc.disable()  # claims have to go with the last reference
    try:
        with whole_blocks() if whole else pf.config.scope(mode="backend"):
            for seed in range(SEEDS):
                program = Program(seed, whole)
                try:
                    program()
                except BaseException as error:
                    error.args = (f"seed {seed}: {error}",)
                    raise
                for scope in program.scopes:
                    with scope or contextlib.nullcontext():
                        pf.flush()
                assert program.tags == 0 or len(Boom.alive) == 0, f"seed {seed}"
    finally:
        gc.enable()
