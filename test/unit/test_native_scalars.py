# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The words of Python's numbers in each element type, by the extension module."""

import itertools
import struct

import ml_dtypes
import numpy as np
import pytest

from pyfusion import native

pytestmark = pytest.mark.host
NARROW = {"f": np.float32, "e": np.float16, "g": ml_dtypes.bfloat16}


def edges(dtype):
    """Numbers at and around what the type can just tell apart, and where it ends."""
    info = ml_dtypes.finfo(dtype)
    bases = [float(info.max), float(info.tiny), float(info.smallest_subnormal), 1.0, 1.0039, 3.1]
    steps = [0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 2.5]
    ulps = [float(info.eps) * b for b in bases] + [float(info.smallest_subnormal)]
    found = [b + s * u for b, s, u in itertools.product(bases, steps, ulps)]
    found += [b - s * u for b, s, u in itertools.product(bases, steps, ulps)]
    found += [np.nextafter(f, to) for f in found for to in (-np.inf, np.inf)]
    return [*map(float, found), 0.0, 5e-324, 1e308, float("inf")]


@pytest.mark.parametrize("code", NARROW)
def test_floats_are_rounded_once(code):
    dtype = NARROW[code]
    size = np.dtype(dtype).itemsize
    rng = np.random.default_rng(0)
    numbers = edges(dtype) + (rng.normal(size=300) * 10.0 ** rng.integers(-46, 40, 300)).tolist()
    # A finite sum of two values of a type with wider digits: what rounding to float32 first loses.
    numbers += [(1 + 2.0**-8 * k) * (1 + 2.0**-40) for k in range(9)]
    for number in numbers:
        word = native.scalar_word(number, code)
        assert word >> 8 * size == 0
        assert word == nearest(number, dtype), (number, hex(word))
        assert native.scalar_word(-number, code) == word ^ 1 << 8 * size - 1
    bits = native.scalar_word(float("nan"), code).to_bytes(8, "little")
    assert np.isnan(np.frombuffer(bits[:size], dtype)[0])
    with pytest.raises(TypeError):
        native.scalar_word("1", code)


def nearest(number, dtype):
    """The bits of the nearest number of a type by exact arithmetic."""
    from fractions import Fraction

    kind = np.dtype(f"u{np.dtype(dtype).itemsize}")
    sign = 1 << 8 * kind.itemsize - 1 if np.signbit(number) else 0
    top = int(np.array(np.inf, dtype).view(kind))
    if np.isinf(number):
        return sign | top
    exact = Fraction(abs(number))

    def value(bits):
        if bits == top:  # where the next number would be
            last = np.array([top - 1, top - 2], kind).view(dtype).astype(np.float64)
            return Fraction(last[0]) + (Fraction(last[0]) - Fraction(last[1]))
        return Fraction(float(np.array(bits, kind).view(dtype).astype(np.float64)))

    low, high = 0, top
    while high - low > 1:
        middle = (low + high) // 2
        if value(middle) <= exact:
            low = middle
        else:
            high = middle
    below, above = exact - value(low), value(high) - exact
    up = above < below or (above == below and low % 2)
    return sign | (high if up else low)


@pytest.mark.parametrize("code", "bhiqBHIQ")
def test_integers_have_their_range(code):
    bits = 8 * struct.calcsize("=" + code)
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if code.islower() else (0, (1 << bits) - 1)
    for number in (low, high, 0, 1, True, np.int8(7)):
        packed = struct.pack("=" + code, number).ljust(8, b"\0")
        assert native.scalar_word(number, code) == int.from_bytes(packed, "little")
    for number in (low - 1, high + 1, 1 << 70, -(1 << 70)):
        with pytest.raises(OverflowError):
            native.scalar_word(number, code)
    with pytest.raises(TypeError):
        native.scalar_word(1.5, code)


def test_doubles_and_unknown_codes():
    assert native.scalar_word(-0.0, "d") == 1 << 63
    assert native.scalar_word(3, "d") == int.from_bytes(struct.pack("<d", 3.0), "little")
    with pytest.raises(OverflowError):
        native.scalar_word(10**400, "f")
    with pytest.raises(ValueError, match="'z' is no code"):
        native.scalar_word(1, "z")
