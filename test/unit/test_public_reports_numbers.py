# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Public bug reports on single values: NaN, infinities, signs of zeros, rounding, integers."""

import ml_dtypes
import numpy as np
import pytest
from reports_common import everywhere, read

import pyfusion as pf

nan, inf = float("nan"), float("inf")
f16, f32, f64 = np.float16, np.float32, np.float64
bf16 = np.dtype(ml_dtypes.bfloat16)
FLOATS = [f16, bf16, f32, f64]


def f(*values, dtype=f32):
    return np.array(values, dtype)


@pytest.mark.parametrize("dtype", FLOATS)
def test_burn_5659_clip_keeps_nan(dtype):
    x = f(nan, -1, 2, dtype=dtype)
    everywhere(f(nan, 0, 1, dtype=dtype), lambda x: pf.clip(x, 0, 1), x)
    everywhere(f(nan, nan, 1, dtype=dtype), lambda x, lo: pf.clip(x, lo, 1), x, x * dtype_nan(x))


def dtype_nan(x):
    """Factors that turn the second element into NaN and leave the others."""
    return np.array([1, nan, 1], x.dtype)


@pytest.mark.parametrize("dtype", FLOATS)
def test_burn_4814_extremes_do_not_ignore_nan(dtype):
    x = np.array([[1, nan, 3, 2], [1, 4, 3, 2]], dtype)
    everywhere(f(nan, 4, dtype=dtype), lambda x: pf.max(x, axis=1), x)
    everywhere(f(nan, 1, dtype=dtype), lambda x: pf.min(x, axis=1), x)
    everywhere([1, 1], lambda x: pf.argmax(x, axis=1), x, dtype=np.int64)
    everywhere([1, 0], lambda x: pf.argmin(x, axis=1), x, dtype=np.int64)


def test_triton_9022_argmax_finds_nan():
    for values in ((nan, 6, 8), (6, nan, 8, nan), (nan, nan)):
        first = int(np.isnan(values).argmax())
        x = f(*values)
        everywhere(first, pf.argmax, x, dtype=np.int64)
        everywhere(first, pf.argmin, x, dtype=np.int64)


@pytest.mark.parametrize("dtype", [np.int8, np.uint32, np.int64, f16, f32, f64])
def test_pytorch_99879_the_first_of_equal_elements_counts(dtype):
    everywhere(1, pf.argmin, np.array([3, 1, 1], dtype), dtype=np.int64)
    everywhere(0, pf.argmax, np.array([3, 1, 3], dtype), dtype=np.int64)
    x = np.array([[2, 2], [2, 2], [1, 3], [1, 3]], dtype)
    everywhere([2, 0], lambda x: pf.argmin(x, axis=0), x, dtype=np.int64)
    everywhere([0, 2], lambda x: pf.argmax(x[::-1], axis=0)[::-1] * [1, 1], x, dtype=np.int64)


def test_burn_5026_nan_check_of_halves_does_not_overflow():
    x = np.random.default_rng(0).uniform(-59, 0, (3, 13, 4, 16, 64)).astype(f16)
    everywhere(False, lambda x: pf.any(pf.isnan(x)), x)
    x[2, 12, 3, 15, 63] = nan
    everywhere(True, lambda x: pf.any(pf.isnan(x)), x)


def test_burn_4015_sign_of_the_integer_remainder():
    x = np.array([-3, -2, -1, 1, 2, 3], np.int32)
    y = np.array([2, 3, 1, 2, 1, 3], np.int32)
    everywhere([1, 1, 0, 1, 0, 0], lambda x, y: x % y, x, y, dtype=np.int32)
    everywhere([1, 0, 1, 1, 0, 1], lambda x: x % 2, x, dtype=np.int32)


@pytest.mark.parametrize("dtype", FLOATS)
def test_pytorch_93784_a_lower_bound_keeps_nan_of_both_sides(dtype):
    a, b = f(nan, 1, 2, dtype=dtype), f(0, nan, 1, dtype=dtype)
    everywhere(f(nan, 1, 2, dtype=dtype), lambda a: pf.clip(a, min=0.5), a)
    everywhere(f(nan, nan, 2, dtype=dtype), pf.maximum, a, b)
    everywhere(f(nan, nan, 1, dtype=dtype), pf.minimum, a, b)


def test_pytorch_75088_an_absent_bound_is_no_bound():
    everywhere(f(0.1, inf), lambda x: pf.clip(x, min=1) * 0.1, f(1, inf))
    everywhere(f(-inf, 0.1), lambda x: pf.clip(x, max=1) * 0.1, f(-inf, 1))


def test_llvm_114594_nan_beside_infinity_in_extremes():
    for x, y in ((-inf, nan), (nan, -inf), (inf, nan)):
        everywhere(f(nan), pf.maximum, f(x), f(y))
        everywhere(f(nan), pf.minimum, f(x), f(y))
        # Constants of the program, which the compiler may fold.
        everywhere(f(nan), lambda z, x=x, y=y: pf.maximum(pf.full(1, x), y) + z, f(0), dtype=f64)
        everywhere(f32(nan), pf.max, f(x, y))


def test_jax_4780_zero_times_nan():
    everywhere(f32(nan), lambda x, y: x.mean() + 0 * y.mean(), f(1, 1), f(1, nan))
    everywhere(f(nan, nan, 0, -0.0), lambda x: x * 0, f(nan, inf, 1, -1))


def test_pytorch_100466_a_mask_as_a_number_is_one():
    x = np.linspace(-1, 1, 32, dtype=f32)
    everywhere(x * (x >= 0), lambda x: x * (x >= 0), x)
    everywhere((x >= 0).astype(f32), lambda x: (x >= 0).astype("float32"), x)


@pytest.mark.parametrize("dtype", FLOATS)
def test_pytorch_187297_the_untaken_branch_does_not_leak(dtype):
    x = f(-1, -4, 4, dtype=dtype)
    everywhere(f(-1, -4, 2, dtype=dtype), lambda x: pf.where(x > 0, pf.sqrt(x), x), x)
    safe = f(0, 0.5, dtype=dtype)
    divided = f(0, 2, dtype=dtype)
    everywhere(divided, lambda x: pf.where(x == 0, 0.0, 1 / x), safe)


def test_pytorch_105264_bytes_wrap_inside_a_kernel():
    x, y = np.array([128, 200], np.uint8), np.array([128, 100], np.uint8)
    everywhere([0, 44], lambda x, y: (x + y).astype("int16"), x, y, dtype=np.int16)
    x, y = np.array([100], np.int8), np.array([100], np.int8)
    everywhere([-56], lambda x, y: (x + y).astype("int32"), x, y, dtype=np.int32)
    everywhere([False], lambda x, y: x + y > 0, x, y)


def test_pytorch_161763_a_negated_byte_wraps_before_it_is_a_float():
    everywhere(f(250.5), lambda x, y: -x + y.astype("float32"), np.array([7], np.uint8), f(1.5))


def test_pytorch_143566_shifts_beyond_the_width():
    for dtype in (np.int8, np.uint16, np.int32, np.uint64):
        width = 8 * np.dtype(dtype).itemsize
        top = np.iinfo(dtype)
        x = np.array([top.max, top.min, 1], dtype)
        by = np.array([width, width + 1, width - 1], dtype)
        last = np.array(1).astype(f"u{width // 8}") << (width - 1)
        everywhere([0, 0, last.astype(dtype)], lambda x, y: x << y, x, by, dtype=dtype)
        low = -1 if top.min else 0
        everywhere([0, low, 0], lambda x, y: x >> y, x, by, dtype=dtype)


def test_pytorch_184408_division_before_truncation():
    x, y = f(148, 14.999999), f(37, 3)
    everywhere(f(4, 4), lambda x, y: pf.trunc(x / y), x, y)


def test_numexpr_454_integer_powers_wrap():
    everywhere([0], lambda x: x**10000, np.array([10000]), dtype=np.int64)
    everywhere([0], lambda x, y: x**y, np.array([10000]), np.array([10000]), dtype=np.int64)
    everywhere([-1], lambda x: x**3, np.array([-1], np.int32), dtype=np.int32)


def test_numexpr_96_bools_add_as_or():
    x, y = np.array([True, True, False]), np.array([True, False, False])
    everywhere([True, True, False], lambda x, y: x + y, x, y)
    everywhere([True, False, False], lambda x, y: x * y, x, y)


def test_jax_18385_wide_integers_are_not_cut():
    everywhere([2**32], lambda x: x + 0, np.array([2**32]), dtype=np.int64)
    assert read(pf.asarray([2**32]) + 0) == [4294967296]
    assert pf.asarray([2**63]).dtype == pf.uint64
    with pytest.raises(OverflowError):
        pf.asarray([2**32], dtype=pf.int32)


@pytest.mark.parametrize("half", [f16, bf16])
def test_pytorch_185337_a_detour_through_halves_rounds(half):
    x = np.arange(20, dtype=f32) / np.float32(7)
    want = x.astype(half).astype(f32)
    assert half is not f16 or want[1] == np.float32(0.142822265625)
    assert (want != x).sum() > 10
    everywhere(want, lambda x: x.astype(half).astype("float32"), x)


def test_pytorch_183605_each_step_of_a_half_chain_is_rounded():
    x = np.full((3, 5), 1e-10, f16)  # which is 0 there
    want = np.full((3, 5), nan, f16)
    everywhere(want, lambda x: x * (1 / pf.sqrt(x.var(axis=1, keepdims=True) + 1e-9)), x)


@pytest.mark.parametrize("half", [f16, bf16])
def test_pytorch_195214_rounded_values_are_compared(half):
    rng = np.random.default_rng(0)
    a, b = (rng.normal(size=(4, 64)).astype(half) for _ in range(2))

    def most(a, b):
        y = a * b
        return (y == y.max(axis=1, keepdims=True)).sum(axis=1)

    y = (a.astype(f32) * b.astype(f32)).astype(half)
    everywhere((y == y.max(1, keepdims=True)).sum(1), most, a, b)


def test_tinygrad_17087_beyond_half_is_infinite():
    x = f(65536, 65519.99, 65520, -65536, 2.0**-25, 2.0**-24)
    want = f(inf, 65504, inf, -inf, 0, 2.0**-24, dtype=f16)
    everywhere(want, lambda x: x.astype("float16"), x)
    everywhere(want, lambda x: x.astype("float16"), x.astype(f64))


def test_pytorch_131910_floats_saturate_in_integers():
    x = f(300, -1, nan, inf, -inf, 2.9, -0.9)
    want = {"uint8": [255, 0, 0, 255, 0, 2, 0], "int8": [127, -1, 0, 127, -128, 2, 0]}
    for name, values in want.items():
        for dtype in FLOATS:
            source = x.astype(dtype)
            everywhere(values, lambda x, n=name: x.astype(n), source, dtype=name)


def test_cupy_9400_python_numbers_take_the_arrays_type():
    for dtype in FLOATS:
        x = np.array([1, 2], dtype)
        everywhere(np.array([2, 4], dtype), lambda x: x * (2.0 * 1.0), x)


def test_pytorch_189803_expm1_near_zero():
    want = f(1e-8, 1.000005e-5)
    everywhere(want, pf.expm1, f(1e-8, 1e-5), rtol=2e-7)
    everywhere(np.expm1([1e-15]), pf.expm1, np.array([1e-15]), rtol=4e-16)


def test_pytorch_197089_and_burn_5607_deviations():
    x = np.array([1e30, 2e30, 3e30] * 8, f32)
    everywhere(f32(np.std(x.astype(f64))), pf.std, x, rtol=1e-6)
    x = np.random.default_rng(0).normal(1e5, 1, (2, 20_000)).astype(f32)
    want = np.var(x.astype(f64), axis=1).astype(f32)
    everywhere(want, lambda x: pf.var(x, axis=1), x, rtol=1e-6)


def test_burn_4770_mean_of_halves_does_not_overflow():
    for dtype in (f16, bf16):
        everywhere(np.array(500, dtype)[()], pf.mean, np.full(300, 500, dtype))


def test_half_variance_does_not_overflow():
    x = np.array([299, 300, 301, 302] * 8, f16)
    everywhere(f16(1.25), pf.var, x)
    everywhere(np.full(8, 1.25, f16), lambda x: pf.var(x, axis=0), x.reshape(8, 4).T.copy())


@pytest.mark.parametrize("dtype", FLOATS)
def test_pytorch_184420_pow_is_not_the_square_root(dtype):
    x, half = f(-0.0, -inf, 4, dtype=dtype), f(0.5, 0.5, 0.5, dtype=dtype)
    everywhere(f(0.0, inf, 2, dtype=dtype), lambda x, y: x**y, x, half)
    everywhere(f(0.0, inf, 2, dtype=dtype), lambda x: x**0.5, x)
    everywhere(f(-0.0, nan, 2, dtype=dtype), pf.sqrt, x)


def test_jax_16200_subnormals_are_not_zero():
    x = f(1e-40, 1.4e-45)
    everywhere(np.log(x.astype(f64)).astype(f32), pf.log, x, rtol=2e-7)
    everywhere(x + x, lambda x: x * 2, x)
    everywhere([True, True], lambda x: x > 0, x)


def test_jax_6566_no_reassociation():
    def scores(s, one):
        t = s + (-1e30 * (one - 1))
        return t - t.max()

    everywhere(f(0, f32(0.5) - f32(0.7)), scores, f(0.7, 0.5), f(1, 1))
    everywhere(f(0), lambda x, y: (x + y) - x, f(1e30), f(1))


def test_jax_17531_maximum_of_many_negative_zeros():
    for n in (8192, 8193, 70_000):
        everywhere(f32(-0.0), pf.max, np.full(n, -0.0, f32))
        everywhere(f32(-3), pf.max, np.full(n, -3, f32))
