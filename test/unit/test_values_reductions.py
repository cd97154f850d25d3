# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every reduction: each type, layout and choice of axes, against NumPy."""

import numpy as np
import pytest
from values_common import DTYPES, GRID, HALVES, LAYOUTS, check, check_all, data, is_float, pair

import pyfusion as pf

# Axes and keepdims.
CHOICES = [(None, False), (0, False), (-1, True), ((0, 1), True), ((), False)]


def choices(n):
    return CHOICES if n.ndim == 2 else [(None, False), ((), True)]


@pytest.mark.parametrize("dtype, layout", GRID)
def test_exact_reductions(dtype, layout):
    n, x = pair(dtype, layout, 1)
    results = {}
    names = ["any", "all", "max", "min"]
    if not is_float(n.dtype):
        names += ["sum", "prod"]
    for axis, keepdims in choices(n):
        for name in names:
            try:
                want = getattr(np, name)(n, axis=axis, keepdims=keepdims)
            except ValueError:
                with pytest.raises(ValueError):
                    getattr(pf, name)(x, axis=axis, keepdims=keepdims)
                continue
            got = getattr(pf, name)(x, axis=axis, keepdims=keepdims)
            results[f"{name} {axis} {keepdims}"] = (got, want)
    check_all(results)


def close(got, want, magnitude, name, dtype):
    """Within the rounding of a sum of terms with that total magnitude."""
    got = np.asarray(got)
    assert got.shape == want.shape and got.dtype == dtype, name
    limit = 8 * np.finfo(dtype).eps * magnitude + np.finfo(dtype).tiny
    error = np.abs(got.astype(np.longdouble) - want)
    assert (error <= limit).all(), f"{name}: {error.max()} over {limit}"


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_sums_of_floats(dtype, layout):
    n, x = pair(dtype, layout, 2, special=False)
    wide = n.astype(np.longdouble)
    recorded = []
    for axis, keepdims in choices(n):
        options = dict(axis=axis, keepdims=keepdims)
        recorded.append(("sum", options, pf.sum(x, **options)))
        recorded.append(("prod", options, pf.prod(x / 8, **options)))
        if n.size:
            recorded.append(("mean", options, pf.mean(x, **options)))
    for name, options, got in recorded:
        if name == "prod":
            want = np.prod(wide / 8, **options)
            close(got, want, np.abs(want) * 4, name, n.dtype)
        else:
            magnitude = getattr(np, name)(np.abs(wide), **options)
            close(got, getattr(np, name)(wide, **options), magnitude, name, n.dtype)


@pytest.mark.parametrize("layout", [name for name in LAYOUTS if name != "empty"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_var_and_std(dtype, layout):
    n, x = pair(dtype, layout, 3, special=False)
    recorded = []
    for axis, _ in choices(n)[:3]:
        if axis != ():
            for name in ("var", "std"):
                options = dict(axis=axis, ddof=1 if n.size > 1 else 0)
                recorded.append((name, options, getattr(pf, name)(x, **options)))
    for name, options, got in recorded:
        want = getattr(np, name)(n.astype(np.longdouble), **options)
        out = n.dtype if n.dtype.kind == "f" else np.dtype("float64")
        spread = np.max(np.abs(n.astype(np.longdouble))) ** (2 if name == "var" else 1)
        close(got, want, spread + np.abs(want), name, out)


@pytest.mark.parametrize("dtype", DTYPES)
def test_mean_of_any_type(dtype):
    n, x = pair(dtype, "transposed", 4, special=False)
    got = pf.mean(x, axis=0)
    want = np.mean(n.astype(np.longdouble), axis=0)
    magnitude = np.mean(np.abs(n.astype(np.longdouble)), axis=0)
    close(got, want, magnitude, "mean", np.mean(n, axis=0).dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_nan_and_zeros_in_extremes(dtype):
    n = np.array([[1, np.nan, 3, 2], [1, 4, 3, 2], [-np.inf, np.inf, 0, -0.0]], dtype)
    x = pf.asarray(n)
    check_all({name: (getattr(pf, name)(x, 1), getattr(np, name)(n, 1)) for name in ("max", "min")})
    zeros = pf.asarray(np.array([[0.0, -0.0], [-0.0, 0.0], [-0.0, -0.0]], dtype))
    assert np.signbit(pf.max(zeros, 1)).tolist() == [False, False, True]
    assert np.signbit(pf.min(zeros, 1)).tolist() == [True, True, True]


@pytest.mark.parametrize(
    "shape", [(1,), (3, 1), (1, 5), (2, 3, 4), (4, 0, 2), (70000,), (3, 20000)]
)
def test_shapes(shape):
    n = data("int32", shape, 5)
    x = pf.asarray(n)
    results = {}
    for axis in [None, *range(len(shape)), tuple(range(0, len(shape), 2))]:
        results[f"sum {axis}"] = (x.sum(axis), n.sum(axis))
        results[f"of chain {axis}"] = ((x * 2 + 1).sum(axis) - 3, (n * 2 + 1).sum(axis) - 3)
    check_all(results)


@pytest.mark.parametrize("name", ["sum", "prod", "mean"])
@pytest.mark.parametrize("target", ["int8", "int32", "uint8", "float32", "float64", "bool"])
def test_dtype_argument(name, target):
    if name == "mean" and target in ("int8", "int32", "uint8", "bool"):
        return
    n = np.array([[1, 2, 100], [100, 100, 3]], "int16")
    x = pf.asarray(n)
    check(getattr(pf, name)(x, dtype=target), getattr(np, name)(n, dtype=target), name)


def test_initial_and_where():
    n = np.arange(12.0).reshape(3, 4)
    x, mask = pf.asarray(n), n % 3 < 2
    results = {
        "sum": (pf.sum(x, where=pf.asarray(mask)), np.sum(n, where=mask)),
        "max": (pf.max(x, 1, initial=6), np.max(n, 1, initial=6)),
        "mean": (pf.mean(x, 0, where=mask), np.mean(n, 0, where=mask)),
        "any": (pf.any(x, where=mask), np.any(n, where=mask)),
        "std": (pf.std(x, where=mask), np.std(n, where=mask)),
    }
    check_all(results)


def test_large_values_do_not_overflow_the_deviation():
    x = pf.asarray([1e30, 2e30, 3e30] * 8, dtype="float32")
    assert abs(float(x.std()) / 8.16496580927726e29 - 1) < 1e-6


def test_deviation_of_a_small_spread_on_a_large_mean():
    n = np.random.default_rng(0).normal(1e5, 1, 100_000).astype("float32")
    want = np.std(n.astype("float64"))
    assert abs(float(pf.asarray(n).std()) / want - 1) < 1e-6


def test_numpy_functions_reach_the_methods():
    n = np.arange(6, dtype="float32").reshape(2, 3)
    x = pf.asarray(n)
    for name in ("sum", "max", "mean", "std", "prod", "any"):
        got = getattr(np, name)(x, axis=1)
        assert isinstance(got, pf.Array)
        check(got, getattr(np, name)(n, axis=1), name, ulp=2 if name == "std" else 0)


def test_out():
    n = np.arange(6, dtype="float32").reshape(2, 3)
    x, out, memory = pf.asarray(n), pf.zeros(2, "float32"), np.zeros(2, "float32")
    assert pf.sum(x, 1, out=out) is out
    assert pf.sum(x, 1, out=memory) is memory
    check(out, n.sum(1), "Array")
    check(memory, n.sum(1), "NumPy array")


@pytest.mark.parametrize("layout", [name for name in LAYOUTS if name != "empty"])
@pytest.mark.parametrize("dtype", HALVES)
def test_sums_of_halves(dtype, layout):
    """Nearly exact in float32, so that what is left is one rounding."""
    n, x = pair(dtype, layout, 6, special=False)
    results = {}
    for axis, keepdims in choices(n):
        options = dict(axis=axis, keepdims=keepdims)
        for name in ("sum", "mean"):
            want = getattr(np, name)(n.astype("float64"), **options)
            results[f"{name} {axis}"] = (getattr(pf, name)(x, **options), want)
        if axis != ():
            results[f"var {axis}"] = (pf.var(x, **options), np.var(n.astype("float64"), **options))
    check_all(results, ulp=0.51)
