# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`//` of floats is the floor of the exact quotient, rounded once, however large that is."""

import ml_dtypes
import numpy as np
import pytest
from exact_functions import DIGITS, floor_divide
from values_common import check, check_all, numpy_type

import pyfusion as pf

MODES = ["fused", "single", "backend"]
# The exponents of a type's numbers, subnormal ones too.
EXPONENTS = {
    "float16": (-24, 16),
    "bfloat16": (-133, 128),
    "float32": (-149, 128),
    "float64": (-1074, 1024),
}


def numbers(dtype, low, high, count, rng):
    """Not zero, 2**low <= abs(x) < 2**high."""
    x = rng.uniform(1, 2, count) * 2.0 ** rng.integers(low, high, count)
    largest = float(ml_dtypes.finfo(numpy_type(dtype)).max)
    return (np.minimum(x, largest) * rng.choice([-1, 1], count)).astype(numpy_type(dtype))


def near_whole(dtype, count, rng):
    """Quotients within an ulp of a whole number, or, where the next floats are further away, of the
    middle of two."""
    digits = DIGITS[dtype]
    y = numbers(dtype, -1, 1, count, rng)
    exponents = rng.integers(1, min(2 * digits, EXPONENTS[dtype][1] - 2), count)
    whole = rng.integers(2 ** (digits - 1), 2**digits, count) * 2 + rng.integers(0, 2, count)
    whole = np.rint(np.ldexp(whole.astype(np.longdouble), exponents - digits))
    with np.errstate(over="ignore"):
        x = (whole * y.astype(np.longdouble)).astype(np.float64).astype(y.dtype)
    return np.where(np.isfinite(x.astype(np.float64)), x, y), y


def operands(dtype):
    """Of every size, of quotients about the number of digits, and near the points to decide."""
    rng = np.random.default_rng(5)
    low, high = EXPONENTS[dtype]
    digits = DIGITS[dtype]
    count = 3000
    parts = [
        (numbers(dtype, low, high, count, rng), numbers(dtype, low, high, count, rng)),
        (
            numbers(dtype, 0, min(digits + 3, high), count, rng),
            numbers(dtype, -2, 2, count, rng),
        ),
        (
            numbers(dtype, low, low + digits + 3, count, rng),
            numbers(dtype, low, low + 3, count, rng),
        ),
        near_whole(dtype, count, rng),
    ]
    return [np.concatenate(part) for part in zip(*parts, strict=True)]


def test_reported_quotients():
    wide = [
        (41580912, 2.5, 16632364),
        (-41580912, 7, -5940131),
        (16777216, 0.7595195, 22089248),
        (2**24 - 2, 1 - 2**-24, 2**24 - 2),
    ]
    for mode in MODES:
        with pf.config.scope(mode=mode):
            x, y, want = (np.array(v, np.float32) for v in zip(*wide, strict=True))
            check(pf.asarray(x) // pf.asarray(y), want, mode)
            check(divmod(pf.asarray(x), pf.asarray(y))[0], want, f"divmod, {mode}")
            huge = pf.asarray([3.681588612839045e16]) // 14.5
            assert int(huge[0]) == 36815886128390450 * 2 // 29


@pytest.mark.parametrize("dtype", EXPONENTS)
def test_the_floor_is_rounded_once(dtype):
    x, y = operands(dtype)
    want = floor_divide(x, y)
    for mode in MODES:
        with pf.config.scope(mode=mode):
            got = pf.asarray(x) // pf.asarray(y)
            check(got, want, mode, zero_signs=True)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_all_numbers_of_16_bits(dtype):
    x = np.arange(2**16, dtype=np.uint16).view(numpy_type(dtype))
    x = x[np.isfinite(x.astype(np.float32))]
    divisors = [-0.1, 7e-5]
    results = {str(y): (pf.asarray(x) // y, floor_divide(x, x.dtype.type(y))) for y in divisors}
    check_all(results, zero_signs=True)
