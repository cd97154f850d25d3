# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elementary functions with more digits than the type that they are the reference for, and the
floor of an exact quotient.
"""

import math
from fractions import Fraction

import mpmath
import numpy as np

# NumPy's own names.
NAMES = {"abs": "absolute", "pow": "power", "atan2": "arctan2"}


def _lgamma(v):
    if math.isinf(v) or v <= 0 and v == int(v):
        return math.inf
    with mpmath.workprec(160):  # math.lgamma is 77 ulp off between 1.5 and 1.6
        return float(mpmath.loggamma(mpmath.mpf(v)).real)


def _by_mpmath(function, far):
    def run(v):
        if abs(v) > 40 or v == 0:  # mpmath has no negative zero
            return far(v)
        with mpmath.workprec(160):
            return float(function(mpmath.mpf(v)))

    return run


_SINGLE = {
    "erf": _by_mpmath(mpmath.erf, math.erf),
    "erfc": _by_mpmath(mpmath.erfc, math.erfc),
    "lgamma": _lgamma,
}


def reference(name, args):
    """An elementary function in a type with more digits."""
    if name in _SINGLE:
        x = args[0].astype(np.float64)
        run = _SINGLE[name]
        flat = [v if v != v else run(v) for v in x.ravel().tolist()]
        return np.array(flat, np.float64).reshape(x.shape)
    narrow = all(a.dtype.itemsize < 8 for a in args)
    args = [a.astype(np.float64 if narrow else np.longdouble) for a in args]
    if name == "pow":  # NumPy takes the square root where there is one exponent of 0.5
        x, y = args
        plain = np.power(x, y)
        return np.where((y == 0.5) & ((x == 0) | (x == -np.inf)), np.abs(x), plain)
    if name == "rsqrt":
        return 1 / np.sqrt(args[0])
    if name == "sigmoid":
        return 1 / (1 + np.exp(-args[0]))
    if name == "sinc":
        x = args[0]
        pi = np.arctan2(np.zeros_like(x), -np.ones_like(x))
        turn = np.fmod(x, 2)
        turn = np.where(np.abs(turn) > 1, turn - np.copysign(2, turn), turn)
        part = np.where(np.abs(turn) > 0.5, np.copysign(1, turn) - turn, turn)
        found = np.where(x == 0, 1, np.sin(pi * part) / (pi * x))
        return np.where(found == 0, 0, found)  # its zeros are positive
    return getattr(np, NAMES.get(name, name))(*[np.atleast_1d(a) for a in args]).reshape(
        np.broadcast_shapes(*[a.shape for a in args])
    )


DIGITS = {"bfloat16": 8, "float16": 11, "float32": 24, "float64": 53}


def _floor_quotient(x, y, digits):
    if not math.isfinite(x) or not math.isfinite(y) or x == 0 or y == 0:
        return float(np.floor_divide(np.float64(x), np.float64(y)))
    whole = Fraction(x) // Fraction(y)
    if whole == 0:
        return math.copysign(0.0, x) * math.copysign(1.0, y)
    unit = 2 ** max(abs(whole).bit_length() - digits, 0)
    whole = round(Fraction(whole, unit)) * unit
    if abs(whole) >= 2**1024:
        return math.inf if whole > 0 else -math.inf
    return float(whole)


def floor_divide(x, y):
    """The floor of the exact quotient of floats of one type, rounded to that type once."""
    x, y = np.broadcast_arrays(x, y)
    pairs = zip(*(a.astype(np.float64).ravel().tolist() for a in (x, y)), strict=True)
    with np.errstate(all="ignore"):
        flat = np.array([_floor_quotient(a, b, DIGITS[x.dtype.name]) for a, b in pairs])
        return flat.astype(x.dtype).reshape(x.shape)
