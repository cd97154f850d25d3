# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plans of several parts in the engine."""

import random
import threading
from contextlib import ExitStack

import numpy as np
import pytest
from fake_fusers import Backend, Pattern, data, plan

import pyfusion as pf
from pyfusion import fusers
from pyfusion.stream import engine
from pyfusion.stream.plan import MAX_LAYOUTS, Part, Plan

pytestmark = [
    pytest.mark.fused,
    pytest.mark.usefixtures("only_the_compiler"),
    pytest.mark.host,
]


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
    x, larger = data(4), data(9)
    watcher = Pattern("p", "exp add", 100)

    def check(x, factor):
        got = np.asarray((pf.exp(x) + x) * factor)
        np.testing.assert_allclose(got, (np.exp(np.asarray(x)) + np.asarray(x)) * factor, rtol=1e-6)

    with fusers.register(watcher):
        Backend.runs = 0
        check(x, 2)
        watcher.log.clear()
        with pf.testing.inspect() as report:
            check(x, 3)
            check(larger, 5)
        assert report.compiles == 0 and report.kernels == 2 and watcher.log == []
        assert Backend.runs == 3


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


@pytest.mark.filterwarnings("ignore::pyfusion.HostWarning")
def test_parts_on_a_gpu(gpu):
    class Exp(Backend):
        def execute(self, block):
            (x,) = fusers.inputs(block)
            fusers.write(block, 0, np.exp(x))

    class OnHost(Pattern):
        def finish(self, block):
            return Exp("exp", 1)

    n = np.arange(6, dtype=np.float32) / 8
    x = pf.asarray(n, device="cuda")
    with fusers.register(OnHost("host", "exp", 100)), fusers.register(Pattern("p", "sin add", 100)):
        for _ in range(2):
            y = pf.cos(pf.sin(pf.exp(x * 2)) + x)
            assert y.device == x.device
            np.testing.assert_allclose(np.asarray(y), np.cos(np.sin(np.exp(n * 2)) + n), rtol=1e-5)
        assert [name for name, _ in plan()] == ["mlir", "host", "p", "mlir"]


def test_compiled_parts_are_saved(no_plans, tmp_path):
    x = data(4)

    def work():
        return np.asarray(pf.sin(pf.exp(pf.cos(x)) + x))

    with fusers.register(Pattern("p", "exp add", 100)):
        with pf.config.scope(keep_plans=True):
            want = work()
        assert pf.save_plans(tmp_path / "plans") == 2
        engine.plans.clear()
        pf.load_plans(tmp_path / "plans")
        with pf.testing.inspect() as report:
            assert work().tolist() == want.tolist()
        assert report.compiles == 0 and report.kernels == 2


def test_a_part_keeps_few_layouts():
    part = Part((0,), Pattern("p", "exp"))
    for number in range(2 * MAX_LAYOUTS):
        part.put((number,), Plan(parts=()))
    assert list(part.known) == [(number,) for number in range(MAX_LAYOUTS, 2 * MAX_LAYOUTS)]


def test_a_part_has_a_plan_for_each_layout_of_what_it_reads():
    turned = []

    class Turn(Backend):
        def execute(self, block):
            (x,) = fusers.inputs(block)
            turned.append(1)
            fusers.write(block, 0, np.asfortranarray(x) if len(turned) % 2 else x)

    class Turning(Pattern):
        def finish(self, block):
            return Turn("turn", 1)

    x = data(3, 4)
    with fusers.register(Turning("t", "exp", 100)):
        for compiles in (1, 1, 0, 0):
            with pf.testing.inspect() as report:
                y = pf.exp(x) + 1
            np.testing.assert_array_equal(np.asarray(y), np.asarray(x) + 1)
            assert report.compiles == compiles


def test_blocks_are_counted_by_what_runs():
    x = data(4)
    with fusers.register(Pattern("p", "exp add", 100)), pf.testing.inspect() as report:
        y = pf.sin(pf.exp(pf.cos(x)) + x)
    assert report.blocks == 3
    del y


def test_the_debug_flag_tells_the_parts(capfd):
    x = data(4)
    with fusers.register(Pattern("p", "exp add", 100)), pf.config.scope(debug=1):
        np.asarray(pf.sin(pf.exp(pf.cos(x)) + x))
    assert "block of 4 ops, cut into 3 parts: mlir 2 ops, p 2 ops" in capfd.readouterr().err


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


def test_random_programs_with_random_patterns():
    rng = random.Random(0)
    binary = {"add": np.add, "multiply": np.multiply, "subtract": np.subtract}
    unary = {"negative": np.negative, "square": np.square}
    names = [*binary, *unary]
    n = np.arange(5, dtype=np.int32)
    parts = 0
    for _ in range(40):
        engine.plans.clear()
        x = pf.asarray(n)
        pf.sync()
        fused, plain = [x], [n]
        with ExitStack() as stack:
            for number in range(rng.randrange(1, 4)):
                pattern = Pattern(f"p{number}", " ".join(rng.choices(names, k=2)), 5 + number)
                stack.enter_context(fusers.register(pattern))
            for _ in range(rng.randrange(2, 25)):
                name = rng.choice(names)
                chosen = [rng.randrange(len(fused)) for _ in range(1 + (name in binary))]
                fused.append(getattr(pf, name)(*[fused[i] for i in chosen]))
                plain.append((binary | unary)[name](*[plain[i] for i in chosen]))
                if len(fused) > 3 and rng.random() < 0.4:  # a result that only others hold
                    lost = rng.randrange(len(fused))
                    del fused[lost], plain[lost]
            pf.sync()
            parts += sum(len(p.parts or ()) > 1 for p in engine.plans.values())
            for found, want in zip(fused, plain, strict=True):
                assert np.asarray(found).tolist() == want.tolist()
    assert parts > 10
