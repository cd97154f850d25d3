# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random numbers are no memory: they are made in the kernel that reads them, by one plan."""

import numpy as np
import pytest

import pyfusion as pf

pytestmark = pytest.mark.fused

SHAPES = [(1000,), (40, 50), (3, 4, 50), (1, 30), (30, 1)]


def counted(function):
    pf.sync()
    with pf.testing.inspect() as report:
        x = function()
        pf.sync()
    return x, report


@pytest.mark.parametrize("shape", SHAPES)
def test_dropout_is_one_kernel_that_reads_and_writes_once(shape):
    base = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    x, rng = pf.asarray(base), pf.random.default_rng(1)
    p = 0.7

    def by_hand():
        return pf.where(rng.random(shape, "float32") < p, x * (1 / p), 0)

    for run in (by_hand, lambda: rng.dropout(x, 1 - p)):
        y, report = counted(run)
        assert (report.kernels, report.allocations, report.unfused) == (1, 1, [])
        assert report.bytes_written == base.nbytes
        (kernel,) = pf.explain(run).kernels
        assert (kernel.bytes_read, kernel.bytes_written) == (base.nbytes, base.nbytes)
        kept = np.asarray(y) != 0
        assert np.array_equal(np.asarray(y), np.where(kept, base * np.float32(1 / p), 0))


def test_dropout_of_what_dies_overwrites_it():
    rng = pf.random.default_rng(2)
    arrays = [pf.asarray(np.ones((64, 64), np.float32))]
    _, report = counted(lambda: rng.dropout(arrays.pop() * 2 + 1, 0.5))
    assert (report.kernels, report.allocations) == (1, 0)


def test_noise_fuses_with_views_and_broadcasts():
    rng = pf.random.default_rng(3)
    x = pf.asarray(np.ones((50, 40), np.float32)).T
    bias = pf.asarray(np.ones(50, np.float32))
    for run in (
        lambda: pf.tanh(x + bias + rng.normal(0, 0.1, x.shape, dtype="float32")),
        lambda: pf.where(rng.bernoulli(0.5, x.shape), x, bias) * rng.uniform(1, bias, x.shape),
        lambda: (x + rng.exponential(2.0, x.shape, dtype="float32"), x * rng.integers(0, 5)),
    ):
        _, report = counted(run)
        assert report.kernels <= 2 and report.unfused == []
    _, report = counted(lambda: pf.tanh(x + bias + rng.standard_normal(x.shape, "float32")))
    assert report.kernels == 1


def test_numbers_that_nobody_reads_are_not_made():
    rng = pf.random.default_rng(4)

    def run():
        rng.random(1000)
        return rng.random(10)

    _, report = counted(run)
    assert report.bytes_written == 80


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_a_loop_that_draws_reuses_its_plan(dtype):
    """Key, draw, sizes and parameters are arguments of the program."""
    pf.stream.engine.plans.clear()
    rng = pf.random.default_rng(5)
    seen, compiles = set(), []
    for n in range(2, 12):
        if n == 7:
            rng = pf.random.default_rng(6)
        x = pf.ones((n, 5), dtype=dtype)

        def run(rng=rng, x=x, n=n):
            noise = rng.normal(n, n / 7, x.shape, dtype=dtype)
            mask = rng.bernoulli(1 / n, x.shape)
            return pf.where(mask, x + noise, rng.integers(0, 10 * n, x.shape, "int16"))

        y, report = counted(run)
        compiles.append(report.compiles)
        seen.add(float(np.asarray(y)[0, 0]))
    assert sum(compiles) == compiles[0] <= 1 and len(seen) > 5


def test_an_epoch_is_no_part_of_a_plan():
    rng = pf.random.default_rng(7)
    counted(lambda: rng.random(9) + 1)
    rng.advance(2**64 + 17)
    _, report = counted(lambda: rng.random(9) + 1)
    assert report.compiles == 0


def test_what_is_shown_of_a_draw():
    rng = pf.random.default_rng(8)
    x = pf.ones((4, 5), dtype="float32")

    def f(x):
        return rng.random(x.shape, "float32") * x

    lowered = pf.lower(f, x)
    text = lowered.as_text("fusion")
    assert text.count('fusion.custom_call "pyfusion.random_unit_float32"') == 1
    assert "custom_call" not in lowered.as_text("merged")
    assert lowered.as_text("merged").count("fusion.fused") == 1
    key = str(rng.state["key"][0])
    assert all(key not in lowered.as_text(stage) for stage in lowered.stages)
    assert rng.state["draw"] == 1
    explained = pf.explain(f, x)
    assert len(explained.kernels) == 1 and explained.backend == []


def test_a_view_in_another_order_is_read_from_memory():
    rng = pf.random.default_rng(9)
    x, report = counted(lambda: rng.random((30, 40)).T + 1.0)
    assert x.shape == (40, 30) and report.kernels == 2


def test_a_plan_of_a_file_serves_other_seeds(tmp_path, no_plans):
    path = tmp_path / "plans"
    with pf.config.scope(keep_plans=True):
        pf.random.default_rng(10).random((7, 9), "float32").tolist()
        pf.save_plans(path)
        want = pf.random.default_rng(11).random((3, 8), "float32").tolist()
    pf.stream.engine.plans.clear()
    pf.load_plans(path)
    with pf.testing.inspect() as report:
        found = pf.random.default_rng(11).random((3, 8), "float32").tolist()
    assert found == want and report.compiles == 0
