# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The array API standard's special cases of complex numbers, which the backend computes."""

import itertools

import numpy as np
import pytest
from special_cases_complex import CASES, cases, met

import pyfusion as pf

TYPES = ["complex64", "complex128"]
ODD = ["asinh", "atanh", "sinh", "tanh"]
CONJUGATE = [name for name in CASES if name not in ("sign", "abs", "isnan", "isinf", "isfinite")]
PARTS = [0.0, -0.0, 1.0, -1.0, 2.5, 1e3, -1e3, np.inf, -np.inf, np.nan]


def array(parts, dtype):
    z = np.empty(len(parts), dtype)
    z.real, z.imag = np.array(parts).T
    return z


def run(name, z):
    return np.asarray(getattr(pf, name)(pf.asarray(z)))


def check(name, dtype, change=lambda z: z):
    """Checks each case, of `change(z)` in place of `z`, whose result is changed back."""
    rows = cases(name)
    z = array([(a, b) for a, b, _ in rows], dtype)
    found = change(run(name, change(z))).astype(complex)
    ulp = np.finfo(dtype).eps
    for (a, b, result), got in zip(rows, found.tolist(), strict=True):
        assert met(a, b, result, got, ulp), f"{name}({a}, {b}) is {got}, not {result}"


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", CASES)
def test_cases(name, dtype):
    check(name, dtype)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", CONJUGATE)
def test_functions_of_conjugates(name, dtype):
    check(name, dtype, np.conj)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", ODD)
def test_odd_functions(name, dtype):
    check(name, dtype, np.negative)


def turned(z):
    """z times 1j, in exact arithmetic."""
    return array(np.stack([-z.imag, z.real], -1), z.dtype)


def assert_same(got, want, ulp):
    for at, (g, w) in enumerate(zip(got.tolist(), want.tolist(), strict=True)):
        # The sign of a part is not specified beside NaN.
        size = abs if np.isnan(g.real) or np.isnan(g.imag) else float
        for a, b in ((g.real, w.real), (g.imag, w.imag)):
            same = size(a) == size(b) and (size is abs or np.signbit(a) == np.signbit(b))
            close = np.isfinite(a) and np.isfinite(b) and abs(a - b) <= 4 * ulp * abs(b)
            assert same or close or (np.isnan(a) and np.isnan(b)), f"{at}: {g} is not {w}"


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize(
    "name, other", [("asin", "asinh"), ("atan", "atanh"), ("sin", "sinh"), ("tan", "tanh")]
)
def test_functions_of_turned_operands(name, other, dtype):
    z = array(list(itertools.product(PARTS, PARTS)), dtype)
    want = -turned(run(other, turned(z)))
    assert_same(run(name, z), want, np.finfo(dtype).eps)


@pytest.mark.parametrize("dtype", TYPES)
def test_cosine_and_logarithms(dtype):
    z = array(list(itertools.product(PARTS, PARTS)), dtype)
    assert_same(run("cos", z), run("cosh", turned(z)), np.finfo(dtype).eps)
    for name, base in (("log2", 2), ("log10", 10)):
        log = run("log", z)
        want = array(np.stack([log.real, log.imag], -1) / np.log(base), dtype)
        assert_same(run(name, z), want, np.finfo(dtype).eps)


@pytest.mark.parametrize("dtype", TYPES)
def test_arithmetic(dtype):
    x, y = array([(-0.0, 0.0)], dtype), array([(-0.0, -0.0)], dtype)
    total = np.asarray(pf.asarray(x) + pf.asarray(y))
    assert np.signbit(total.real) and not np.signbit(total.imag)
    z = pf.asarray(array([(np.nan, np.nan)], dtype))
    for result in (z + z, z - z, z * z, z / z):
        got = np.asarray(result)
        assert np.isnan(got.real) and np.isnan(got.imag)
    assert not np.asarray(z == z) and np.asarray(z != z)
