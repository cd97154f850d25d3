# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fusers of the user's in the engine: plans, parts, failures, and the public interface."""

import doctest
import sys
import threading
import warnings
from pathlib import Path

import numpy as np
import pytest
from fake_fusers import Backend, Pattern, Run

import pyfusion as pf
from pyfusion import fusers
from pyfusion.stream import engine

sys.path.insert(0, str(Path(__file__).parents[2] / "examples"))

pytestmark = pytest.mark.skipif(pf.config.mode != "fused", reason="about plans of whole blocks")


@pytest.fixture(autouse=True)
def the_same_fusers_after():
    before = fusers.registered()
    engine.plans.clear()
    Backend.runs = 0
    yield
    assert fusers.registered() == before
    engine.plans.clear()


def plan():
    """The only plan there is, as (name, positions)."""
    (found,) = engine.plans.values()
    return None if found.parts is None else [(p.name, p.positions) for p in found.parts]


def data(*shape):
    x = pf.asarray(np.arange(np.prod(shape), dtype=np.float32).reshape(shape) / 8)
    pf.sync()
    return x


# -- the public interface ------------------------------------------------------------------------


def test_registering_and_removing():
    assert [f.name for f in fusers.registered()] == ["mlir"]
    a, b = Run("a"), Run("b")
    fusers.register(a)
    with fusers.register(b, before="mlir") as entered:
        assert entered is b
        assert [f.name for f in fusers.registered()] == ["b", "mlir", "a"]
        with pytest.raises(ValueError, match="'a' is registered"):
            fusers.register(Run("a"))
        with pytest.raises(ValueError, match="no fuser 'c'.*b, mlir, a"):
            fusers.register(Run("d"), before="c")
    fusers.unregister("a")
    with pytest.raises(ValueError, match="no fuser 'a'"):
        fusers.unregister(a)
    with fusers.register(b):
        fusers.unregister(b)  # the end of the scope finds nothing to do
        fusers.register(Run("b"))
    assert [f.name for f in fusers.registered()] == ["mlir", "b"]
    fusers.unregister("b")


def test_what_is_no_fuser_is_refused():
    with pytest.raises(TypeError, match="it has no fuse, finish"):
        fusers.register(object())
    with pytest.raises(TypeError, match="give an instance"):
        fusers.register(Run)
    nameless = Run("x")
    nameless.name = None
    with pytest.raises(TypeError, match="name"):
        fusers.register(nameless)


def test_registering_drops_plans_and_removing_only_those_that_used_it():
    x = data(4)
    np.asarray(pf.exp(x) + x)
    assert len(engine.plans) == 1
    with fusers.register(Pattern("p", "exp add", 100)):
        assert len(engine.plans) == 0
        np.asarray(pf.exp(x) + x)
        np.asarray(pf.sin(x) * x)
        assert len(engine.plans) == 2
    assert [p.parts for p in engine.plans.values()] == [None]


def test_the_compiler_can_be_removed():
    x = data(4)
    mlir = fusers.registered()[0]
    fusers.unregister("mlir")
    try:
        with pf.testing.inspect() as report:
            y = pf.exp(x) + x
        assert report.kernels == 0 and report.unfused == ["exp", "add"]
        np.testing.assert_allclose(np.asarray(y), np.exp(np.asarray(x)) + np.asarray(x))
    finally:
        fusers.register(mlir)


def test_fusers_do_not_change_inside_a_flush():
    x = data(4)

    class Meddler(Pattern):
        def finish(self, block):
            fusers.unregister(self.name)

    with (
        pf.config.scope(strict=False),
        fusers.register(Meddler("m", "exp", 100)),
        pytest.warns(pf.FallbackWarning, match="inside a flush"),
    ):
        np.asarray(pf.exp(x))


@pytest.mark.parametrize("module", ["protocols", "graph"])
def test_the_examples_of_the_protocols_run(module):
    import importlib

    found = doctest.testmod(importlib.import_module(f"pyfusion.fusers.{module}"))
    assert found.attempted and not found.failed


# -- plans ---------------------------------------------------------------------------------------


def test_a_pattern_inside_a_block_is_won_and_the_compiler_has_the_rest():
    x = data(4)

    def work():
        return pf.sin(pf.exp(pf.cos(x)) + x) * 2

    with fusers.register(Pattern("p", "exp add", 100)), pf.testing.inspect() as report:
        y = work()
    want = np.sin(np.exp(np.cos(np.asarray(x))) + np.asarray(x)) * 2
    np.testing.assert_allclose(np.asarray(y), want, rtol=1e-6)
    assert report.kernels == 2 and report.unfused == ["exp", "add"]


def test_parts_and_positions_of_a_plan():
    x = data(4)
    with fusers.register(Pattern("p", "exp add", 100)):
        np.asarray(pf.sin(pf.exp(pf.cos(x)) + x))
        assert plan() == [("mlir", (0,)), ("p", (1, 2)), ("mlir", (3,))]


def test_without_a_match_the_block_is_compiled_as_one():
    x = data(4)
    with fusers.register(Pattern("p", "exp mul", 100)), pf.testing.inspect() as report:
        y = pf.sin(x) + pf.exp(x)
    assert report.kernels == 1 and report.compiles == 1
    del y


def test_a_plan_is_reused_without_a_search():
    x = data(4)
    watcher = Pattern("p", "exp add", 100)
    with fusers.register(watcher):
        results = []
        for factor in (2, 3):
            results.append(np.asarray((pf.exp(x) + x) * factor))
            offered = len(watcher.log)
        assert len(watcher.log) == offered
        watcher.log.clear()
        larger = data(9)
        with pf.testing.inspect() as report:
            y = (pf.exp(larger) + larger) * 5
        assert report.compiles == 0 and watcher.log == []
        assert Backend.runs == 3
    np.testing.assert_allclose(results[1], results[0] / 2 * 3, rtol=1e-6)
    np.testing.assert_allclose(
        np.asarray(y), (np.exp(np.asarray(larger)) + np.asarray(larger)) * 5, rtol=1e-6
    )


def test_unfused_plans_are_reused():
    x = data(4)
    mlir = fusers.registered()[0]
    watcher = Pattern("p", "exp mul", 100)
    fusers.unregister("mlir")
    try:
        with fusers.register(watcher):
            np.asarray(pf.exp(x) + x)
            assert plan() == [("unfused", (0,)), ("unfused", (1,))]
            watcher.log.clear()
            with pf.testing.inspect() as report:
                y = pf.exp(x) + x
            assert watcher.log == [] and report.unfused == ["exp", "add"]
            del y
    finally:
        fusers.register(mlir)


def test_overlapping_fusers():
    x = data(4)
    with (
        fusers.register(Pattern("p", "exp add", 50)),
        fusers.register(Pattern("q", "add multiply sin", 60)),
    ):
        np.asarray(pf.exp(x) + x)
        assert plan() == [("p", (0, 1))]
        engine.plans.clear()
        y = np.asarray(pf.sin((pf.exp(x) + x) * 2))
        assert plan() == [("mlir", (0,)), ("q", (1, 2, 3))]
    np.testing.assert_allclose(y, np.sin((np.exp(np.asarray(x)) + np.asarray(x)) * 2), rtol=1e-5)


def test_interleaved_chains_run_in_another_order():
    x, z = data(4), data(5)
    with fusers.register(Pattern("p", "exp add", 100)):
        a, b = pf.exp(x), pf.exp(z)
        a, b = a + x, b + z
        np.testing.assert_allclose(np.asarray(a), np.exp(np.asarray(x)) + np.asarray(x))
        np.testing.assert_allclose(np.asarray(b), np.exp(np.asarray(z)) + np.asarray(z))
        assert plan() == [("p", (0, 2)), ("p", (1, 3))]


def test_what_is_needed_outside_survives_every_part():
    x = data(4)
    with fusers.register(Pattern("p", "exp add", 100)):
        a = pf.cos(x)
        b = pf.exp(a)
        c = b + x
        d = c * 2
        pf.sync()
        n = np.asarray(x)
        for found, want in (
            (a, np.cos(n)),
            (b, np.exp(np.cos(n))),
            (c, np.exp(np.cos(n)) + n),
            (d, (np.exp(np.cos(n)) + n) * 2),
        ):
            np.testing.assert_allclose(np.asarray(found), want, rtol=1e-6)


def test_what_nothing_needs_is_not_run():
    x = data(4)
    with fusers.register(Pattern("p", "exp add", 100)), pf.testing.inspect() as report:
        unused = pf.exp(x)
        y = pf.sin(x)
        del unused
        pf.sync()
    assert plan() == [("no-op", (0,)), ("mlir", (1,))]
    assert report.unfused == [] and report.kernels == 1
    del y


def test_a_part_overwrites_what_dies_in_it():
    x = data(1000)
    with fusers.register(Pattern("p", "sin", 100)):
        fresh = x * 2  # memory of the pool
        pf.sync()
        with pf.testing.inspect() as report:
            y = pf.sin(x) + fresh * 3
            del fresh
    assert report.kernels == 1 and report.unfused == ["sin"]
    assert report.allocations == 0
    want = np.sin(np.asarray(x)) + np.asarray(x) * 6
    np.testing.assert_allclose(np.asarray(y), want, rtol=1e-5)


def test_a_result_of_a_part_goes_with_its_last_reader():
    x = data(1000)
    with fusers.register(Pattern("p", "sin", 100)), pf.testing.inspect() as report:
        y = pf.sin(pf.cos(x)) + 1  # cos is overwritten by nothing but is freed after sin
        z = pf.sin(y) + y
        del y
    assert report.kernels == 3 and report.allocations == 2
    del z


def test_devices_of_a_fuser():
    x = data(4)
    other = Pattern("p", "exp", 100)
    other.devices = ("cuda", "rocm")
    with fusers.register(other), pf.testing.inspect() as report:
        y = pf.exp(x)
    assert report.kernels == 1 and other.log == []
    del y


def test_long_queues_without_a_fuser_do_not_recurse():
    mlir = fusers.registered()[0]
    fusers.unregister(mlir)
    try:
        with pf.config.scope(max_queue=5000):
            x = data(2)
            for _ in range(3000):
                x = x + 1
            assert np.asarray(x).tolist() == [3000, 3000.125]
    finally:
        fusers.register(mlir)


def test_threads_with_fusers():
    x = data(16)
    want = np.sin(np.exp(np.asarray(x)) + np.asarray(x))
    wrong = []

    def work():
        for _ in range(20):
            got = np.asarray(pf.sin(pf.exp(x) + x))
            if not np.allclose(got, want):
                wrong.append(got)

    with fusers.register(Pattern("p", "exp add", 100)):
        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not wrong


# -- failures ------------------------------------------------------------------------------------


class Broken(Pattern):
    """`how` says where it fails."""

    how = ""

    def take(self, name):
        if self.how == "fuse":
            raise ZeroDivisionError("made to fail")
        super().take(name)

    def finish(self, block):
        if self.how == "finish":
            raise ZeroDivisionError("made to fail")
        return Failing(self.how)


class Failing(Backend):
    def __init__(self, how):
        super().__init__("failing", 2)
        self.how = how

    def execute(self, block):
        if self.how == "execute":
            raise ZeroDivisionError("made to fail")
        if self.how == "later":
            fusers.write(block, 0, fusers.inputs(block)[0])
            raise ZeroDivisionError("made to fail")
        if self.how == "shape":
            fusers.write(block, 0, np.zeros(7))


@pytest.mark.parametrize(
    "how, message",
    [
        ("fuse", "made to fail"),
        ("finish", "made to fail"),
        ("execute", "made to fail"),
        ("shape", r"exp, operation 0: float64\[7\] was written where float32\[4\] was recorded"),
        ("nothing", "gave result 1 no memory"),
    ],
)
def test_what_fails_before_it_writes_runs_on_the_backend_once_with_a_warning(how, message):
    x = data(4)
    broken = Broken("broken", "exp add", 100)
    broken.how = how
    want = np.sin(np.exp(np.cos(np.asarray(x))) + np.asarray(x))
    with pf.config.scope(strict=False), fusers.register(broken):
        with pytest.warns(pf.FallbackWarning, match=message):
            got = np.asarray(pf.sin(pf.exp(pf.cos(x)) + x))
        np.testing.assert_allclose(got, want, rtol=1e-6)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            got = np.asarray(pf.sin(pf.exp(pf.cos(x)) + x))
        np.testing.assert_allclose(got, want, rtol=1e-6)
    with pf.testing.inspect() as report:
        y = pf.sin(pf.exp(pf.cos(x)) + x)
    assert report.kernels == 1  # the fallback went with the fuser
    del y


def test_a_failure_after_a_write_is_an_error_of_what_is_missing():
    x = data(4)
    broken = Broken("broken", "exp add", 100)
    broken.how = "later"
    with pf.config.scope(strict=False), fusers.register(broken):
        a = pf.exp(pf.cos(x))
        b = a + x
        c = pf.sin(b)
        other = pf.cos(x) * 2
        with pytest.raises(pf.ExecutionError, match="made to fail"):
            np.asarray(b)
        with pytest.raises(pf.ExecutionError, match="made to fail"):
            np.asarray(c)
        np.testing.assert_allclose(np.asarray(other), np.cos(np.asarray(x)) * 2, rtol=1e-6)
        assert np.asarray(a).shape == (4,)
        np.testing.assert_allclose(np.asarray(pf.cos(x)), np.cos(np.asarray(x)), rtol=1e-6)


@pytest.mark.parametrize("how", ["finish", "execute"])
def test_strict_raises_and_the_queue_goes_on(how):
    x = data(4)
    broken = Broken("broken", "exp add", 100)
    broken.how = how
    with pf.config.scope(strict=True), fusers.register(broken):
        before = pf.cos(x)
        b = pf.exp(before) + x
        with pytest.raises(ZeroDivisionError, match="made to fail"):
            pf.sync()
        assert np.asarray(before).shape == (4,)  # its part had run
        with pytest.raises(pf.ExecutionError, match="made to fail"):
            np.asarray(b)
    assert np.asarray(x + 1).tolist() == (np.asarray(x) + 1).tolist()


def test_a_fuser_that_covers_less_of_its_part_than_before_falls_back():
    x = data(4)

    class Fickle(Pattern):
        def take(self, name):
            super().take(name)
            self.closed = True

        def ready(self):
            return len(self.log) < 2

    with (
        pf.config.scope(strict=False),
        fusers.register(Fickle("f", "exp", 100)),
        pytest.warns(pf.FallbackWarning, match="covers 1 of 1 operations|had covered all"),
    ):
        np.asarray(pf.exp(x))
        engine.plans.clear()
        np.asarray(pf.exp(x) + 1)


def test_an_interrupt_between_parts_leaves_the_rest_in_the_queue():
    x = data(4)
    want = np.sin(np.exp(np.cos(np.asarray(x))) + np.asarray(x))

    class Interrupted(Backend):
        stop = True

        def execute(self, block):
            if Interrupted.stop:
                Interrupted.stop = False
                raise KeyboardInterrupt
            super().execute(block)

    class Stopping(Pattern):
        def finish(self, block):
            return Interrupted("stopping", 2)

    with fusers.register(Stopping("s", "exp add", 100)):
        y = pf.sin(pf.exp(pf.cos(x)) + x)
        with pytest.raises(KeyboardInterrupt):
            np.asarray(y)
        assert len(pf.stream.current()) == 3
        np.testing.assert_allclose(np.asarray(y), want, rtol=1e-6)


# -- arrays of a block, and the example ------------------------------------------------------------


def test_write_takes_any_layout():
    x = data(2, 3)

    class Reversed(Backend):
        def execute(self, block):
            (a,) = fusers.inputs(block)
            assert not a.flags.writeable
            packed = np.zeros(6, dtype=[("pad", np.uint8), ("value", np.float32)])["value"]
            packed = packed.reshape(2, 3)
            packed[...] = np.exp(a)
            fusers.write(block, 0, packed)

    class Fuser(Pattern):
        def finish(self, block):
            return Reversed("reversed", 1)

    with fusers.register(Fuser("f", "exp", 100)):
        np.testing.assert_allclose(np.asarray(pf.exp(x) + 0), np.exp(np.asarray(x)), rtol=1e-6)


def test_a_result_may_be_a_view_of_an_input():
    x = data(3)

    class View(Backend):
        def execute(self, block):
            fusers.write(block, 0, fusers.inputs(block)[0][::-1])

    class Fuser(Pattern):
        def finish(self, block):
            return View("view", 1)

    with fusers.register(Fuser("f", "exp", 100)):
        fresh = x * 8
        y = pf.exp(fresh)
        z = fresh + 1
        del fresh
        assert np.asarray(y).tolist() == [2, 1, 0]
        assert np.asarray(z).tolist() == [1, 2, 3]
        assert np.asarray(y + 1).tolist() == [3, 2, 1]
        assert np.asarray(y).tolist() == [2, 1, 0]


def test_the_example_wins_its_operations_and_no_others():
    import own_fuser

    rng = np.random.default_rng(0)
    x, w, b = (rng.standard_normal(s).astype(np.float32) for s in ((8, 5), (5, 6), (6,)))
    px, pw, pb = map(pf.asarray, (x, w, b))
    pf.sync()
    with fusers.register(own_fuser.DenseFuser()):
        for bias in (pb, pf.asarray(b + 1)):
            with pf.testing.inspect() as report:
                y = pf.exp(pf.maximum(pf.sin(px) @ pw + bias, 0.5))
            np.testing.assert_allclose(
                np.asarray(y), np.exp(np.maximum(np.sin(x) @ w + np.asarray(bias), 0.5)), rtol=1e-5
            )
            assert report.kernels == 2 and report.unfused == []
        assert [p for p in plan() if p[0] == "dense"] == [("dense", (1, 2, 3))]
        engine.plans.clear()
        total = px @ pw + pb  # needed too
        y = pf.maximum(total, 0)
        np.testing.assert_allclose(np.asarray(y), np.maximum(x @ w + b, 0), rtol=1e-5)
        np.testing.assert_allclose(np.asarray(total), x @ w + b, rtol=1e-5)
        assert plan() == [("dense", (0, 1, 2))]
        engine.plans.clear()
        np.asarray(pf.maximum(px @ pw * 2 + pb, 0))
        assert plan() is None  # compiled as one
