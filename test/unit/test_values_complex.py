# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Complex arrays, which the backend computes, among compiled operations: as in NumPy."""

import numpy as np
import pytest
from values_common import LAYOUTS

import pyfusion as pf

COMPLEX = ["complex64", "complex128"]
SCALARS = [2, -0.5, 1.5 - 2j, True, np.complex64(1 + 1j), np.float64(3.0), np.int8(4)]
OTHERS = ["bool", "int8", "int64", "uint64", "float16", "float32", "float64", *COMPLEX]
UNARY = ["negative", "abs", "exp", "log", "sqrt", "sin", "cos", "tanh", "conj"]
UNARY += ["real", "imag", "isnan", "isinf", "isfinite", "sign", "expm1", "log1p", "sinh", "atan"]
BINARY = ["add", "subtract", "multiply", "divide", "pow", "equal", "not_equal"]


def grid(dtype, layout, seed=0):
    shape, view = LAYOUTS[layout]
    rng = np.random.default_rng(seed)
    base = (rng.normal(0, 3, shape) + 1j * rng.normal(0, 3, shape)).astype(dtype)
    return view(np, base), view(pf, pf.asarray(base))


def same(got, want, name):
    got, want = np.asarray(got), np.asarray(want)
    assert (got.shape, got.dtype) == (want.shape, want.dtype), name
    if got.dtype.kind in "fc" and pf.config.device != "cpu":  # the device's library has its own
        np.testing.assert_allclose(got, want, rtol=8 * np.finfo(got.dtype).eps, atol=0)
    else:
        np.testing.assert_array_equal(got, want, err_msg=name)


def numpy_name(name):
    return {"abs": "absolute", "pow": "power", "atan": "arctan"}.get(name, name)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", COMPLEX)
def test_functions(dtype, layout):
    n, x = grid(dtype, layout)
    m, y = grid(dtype, layout, 1)
    with np.errstate(all="ignore"):
        for name in UNARY:
            same(getattr(pf, name)(x), getattr(np, numpy_name(name))(n), name)
        for name in BINARY:
            same(getattr(pf, name)(x, y), getattr(np, numpy_name(name))(n, m), name)


@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.parametrize("dtype", COMPLEX)
def test_promotion_of_arrays(dtype, other):
    n, x = grid(dtype, "contiguous")
    m = np.arange(7).astype(other)
    for name in ("add", "multiply", "divide", "equal"):
        with np.errstate(all="ignore"):
            want = getattr(np, name)(n, m)
            same(getattr(pf, name)(x, pf.asarray(m)), want, name)
            same(getattr(pf, name)(pf.asarray(m), x), getattr(np, name)(m, n), name)
    assert pf.result_type(x, pf.asarray(m)) == np.result_type(n, m)


@pytest.mark.parametrize("value", SCALARS, ids=repr)
@pytest.mark.parametrize("dtype", [*COMPLEX, "float32", "int32"])
def test_scalars(dtype, value):
    n, x = grid(dtype, "contiguous") if dtype in COMPLEX else (np.arange(1, 4, dtype=dtype),) * 2
    x = pf.asarray(x)
    for f in (lambda a: a + value, lambda a: value - a, lambda a: a * value, lambda a: a / value):
        same(f(x), f(n), "scalar")


@pytest.mark.parametrize("layout", [name for name in LAYOUTS if name != "empty"])
@pytest.mark.parametrize("dtype", COMPLEX)
def test_reductions(dtype, layout):
    n, x = grid(dtype, layout)
    rtol = 1e-5 if dtype == "complex64" else 1e-13
    for axis in [None, *range(n.ndim)]:
        for name in ("sum", "prod", "mean", "var", "std"):
            got, want = np.asarray(getattr(pf, name)(x, axis)), getattr(np, name)(n, axis)
            assert (got.shape, got.dtype) == (np.shape(want), want.dtype), name
            np.testing.assert_allclose(got, want, rtol=rtol, atol=rtol, err_msg=name)
        for name in ("any", "all", "count_nonzero"):
            same(getattr(pf, name)(x, axis), getattr(np, name)(n, axis), name)


@pytest.mark.parametrize("target", OTHERS)
@pytest.mark.parametrize("dtype", COMPLEX)
def test_conversions(dtype, target):
    n, x = grid(dtype, "strided")
    real = np.arange(-3, 4).astype(target)
    same(pf.asarray(real).astype(dtype), real.astype(dtype), "to complex")
    if target in COMPLEX:
        same(x.astype(target), n.astype(target), "between complex types")
    elif target == "bool":
        same(x.astype(target), n.astype(target), "to bool")
    else:  # the imaginary part is dropped
        same(x.astype(target), np.asarray(pf.asarray(n.real).astype(target)), "to real")


@pytest.mark.parametrize("dtype", COMPLEX)
def test_among_compiled_operations(dtype):
    n, x = grid(dtype, "contiguous")
    with pf.testing.inspect() as report:
        magnitude = pf.abs(x)  # real from here on
        got = pf.where(magnitude > 3, magnitude * 2 + 1, -magnitude)
        chosen = pf.where(magnitude > 3, x, x.conj())
    with np.errstate(all="ignore"):
        size = np.abs(n)
        same(got, np.where(size > 3, size * 2 + 1, -size), "real part of the program")
        same(chosen, np.where(size > 3, n, n.conj()), "where")
    assert report.kernels >= 1 and not report.fallbacks


def test_what_has_no_order_raises_at_the_call():
    _, x = grid("complex64", "contiguous")
    for f in (pf.floor, pf.erf, lambda a: a % 2, lambda a: a // 2, lambda a: pf.maximum(a, a) % a):
        with pytest.raises(TypeError, match="complex64"):
            f(x)


def test_item_and_repr():
    x = pf.asarray(np.array([1 + 2j, -3j], np.complex64))
    assert x[0].item() == 1 + 2j and complex(x[1]) == -3j
    assert "complex64" in repr(x)
