# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The elementary functions: largest errors allowed, references, where to look for errors.

The one declaration that `bench/accuracy.py`, `test/unit/test_accuracy.py` and `docs/semantics.py`
read. A reference is written twice: in C, evaluated in double (two operands: long double) for
float32 and for the special values of float64, and in mpmath for float64.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

__all__ = ["FUNCTIONS", "Function", "compiled"]


class Function(NamedTuple):
    """One elementary function.

    Attributes:
        ulp32, ulp64: the largest error allowed, in units in the last place of the exact result.
        c: the exact result for `x` (and `y`), an expression in C.
        mp: the same, `mp(context, x, ...)`, for finite operands other than zero.
        numpy: name of NumPy's function, empty if there is none.
        usual: range of the operands that programs mostly use.
        near: where formulas or the function's behaviour change.
        floor: below this magnitude of the result the error is counted in units of the last place
            of `floor`, which makes the bound absolute; 0: nowhere. `floored` is a condition on `x`
            in C and Python.
        domain: operands whose result is not NaN, in words.
        arity: of operands.
        free_zero: the sign of a result zero is not specified.
    """

    name: str
    ulp32: float
    ulp64: float
    c: str
    mp: Callable[..., Any]
    numpy: str = ""
    usual: tuple[float, float] = (-10, 10)
    near: tuple[float, ...] = (1, -1)
    floor: float = 0
    floored: str = "1"
    domain: str = "all"
    arity: int = 1
    free_zero: bool = False

    def ulp(self, dtype: str) -> float:
        return self.ulp32 if dtype == "float32" else self.ulp64


def _clipped(x: Any, limit: int) -> Any:
    """Beyond the limit the result has overflowed, underflowed or is constant."""
    return min(max(x, -limit), limit)


def _lgamma(m: Any, x: Any) -> Any:
    if x > 0:
        return m.loggamma(x)
    sine = m.sinpi(x)
    if not sine:
        return m.inf
    return m.log(m.pi / abs(sine)) - m.loggamma(1 - x)


def _pow(m: Any, x: Any, y: Any) -> Any:
    size = y * m.log(abs(x), 2)
    result = m.power(2, _clipped(size, 2000)) if abs(size) > 1900 else m.power(abs(x), y)
    return -result if x < 0 and y % 2 == 1 else result


def _logaddexp(m: Any, x: Any, y: Any) -> Any:
    return max(x, y) + m.log1p(m.exp(-min(abs(x - y), 2000)))


_SIGMOID = "(x < 0 ? exp(x) / (1 + exp(x)) : 1 / (1 + exp(-x)))"
_LOGADDEXP = (
    "(x == y ? x + logl(2) : x != x || y != y ? x + y : fmaxl(x, y) + log1pl(expl(-fabsl(x - y))))"
)
_PI = 3.141592653589793

_LIST = (
    Function("exp", 1.1, 1, "exp(x)", lambda m, x: m.exp(_clipped(x, 2000)),
             "exp", (-90, 90),
             (1e-8, -1e-8, 0.3466, 88.7228, -87.33, -103.97, 709.78, -708.4, -745.1)),
    Function("exp2", 1.1, 2, "exp2(x)", lambda m, x: m.power(2, _clipped(x, 2000)),
             "exp2", (-128, 128), (0.5, 1, -1, 128, -126, -149, -150, 1024, -1022, -1074)),
    Function("expm1", 1.1, 2, "expm1(x)", lambda m, x: m.expm1(_clipped(x, 2000)),
             "expm1", (-20, 20), (0.3466, -0.3466, 0.5, -0.5, 88.7228, -17.33, 709.78, -37)),
    Function("log", 1.1, 1, "log(x)", lambda m, x: m.log(x),
             "log", (0, 10), (1, 0.70710678, 1.41421356, 2, 0.5), domain="x ≥ 0"),
    Function("log2", 1.1, 2, "log2(x)", lambda m, x: m.log(x, 2),
             "log2", (0, 10), (1, 0.70710678, 1.41421356, 2, 0.5), domain="x ≥ 0"),
    Function("log10", 1.1, 2, "log10(x)", lambda m, x: m.log(x, 10),
             "log10", (0, 10), (1, 0.70710678, 1.41421356, 10, 0.1), domain="x ≥ 0"),
    Function("log1p", 1.1, 2, "log1p(x)", lambda m, x: m.log1p(x),
             "log1p", (-1, 10), (1e-8, -1e-8, -0.29289, 0.41421, -1, 1), domain="x ≥ -1"),
    Function("sqrt", 0.5, 0.5, "sqrt(x)", lambda m, x: m.sqrt(x), "sqrt", (0, 100), (1, 4),
             domain="x ≥ 0"),
    Function("rsqrt", 2, 2, "(1 / sqrt(x))", lambda m, x: 1 / m.sqrt(x), "", (0, 100), (1, 4),
             domain="x ≥ 0"),
    Function("cbrt", 2, 2, "cbrt(x)", lambda m, x: m.cbrt(abs(x)) * m.sign(x),
             "cbrt", (-100, 100), (1, -1, 8)),
    Function("sin", 1.1, 2, "sin(x)", lambda m, x: m.sin(x),
             "sin", (-20, 20), (_PI / 4, _PI / 2, _PI, -_PI, 2 * _PI, 100 * _PI, 1e5, 1e9, 1e15),
             domain="finite"),
    Function("cos", 1.1, 2, "cos(x)", lambda m, x: m.cos(x),
             "cos", (-20, 20), (_PI / 4, _PI / 2, _PI, -_PI / 2, 99.5 * _PI, 1e5, 1e9, 1e15),
             domain="finite"),
    Function("tan", 2, 2, "tan(x)", lambda m, x: m.tan(x),
             "tan", (-20, 20), (_PI / 4, _PI / 2, _PI, -_PI / 2, 99.5 * _PI, 1e5, 1e9, 1e15),
             domain="finite"),
    Function("asin", 2, 2, "asin(x)", lambda m, x: m.asin(x),
             "arcsin", (-1, 1), (1, -1, 0.5, -0.5), domain="-1 ≤ x ≤ 1"),
    Function("acos", 2, 2, "acos(x)", lambda m, x: m.acos(x),
             "arccos", (-1, 1), (1, -1, 0.5, -0.5), domain="-1 ≤ x ≤ 1"),
    Function("atan", 2, 2, "atan(x)", lambda m, x: m.atan(x),
             "arctan", (-10, 10), (1, -1, 0.41421356, 2.41421356, 0.5, 2)),
    Function("sinh", 2, 2, "sinh(x)", lambda m, x: m.sinh(_clipped(x, 2000)),
             "sinh", (-90, 90), (1, -1, 0.5, 89.416, 88.73, 710.4758, 709.78)),
    Function("cosh", 2, 2, "cosh(x)", lambda m, x: m.cosh(_clipped(x, 2000)),
             "cosh", (-90, 90), (1, -1, 0.5, 89.416, 88.73, 710.4758, 709.78)),
    Function("tanh", 1.1, 1, "tanh(x)", lambda m, x: m.tanh(_clipped(x, 2000)),
             "tanh", (-10, 10), (0.5, 0.55, 1, -1, 9.01, 19.06)),
    Function("asinh", 2, 2, "asinh(x)", lambda m, x: m.asinh(x),
             "arcsinh", (-100, 100), (1, -1, 0.5, 2, 1e4, 1e8)),
    Function("acosh", 2, 2, "acosh(x)", lambda m, x: m.acosh(x),
             "arccosh", (1, 100), (1, 1.5, 2, 1e4, 1e8), domain="x ≥ 1"),
    Function("atanh", 2, 2, "atanh(x)", lambda m, x: m.atanh(x), "arctanh", (-1, 1), (1, -1, 0.5),
             domain="-1 ≤ x ≤ 1"),
    Function("erf", 1.1, 2, "erf(x)", lambda m, x: m.erf(_clipped(x, 30)),
             "", (-6, 6), (0.5, 0.84375, 1, -1, 2, 3, 3.92, 5.9)),
    Function("erfc", 2, 2, "erfc(x)", lambda m, x: m.erfc(_clipped(x, 30)),
             "", (-6, 27), (0.5, 0.84375, 1, -1, 2, 3, 9.19, 10.05, 26.54, 27.2)),
    Function("lgamma", 2, 2, "lgamma(x)", _lgamma, "", (-20, 100),
             (1, 2, -1, -2.4570247, -2.7476827, -3.1435809, -3.9552942, -10, -20.5, 0.5, 1.5, 3, 8),
             floor=1, floored="x < 0"),
    Function("pow", 1.5, 2, "powl(x, y)", _pow, "power", (-5, 5), (1, 2, 0.5, -1),
             domain="x ≥ 0 or y whole", arity=2),
    Function("hypot", 2, 2, "hypotl(x, y)", lambda m, x, y: m.sqrt(x * x + y * y),
             "hypot", (-10, 10), (1, 3, 4), arity=2),
    Function("atan2", 1.5, 2, "atan2l(x, y)", lambda m, x, y: m.atan2(x, y),
             "arctan2", (-10, 10), (1, -1, 2), arity=2),
    Function("logaddexp", 2, 2, _LOGADDEXP, _logaddexp,
             "logaddexp", (-20, 20), (-0.6931471805599453, -0.3665, -0.01, 1, 88),
             floor=0.5, arity=2, free_zero=True),
    Function("sigmoid", 1.5, 2, _SIGMOID, lambda m, x: 1 / (1 + m.exp(-_clipped(x, 2000))),
             "", (-20, 20), (1e-8, -1e-8, 16.6, 36.7, -87.3, -103.9, -708, -745)),
    Function("sinc", 2, 2, "sinc(x)", lambda m, x: m.sinpi(x) / (m.pi * x),
             "sinc", (-10, 10), (1, -1, 2, 0.5, 3, 100, 1e5), domain="finite", free_zero=True),
)  # fmt: skip

FUNCTIONS: dict[str, Function] = {f.name: f for f in _LIST}


def compiled(dtype: str = "float32") -> list[str]:
    """Names of those that pyfusion compiles for a type."""
    from pyfusion.dtypes import DTYPES
    from pyfusion.ir.table import OPS

    def known(name: str) -> bool:
        return name in OPS and OPS[name].kind == "elementwise"

    return [name for name in FUNCTIONS if DTYPES[dtype].compiled and known(name)]
