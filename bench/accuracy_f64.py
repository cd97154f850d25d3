# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Errors of float64 functions against mpmath (several times faster if gmpy2 is installed)."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import mpmath
import numpy as np
from accuracy_f32 import Worst, c_values
from accuracy_table import Function

# Bits. Cancellation inside the references takes at most 64 of them.
PRECISION = 160


class Reference(NamedTuple):
    """Exact results as `(value + rest) * 2**exponent`.

    `2**exponent` is the unit in the last place, `value` an integer, `rest` at most a half. Special
    results, infinities and NaN, are in `special`, where `known` is True.
    """

    value: np.ndarray
    rest: np.ndarray
    exponent: np.ndarray
    special: np.ndarray
    known: np.ndarray


def _pair(v: Any, least: int) -> tuple[float, float, int]:
    """Integer, rest and exponent of an mpf."""
    sign, mantissa, exponent, bits = v._mpf_
    if not mantissa:
        return 0.0, 0.0, least
    ulp = max(exponent + bits - 53, least)
    shift = ulp - exponent
    if shift <= 0:
        whole, rest = mantissa << -shift, 0.0
    elif shift > bits + 2:
        whole, rest = 0, 2.0**-100
    else:
        whole = mantissa >> shift
        rest = math.ldexp(int(mantissa - (whole << shift)), -shift)
        if rest > 0.5:
            whole, rest = whole + 1, rest - 1
    factor = -1.0 if sign else 1.0
    return factor * float(int(whole)), factor * rest, ulp


def reference(f: Function, *arguments: np.ndarray) -> Reference:
    """The exact results for float64 operands."""
    special = c_values(f, *arguments)
    plain = np.isfinite(arguments).all(axis=0) & (np.stack(arguments) != 0).all(axis=0)
    known = ~plain | np.isnan(special)
    count = special.size
    value, rest, exponent = np.zeros(count), np.zeros(count), np.zeros(count, np.int32)
    context = mpmath.mp.clone()
    context.prec = PRECISION
    columns = [a.tolist() for a in arguments]
    floored = compile(f.floored, "floored", "eval")
    for i in np.flatnonzero(~known).tolist():
        operands = [context.mpf(column[i]) for column in columns]
        result = f.mp(context, *operands)
        if context.isinf(result) or abs(result) >= context.ldexp(1, 1024):
            special[i], known[i] = (math.inf if result > 0 else -math.inf), True
            continue
        least = -1074
        if f.floor and eval(floored, {"x": columns[0][i]}):
            least = math.frexp(f.floor)[1] - 53
        value[i], rest[i], exponent[i] = _pair(result, least)
    return Reference(value, rest, exponent, special, known)


def errors(want: Reference, got: np.ndarray, free_zero: bool = False) -> np.ndarray:
    """In units in the last place; infinite where a special value is wrong.

    If `free_zero`, the sign of a zero may differ.
    """
    with np.errstate(all="ignore"):
        # Beside infinity, which counts as 2^1024, in halves.
        halved = np.where(np.isinf(got), np.copysign(2.0**1023, got), got / 2)
        large = want.exponent > 900
        scaled = np.where(
            large,
            np.ldexp(halved, 1 - want.exponent),
            np.ldexp(got, -want.exponent),
        )
        error = np.abs((scaled - want.value) - want.rest)
    same = (got == want.special) | (np.isnan(got) & np.isnan(want.special))
    # Special operands may have results that are not exact, as atan2(inf, 1).
    with np.errstate(all="ignore"):
        distance = np.abs(got - want.special) / np.spacing(np.abs(want.special))
    distance = np.where(
        same, 0, np.where(np.isfinite(want.special) & ~np.isnan(got), distance, np.inf)
    )
    error = np.where(want.known, distance, np.where(np.isnan(got), np.inf, error))
    zero = (
        (got == 0)
        & want.known
        & (want.special == 0)
        & (np.signbit(got) != np.signbit(want.special))
    )
    minus = np.where(want.value == 0, want.rest, want.value) < 0
    zero |= (
        (got == 0)
        & ~want.known
        & (np.signbit(got) != minus)
        & ((want.value != 0) | (want.rest != 0))
    )
    return error if free_zero else np.where(zero, np.inf, error)


def worst(f: Function, arguments: tuple[np.ndarray, ...], error: np.ndarray) -> Worst:
    """The largest error, and the wrong special values."""
    wrong = np.isinf(error)
    at = int(np.argmax(np.where(wrong, -1, error)))
    first = int(np.argmax(wrong))
    return Worst(
        float(error[at]) if not wrong.all() else 0.0,
        tuple(float(a[at]) for a in arguments),
        int(wrong.sum()),
        tuple(float(a[first]) for a in arguments) if wrong.any() else (),
    )
