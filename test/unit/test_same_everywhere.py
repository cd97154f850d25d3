# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`assert_same_everywhere` passes what agrees, and names what does not."""

import re

import numpy as np
import pytest

import pyfusion as pf
from pyfusion.testing import assert_same_everywhere
from pyfusion.testing.compare import close, equal_bits, ulp_distance

X = np.linspace(-3, 3, 24, dtype=np.float32).reshape(4, 6)


def only_in(mode, change):
    """A step that is the identity but in one mode."""

    def step(x):
        return change(x) if pf.config.mode == mode else x

    return step


def message(f, *args, **options):
    with pytest.raises(AssertionError) as caught:
        assert_same_everywhere(f, *args, **options)
    return str(caught.value)


def test_programs_that_agree():
    def f(x, y, options):
        a = pf.tanh(x) * y + options["bias"]
        a += 1
        return {"a": a, "parts": [a > 0, (a.T[::-1] - 2, 3)], "count": int((a > 0).sum())}

    calls = pf.asarray(X), pf.asarray(X)[::-1], {"bias": np.float32(0.5)}
    assert_same_everywhere(f, *calls)
    np.testing.assert_array_equal(np.asarray(calls[0]), X)


def test_arguments_are_new_copies_with_the_same_layout():
    seen = []

    def f(x, y, again):
        assert x is again and x is not base
        strides = [np.asarray(a).strides for a in (x, y)]
        seen.append((pf.config.mode, np.asarray(x).ctypes.data, *strides))
        x += 1
        return x, y

    base = pf.asarray(X)
    turned = base.T[::-1, ::2]
    assert_same_everywhere(f, base, turned, base)
    assert [s[0] for s in seen] == ["fused", "single", "backend"]
    for _, address, dense, view in seen:
        assert address != np.asarray(base).ctypes.data
        assert dense == np.asarray(base).strides
        assert view == np.asarray(turned).strides
    np.testing.assert_array_equal(np.asarray(base), X)


@pytest.mark.host
@pytest.mark.fused
def test_copies_may_be_taken_over():
    with pf.testing.inspect() as report:
        assert_same_everywhere(lambda x: x + 1, np.ones(1000, np.float32))
    # A copy for each mode; the result of fused and of single mode takes it over.
    assert report.allocations == 3


@pytest.mark.parametrize("mode", ["single", "backend"])
def test_a_difference_is_named(mode):
    step = only_in(mode, lambda x: pf.where(x > 2, x * 1.5, x))
    text = message(lambda x: [x * 0, {"y": pf.exp(step(x))}], X)
    assert f"result[1]['y'] of fused mode and of {mode} mode differ at index (3, 2)" in text
    assert re.search(r"\d+\.\d+ \(bits 0x[0-9a-f]{8}\) is not \d+\.\d+ \(bits", text)
    assert re.search(r"\d+ ulp apart\n4 of 24 elements of float32 differ", text)
    assert "kernel_1 (elementwise): exp" in text


def test_one_bit_is_a_difference_of_the_compiled_modes():
    step = only_in("single", lambda x: pf.asarray(np.nextafter(np.asarray(x), np.float32(9))))
    assert "of single mode differ at index (0, 0)" in message(step, X)
    assert " 1 ulp apart" in message(step, X)
    minus_zero = only_in("single", lambda x: -x)
    assert "-0.0" in message(minus_zero, np.zeros(2))


def test_the_backend_may_differ_within_the_tolerances():
    nudged = X * np.float32(1 + 2e-6)
    step = only_in("backend", lambda x: pf.asarray(nudged))
    assert "of backend mode differ" in message(step, X)
    for tolerance in ({"ulp": 40}, {"rtol": 1e-5}, {"atol": 1e-5}):
        assert_same_everywhere(step, X, **tolerance)
    assert "of backend mode differ" in message(step, X, ulp=8, rtol=1e-7, atol=1e-7)
    assert_same_everywhere(only_in("backend", lambda x: -x), np.zeros(2))


@pytest.mark.parametrize(
    "change, said",
    [
        (lambda x: x.astype("float64"), "float32[4, 6] is not float64[4, 6]"),
        (lambda x: x[:2], "float32[4, 6] is not float32[2, 6]"),
        (lambda x: (x, x), "result is"),
        (lambda x: float(x[0, 0]), "result is"),
        (lambda x: pf.where(x == 3, float("nan"), x), "NaN on one side"),
        (lambda x: pf.where(x == 3, float("inf"), x), "inf"),
    ],
)
@pytest.mark.parametrize("mode", ["single", "backend"])
def test_types_shapes_structure_and_special_values(mode, change, said):
    assert said in message(only_in(mode, change), X, ulp=1000, rtol=0.5, atol=0.5)


def test_integers_and_bools_are_exact():
    numbers = np.arange(5)
    step = only_in("backend", lambda x: x + 1)
    assert "0 is not 1" in message(step, numbers, ulp=9, rtol=9.0, atol=9.0)
    flip = only_in("backend", lambda x: ~x)
    assert "True is not False" in message(flip, np.array([True]))


def test_scalars_in_the_result():
    assert_same_everywhere(lambda x: (float(x.max()), None, "name", x.shape), X)
    step = only_in("single", lambda x: 2.5)
    assert "2.0 (bits" in message(lambda x: [2.0 if step(0) == 0 else 2.5], X)
    assert "3 is not 4" in message(lambda x: 4 if pf.config.mode == "single" else 3, X)


def test_nan_equals_nan_and_complex_is_compared():
    assert_same_everywhere(lambda x: x / x, np.array([0.0, 1.0, np.nan]))
    z = np.array([1 + 2j, complex(np.nan, 1)])
    assert_same_everywhere(lambda x: x * 2, z)
    assert "complex128" in message(only_in("single", lambda x: x + 1j), z)


def test_distances():
    x, y = np.array([1.0, -0.0, np.inf]), np.array([1.0, 0.0, np.finfo(float).max])
    assert ulp_distance(x, y).tolist() == [0, 0, 1]
    for dtype in ("float16", "float32", "float64"):
        tiny = np.finfo(dtype).smallest_subnormal
        x = np.array([-tiny, 1, np.nan, np.nan], dtype)
        y = np.array([tiny, np.nextafter(np.array(1, dtype), np.array(2, dtype)), np.nan, 0], dtype)
        assert ulp_distance(x, y).tolist() == [2, 1, 0, 2**64 - 1]
        assert close(x, y, 2, 0.0, 0.0).tolist() == [True, True, True, False]
        assert equal_bits(x, -x).tolist() == [False, False, True, True]
    assert close(np.array(np.inf), np.array(1.0), 0, 0.0, np.inf).tolist() is False
    import ml_dtypes

    x = np.array([1.0, 2.0, np.nan], ml_dtypes.bfloat16)
    y = np.array([1.0078125, 2.0, np.nan], ml_dtypes.bfloat16)
    assert ulp_distance(x, y).tolist() == [1, 0, 0]
    assert equal_bits(x, y).tolist() == [False, True, True]
