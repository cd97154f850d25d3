# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is fused: kernels, buffers and bytes, counted by the native run time."""

import numpy as np
import pytest

import pyfusion as pf

pytestmark = pytest.mark.fused


def array(*shape, seed=0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal(shape).astype(np.float32)


def test_masked_chain_with_views_is_one_kernel():
    x, y, m = array(64, 65), array(64, 64, seed=1), array(64, 64, seed=2) > 0
    px, py, pm = pf.asarray(x), pf.asarray(y), pf.asarray(m)
    with pf.testing.inspect() as report:
        z = pf.permute_dims(((pf.round(px[::-1, 1:] * 2 + py)) > 0) & ~pm, (1, 0))
    assert report.kernels == 1
    assert report.unfused == []
    want = ((np.round(x[::-1, 1:] * 2 + y) > 0) & ~m).T
    np.testing.assert_array_equal(np.asarray(z), want)


def test_diamond_with_three_results_is_one_kernel():
    px, py = pf.asarray(array(1000)), pf.asarray(array(1000, seed=1))
    with pf.testing.inspect() as report:
        a = px + py
        b, c = a * 2, pf.exp(a)
    assert report.kernels == 1
    assert report.allocations == 3
    assert report.bytes_written == 3 * 4000
    np.testing.assert_array_equal(np.asarray(b), np.asarray(a) * 2)
    assert np.asarray(c).shape == (1000,)


def test_input_plus_its_transpose_is_one_kernel():
    x = array(100, 100)
    px = pf.asarray(x)
    with pf.testing.inspect() as report:
        z = px + px.T
    assert report.kernels == 1
    np.testing.assert_array_equal(np.asarray(z), x + x.T)


def test_intermediate_plus_its_transpose_is_written_once():
    x = array(100, 100)
    px = pf.asarray(x)
    with pf.testing.inspect() as report:
        e = px * 3
        z = e + e.T
        del e
    assert report.kernels == 2
    np.testing.assert_array_equal(np.asarray(z), x * 3 + (x * 3).T)


def test_sum_of_squares_is_one_kernel_and_writes_one_element():
    x = array(10_000)
    px = pf.asarray(x)
    with pf.testing.inspect() as report:
        s = (px * px).sum()
    assert report.kernels == 1
    assert report.bytes_written == 4
    assert report.allocations == 1
    np.testing.assert_allclose(float(s), np.sum(x.astype(np.float64) ** 2), rtol=1e-5)


def test_consumers_of_a_reduction_join_it():
    x = array(50, 60)
    px = pf.asarray(x)
    with pf.testing.inspect() as report:
        s = pf.sqrt((px * px).sum(axis=1)) + 1
    assert report.kernels == 1
    np.testing.assert_allclose(np.asarray(s), np.sqrt((x * x).sum(1)) + 1, rtol=1e-5)


def test_interleaved_independent_chains_are_two_kernels():
    px, py = pf.asarray(array(500)), pf.asarray(array(700, seed=1))
    with pf.testing.inspect() as report:
        a, b = px + 1, py + 1
        a, b = a * 2, b * 3
        a, b = a - 1, b - 1
    assert report.kernels == 2


def test_only_results_are_written():
    px = pf.asarray(array(1 << 16))
    with pf.testing.inspect() as report:
        y = px * 2 + 1
        y = pf.tanh(y) * y - 3
    assert report.kernels == 1
    assert report.bytes_written == 4 << 16
    assert report.allocations == 1
    del y


def test_results_that_nobody_holds_are_not_computed():
    px = pf.asarray(array(100))
    with pf.testing.inspect() as report:
        _ = px * 2
        del _
    assert report.kernels == 0


def test_kernels_equal_the_functions_of_the_outlined_ir():
    px, py = pf.asarray(array(30, 40)), pf.asarray(array(30, 40, seed=1))

    def f(x, y):
        a = x * y + 1
        return a, (a * 2).sum(axis=0), pf.exp(y).mean()

    text = pf.lower(f, px, py).as_text("outlined")
    with pf.testing.inspect() as report:
        r = f(px, py)
    assert report.kernels == text.count("fusion.kernel")
    assert len(pf.explain(f, px, py).kernels) == report.kernels
    del r


def test_lengths_of_one_program_share_plans():
    def f(x):
        return pf.exp(x * 2) + x

    with pf.testing.inspect() as report:
        for n in range(1, 201):
            np.asarray(f(pf.asarray(array(n))))
    assert report.compiles <= 3


def test_scalars_of_one_program_share_a_plan():
    px = pf.asarray(array(16))
    with pf.testing.inspect() as report:
        for k in range(1000):
            np.asarray(px * (k * 0.5) + (k + 0.25))
    assert report.compiles <= 1


def test_equal_extents_make_no_further_plan():
    def f(batch, hidden):
        x, w = pf.asarray(array(batch, hidden)), pf.asarray(array(hidden, seed=1))
        return np.asarray(pf.tanh(x * w) + 1)

    f(32, 48)
    with pf.testing.inspect() as report:
        f(48, 48)
    assert report.compiles == 0


def test_dying_input_gives_its_buffer():
    px = pf.asarray(array(4096))
    pf.sync()
    with pf.testing.inspect() as report:
        px = px * 2
    assert report.allocations == 0
    with pf.testing.inspect() as report:
        py = px * 2
    assert report.allocations == 1
    del py


def test_donation_does_not_alias_a_second_reading():
    x = array(64, 64)
    px = pf.asarray(x)
    px = px + px.T
    np.testing.assert_array_equal(np.asarray(px), x + x.T)
    pz = pf.asarray(x[0])
    pz = pz + pf.flip(pz)
    np.testing.assert_array_equal(np.asarray(pz), x[0] + x[0][::-1])


def test_gains_on_a_photo_are_one_kernel():
    x, g = array(40, 50, 3), array(3, seed=1)
    px, pg = pf.asarray(x), pf.asarray(g)
    with pf.testing.inspect() as report:
        z = px * pg
    assert report.kernels == 1
    np.testing.assert_array_equal(np.asarray(z), x * g)


def test_what_the_backend_runs_is_listed():
    px = pf.asarray(array(20, 20))
    with pf.testing.inspect() as report:
        z = pf.nextafter(px + 1, px) @ px
    assert sorted(report.unfused) == ["matmul", "nextafter"]
    assert report.kernels == 1
    del z


def test_what_runs_at_once_is_said():
    """It is in no IR."""

    def f(x):
        return pf.exp(x), pf.unique(x), pf.unique(x, axis=0)

    x = pf.asarray(np.ones(4))
    lowered, explained = pf.lower(f, x), pf.explain(f, x)
    assert lowered.at_once == explained.at_once == ["unique"]
    said = "run by the backend at once, and not compiled: unique"
    assert lowered.as_text().startswith(f"// {said}\nmodule {{")
    assert said in str(explained).split("\n")
    assert pf.lower(pf.exp, x).at_once == pf.explain(pf.exp, x).at_once == []
    assert pf.lower(pf.exp, x).as_text().startswith("module")
    with pytest.raises(ValueError, match="no phase 'bogus'; there are fusion, merged"):
        lowered.as_text("bogus")


@pytest.mark.parametrize("shape", [(4, 6), (2, 3, 4), (1, 24), (24, 1), (1, 1), (0, 5)])
@pytest.mark.parametrize("strided", [False, True])
def test_a_range_of_several_dimensions_is_made_in_the_kernel_that_reads_it(shape, strided):
    x = array(*shape)
    px = pf.permute_dims(pf.asarray(x.T), range(x.ndim)[::-1]) if strided else pf.asarray(x)
    pf.sync()
    with pf.testing.inspect() as report:
        places = pf.reshape(pf.arange(x.size, dtype="int32"), shape)
        z = pf.where(places % 3 == 0, px, 0)
        del places
    assert report.kernels == 1
    assert report.bytes_written == x.nbytes
    want = np.where(np.arange(x.size).reshape(shape) % 3 == 0, x, 0)
    np.testing.assert_array_equal(np.asarray(z), want)


def test_a_range_that_repeats_is_written_first():
    x = array(5, 6)
    px = pf.asarray(x)
    with pf.testing.inspect() as report:
        z = px + pf.reshape(pf.arange(5, dtype="float32"), (5, 1)) * 2
    assert report.kernels == 2
    np.testing.assert_array_equal(np.asarray(z), x + np.arange(5, dtype=np.float32)[:, None] * 2)
