# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums of floats: how far off they may be, and that their bits depend on the shape alone."""

import math

import ml_dtypes
import numpy as np
import pytest

import pyfusion as pf

# About the borders of lanes (64) and of chunks (16,384 of a row, 256 rows of a column).
EXTENTS = [0, 1, 2, 63, 64, 65, 255, 256, 257, 16383, 16384, 16385, 2**20 + 3]


def test_sum_of_a_hundred_million():
    rng = np.random.default_rng(0)
    part = rng.uniform(-1, 3, 10**6).astype(np.float32)
    x = pf.asarray(np.tile(part, 100))
    exact = 100 * math.fsum(part.tolist())
    magnitudes = 100 * math.fsum(np.abs(part).tolist())
    assert abs(float(x.sum()) - exact) <= 1e-6 * magnitudes
    assert abs(float(x.mean()) - exact / 1e8) <= 1e-6 * magnitudes / 1e8


def test_the_error_does_not_grow_with_the_number_of_elements():
    """No faster than with pairwise summation (Higham, "The Accuracy of Floating Point Summation",
    1993): 256 elements are added one after the other, and a tree stands above them."""
    x = pf.full((2**25,), 0.1, dtype=pf.float32)
    exact = float(np.float32(0.1))
    bounds = []
    for log in range(10, 26, 3):
        errors = [float(x[: 2**log].sum()) / 2**log / exact - 1]
        errors.append(
            float(x[: 2**log].reshape(2**log // 4, 4).sum(0)[1]) / 2 ** (log - 2) / exact - 1
        )
        bounds.append(max(map(abs, errors)) / ((256 + log) * 2.0**-24))
    assert max(bounds) <= 1, bounds


def layouts(n):
    """Arrays with the elements of n: contiguous, reversed, in a wider array, transposed."""
    wide = np.zeros((n.shape[0], 2 * n.shape[1]), n.dtype)
    wide[:, ::2] = n
    yield pf.asarray(n)
    yield pf.asarray(np.ascontiguousarray(n[::-1, ::-1]))[::-1, ::-1]
    yield pf.asarray(wide)[:, ::2]
    yield pf.asarray(np.ascontiguousarray(n.T)).T


def bits(x):
    return np.asarray(x).tobytes()


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16"])
@pytest.mark.parametrize("extent", EXTENTS)
def test_bits_depend_on_the_shape_alone(extent, dtype):
    kind = getattr(pf, dtype).numpy
    n = np.random.default_rng(extent).standard_normal((3, extent)).astype(kind)
    sums = {"rows": lambda x: x.sum(1), "all": lambda x: x.sum(), "columns": lambda x: x.T.sum(0)}
    for name, program in sums.items():
        found = set()
        for threads in (1, 2, 3, 7):
            with pf.config.scope(threads=threads):
                for x in layouts(n):
                    found.add(bits(program(x)))
                    found.add(bits(program(-x * 2 / -2)))  # exact, and fused with the sum
        with pf.config.scope(mode="single"):
            found.add(bits(program(pf.asarray(n))))
        assert len(found) == 1, (name, extent)


@pytest.mark.parametrize("rows, columns", [(700, 3), (3, 700), (300, 300), (1, 70000), (70000, 1)])
def test_bits_of_means_and_variances_with_any_number_of_threads(rows, columns):
    n = np.random.default_rng(1).standard_normal((rows, columns)).astype(np.float32)
    for axis in (0, 1, None, (1, 0)):
        found = set()
        for threads in (1, 2, 3, 7):
            with pf.config.scope(threads=threads):
                for x in layouts(n):
                    found.add(bits(x.mean(axis)) + bits(x.var(axis)) + bits(x.prod(axis)))
        assert len(found) == 1, axis


def test_broadcast_elements_add_up_as_others():
    row = np.random.default_rng(2).standard_normal(1000).astype(np.float32)
    broadcast = pf.broadcast_to(pf.asarray(row), (700, 1000))
    full = pf.asarray(np.tile(row, (700, 1)))
    for axis in (0, 1, None):
        assert bits(broadcast.sum(axis)) == bits(full.sum(axis)), axis


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, np.float32])
def test_variance_of_a_small_spread_far_from_zero(dtype):
    n = (1e5 if dtype is np.float32 else 100) + np.random.default_rng(3).standard_normal(10**6)
    n = n.astype(dtype)
    want = np.var(n.astype(np.float64))
    got = float(pf.asarray(n).astype(pf.float32).var())
    assert abs(got / want - 1) <= 1e-6


def test_short_floats_are_summed_in_float32():
    for dtype, limit in (("float16", 2.0**-11), ("bfloat16", 2.0**-8)):
        n = np.random.default_rng(4).uniform(0, 0.05, 10**6).astype(getattr(pf, dtype).numpy)
        exact = math.fsum(n.astype(np.float64).tolist())
        assert abs(float(pf.asarray(n).sum()) / exact - 1) <= limit * 1.001
