# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Errors of float32 functions, counted by a C program made from `accuracy_table.py`.

It needs a C compiler (`CC`, else `cc`) and the C library's double functions, whose own errors are
below 1e-8 of a unit in the last place of a float32.
"""

from __future__ import annotations

import ctypes
import functools
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from accuracy_table import FUNCTIONS, Function

_HEAD = r"""
#define _GNU_SOURCE
#include <math.h>
#include <stdint.h>
#include <string.h>

static inline double sinc(double x) {
  if (x == 0) return 1;
  if (isinf(x) || x != x) return NAN;
  double nearest = rint(x), rest = x - nearest;
  double sine = sin(M_PI * rest);
  return (fmod(nearest, 2) ? -sine : sine) / (M_PI * x);
}

/* The distance of floats at a magnitude. */
static inline double ulp(double size) {
  uint64_t bits;
  memcpy(&bits, &size, 8);
  int64_t e = (int64_t)(bits >> 52) - 1023;
  e = e < -126 ? -126 : e > 127 ? 127 : e;
  bits = (uint64_t)(e - 23 + 1023) << 52;
  memcpy(&size, &bits, 8);
  return size;
}

typedef struct { double error; int64_t at, wrong, wrong_at; } Worst;

static inline void count(Worst *w, int64_t i, float got, double want, double floor, int free_zero) {
  double top = 0x1p128, error = 0;
  int wrong = 0;
  if (got != got || want != want)
    wrong = (got == got) != (want == want);
  else if (fabs(want) >= 2 * top || (isinf(got) && fabs(want) >= top))
    wrong = got != (float)want;
  else {
    double value = isinf(got) ? copysign(top, got) : got, size = fabs(want);
    error = fabs(value - want) / ulp(size < floor ? floor : size);
    wrong = got == 0 && !free_zero && !signbit(got) != !signbit(want);
  }
  if (error > w->error) { w->error = error; w->at = i; }
  if (wrong && !w->wrong++) w->wrong_at = i;
}
"""
_BODY = r"""
void check_@NAME@(int64_t n, const float *xs, const float *ys, const float *got, const float *other,
                  Worst *w, Worst *o) {
  for (int64_t i = 0; i < n; i++) {
    @KIND@ x = xs[i], y = ys ? ys[i] : 0; (void)y;
    double want = (double)@C@, floor = (@FLOORED@) ? @FLOOR@ : 0;
    count(w, i, got[i], want, floor, @FREE@);
    if (other) count(o, i, other[i], want, floor, @FREE@);
  }
}
void values_@NAME@(int64_t n, const double *xs, const double *ys, double *out) {
  for (int64_t i = 0; i < n; i++) {
    @KIND@ x = xs[i], y = ys ? ys[i] : 0; (void)y;
    out[i] = (double)@C@;
  }
}
"""


class _Worst(ctypes.Structure):
    _fields_ = [
        ("error", ctypes.c_double),
        ("at", ctypes.c_int64),
        ("wrong", ctypes.c_int64),
        ("wrong_at", ctypes.c_int64),
    ]


class Worst(NamedTuple):
    """The largest error, the operands there, how many special values are wrong, one of them."""

    error: float
    at: tuple[float, ...]
    wrong: int
    wrong_at: tuple[float, ...]


def _source() -> str:
    parts = [_HEAD]
    for f in FUNCTIONS.values():
        kind = "double" if f.arity == 1 else "long double"
        body = _BODY.replace("@KIND@", kind).replace("@C@", f.c).replace("@NAME@", f.name)
        body = body.replace("@FLOORED@", f.floored).replace("@FLOOR@", repr(float(f.floor)))
        parts.append(body.replace("@FREE@", str(int(f.free_zero))))
    return "".join(parts)


@functools.cache
def library() -> ctypes.CDLL:
    """The compiled program."""
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "accuracy.c"), Path(folder, "accuracy.so")
        source.write_text(_source())
        compiler = os.environ.get("CC", "cc")
        flags = ["-O2", "-std=gnu11", "-ffp-contract=off", "-fno-math-errno", "-shared", "-fPIC"]
        subprocess.run([compiler, *flags, "-o", target, source, "-lm"], check=True)
        return ctypes.CDLL(str(target))


def _pointer(a: np.ndarray | None) -> Any:
    return None if a is None else a.ctypes.data_as(ctypes.c_void_p)


def compare(
    f: Function, arguments: tuple[np.ndarray, ...], got: np.ndarray, other: np.ndarray | None = None
) -> tuple[Worst, Worst | None]:
    """Errors of float32 results, and of another library's."""
    arrays = [*arguments, got] + ([] if other is None else [other])
    if not all(a.dtype == np.float32 and a.flags.c_contiguous for a in arrays):
        raise TypeError("float32 arrays are compared")
    if not all(a.shape == got.shape for a in arrays):
        raise ValueError("the arrays differ in shape")
    found, others = _Worst(), _Worst()
    second = arguments[1] if f.arity == 2 else None
    run = getattr(library(), f"check_{f.name}")
    run(
        ctypes.c_int64(got.size), _pointer(arguments[0]), _pointer(second), _pointer(got),
        _pointer(other), ctypes.byref(found), ctypes.byref(others),
    )  # fmt: skip

    def worst(w: _Worst) -> Worst:
        at, wrong_at = (tuple(float(a[i]) for a in arguments) for i in (w.at, w.wrong_at))
        return Worst(w.error, at, w.wrong, wrong_at if w.wrong else ())

    return worst(found), None if other is None else worst(others)


def merge(a: Worst | None, b: Worst | None) -> Worst | None:
    """The worse of two."""
    if a is None or b is None:
        return a or b
    more = a if a.error >= b.error else b
    return Worst(more.error, more.at, a.wrong + b.wrong, a.wrong_at or b.wrong_at)


def c_values(f: Function, *arguments: np.ndarray) -> np.ndarray:
    """The C reference for float64 operands, rounded to float64."""
    arguments = tuple(np.ascontiguousarray(a, np.float64) for a in arguments)
    out = np.empty_like(arguments[0])
    second = arguments[1] if f.arity == 2 else None
    run = getattr(library(), f"values_{f.name}")
    run(ctypes.c_int64(out.size), _pointer(arguments[0]), _pointer(second), _pointer(out))
    return out


# --- Operands -------------------------------------------------------------------------------------

_MAGNITUDES = [
    0, 1e-45, 1e-40, 1.1754942e-38, 1.1754944e-38, 1e-30, 1e-20, 1e-10, 5.9604645e-08, 1e-4,
    0.1, 0.25, 0.33333334, 0.5, 0.6931472, 0.70710677, 0.99999994, 1, 1.0000001, 1.4142135, 1.5,
    2, 2.5, 2.7182817, 3, 3.1415927, 4, 5, 7, 8, 10, 17, 31, 32, 63.5, 64, 88.72284, 89, 100,
    103.97, 127, 128, 149, 150, 1000, 1e5, 8388607.5, 8388608, 16777215, 16777216, 16777218,
    2147483648, 1e10, 1e20, 1e30, 1.7014118e38, 3.4028235e38, np.inf,
]  # fmt: skip


def special(dtype: str = "float32") -> np.ndarray:
    """Values where functions go wrong, with both signs, and NaN."""
    values = list(_MAGNITUDES)
    if dtype == "float64":
        values += [
            5e-324, 1e-310, 2.225073858507201e-308, 2.2250738585072014e-308, 1.1102230246251565e-16,
            0.9999999999999999, 1.0000000000000002, 709.782712893384, 745.2, 1024, 1074,
            4503599627370495.5, 4503599627370497, 9007199254740991, 9007199254740992, 1e100, 1e300,
            8.98846567431158e307, 1.7976931348623157e308,
            5.319372648326541e255,  # nearest of all to a multiple of pi/2
        ]  # fmt: skip
    with np.errstate(all="ignore"):
        column = np.array(values, dtype)
    return np.concatenate([column, -column, np.array([np.nan], dtype)])


def special_arguments(f: Function, dtype: str = "float32") -> tuple[np.ndarray, ...]:
    """The special values, or all pairs of them."""
    values = special(dtype)
    if f.arity == 1:
        return (values,)
    return tuple(np.ascontiguousarray(a).ravel() for a in np.meshgrid(values, values))


def spread(f: Function, count: int, rng: Any, dtype: str = "float32") -> tuple[np.ndarray, ...]:
    """Operands: any bits, the usual range, near 0, near switches, huge, subnormal."""
    kind = np.dtype(dtype)
    columns = [_spread_one(f, count, rng, kind) for _ in range(f.arity)]
    if f.arity == 2:
        _pair_up(f, *columns, rng)
    return tuple(columns)


def _spread_one(f: Function, count: int, rng: Any, kind: np.dtype) -> np.ndarray:
    unsigned = np.uint32 if kind == np.float32 else np.uint64
    bits = rng.integers(0, np.iinfo(unsigned).max, count, unsigned, endpoint=True)
    x = bits.view(kind)
    near = np.array(f.near)
    digits = np.finfo(kind).nmant
    # Of any eight: three have any bits (one of them is small or subnormal, one huge).
    part = [x[i::8] for i in range(8)]
    with np.errstate(all="ignore"):
        for p in part[3:6]:
            p[:] = rng.uniform(*f.usual, p.size)
        p = part[6]
        p[:] = rng.choice(near, p.size) * (1 + rng.normal(size=p.size) * 2.0 ** -rng.uniform(
            1, digits + 1, p.size))  # fmt: skip
        p = part[7]
        p[:] = rng.choice([-1.0, 1.0], p.size) * 10.0 ** -rng.uniform(0, 20, p.size)
        fraction = unsigned((1 << (digits + 1)) - 1)
        small = part[2].view(unsigned)
        top = unsigned(1) << unsigned(kind.itemsize * 8 - 1)
        small &= fraction | top
    return x


def _pair_up(f: Function, x: np.ndarray, y: np.ndarray, rng: Any) -> None:
    """Makes some pairs near each other, and those whose power is in range."""
    count = x[3::8].size
    with np.errstate(all="ignore"):
        x[3::8] = y[3::8] * (1 + rng.normal(size=count) * 2.0 ** -rng.uniform(1, 30, count))
        if f.name == "pow":
            x[::2] = np.abs(x[::2])
            x[4::8] = 2.0 ** rng.uniform(-126, 127, x[4::8].size)
            y[4::8] = rng.uniform(-150, 130, x[4::8].size) / np.log2(x[4::8].astype(np.float64))
            y[5::16] = np.rint(y[5::16])
        if f.name == "logaddexp":
            # log(e^x + e^y) = 0 where y = log(1 - e^x).
            x[4::8] = -(10.0 ** rng.uniform(-6, 1.5, x[4::8].size))
            y[4::8] = np.log(-np.expm1(x[4::8].astype(np.float64)))
