# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The plan store: what is found, what goes, and that memory stays flat."""

import os
import subprocess
import sys

import numpy as np
import pytest
from fake_fusers import Pattern

import pyfusion as pf
from pyfusion.stream import engine
from pyfusion.stream.plan import Plan
from pyfusion.stream.plan_store import PlanStore


class Sized:
    """An optimization of a given size."""

    def __init__(self, nbytes):
        self.nbytes = nbytes


def plan(nbytes=0):
    return Plan(Sized(nbytes))


def test_plans_are_found_by_equal_keys():
    store = PlanStore()
    plans = {(1, number): plan() for number in range(10)}  # all begin alike
    for key, value in plans.items():
        store.put(key, value)
    assert all(store.get((1, number)) is plans[1, number] for number in range(10))
    assert store.get((1, 10)) is store.get((1,)) is store.get((1, 1, 1)) is None


def test_equal_hashes_do_not_make_equal_keys():
    class Clash:
        def __init__(self, name):
            self.name = name

        def __hash__(self):
            return 1

        def __eq__(self, other):
            return self.name == other.name

    store = PlanStore()
    a, b = plan(), plan()
    store.put((Clash("a"),), a)
    store.put((Clash("b"),), b)
    assert store.get((Clash("a"),)) is a
    assert store.get((Clash("b"),)) is b
    assert store.get((Clash("c"),)) is None


def test_the_least_recently_used_plan_goes_first():
    store = PlanStore()
    with pf.config.scope(max_plans=3):
        for key in "abc":
            store.put((key,), plan())
        store.get(("a",))
        store.put(("d",), plan())
        assert [store.get((key,)) is not None for key in "abcd"] == [True, False, True, True]
        assert len(store) == 3


def test_bytes_bound_the_store():
    store = PlanStore()
    with pf.config.scope(max_plan_bytes=100_000):
        for key in range(20):
            store.put((key,), plan(30_000))
            assert store.nbytes <= 100_000
        assert len(store) == 3
        store.put((20,), plan(1_000_000))  # the last one stays
        assert len(store) == 1 and store.get((20,)) is not None
        store.put((20,), plan(10))
        assert len(store) == 1 and store.nbytes < 10_000
        store.clear()
        assert store.nbytes == len(store) == 0


@pytest.mark.fused
def test_bytes_of_parts_are_counted_when_they_are_compiled():
    x = pf.asarray(np.arange(3.0))
    with pf.fusers.register(Pattern("cosines", "cos")), pf.config.scope(max_plan_bytes=1):
        for length in range(1, 4):
            y = pf.cos(x)
            for _ in range(length):
                y = pf.exp(y * -0.5)
            np.asarray(y)
        assert len(engine.plans) == 1  # the last one stays
        (stored,) = engine.plans.values()
        held = sum([getattr(o, "nbytes", 0) for o in stored.optimizations()])
        assert 0 < held < pf.testing.stored_plans().nbytes


class Key:
    """A part of a key that counts how often it is hashed and compared."""

    hashes = compared = 0

    def __init__(self, name):
        self.name = name

    def __hash__(self):
        Key.hashes += 1
        return hash(self.name)

    def __eq__(self, other):
        Key.compared += 1
        return self.name == other.name


@pytest.mark.parametrize("wanted", [0, -1])
def test_a_look_up_costs_the_same_with_1_and_1000_plans(wanted):
    costs = []
    for count in (1, 1000):
        store = PlanStore()
        with pf.config.scope(max_plans=2000):
            for number in range(count):
                store.put((1, 2, Key(number), 3), plan())
        number = wanted % count
        Key.hashes = Key.compared = 0
        assert store.get((1, 2, Key(number), 3)) is not None
        costs.append((Key.hashes, Key.compared))
    assert costs[0] == costs[1]
    assert costs[0][1] <= 2


@pytest.mark.fused
def test_recording_asks_the_store_nothing_and_a_flush_asks_once(monkeypatch):
    x = pf.asarray(np.ones(16, np.float32))
    np.asarray(pf.exp(x * 2) + 1)
    real = engine.plans.get
    asked = []

    def get(key):
        asked.append(key)
        return real(key)

    monkeypatch.setattr(engine.plans, "get", get)
    counts = []
    for more in (0, 1000):
        with pf.config.scope(max_plans=2000, max_plan_bytes=1 << 40):
            for number in range(more):
                engine.plans.put(("test", number), plan())
            y = pf.exp(x * 2) + 1
            before = len(asked)
            np.asarray(y)
            counts.append((before, len(asked)))
            asked.clear()
    assert counts == [(0, 1), (0, 1)]
    engine.plans.clear()


@pytest.mark.fused
def test_the_store_tells_its_size():
    pf.sync()
    engine.plans.clear()
    assert pf.testing.stored_plans()[:2] == (0, 0)
    x = pf.asarray(np.ones(16, np.float32))
    with pf.testing.inspect() as report:
        for _ in range(3):
            np.asarray(pf.exp(x * 2) + 1)
    stored = pf.testing.stored_plans()
    assert report.plans == stored.plans == 1
    assert 500_000 < stored.nbytes < 2_000_000
    assert stored[2:] == (pf.config.max_plans, pf.config.max_plan_bytes)
    with pf.config.scope(max_plan_bytes=1):
        np.asarray(pf.sin(x))
        assert pf.testing.stored_plans().plans == 1
    engine.plans.clear()


@pytest.mark.fused
def test_a_growing_cache_compiles_nothing_after_a_few_steps():
    """As of keys and values in a decoder: they grow by a row, and the last rows are attended to."""
    rows = np.random.default_rng(0).standard_normal((60, 8)).astype(np.float32)
    cache, want = pf.asarray(rows[:3]), rows[:3]
    compiles = []
    for step in range(3, 53):
        with pf.testing.inspect() as report:
            row = pf.asarray(rows[step : step + 1])
            cache = pf.concat([cache, row * 2], axis=0)
            scores = pf.sum(cache * row, axis=1)
            window = cache[-3:, ::2] + scores[-3:, None]
            result = np.asarray(window)
        compiles.append(report.compiles)
        want = np.concatenate([want, rows[step : step + 1] * 2])
        scores = np.sum(want * rows[step], axis=1)
        np.testing.assert_allclose(result, want[-3:, ::2] + scores[-3:, None], 1e-5, 1e-6)
    assert np.asarray(cache).shape == (53, 8)
    assert sum(compiles[:2]) >= 1
    assert sum(compiles[2:]) == 0


@pytest.mark.fused
def test_200_shapes_are_one_plan():
    with pf.testing.inspect() as report:
        for extent in range(2, 202):
            x = pf.asarray(np.ones((extent, 3), np.float32))
            assert float(pf.sum(x * 2 + 1)) == 9 * extent
    assert report.plans <= 1


# --- Memory ---------------------------------------------------------------------------------------

FLAT = """
import gc
import random
import threading
import numpy as np
import pyfusion as pf
from pyfusion.stream import engine

NAMES = ["exp", "sin", "cos", "tanh", "abs", "floor", "negative", "square", "sign", "ceil"]

def resident():
    gc.collect()
    return int(open("/proc/self/statm").read().split()[1]) * 4096

def program(number, x, length):
    for digit in f"{number:0{length}}":
        x = getattr(pf, NAMES[int(digit)])(x)
    return np.asarray(x)

def run(work, first, count):
    work(0, first)
    before = resident()
    work(first, first + count)
    print(resident() - before)
"""


def growth(code, **env):
    """Bytes by which a fresh process grows after a warm-up."""
    done = subprocess.run(
        [sys.executable, "-c", FLAT + code],
        capture_output=True,
        text=True,
        env={**os.environ, **env},
    )
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


linux_only = pytest.mark.skipif(
    not os.path.exists("/proc/self/statm"), reason="reads the resident memory from /proc"
)


@linux_only
@pytest.mark.fused
@pytest.mark.host
def test_memory_is_flat_over_distinct_programs_with_a_small_bound():
    """200 programs that are compiled; without the bound they hold 0.9 MB each."""
    code = """
x = pf.asarray(np.linspace(0, 1, 16, dtype=np.float32))
def work(first, last):
    for number in range(first, last):
        program(number, x, 3)
run(work, 50, 150)
"""
    assert growth(code, PYFUSION_MAX_PLAN_BYTES="5000000") < 25_000_000


@linux_only
@pytest.mark.host
def test_memory_is_flat_over_10000_distinct_programs():
    """By a fuser that compiles nothing: queue, keys, store and plans are as ever."""
    code = """
from pyfusion import fusers
from pyfusion.fusers import FuserProperties, FuserStatus
from pyfusion.stream.on_backend import OnBackend

class Backend:
    name = "backend"
    def __init__(self): self.seen = 0
    def fuse(self, operation): self.seen += 1
    def finish(self, block): return OnBackend(self.seen, 'as the test wants it')
    def reset(self): self.seen = 0
    def status(self): return FuserStatus.OPEN
    def properties(self): return FuserProperties(score=1000, ready=self.seen > 0)
    def __len__(self): return self.seen
    def clone(self):
        other = Backend()
        other.seen = self.seen
        return other

fusers.register(Backend(), before="mlir")
x = pf.asarray(np.linspace(0, 1, 16, dtype=np.float32))
def work(first, last):
    for number in range(first, last):
        program(number, x, 8)
    if pf.config.mode == "fused":
        assert len(engine.plans) == 256 or last < 256
run(work, 1000, 10_000)
"""
    assert growth(code) < 3_000_000


# What else may be done for as long as one likes.
ENDLESS = {
    "flushes of a long loop": """
def work(first, last):
    x = pf.asarray(np.ones(16, np.float32))
    for step in range(first, last):
        x = x * 0.5 + 1
        if step % 3 == 0:
            np.asarray(x)
run(work, 5000, 60_000)
""",
    # With operations that are read, and some that nobody reads before the thread ends.
    "dead threads": """
x = pf.asarray(np.ones(16, np.float32))
def body():
    y = x
    for _ in range(20):
        y = y * 0.5 + 1
    np.asarray(y)
    z = y
    for _ in range(20):
        z = z * 2
def work(first, last):
    for _ in range(first, last):
        t = threading.Thread(target=body)
        t.start()
        t.join()
run(work, 500, 10_000)
""",
}


@linux_only
@pytest.mark.fused
@pytest.mark.host
@pytest.mark.parametrize("program", ENDLESS)
def test_memory_is_flat_over(program):
    assert growth(ENDLESS[program]) < 3_000_000
