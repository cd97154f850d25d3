# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random numbers have the distributions that they say: with seeds that are fixed."""

import math

import numpy as np
import pytest

import pyfusion as pf

N = 1 << 18

# A test of a true hypothesis fails once in about 10,000 seeds.
Z = 3.9
KOLMOGOROV = 2.25


def chi_square(counts, expected):
    """The standard score of a chi-square statistic, by Wilson and Hilferty's approximation."""
    counts, expected = np.asarray(counts, float), np.broadcast_to(expected, np.shape(counts))
    degrees = counts.size - 1
    ratio = float(((counts - expected) ** 2 / expected).sum()) / degrees
    spread = 2 / (9 * degrees)
    return (ratio ** (1 / 3) - (1 - spread)) / math.sqrt(spread)


def kolmogorov(x, cdf):
    """The largest distance from the distribution function, in units of 1 / sqrt(n)."""
    x = np.sort(np.asarray(x).astype(np.float64).ravel())
    n, u = x.size, cdf(x)
    distance = max((np.arange(1, n + 1) / n - u).max(), (u - np.arange(n) / n).max())
    return distance * math.sqrt(n)


def normal_cdf(x):
    return 0.5 * (1 + np.asarray(pf.erf(pf.asarray(x / math.sqrt(2)))))


def exponential_cdf(x):
    return -np.expm1(-x)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_distributions(dtype):
    rng = pf.random.default_rng(1)
    assert kolmogorov(rng.random(N, dtype), lambda x: x) < KOLMOGOROV
    assert kolmogorov(rng.uniform(-3, 5, N, dtype=dtype), lambda x: (x + 3) / 8) < KOLMOGOROV
    assert kolmogorov(rng.standard_normal(N, dtype), normal_cdf) < KOLMOGOROV
    assert kolmogorov(rng.standard_exponential(N, dtype), exponential_cdf) < KOLMOGOROV
    logs = np.log(np.asarray(rng.lognormal(1, 2, N, dtype=dtype)).astype(np.float64))
    assert kolmogorov((logs - 1) / 2, normal_cdf) < KOLMOGOROV


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_each_cell_of_the_unit_interval_is_as_likely(dtype):
    x = np.asarray(pf.random.default_rng(2).random(N, dtype)).astype(np.float64)
    assert x.min() >= 0 and x.max() < 1
    cells = np.bincount((x * 256).astype(int), minlength=256)
    assert abs(chi_square(cells, N / 256)) < Z


@pytest.mark.parametrize("second", [False, True])
def test_each_bit_is_set_half_of_the_time_and_alone(second):
    """Each of 32 bits, and each pair of them."""
    words = np.asarray(pf.random.default_rng(3).integers(0, 2**64, N, "uint64"))
    words = (words >> np.uint64(32 * second)) & np.uint64(0xFFFFFFFF)
    bits = ((words[:, None] >> np.arange(32, dtype=np.uint64)) & np.uint64(1)).astype(np.float32)
    signs = bits * 2 - 1
    assert np.abs(signs.sum(0)).max() < 4.5 * math.sqrt(N)
    products = signs.T @ signs
    np.fill_diagonal(products, 0)
    assert np.abs(products).max() < 5 * math.sqrt(N)


def test_neighbours_and_draws_do_not_depend_on_each_other():
    rng = pf.random.default_rng(4)
    other = pf.random.default_rng(5)
    child, *_ = rng.spawn(1)
    x, y = np.asarray(rng.random(N)), np.asarray(rng.random(N))
    pairs = [(x[1:], x[:-1]), (x, y), (x, np.asarray(other.random(N)))]
    pairs += [(x, np.asarray(child.random(N))), (x, np.asarray(rng.jumped().random(N)))]
    for a, b in pairs:
        cells = np.bincount((a * 16).astype(int) * 16 + (b * 16).astype(int), minlength=256)
        assert abs(chi_square(cells, a.size / 256)) < Z
        assert abs(np.corrcoef(a, b)[0, 1]) < Z / math.sqrt(a.size)


@pytest.mark.parametrize("count", [2, 3, 7, 100, 255, 256, 1000])
def test_each_integer_is_as_likely(count):
    x = np.asarray(pf.random.default_rng(count).integers(-5, count - 5, N))
    assert abs(chi_square(np.bincount(x + 5, minlength=count), N / count)) < Z


@pytest.mark.parametrize("count", [2**31 + 2**30, 2**32 + 7, 2**62 + 2**61, 2**63 + 1])
def test_thirds_of_a_wide_range_are_as_likely(count):
    """Of a remainder by such counts some thirds come twice as often."""
    x = np.asarray(pf.random.default_rng(6).integers(0, count, N, "uint64"))
    cells = np.bincount((x.astype(np.float64) / count * 3).astype(int), minlength=3)
    assert abs(chi_square(cells, N / 3)) < Z


def test_chances():
    rng = pf.random.default_rng(7)
    for p in (0.001, 0.3, 0.5, 0.999):
        hits = int(np.asarray(rng.bernoulli(p, N)).sum())
        assert abs(hits - N * p) < Z * math.sqrt(N * p * (1 - p))
        kept = np.asarray(rng.dropout(pf.ones(N, dtype="float32"), p))
        assert set(np.unique(kept)) <= {np.float32(0), np.float32(1 / (1 - p))}
        assert abs(np.count_nonzero(kept) - N * (1 - p)) < Z * math.sqrt(N * p * (1 - p))


def test_the_ends_of_a_range():
    """Of few floats the last one rounds to the end, which must not come."""
    rng = pf.random.default_rng(8)
    low, high = np.float32(2.0**24), np.float32(2.0**24 + 4)
    x = np.asarray(rng.uniform(low, high, N, dtype="float32"))
    assert x.min() == low and x.max() < high
    for dtype in ("float16", "bfloat16", "float32", "float64"):
        x = np.asarray(rng.uniform(1.0, 1.0625, N, dtype=dtype)).astype(np.float64)
        assert x.min() >= 1 and x.max() < 1.0625
        x = np.asarray(rng.uniform([1.0], 1.0625, N, dtype=dtype)).astype(np.float64)
        assert x.min() >= 1 and x.max() < 1.0625
        assert np.asarray(rng.uniform(3.0, 3.0, 5, dtype=dtype)).tolist() == [3.0] * 5


def test_normal_numbers_have_tails():
    x = np.asarray(pf.random.default_rng(9).standard_normal(1 << 22, "float32"))
    assert np.isfinite(x).all()
    for limit in (3, 4, 4.5):
        expected = x.size * math.erfc(limit / math.sqrt(2))
        assert abs((np.abs(x) > limit).sum() - expected) < Z * math.sqrt(expected)
    assert 4.8 < np.abs(x).max() < 6.8


# --- Order ----------------------------------------------------------------------------------------


def test_each_permutation_is_as_likely():
    rng = pf.random.default_rng(10)
    rows = np.asarray(rng.permuted(np.tile(np.arange(4), (24_000, 1)), axis=1))
    counts = np.unique(rows @ [64, 16, 4, 1], return_counts=True)[1]
    assert counts.size == 24 and abs(chi_square(counts, 1000)) < Z


def test_permutations_keep_the_elements():
    rng = pf.random.default_rng(11)
    x = np.arange(24).reshape(4, 6)
    assert sorted(np.asarray(rng.permutation(1000)).tolist()) == list(range(1000))
    assert sorted(np.asarray(rng.permutation(x)).tolist()) == x.tolist()
    assert sorted(np.asarray(rng.permutation(x, axis=1)).T.tolist()) == x.T.tolist()
    assert sorted(np.asarray(rng.permuted(x)).ravel().tolist()) == list(range(24))
    assert np.asarray(rng.permutation(0)).tolist() == []
    y = pf.asarray(x)
    view = y[0]
    rng.shuffle(y)
    assert sorted(np.asarray(y).tolist()) == x.tolist()
    assert np.asarray(view).tolist() == np.asarray(y)[0].tolist()


def test_choices():
    rng = pf.random.default_rng(12)
    x = np.asarray(rng.choice(5, 10_000))
    assert abs(chi_square(np.bincount(x, minlength=5), 2000)) < Z
    p = [0.1, 0.0, 0.6, 0.3]
    x = np.asarray(rng.choice([10, 20, 30, 40], (100, 100), p=p))
    counts = [(x == v).sum() for v in (10, 30, 40)]
    assert x.shape == (100, 100) and sum(counts) == 10_000
    assert abs(chi_square(counts, [1000, 6000, 3000])) < Z
    x = np.asarray(rng.choice(np.arange(12).reshape(3, 4), 3, replace=False, axis=1))
    assert x.shape == (3, 3) and len(set(x[0])) == 3 and np.array_equal(x[2], x[0] + 8)
    firsts = [int(rng.choice(3, 2, replace=False, p=[0.5, 0.25, 0.25])[0]) for _ in range(200)]
    assert 70 < firsts.count(0) < 130
    assert rng.choice(7).shape == () and rng.choice([], 0).shape == (0,)
