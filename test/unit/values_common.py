# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the value tests share: data, layouts, comparisons.

A layout is a view made in the same way of a NumPy array and of an `Array` with equal elements.
"""

from itertools import product

import ml_dtypes
import numpy as np

import pyfusion as pf

DTYPES = ["bool", "uint8", "int32", "int64", "float32", "float64"]
HALVES = ["float16", "bfloat16"]
MORE_DTYPES = ["int8", "int16", "uint16", "uint32", "uint64", *HALVES]
ALL_DTYPES = [*DTYPES, *MORE_DTYPES]


def _strided(xp, base):
    return base[1::2, ::3]


# name -> (shape of the base, how the view is made)
LAYOUTS = {
    "contiguous": ((6, 7), lambda xp, base: base),
    "transposed": ((7, 6), lambda xp, base: base.T),
    "negative": ((6, 7), lambda xp, base: base[::-1, ::-1]),
    "strided": ((13, 19), _strided),
    "rows": ((7,), lambda xp, base: xp.broadcast_to(base, (6, 7))),
    "columns": ((6, 1), lambda xp, base: xp.broadcast_to(base, (6, 7))),
    "scalar": ((), lambda xp, base: base),
    "empty": ((0, 7), lambda xp, base: base),
}

# Each of the first types in each layout. Kernels do not depend on the layout and the packing of
# tiles only on the size of an element, so that for the others two layouts do.
GRID = [*product(DTYPES, LAYOUTS), *product(MORE_DTYPES, ["transposed", "columns"])]

_FLOATS = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.5, 1e-3, -1e-3, 7.0, -7.0, 100.25, 1e4, -1e4]
_SPECIAL = [np.nan, np.inf, -np.inf, 1e30, -1e30, 1e-40, -1e-40, 1e-320, 88.9, -104.5, 709.9]


def numpy_type(name):
    """NumPy's type of that name, bfloat16 too."""
    return np.dtype(ml_dtypes.bfloat16 if name == "bfloat16" else name)


def is_float(dtype):
    return dtype.kind == "f" or dtype == ml_dtypes.bfloat16


def data(dtype, shape, seed=0, special=True):
    """Elements of a type, with the values where things go wrong among them."""
    rng = np.random.default_rng(seed)
    dtype = numpy_type(dtype)
    count = int(np.prod(shape))
    if dtype.kind == "b":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        known = [0, 1, 2, 3, 7, 31, 32, 63, 64, info.min, info.max, info.min + 1, info.max - 1]
        if dtype.kind == "i":
            known += [-1, -2, -3, -7, -64]
        rest = rng.integers(max(info.min, -100), min(info.max, 100), count)
    else:
        known = _FLOATS + (_SPECIAL if special else [])
        rest = rng.normal(0, 10, count)
    values = list(known) + list(rest)
    with np.errstate(all="ignore"):
        pool = np.array(values).astype(dtype)
    return rng.permutation(pool)[:count].reshape(shape) if count else np.zeros(shape, dtype)


def pair(dtype, layout, seed=0, special=True):
    """The same view of a NumPy array and of an Array."""
    shape, view = LAYOUTS[layout]
    base = data(dtype, shape, seed, special)
    return view(np, base), view(pf, pf.asarray(base))


def steps(x, digits):
    """The distance of two neighbouring floats of that type at each x."""
    kind = numpy_type(digits)
    with np.errstate(all="ignore"):
        size = np.spacing(np.abs(np.asarray(x)).astype(kind)).astype(np.float64)
    return np.where(np.isfinite(size), size, float(ml_dtypes.finfo(kind).max))


def check(got, want, name, *, ulp=0, zero_signs=False):
    """Compares shape, type and elements; `ulp` is the distance allowed for floats.

    `want` may have a wider type than `got` if `ulp` is not 0.
    """
    got = np.asarray(got)
    want = np.asarray(want)
    assert got.shape == want.shape, f"{name}: shape {got.shape}, not {want.shape}"
    if ulp == 0:
        assert got.dtype == want.dtype, f"{name}: {got.dtype}, not {want.dtype}"
        same = (got == want) | ((got != got) & (want != want))
        assert same.all(), f"{name}:\n{got[~same]}\nis not\n{want[~same]}"
        if zero_signs and is_float(got.dtype):
            zero = (got == 0) & (np.signbit(got) != np.signbit(want))
            assert not zero.any(), f"{name}: the sign of zero differs"
        return
    with np.errstate(all="ignore"):
        rounded = want.astype(got.dtype)
        exact = (got == rounded) | (np.isnan(got) & np.isnan(rounded))
        error = np.abs(got.astype(want.dtype) - want) / steps(rounded, got.dtype.name)
    close = exact | (np.isfinite(got) & np.isfinite(want) & (error <= ulp))
    # Beside the largest number infinity is one step away.
    top = float(ml_dtypes.finfo(got.dtype).max) * (1 - 1e-6)
    edge = np.isinf(got) & (np.abs(rounded) >= top)
    bad = ~(close | edge)
    assert not bad.any(), f"{name}: {error[bad]} ulp: {got[bad]} is not {rounded[bad]}"


def check_all(results, **options):
    """Reads and compares; everything was recorded before, so that it is one block."""
    for name, (got, want) in results.items():
        check(got, want, name, **options)
