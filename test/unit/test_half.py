# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""float16 and bfloat16: compiled like other floats, each operation rounded once from float32."""

import ml_dtypes
import numpy as np
import pytest
from values_common import check, check_all, data

import pyfusion as pf

HALVES = ["float16", "bfloat16"]
TYPES = {"float16": np.dtype(np.float16), "bfloat16": np.dtype(ml_dtypes.bfloat16)}
# A half more than the tie between 1 and the next number, beyond what float32 can tell from it.
ABOVE_TIE = {"float16": 1 + 2.0**-11 + 2.0**-40, "bfloat16": 1 + 2.0**-8 + 2.0**-40}
NEXT = {"float16": 1 + 2.0**-10, "bfloat16": 1 + 2.0**-7}


def operands(dtype, shape=(5, 9)):
    n, m = (data(dtype, shape, seed) for seed in (1, 2))
    return n, m, pf.asarray(n), pf.asarray(m)


@pytest.mark.parametrize("dtype", HALVES)
def test_a_chain_is_one_kernel_and_rounds_at_each_operation(dtype):
    kind = TYPES[dtype]
    n = np.linspace(-4, 4, 999).astype(kind)
    m = np.linspace(3, -2, 999).astype(kind)
    with pf.testing.inspect() as report:
        x, y = pf.asarray(n), pf.asarray(m)
        got = pf.where(x < y, (x * y + 2.5) / (x - 0.1), -abs(x)) * 3
    with np.errstate(all="ignore"):
        chosen = (n * m + kind.type(2.5)) / (n - kind.type(0.1))
        want = np.where(n < m, chosen, -abs(n)) * kind.type(3)
    check(got, want, "chain")
    assert (report.kernels, report.unfused, report.fallbacks) == (1, [], 0)


@pytest.mark.parametrize("dtype", HALVES)
def test_an_explicit_rounding_is_not_erased(dtype):
    n = (np.arange(200) / 7).astype("float32")
    x = pf.asarray(n)
    want = n.astype(TYPES[dtype]).astype("float32")
    assert (want != n).any()
    with pf.testing.inspect() as report:
        there_and_back = x.astype(dtype).astype("float32")
        results = {
            "pair": (there_and_back, want),
            "in a sum": (there_and_back - x, want - n),
            "difference": ((there_and_back == x), want == n),
        }
        pf.sync()
    assert report.unfused == []
    check_all(results)


@pytest.mark.parametrize("dtype", HALVES)
def test_numbers_are_rounded_once(dtype):
    kind = TYPES[dtype]
    one, above, want = pf.ones(3, dtype), ABOVE_TIE[dtype], np.full(3, NEXT[dtype], kind)
    check(one * above, want, "times")
    check(above * one, want, "reflected")
    check(pf.full(3, above, dtype), want, "full")
    check(pf.asarray([above] * 3, dtype=dtype), want, "asarray")
    check(pf.asarray(above, dtype=dtype), want[0], "0-d")
    check(pf.asarray(np.full(3, above)).astype(dtype), want, "astype")
    check(pf.where(one == 1, one * 0 + above, one), want, "where")
    top = float(ml_dtypes.finfo(kind).max)
    for number in (top, -top, top * 1.0009, top * 1.5, -1e300, float("inf"), float("nan"), -0.0):
        with np.errstate(all="ignore"):
            check(one * number, np.ones(3, kind) * kind.type(number), str(number), zero_signs=True)


def test_large_integers_are_rounded_once():
    number = (1 << 62) + (1 << 54) + 1  # just above a tie that float64 rounds to
    want = np.full(2, 2.0**62 * (1 + 2.0**-7), TYPES["bfloat16"])
    check(pf.ones(2, "bfloat16") * number, want, "number")
    check(number * pf.ones(2, "bfloat16"), want, "reflected")
    check(pf.full(2, number, "bfloat16"), want, "full")
    check(pf.asarray([number] * 2).astype("bfloat16"), want, "astype")


@pytest.mark.parametrize("dtype", HALVES)
def test_creation_and_reading(dtype):
    kind = TYPES[dtype]
    n = np.array([[1.5, -2, 0.1], [np.inf, np.nan, -0.0]]).astype(kind)
    x = pf.asarray(n)
    assert x.dtype is getattr(pf, dtype) and x.itemsize == 2 and np.asarray(x).dtype == kind
    assert x[0, 0].item() == 1.5 and float(x[0, 1]) == -2.0 and x.tolist()[0][:2] == [1.5, -2]
    assert repr(x) == repr(n) and str(x[0, :2]) == str(n[0, :2])
    assert bool(x[0, 0]) and int(x[0, 1]) == -2
    check_all(
        {
            "back": (x, n),
            "copy": (pf.asarray(n.T, copy=True) + 0, n.T + kind.type(0)),
            "zeros": (pf.zeros((2, 2), dtype), np.zeros((2, 2), kind)),
            "full_like": (pf.full_like(x, 0.1), np.full_like(n, 0.1)),
            "arange": (pf.arange(0, 3, 0.25, dtype=dtype), np.arange(0, 3, 0.25).astype(kind)),
            "linspace": (pf.linspace(0, 1, 5, dtype=dtype), np.linspace(0, 1, 5).astype(kind)),
            "to": (x.astype("float32"), n.astype("float32")),
            "scalar": (x * n[0, 0], n * n[0, 0]),
            "scalar on the left": (n[0, 0] * x, n[0, 0] * n),
            "ndarray on the left": (n + x, n + n),
        }
    )
    total = pf.zeros(3, dtype)
    total += x[0]
    check(total, n[0], "in place")


def test_sums_and_means_are_done_in_float32():
    results = {}
    for dtype, kind in TYPES.items():
        x = pf.full(300, 500, dtype)
        results[f"mean {dtype}"] = (x.mean(), kind.type(500))
        results[f"of ones {dtype}"] = (pf.ones((2, 3000), dtype).sum(1), np.full(2, 3000, kind))
        n = np.random.default_rng(0).normal(0, 1, (40, 50)).astype(kind)
        a = pf.asarray(n)
        exact = n.astype("float64")
        for axis in (0, 1, None):
            # Exact in float32 but for the last place, which the halves do not see.
            results[f"sum {axis} {dtype}"] = (a.sum(axis), exact.sum(axis).astype(kind))
            results[f"mean {axis} {dtype}"] = (a.mean(axis), exact.mean(axis).astype(kind))
            results[f"max {axis} {dtype}"] = (a.max(axis), n.max(axis))
            results[f"min {axis} {dtype}"] = (a.min(axis), n.min(axis))
        deviation = pf.full(64, 300, dtype) + pf.arange(64).astype(dtype)
        spread = np.arange(64.0)
        results[f"var {dtype}"] = (
            (deviation if dtype == "float16" else pf.arange(64).astype(dtype) * 256).var(),
            kind.type(spread.var() * (1 if dtype == "float16" else 65536)),
        )
    # Raw sums beyond float16.
    wide = pf.asarray(np.arange(1024, dtype="float16").reshape(2, 2, 256)).transpose(1, 2, 0)
    results["permuted"] = (wide.mean(0).mean(0), np.float16([255.5, 767.5]))
    with pf.testing.inspect() as report:
        check_all(results)
    assert report.unfused == []


@pytest.mark.parametrize("dtype", HALVES)
def test_matmul_accumulates_in_float32(dtype):
    kind = TYPES[dtype]
    n, m = (np.random.default_rng(s).normal(size=(40, 40)).astype(kind) for s in (1, 2))
    got = pf.asarray(n) @ pf.asarray(m)
    # Other libraries add in another order.
    ulp = 0 if pf.config.device == "cpu" else 1
    check(got, (n.astype("float32") @ m.astype("float32")).astype(kind), "matmul", ulp=ulp)
    ones = pf.ones((1, 3000), dtype) @ pf.ones((3000, 1), dtype)
    check(ones, np.full((1, 1), 3000).astype(kind), "ones")


@pytest.mark.parametrize("dtype", HALVES)
def test_functions_are_those_of_float32_rounded_once(dtype):
    """For every operand: some functions have shorter forms for short floats."""
    n = np.arange(2**16, dtype=np.uint16).view(TYPES[dtype])
    x = pf.asarray(n)
    with np.errstate(all="ignore"):
        wide = pf.asarray(n.astype("float32"))
    names = ["exp", "tanh", "sigmoid", "erf", "log", "exp2", "expm1"]
    recorded = {f: (getattr(pf, f)(x), getattr(pf, f)(wide).astype(dtype)) for f in names}
    for name, (got, want) in recorded.items():
        check(got, np.asarray(want), name, zero_signs=True)


@pytest.mark.parametrize("mode", ["fused", "single", "backend"])
def test_modes_agree(mode):
    with pf.config.scope(mode=mode):
        for dtype in HALVES:
            n, m, x, y = operands(dtype)
            with np.errstate(all="ignore"):
                results = {
                    "add": (x + y, n + m),
                    "divide": (x / y, n / m),
                    "floor_divide": (x // y, n // m),
                    "remainder": (x % y, n % m),
                    "less": (x < y, n < m),
                    "sqrt": (pf.sqrt(abs(x)), np.sqrt(abs(n))),
                    "number": (x * 0.1 - 3, n * n.dtype.type(0.1) - n.dtype.type(3)),
                }
            check_all(results)
            zeros = pf.asarray(np.array([0.0, -0.0]).astype(n.dtype))
            assert not np.signbit(np.asarray(pf.sign(zeros))).any()


def test_sequences_of_numbers_become_bfloat16():
    got = np.asarray(pf.asarray([2**70, True, 0.1], dtype="bfloat16"))
    assert got.tolist() == [2.0**70, 1.0, 0.10009765625]
    assert float(pf.asarray([2**70 + 2**62 + 1], dtype="bfloat16")[0]) == 2**70 * (1 + 2.0**-7)
    with pytest.raises(TypeError, match="complex"):
        pf.asarray([1 + 2j], dtype="bfloat16")
    with pytest.raises(TypeError):
        pf.asarray(["a"], dtype="bfloat16")
