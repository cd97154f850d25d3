# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Threads that record and run layouts which nobody has had before, and switch all the time.

Recording takes no lock, so what it numbers and remembers must hold whatever other threads do in
between: numbers of layouts, masks of shapes, the memory of both.
"""

import itertools
import random
import sys

import numpy as np
import pytest
from threads_common import run_threads

import pyfusion as pf
from pyfusion.ir import value
from pyfusion.stream import engine, locks

pytestmark = pytest.mark.host

COUNT = 8
_patterns = itertools.count()


@pytest.fixture(autouse=True)
def switching():
    """Threads take turns after each few instructions."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def new_layouts(count):
    """Arrays of seven dimensions, each pair of a type and a pattern of extents of 1 a new one;
    some are transposed or run backwards."""
    found = []
    types = [np.float32, np.float64, np.int32, np.int64]
    for pattern in itertools.islice(_patterns, count):
        shape = tuple([1 if pattern >> bit & 1 else 2 + bit % 2 for bit in range(7)])
        x = np.arange(np.prod(shape)).reshape(shape).astype(types[pattern % 4])
        x = [x, x.T, x[::-1], x[..., ::-1].T][pattern // 4 % 4]
        found.append(x)
    return found


def program(x):
    """Two results, one of another rank."""
    y = x * 2 + 1
    return y, y.sum(axis=0) - 3


def shuffled(layouts, number):
    mine = list(layouts)
    random.Random(number).shuffle(mine)
    return mine


def consistent():
    """Whether the plan store's sizes and bounds agree with the plans that it has."""
    with locks.lock:
        plans = engine.plans
        return (
            plans._plans.keys() == plans._sizes.keys()
            and plans.nbytes == sum(plans._sizes.values())
            and len(plans) <= pf.config.max_plans
        )


def check(results, x):
    for got, want in zip(results, program(x), strict=True):
        found = np.asarray(got)
        assert found.dtype == want.dtype
        np.testing.assert_array_equal(found, want)


@pytest.mark.fused
def test_each_new_layout_is_planned_once():
    layouts = new_layouts(16)
    engine.plans.clear()

    def work(number):
        for x in shuffled(layouts, number):
            check(program(pf.asarray(x, copy=False)), x)

    with pf.testing.inspect() as report:
        run_threads(work, COUNT)
    assert report.compiles == report.plans == len(engine.plans)
    assert report.blocks == COUNT * len(layouts)
    # A block is read twice, but run once; equal keys are equal whoever recorded them.
    assert len(engine.plans) == len(layouts)
    assert consistent()


def test_new_layouts_in_a_store_that_is_too_small():
    """Values of other threads are used while they are pending, plans are dropped while others are
    made, queues are cut."""
    layouts = new_layouts(6)
    given = [None] * 4

    def work(number):
        for x in shuffled(layouts, number):
            results = program(pf.asarray(x))
            other, given[number] = given[number - 1], (results, x)
            if other is not None:
                theirs, plain = other
                check([r + 0 for r in theirs], plain)
            check(results, x)
            assert consistent()

    with pf.config.scope(max_plans=3, max_queue=8):
        run_threads(work, 4)
        assert consistent()


def test_layouts_are_numbered_once():
    """All threads ask for the same ones at the same time, and the memory of masks is cleared."""
    shapes = list(itertools.product([1, 7], repeat=13))
    assert len(shapes) > 4096
    found = {}

    def work(number):
        mine = found[number] = []
        for shape in shapes:
            assert value.ones_mask(shape) == tuple([n == 1 for n in shape])
            mine.append(value.concrete(pf.uint16, shape, None, 0, None).desc)

    run_threads(work, COUNT)
    assert len(set(found[0])) == len(shapes)
    assert all(other == found[0] for other in found.values())
