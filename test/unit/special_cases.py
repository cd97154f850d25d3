# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Results for special values: what the array API standard (2024.12) demands, and what C and IEEE
754 say of the functions that it does not have.

A case is `operands -> result`. An operand stands for the values of a class, see `_classes`. A
result is a number, an operand (`x`, `y`, `-x`, `|x|`, `-|x|`), or a multiple of `π`, which is met
to within two units in the last place. docs/semantics.py prints those of the elementary functions.
"""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

import numpy as np

__all__ = ["CASES", "EXTENSIONS", "Case", "cases", "operands", "wanted"]


class Case(NamedTuple):
    """One line of a table: classes of the operands, and the result."""

    operands: tuple[str, ...]
    result: str


CASES: dict[str, str] = {
    "abs": "nan -> nan; -0 -> +0; +0 -> +0; -inf -> inf; inf -> inf; <0 -> -x",
    "acos": "nan -> nan; >1 -> nan; <-1 -> nan; 1 -> +0",
    "acosh": "nan -> nan; <1 -> nan; 1 -> +0; inf -> inf",
    "add": """
        nan any -> nan; any nan -> nan; inf -inf -> nan; -inf inf -> nan; inf inf -> inf;
        -inf -inf -> -inf; inf finite -> inf; -inf finite -> -inf; finite inf -> inf;
        finite -inf -> -inf; -0 -0 -> -0; -0 +0 -> +0; +0 -0 -> +0; +0 +0 -> +0; ±0 nonzero -> y;
        nonzero ±0 -> x; nonzero -x -> +0""",
    "subtract": """
        nan any -> nan; any nan -> nan; inf inf -> nan; -inf -inf -> nan; inf -inf -> inf;
        -inf inf -> -inf; inf finite -> inf; -inf finite -> -inf; finite inf -> -inf;
        finite -inf -> inf; -0 +0 -> -0; -0 -0 -> +0; +0 -0 -> +0; +0 +0 -> +0; ±0 nonzero -> -y;
        nonzero ±0 -> x; nonzero x -> +0""",
    "asin": "nan -> nan; >1 -> nan; <-1 -> nan; +0 -> +0; -0 -> -0",
    "asinh": "nan -> nan; +0 -> +0; -0 -> -0; inf -> inf; -inf -> -inf",
    "atan": "nan -> nan; +0 -> +0; -0 -> -0; inf -> π/2; -inf -> -π/2",
    "atan2": """
        nan any -> nan; any nan -> nan; >0 ±0 -> π/2; +0 >0 -> +0; +0 +0 -> +0; +0 -0 -> π;
        +0 <0 -> π; -0 >0 -> -0; -0 +0 -> -0; -0 -0 -> -π; -0 <0 -> -π; <0 ±0 -> -π/2;
        finite>0 inf -> +0; finite>0 -inf -> π; finite<0 inf -> -0; finite<0 -inf -> -π;
        inf finite -> π/2; -inf finite -> -π/2; inf inf -> π/4; inf -inf -> 3π/4;
        -inf inf -> -π/4; -inf -inf -> -3π/4""",
    "atanh": "nan -> nan; <-1 -> nan; >1 -> nan; -1 -> -inf; 1 -> inf; +0 -> +0; -0 -> -0",
    "ceil": "integer -> x; inf -> inf; -inf -> -inf; +0 -> +0; -0 -> -0; nan -> nan",
    "clip": "nan any any -> nan; any nan any -> nan; any any nan -> nan",
    "copysign": """
        number <0 -> -|x|; number -0 -> -|x|; number +0 -> |x|; number >0 -> |x|;
        number -nan -> -|x|; number +nan -> |x|; nan <0 -> -nan; nan -0 -> -nan; nan +0 -> +nan;
        nan >0 -> +nan; nan -nan -> -nan; nan +nan -> +nan""",
    "cos": "nan -> nan; ±0 -> 1; ±inf -> nan",
    "cosh": "nan -> nan; ±0 -> 1; ±inf -> inf",
    "divide": """
        nan any -> nan; any nan -> nan; ±inf ±inf -> nan; ±0 ±0 -> nan; +0 >0 -> +0; -0 >0 -> -0;
        +0 <0 -> -0; -0 <0 -> +0; >0 +0 -> inf; >0 -0 -> -inf; <0 +0 -> -inf; <0 -0 -> inf;
        inf finite>0 -> inf; inf finite<0 -> -inf; -inf finite>0 -> -inf; -inf finite<0 -> inf;
        finite>0 inf -> +0; finite>0 -inf -> -0; finite<0 inf -> -0; finite<0 -inf -> +0;
        finite>0 finite>0 -> positive; finite<0 finite<0 -> positive;
        finite>0 finite<0 -> negative; finite<0 finite>0 -> negative""",
    "equal": """
        nan any -> False; any nan -> False; inf inf -> True; -inf -inf -> True; ±0 ±0 -> True;
        number x -> True""",
    "exp": "nan -> nan; ±0 -> 1; inf -> inf; -inf -> +0",
    "expm1": "nan -> nan; +0 -> +0; -0 -> -0; inf -> inf; -inf -> -1",
    "floor": "integer -> x; inf -> inf; -inf -> -inf; +0 -> +0; -0 -> -0; nan -> nan",
    # Where the standard leaves a choice, Python's result, which goes with that of `remainder`.
    "floor_divide": """
        nan any -> nan; any nan -> nan; ±inf ±inf -> nan; ±0 ±0 -> nan; +0 >0 -> +0; -0 >0 -> -0;
        +0 <0 -> -0; -0 <0 -> +0; >0 +0 -> inf; >0 -0 -> -inf; <0 +0 -> -inf; <0 -0 -> inf;
        ±inf nonzero -> nan; finite>0 inf -> +0; finite>0 -inf -> -1; finite<0 inf -> -1;
        finite<0 -inf -> +0; finite>0 finite>0 -> positive; finite<0 finite<0 -> positive;
        finite>0 finite<0 -> negative; finite<0 finite>0 -> negative""",
    "hypot": """
        ±inf any -> inf; any ±inf -> inf; ±0 number -> |y|; number ±0 -> |x|; nan nan -> nan;
        finite nan -> nan; nan finite -> nan""",
    "isfinite": "nan -> False; ±inf -> False; finite -> True",
    "isinf": "nan -> False; ±inf -> True; finite -> False",
    "isnan": "nan -> True; number -> False",
    "log": "nan -> nan; <0 -> nan; ±0 -> -inf; 1 -> +0; inf -> inf",
    "log1p": "nan -> nan; <-1 -> nan; -1 -> -inf; -0 -> -0; +0 -> +0; inf -> inf",
    "log2": "nan -> nan; <0 -> nan; ±0 -> -inf; 1 -> +0; inf -> inf",
    "log10": "nan -> nan; <0 -> nan; ±0 -> -inf; 1 -> +0; inf -> inf",
    "logaddexp": """
        nan any -> nan; any nan -> nan; inf number -> inf; number inf -> inf; -inf -inf -> -inf;
        -inf nonzero -> y; nonzero -inf -> x""",
    "maximum": "nan any -> nan; any nan -> nan; +0 ±0 -> +0; ±0 +0 -> +0; -0 -0 -> -0",
    "minimum": "nan any -> nan; any nan -> nan; -0 ±0 -> -0; ±0 -0 -> -0; +0 +0 -> +0",
    "multiply": """
        nan any -> nan; any nan -> nan; ±inf ±0 -> nan; ±0 ±inf -> nan; +0 finite>0 -> +0;
        -0 finite>0 -> -0; +0 finite<0 -> -0; -0 finite<0 -> +0; finite>0 +0 -> +0;
        finite<0 +0 -> -0; finite>0 -0 -> -0; finite<0 -0 -> +0; +0 +0 -> +0; -0 -0 -> +0;
        +0 -0 -> -0; -0 +0 -> -0; inf >0 -> inf; inf <0 -> -inf; -inf >0 -> -inf; -inf <0 -> inf;
        >0 inf -> inf; <0 inf -> -inf; >0 -inf -> -inf; <0 -inf -> inf;
        finite>0 finite>0 -> positive; finite<0 finite<0 -> positive;
        finite>0 finite<0 -> negative; finite<0 finite>0 -> negative""",
    "negative": "nan -> nan; +0 -> -0; -0 -> +0; inf -> -inf; -inf -> inf",
    "nextafter": "nan any -> nan; any nan -> nan; -0 +0 -> +0; +0 -0 -> -0; number x -> x",
    "pow": """
        not1 nan -> nan; any ±0 -> 1; nan nonzero -> nan; |>1| inf -> inf; |>1| -inf -> +0;
        |1| ±inf -> 1; 1 any -> 1; |<1| inf -> +0; |<1| -inf -> inf; inf >0 -> inf; inf <0 -> +0;
        -inf odd>0 -> -inf; -inf other>0 -> inf; -inf odd<0 -> -0; -inf other<0 -> +0;
        +0 >0 -> +0; +0 <0 -> inf; -0 odd>0 -> -0; -0 other>0 -> +0; -0 odd<0 -> -inf;
        -0 other<0 -> inf; finite<0 fraction -> nan""",
    "reciprocal": "nan -> nan; +0 -> inf; -0 -> -inf; inf -> +0; -inf -> -0; 1 -> 1",
    "remainder": """
        nan any -> nan; any nan -> nan; ±inf ±inf -> nan; ±0 ±0 -> nan; ±0 >0 -> +0; ±0 <0 -> -0;
        >0 ±0 -> nan; <0 ±0 -> nan; ±inf nonzero -> nan; finite>0 inf -> x; finite>0 -inf -> y;
        finite<0 inf -> y; finite<0 -inf -> x""",
    "round": """
        integer -> x; inf -> inf; -inf -> -inf; +0 -> +0; -0 -> -0; nan -> nan; 0.5 -> +0;
        -0.5 -> -0; 1.5 -> 2; 2.5 -> 2; -2.5 -> -2; 3.5 -> 4""",
    "sign": "<0 -> -1; ±0 -> zero; >0 -> 1; nan -> nan",
    "signbit": """
        +0 -> False; -0 -> True; inf -> False; -inf -> True; finite>0 -> False; finite<0 -> True;
        +nan -> False; -nan -> True""",
    "sin": "nan -> nan; +0 -> +0; -0 -> -0; ±inf -> nan",
    "sinh": "nan -> nan; +0 -> +0; -0 -> -0; inf -> inf; -inf -> -inf",
    "square": "nan -> nan; ±0 -> +0; ±inf -> inf; 1 -> 1",
    "sqrt": "nan -> nan; <0 -> nan; +0 -> +0; -0 -> -0; inf -> inf",
    "tan": "nan -> nan; +0 -> +0; -0 -> -0; ±inf -> nan",
    "tanh": "nan -> nan; +0 -> +0; -0 -> -0; inf -> 1; -inf -> -1",
    "trunc": "integer -> x; inf -> inf; -inf -> -inf; +0 -> +0; -0 -> -0; nan -> nan",
}

# Functions that the standard does not have: as in C (Annex F), else as their limits.
EXTENSIONS: dict[str, str] = {
    "exp2": "nan -> nan; ±0 -> 1; inf -> inf; -inf -> +0",
    "rsqrt": "nan -> nan; <0 -> nan; +0 -> inf; -0 -> -inf; inf -> +0; 1 -> 1",
    "cbrt": "nan -> nan; +0 -> +0; -0 -> -0; inf -> inf; -inf -> -inf; 1 -> 1; -1 -> -1",
    "erf": "nan -> nan; +0 -> +0; -0 -> -0; inf -> 1; -inf -> -1",
    "erfc": "nan -> nan; ±0 -> 1; inf -> +0; -inf -> 2",
    "lgamma": "nan -> nan; 1 -> +0; 2 -> +0; ±0 -> inf; integer<0 -> inf; ±inf -> inf",
    "sigmoid": "nan -> nan; ±0 -> 0.5; inf -> 1; -inf -> +0",
    "sinc": "nan -> nan; ±0 -> 1; ±inf -> nan; integer≠0 -> zero",
    "less": "nan any -> False; any nan -> False; ±0 ±0 -> False; -inf finite -> True",
    "less_equal": "nan any -> False; any nan -> False; ±0 ±0 -> True; -inf finite -> True",
    "greater": "nan any -> False; any nan -> False; ±0 ±0 -> False; inf finite -> True",
    "greater_equal": "nan any -> False; any nan -> False; ±0 ±0 -> True; inf finite -> True",
    "not_equal": "nan any -> True; any nan -> True; ±0 ±0 -> False; number x -> False",
}


def cases(name: str) -> list[Case]:
    """The lines of a function's table."""
    found = []
    for line in (CASES.get(name) or EXTENSIONS[name]).split(";"):
        left, result = line.split("->")
        found.append(Case(tuple(left.split()), result.strip()))
    return found


# --- Values of a class ----------------------------------------------------------------------------


def _classes(dtype: Any) -> dict[str, list[float]]:
    """Values for each class of operands, all of which the type holds."""
    from pyfusion import finfo

    info = finfo(dtype)
    digits = round(-np.log2(float(info.eps))) + 1
    inf, nan = float("inf"), float("nan")
    largest, least = float(info.max), float(info.smallest_normal)
    odd = [1.0, 3.0, 7.0, 2.0**digits - 1]
    even = [2.0, 4.0, 2.0**digits, largest]
    fractions = [0.5, 1.5, 2.5, least, least * float(info.eps), 1 - float(info.eps) / 2]
    positive = [*odd, *even, *fractions]
    negative = [-v for v in positive]
    whole = [v for v in positive if v == int(v)]
    finite = [0.0, -0.0, *positive, *negative]
    number = [*finite, inf, -inf]
    return {
        "nan": [nan, -nan],
        "+nan": [nan],
        "-nan": [-nan],
        "inf": [inf],
        "-inf": [-inf],
        "±inf": [inf, -inf],
        "+0": [0.0],
        "-0": [-0.0],
        "±0": [0.0, -0.0],
        "any": [*number, nan],
        "number": number,
        "finite": finite,
        "nonzero": positive + negative,
        ">0": [*positive, inf],
        "<0": [*negative, -inf],
        "finite>0": positive,
        "finite<0": negative,
        ">1": [v for v in number if v > 1],
        "<1": [v for v in number if v < 1],
        "<-1": [v for v in number if v < -1],
        "|1|": [1.0, -1.0],
        "|>1|": [v for v in number if abs(v) > 1],
        "|<1|": [v for v in number if abs(v) < 1],
        "not1": [v for v in [*number, nan] if v != 1],
        "integer": [v for v in finite if v == int(v)],
        "integer<0": [-v for v in whole],
        "integer≠0": whole + [-v for v in whole],
        "odd>0": odd,
        "odd<0": [-v for v in odd],
        "other>0": [*even, *fractions, inf],
        "other<0": [-v for v in [*even, *fractions, inf]],
        "fraction": fractions + [-v for v in fractions],
    }


def operands(case: Case, dtype: Any) -> list[np.ndarray]:
    """All combinations of the values of a case's classes."""
    known = _classes(dtype)

    def values(token: str) -> list[float]:
        return known[token] if token in known else [float(token)]

    if case.operands[-1] in ("x", "-x"):
        first = np.array(values(case.operands[0]))
        columns = [first, first if case.operands[-1] == "x" else -first]
    else:
        rows = list(itertools.product(*map(values, case.operands)))
        columns = list(np.array(rows).T)
    return [column.astype(dtype) for column in columns]


# --- Comparison -----------------------------------------------------------------------------------

_PI = {"π": 1.0, "π/2": 0.5, "π/4": 0.25, "3π/4": 0.75}


def wanted(result: str, arguments: list[np.ndarray], got: np.ndarray) -> np.ndarray:
    """Where the result of a case is met."""
    value = got.astype(np.float64) if got.dtype != np.bool_ else got
    sign = "-" if result.startswith("-") else "+"
    negative = np.signbit(value) if got.dtype != np.bool_ else got
    if result in ("True", "False"):
        return got == (result == "True")
    if result == "zero":
        return value == 0
    if result == "positive":
        return ~np.isnan(value) & ~negative
    if result == "negative":
        return ~np.isnan(value) & negative
    if result.endswith("nan"):
        right = np.isnan(value)
        return right if result == "nan" else right & (negative == (sign == "-"))
    if result.lstrip("-") in _PI:
        want = np.pi * _PI[result.lstrip("-")] * (-1 if sign == "-" else 1)
        step = abs(want) * 2.0 ** -_digits(got.dtype)
        return np.abs(value - want) <= 2 * step
    if result.strip("-|") in ("x", "y"):
        from_operand = arguments["xy".index(result.strip("-|"))].astype(np.float64)
        want = np.abs(from_operand) if "|" in result else from_operand
        want = -want if sign == "-" else want
    else:
        want = np.full(value.shape, float(result))
    return (value == want) & (np.signbit(value) == np.signbit(want))


def _digits(dtype: np.dtype) -> int:
    return {"float16": 10, "bfloat16": 7, "float32": 23, "float64": 52}[dtype.name]
