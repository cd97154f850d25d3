# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops settle: few plans serve any number of bodies, however the queue is flushed."""

import collections
import contextlib

import numpy as np
import pytest

import pyfusion as pf
from pyfusion.stream import engine, period

WEIGHTS = np.linspace(-1, 1, 64, dtype=np.float32)


def start(xp):
    return xp.asarray(np.ones(64, np.float32)), xp.asarray(np.zeros(64, np.float32))


def body(xp, x, v, w):
    """37 operations, a reduction among them."""
    a = x * w
    c = a + v
    s = c.sum() / 64
    d = c - s
    e = abs(d)
    for _ in range(6):
        e = e * 0.5 + d
        d = -e / 3
    d = xp.sqrt(abs(d))
    v = v * 0.9 + d * 0.1
    return x + v * 0.01, v


def loop(xp, count, read=0, branch=0, setup=False):
    """The body a number of times; every so often a read, or three operations more."""
    w = xp.asarray(WEIGHTS)
    x, v = start(xp)
    if setup:
        x, v = abs(x * 3) - 2, v - x
    for i in range(count):
        if branch and i % branch == branch - 1:
            x = abs(x) + v * 2
        x, v = body(xp, x, v, w)
        if read and i % read == read - 1:
            np.asarray(x)
    return np.asarray(x)


@contextlib.contextmanager
def watched(monkeypatch):
    """How often each plan is used, and what is counted by `inspect`."""
    pf.sync()
    engine.plans.clear()
    pf.stream.current().loop = None
    period._seen.clear()
    period._grams.clear()
    used = collections.Counter()
    with monkeypatch.context() as patch, pf.testing.inspect() as report:
        real = engine.plans.get

        def get(key):
            used[key] += 1
            return real(key)

        patch.setattr(engine.plans, "get", get)
        report.used = used
        yield report


@pytest.fixture
def alone(monkeypatch):
    """Kernels of the body by itself."""
    with watched(monkeypatch) as report:
        loop(pf, 20, read=1)
    assert report.plans <= 2
    return report.kernels / 20


@pytest.mark.host
def test_the_body_has_37_operations():
    w, (x, v) = pf.asarray(WEIGHTS), start(pf)
    pf.sync()
    before = len(pf.stream.current())
    kept = body(pf, x, v, w)
    assert len(pf.stream.current()) - before == 37
    del kept


@pytest.mark.fused
@pytest.mark.parametrize("setup", [False, True])
@pytest.mark.parametrize("read", [0, 10])
def test_a_loop_of_1000_bodies_uses_three_plans(monkeypatch, alone, read, setup):
    with watched(monkeypatch) as report:
        result = loop(pf, 1000, read=read, setup=setup)
    settled = [key for key, times in report.used.items() if times > 1]
    assert len(settled) <= 3
    assert report.plans == report.compiles <= len(settled) + 2
    assert report.kernels <= 1000 * alone
    with pf.config.scope(mode="single"):
        assert np.array_equal(result, loop(pf, 1000, read=read, setup=setup))


@pytest.mark.fused
def test_a_branch_every_seventh_time_makes_one_plan_more(monkeypatch, alone):
    with watched(monkeypatch) as report:
        result = loop(pf, 1000, branch=7)
    settled = [key for key, times in report.used.items() if times > 1]
    assert len(settled) <= 3
    assert report.plans <= len(settled) + 2
    assert report.kernels <= 1000 * alone + 1000 // 7
    with pf.config.scope(mode="single"):
        assert np.array_equal(result, loop(pf, 1000, branch=7))


@pytest.mark.fused
def test_variables_of_the_loop_make_no_new_plans(monkeypatch):
    """They hold what the last body computed, and the queue is full at any place of a body."""
    with pf.config.scope(max_queue=55), watched(monkeypatch) as report:
        x = pf.asarray(WEIGHTS)
        for i in range(300):
            if i % 7 == 6:
                x = abs(x)
            a = x * 2
            b = pf.tanh(a) + 1
            c = pf.sin(b) - a
            d = c * a + pf.cos(c)
            e = pf.sqrt(abs(d)) * 0.5
            f = pf.exp(-e) + c * 0.25
            g = f - pf.floor(f)
            x = g * 0.5 + e * 0.125
    assert report.plans <= 3


@pytest.mark.fused
def test_a_branch_and_reads_settle_within_their_common_period(monkeypatch, alone):
    with watched(monkeypatch) as report:
        loop(pf, 280, branch=7, read=10)
    with pf.testing.inspect() as later:
        loop(pf, 560, branch=7, read=10)
    assert report.plans < 20
    assert later.plans == 0
    assert report.kernels <= 280 * alone + 280 // 7


@pytest.mark.fused
def test_reads_at_any_time_use_plans_that_are_there(monkeypatch):
    w = pf.asarray(WEIGHTS)
    rng = np.random.default_rng(0)
    times = set(np.cumsum(rng.integers(1, 30, 200)).tolist())

    def run(count):
        x, v = start(pf)
        for i in range(count):
            x, v = body(pf, x, v, w)
            if i in times:
                np.asarray(x)

    with watched(monkeypatch) as report:
        run(1000)
    group = 256 // 37 - 2
    assert report.plans <= 2 * group + 6  # the group, and each number of bodies before a read
    with pf.testing.inspect() as later:
        run(2000)
    assert later.plans <= 2


@pytest.mark.fused
@pytest.mark.parametrize("limit", [16, 50, 100, 300, 1000])
def test_any_length_of_the_queue(monkeypatch, limit):
    with pf.config.scope(max_queue=limit):

        def run(count):
            x, v = pf.ones(3), pf.zeros(3)
            for i in range(count):
                x = x + 1 - v
                if i % 5 == 4:
                    v = abs(x) * 0.5
            assert len(pf.stream.current()) < limit
            return np.asarray(x)

        with watched(monkeypatch) as report:
            first = run(700)
        with pf.testing.inspect() as later:
            assert np.array_equal(run(700), first)
        assert report.plans <= 5
        assert later.plans == 0


@pytest.mark.fused
def test_a_short_body_is_not_cut_into_single_operations(monkeypatch):
    with watched(monkeypatch) as report:
        x = pf.zeros(3)
        for _ in range(10_000):
            x = x + 1
        assert np.asarray(x).tolist() == [10_000.0] * 3
    assert report.plans <= 4
    assert report.blocks <= 45


@pytest.mark.fused
def test_new_data_in_each_body_make_no_new_plans(monkeypatch):
    data = np.arange(64, dtype=np.float32)
    with watched(monkeypatch) as report:
        w = pf.asarray(WEIGHTS)
        x, v = start(pf)
        for _ in range(300):
            x, v = body(pf, x - pf.asarray(data), v, w)
        np.asarray(x)
    assert report.plans <= 4


@pytest.mark.fused
def test_another_loop_after_the_first(monkeypatch):
    """The second has the body of the first within its own."""
    with watched(monkeypatch) as report:
        w = pf.asarray(WEIGHTS)
        x, v = start(pf)
        for _ in range(50):
            x, v = body(pf, x, v, w)
        for _ in range(200):
            x, v = body(pf, x, v, w)
            x = x + w
        np.asarray(x)
    assert report.plans <= 7
    assert report.blocks <= 250 / 4 + 10


def straight(x, count):
    """Operations of which no sequence comes again."""
    rng = np.random.default_rng(1)
    functions = [pf.exp, pf.tanh, pf.sin, abs, pf.floor, lambda x: x * 2, lambda x: x - 1]
    for k in rng.integers(0, len(functions), count):
        x = functions[k](x) + x
    return x


@pytest.mark.fused
def test_a_program_without_a_period_is_cut_as_it_was_full(monkeypatch):
    x = pf.asarray(WEIGHTS)
    with watched(monkeypatch) as report:
        np.asarray(straight(x, 150))
    assert report.blocks == 2
    for _ in range(3):
        with pf.testing.inspect() as later:
            np.asarray(straight(x, 150))
        assert (later.plans, later.blocks) == (0, 2)


@pytest.mark.fused
@pytest.mark.parametrize(("length", "read"), [(130, 0), (200, 10), (450, 0), (1000, 3)])
def test_a_body_longer_than_the_queue(monkeypatch, length, read):
    """Half of its operations are functions in an order of their own, and with no period."""
    rng = np.random.default_rng(3)
    functions = [pf.exp, pf.tanh, pf.sin, abs, pf.floor, pf.sign]
    order = rng.integers(0, len(functions), length // 2 - 1).tolist()

    def run(count):
        x = pf.asarray(np.ones(16, np.float32))
        for i in range(count):
            before = x
            for k in order:
                x = functions[k](x) * 0.5
            x = (x + before) * 0.25
            if read and i % read == read - 1:
                np.asarray(x)
        return np.asarray(x)

    with watched(monkeypatch) as report:
        result = run(40)
    assert report.plans <= 3 + 2 * (length // 128 + 1)
    assert report.kernels <= 40 * (length // 128 + 1)
    with pf.testing.inspect() as later:
        run(80)
    assert later.plans <= 1
    if length < 300:
        with pf.config.scope(mode="single"):
            assert np.array_equal(result, run(40))


@pytest.mark.fused
def test_what_follows_a_loop_is_one_block(monkeypatch):
    """A queue that was not full is never cut."""
    x = pf.asarray(WEIGHTS)
    for _ in range(1000):
        x = x + 1
    pf.sync()
    with pf.testing.inspect() as report:
        for _ in range(5):
            x = abs(x + 1 + 1 + 1)
        np.asarray(x)
    assert (report.blocks, report.kernels) == (1, 1)


@pytest.mark.parametrize("mode", ["single", "backend"])
def test_other_modes_have_no_loops(mode):
    with pf.config.scope(mode=mode):
        pf.stream.current().loop = None
        loop(pf, 30)
        assert pf.stream.current().loop is None


@pytest.mark.fused
def test_traced_functions_are_never_cut():
    x = pf.asarray(WEIGHTS)

    def long(x):
        for _ in range(600):
            x = x + 1
        return x

    assert sum(len(k.ops) for k in pf.explain(long, x).kernels) == 600


@pytest.mark.fused
def test_an_interrupt_in_a_cut_block_keeps_the_order(monkeypatch):
    real = engine.run_block
    calls = []

    def run_block(queue, *about):
        calls.append(len(queue))
        if len(calls) == 3:
            raise KeyboardInterrupt
        return real(queue, *about)

    monkeypatch.setattr(engine, "run_block", run_block)
    x = pf.asarray(np.zeros(3, np.float32))
    done = 0
    for _ in range(2000):
        with contextlib.suppress(KeyboardInterrupt):
            x = x * 1 + 1
            done += 1
    assert np.asarray(x).tolist() == [done] * 3
    assert len(calls) > 3


@pytest.mark.host
@pytest.mark.fused
def test_what_waits_for_a_failed_body_fails(monkeypatch):
    from pyfusion.backends.numpy_backend import NumpyBackend

    def execute(self, op, *args):
        raise ZeroDivisionError("made to fail")

    m = pf.asarray(np.eye(4, dtype=np.float32))
    good = pf.asarray(np.ones(4, np.float32))
    pf.sync()
    x = m
    monkeypatch.setattr(NumpyBackend, "execute", execute)
    for _ in range(200):
        x = x @ m + 1
        good = good * 0.5 + 1
    monkeypatch.undo()
    with pytest.raises(pf.ExecutionError, match="matmul: ZeroDivisionError"):
        np.asarray(x)
    assert np.asarray(good).tolist() == [2.0] * 4


@pytest.mark.fused
def test_intermediates_of_a_loop_are_not_held(monkeypatch):
    from pyfusion.runtime import library

    native = library.load()
    x = pf.asarray(np.ones(1 << 16, np.float32))
    most = 0
    with pf.config.scope(max_queue=40):
        for _ in range(600):
            x = x * 0.5 + pf.sum(x)
            x = x / pf.max(x)
            most = max(most, native.counters()["bytes_in_use"])
        pf.sync()
    assert most <= native.counters()["bytes_in_use"] + 8 * (1 << 18)
