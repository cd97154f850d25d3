# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Conversions from each type to each, compiled and on the backend, against exact arithmetic.

All values of the types of 8 and 16 bits; of the wider ones ends of ranges, ties between two numbers
of each narrower type, their neighbours, and random bits.
"""

import ml_dtypes
import numpy as np
import pytest
from lowering_kernels import elementwise

import pyfusion as pf

BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
INTS = [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]
# Digits, and the exponents of the smallest subnormal and of the first power of two above.
FLOATS = {
    "float16": (11, -24, 16),
    "bfloat16": (8, -133, 128),
    "float32": (24, -149, 128),
    "float64": (53, -1074, 1024),
}
TYPES = ["bool", *INTS, *FLOATS]


def numpy_type(name):
    return BFLOAT16 if name == "bfloat16" else np.dtype(name)


# --- The exact result -----------------------------------------------------------------------------


def nearest(x, name):
    """float64 to a float type: the nearest number, ties to even."""
    digits, lowest, above = FLOATS[name]
    with np.errstate(all="ignore"):
        _, exponent = np.frexp(x)  # x is below 2**exponent
        unit = np.maximum(np.where(np.isfinite(x), exponent, 0) - digits, lowest)
        half = unit // 2  # in two steps, as 2**unit may be no float64
        steps = np.rint(np.ldexp(np.ldexp(x, -half), half - unit))
        found = np.ldexp(np.ldexp(steps, half), unit - half)
        if above < 1024:
            found = np.where(np.abs(found) >= 2.0**above, np.copysign(np.inf, x), found)
    return found.astype(numpy_type(name))  # of a number that the type holds


def nearest_of_int(x, name):
    """An int to a float type."""
    digits = FLOATS[name][0]
    drop = max(abs(x).bit_length() - digits, 0)
    quotient, rest = divmod(abs(x), 1 << drop)
    if 2 * rest > 1 << drop or (2 * rest == 1 << drop and quotient % 2):
        quotient += 1
    found = quotient << drop
    if found.bit_length() > FLOATS[name][2]:
        return float("inf") if x > 0 else float("-inf")
    return float(found if x > 0 else -found)


def whole(x, name):
    """A float to an integer type: toward zero, saturating, NaN to 0."""
    info = np.iinfo(name)
    found = []
    for element in x.tolist():
        if element != element:
            found.append(0)
        elif element in (float("inf"), float("-inf")):
            found.append(info.max if element > 0 else info.min)
        else:
            found.append(min(max(int(element), info.min), info.max))
    return np.array(found, name)


def exact(x, source, target):
    if target == "bool":
        return x.astype(np.float64) != 0
    if source in FLOATS:
        with np.errstate(invalid="ignore"):  # signalling NaN
            wide = x.astype(np.float64)
        return nearest(wide, target) if target in FLOATS else whole(wide, target)
    if target in FLOATS:
        if source in ("int64", "uint64"):
            wide = np.array([nearest_of_int(element, target) for element in x.tolist()])
        else:
            wide = nearest(x.astype(np.float64), target)
        return wide.astype(numpy_type(target))
    bits = 8 * np.dtype(target).itemsize
    wrapped = np.array([element % (1 << bits) for element in map(int, x.tolist())], np.uint64)
    return wrapped.astype(f"uint{bits}").view(target)


# --- Values ---------------------------------------------------------------------------------------


def some_integers(name):
    info = np.iinfo(name)
    rng = np.random.default_rng(1)
    found = {0}
    for power in range(64):
        for sign in (1, -1):
            found |= {sign * ((1 << power) + d) for d in (-2, -1, 0, 1, 2)}
    for digits, _, _ in FLOATS.values():  # ties, and beside them
        for drop in range(1, 64 - digits):
            for leading in ((1 << digits) - 1, 1 << digits - 1, (1 << digits - 1) + 1):
                tie = (leading << drop) + (1 << drop - 1)
                found |= {sign * (tie + d) for d in (-1, 0, 1) for sign in (1, -1)}
    random = rng.integers(info.min, info.max, 1000, name, endpoint=True).tolist()
    return np.array([i for i in (*found, *random) if info.min <= i <= info.max], name)


def some_floats(name):
    kind = np.dtype(name)
    rng = np.random.default_rng(2)
    bits = rng.integers(0, 1 << 8 * kind.itemsize, 3000, f"uint{8 * kind.itemsize}")
    parts = [bits.view(kind), np.array([0, np.nan, np.inf, 0.5, 1, 1.5], kind)]
    powers = 2.0 ** np.arange(-30, 66)
    parts += [powers, 2.0 ** np.arange(-152, -120), powers - 1, powers - 0.5]
    for narrow in ("float16", "bfloat16", "float32"):
        digits, lowest, above = FLOATS[narrow]
        if digits < FLOATS[name][0]:
            sixteen = rng.integers(0, 1 << 16, 1500, "uint16")
            numbers = sixteen.view(numpy_type(narrow)) if digits < 24 else rng.normal(0, 9, 1500)
            with np.errstate(invalid="ignore"):  # signalling NaN
                numbers = numbers.astype("float32").astype("float64")
            unit = np.ldexp(1.0, np.maximum(np.frexp(numbers)[1] - digits, lowest))
            edge = 2.0**above * (1 - 2.0 ** -(digits + 1))  # from here on infinite
            parts += [numbers, numbers + unit / 2, [edge, 2.0**lowest / 2, 2.0**lowest * 1.5]]
    with np.errstate(all="ignore"):
        found = np.concatenate([np.asarray(part).astype(kind) for part in parts])
        up, down = np.nextafter(found, kind.type(np.inf)), np.nextafter(found, kind.type(-np.inf))
        found = np.concatenate([found, up, down])
        return np.concatenate([found, -found])


def values(name):
    kind = numpy_type(name)
    if name == "bool":
        return np.array([False, True])
    if kind.itemsize <= 2:
        return np.arange(1 << 8 * kind.itemsize, dtype=f"uint{8 * kind.itemsize}").view(kind)
    return some_floats(name) if name in FLOATS else some_integers(name)


def check(x, got, want, name):
    """Equal bits, but for those of NaN."""
    assert got.dtype == want.dtype, f"{name}: {got.dtype}"
    same = got.view(f"u{got.itemsize}") == want.view(f"u{got.itemsize}")
    if got.dtype.kind not in "biu":
        same |= np.isnan(got) & np.isnan(want)
    bad = ~same
    assert not bad.any(), f"{name}: {x[bad][:5]!r} gives {got[bad][:5]!r}, not {want[bad][:5]!r}"


@pytest.mark.parametrize("source", TYPES)
def test_each_type_to_each(source):
    n = values(source)
    found = {}
    for mode in ("fused", "backend"):
        with pf.config.scope(mode=mode):
            x = pf.asarray(n)
            recorded = [x.astype(target) for target in TYPES]
            found[mode] = [np.asarray(y) for y in recorded]
    with np.errstate(all="ignore"):
        for number, target in enumerate(TYPES):
            want = exact(n, source, target)
            for mode, results in found.items():
                check(n, results[number], want, f"{source} to {target}, {mode}")


def test_numbers_are_converted_as_elements_are():
    """Of a Python float the bits are made in Python, and moving them must not change them."""
    n = some_floats("float64")[::37]
    for target in ("float16", "bfloat16", "float32"):
        one = pf.ones(1, target)
        got = np.concatenate([np.asarray(pf.where(one == 1, float(x), one)) for x in n])
        with np.errstate(all="ignore"):
            check(n, got, nearest(n, target), target)


def test_float16_on_a_host_without_instructions_for_it():
    line = "%r0 = fusion.cast %a : tensor<?x{}> to tensor<?x{}>"
    more = ["fusion-expand-float16"]
    n = values("float16")
    (got,) = elementwise([line.format("f16", "f32")], [n], [np.float32], more)
    check(n, got, exact(n, "float16", "float32"), "float16 to float32")
    n = values("float32")
    (got,) = elementwise([line.format("f32", "f16")], [n], [np.float16], more)
    check(n, got, exact(n, "float32", "float16"), "float32 to float16")
