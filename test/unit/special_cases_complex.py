# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The array API standard's special cases of complex operands `a + bj`.

A case is `a b -> real imaginary`. `?` before a part: its sign is not specified. `cis` is
`cos(b) + sin(b)*1j`. The cases of negative `b` follow from `f(conj(z)) = conj(f(z))`, which all of
these meet but `sign`.
"""

from __future__ import annotations

import numpy as np

INF, NAN, PI = np.inf, np.nan, np.pi

CASES = {
    "acos": """
        ±0 +0 -> π/2 -0; ±0 nan -> π/2 nan; finite inf -> π/2 -inf; nonzero nan -> nan nan;
        -inf positive -> π -inf; inf positive -> +0 -inf; -inf inf -> 3π/4 -inf;
        inf inf -> π/4 -inf; ±inf nan -> nan ?inf; nan finite -> nan nan; nan inf -> nan -inf;
        nan nan -> nan nan""",
    "acosh": """
        ±0 +0 -> +0 π/2; finite inf -> inf π/2; nonzero nan -> nan nan; +0 nan -> nan ?π/2;
        -inf positive -> inf π; inf positive -> inf +0; -inf inf -> inf 3π/4; inf inf -> inf π/4;
        ±inf nan -> inf nan; nan finite -> nan nan; nan inf -> inf nan; nan nan -> nan nan""",
    "asinh": """
        +0 +0 -> +0 +0; positive inf -> inf π/2; finite nan -> nan nan; inf positive -> inf +0;
        inf inf -> inf π/4; nan +0 -> nan +0; nan nonzero -> nan nan; nan inf -> ?inf nan;
        nan nan -> nan nan""",
    "atanh": """
        +0 +0 -> +0 +0; +0 nan -> +0 nan; 1 +0 -> inf +0; positive inf -> +0 π/2;
        nonzero nan -> nan nan; inf positive -> +0 π/2; inf inf -> +0 π/2; inf nan -> +0 nan;
        nan finite -> nan nan; nan inf -> ?0 π/2; nan nan -> nan nan""",
    "cosh": """
        +0 +0 -> 1 +0; +0 inf -> nan ?0; +0 nan -> nan ?0; nonzero inf -> nan nan;
        nonzero nan -> nan nan; inf +0 -> inf +0; inf nonzero -> inf*cis; inf inf -> ?inf nan;
        inf nan -> inf nan; nan ±0 -> nan ?0; nan nonzero -> nan nan; nan nan -> nan nan""",
    "exp": """
        ±0 +0 -> 1 +0; finite inf -> nan nan; finite nan -> nan nan; inf +0 -> inf +0;
        -inf finite -> 0*cis; inf nonzero -> inf*cis; -inf inf -> ?0 ?0; inf inf -> ?inf nan;
        -inf nan -> ?0 ?0; inf nan -> ?inf nan; nan +0 -> nan +0; nan nonzero -> nan nan;
        nan nan -> nan nan""",
    "expm1": """
        ±0 +0 -> ?0 +0; finite inf -> nan nan; finite nan -> nan nan; inf +0 -> inf +0;
        -inf finite -> 0*cis-1; inf nonzero -> inf*cis; -inf inf -> -1 ?0; inf inf -> ?inf nan;
        -inf nan -> -1 ?0; inf nan -> ?inf nan; nan +0 -> nan +0; nan nonzero -> nan nan;
        nan nan -> nan nan""",
    "log": """
        -0 +0 -> -inf π; +0 +0 -> -inf +0; finite inf -> inf π/2; finite nan -> nan nan;
        -inf positive -> inf π; inf positive -> inf +0; -inf inf -> inf 3π/4; inf inf -> inf π/4;
        ±inf nan -> inf nan; nan finite -> nan nan; nan inf -> inf nan; nan nan -> nan nan""",
    "log1p": """
        -1 +0 -> -inf +0; finite inf -> inf π/2; finite nan -> nan nan; -inf positive -> inf π;
        inf positive -> inf +0; -inf inf -> inf 3π/4; inf inf -> inf π/4; ±inf nan -> inf nan;
        nan finite -> nan nan; nan inf -> inf nan; nan nan -> nan nan""",
    "sinh": """
        +0 +0 -> +0 +0; +0 inf -> ?0 nan; +0 nan -> ?0 nan; positive inf -> nan nan;
        positive nan -> nan nan; inf +0 -> inf +0; inf positive -> inf*cis; inf inf -> ?inf nan;
        inf nan -> ?inf nan; nan +0 -> nan +0; nan nonzero -> nan nan; nan nan -> nan nan""",
    "sqrt": """
        ±0 +0 -> +0 +0; any inf -> inf inf; finite nan -> nan nan; -inf positive -> +0 inf;
        inf positive -> inf +0; -inf nan -> nan ?inf; inf nan -> inf nan; nan finite -> nan nan;
        nan nan -> nan nan""",
    "tanh": """
        +0 +0 -> +0 +0; nonzero inf -> nan nan; +0 inf -> +0 nan; nonzero nan -> nan nan;
        +0 nan -> +0 nan; inf positive -> 1 ?0; inf inf -> 1 ?0; inf nan -> 1 ?0; nan +0 -> nan +0;
        nan nonzero -> nan nan; nan nan -> nan nan""",
    "sign": "±0 ±0 -> ?0 ?0; nan any -> nan nan; any nan -> nan nan",
    "abs": """
        ±inf any -> inf +0; any ±inf -> inf +0; ±0 number -> |b| +0; number ±0 -> |a| +0;
        nan finite -> nan +0; finite nan -> nan +0; nan nan -> nan +0""",
    "isnan": "nan any -> 1 +0; any nan -> 1 +0; number number -> +0 +0",
    "isinf": "±inf any -> 1 +0; any ±inf -> 1 +0; finite finite -> +0 +0; finite nan -> +0 +0",
    "isfinite": "nan any -> +0 +0; any nan -> +0 +0; ±inf any -> +0 +0; finite finite -> 1 +0",
}  # fmt: skip

_POSITIVE = [1e-3, 1.0, 2.5, 1e3]
_NEGATIVE = [-v for v in _POSITIVE]
_FINITE = [0.0, -0.0, *_POSITIVE, *_NEGATIVE]
_NUMBER = [*_FINITE, INF, -INF]
CLASSES = {
    "nan": [NAN], "inf": [INF], "-inf": [-INF], "±inf": [INF, -INF], "+0": [0.0], "-0": [-0.0],
    "±0": [0.0, -0.0], "positive": _POSITIVE, "finite": _FINITE, "nonzero": _POSITIVE + _NEGATIVE,
    "number": _NUMBER, "any": [*_NUMBER, NAN], "1": [1.0], "-1": [-1.0],
}  # fmt: skip
_NUMBERS = {
    "nan": NAN, "inf": INF, "-inf": -INF, "+0": 0.0, "-0": -0.0, "0": 0.0, "1": 1.0, "-1": -1.0,
    "π": PI, "π/2": PI / 2, "π/4": PI / 4, "3π/4": 3 * PI / 4,
}  # fmt: skip


def cases(name: str) -> list[tuple[float, float, tuple[str, ...]]]:
    """Parts of operands, and the result's."""
    found = []
    for line in CASES[name].split(";"):
        left, result = line.split("->")
        first, second = left.split()
        found += [(a, b, tuple(result.split())) for a in CLASSES[first] for b in CLASSES[second]]
    return found


def met(a: float, b: float, result: tuple[str, ...], got: complex, ulp: float) -> bool:
    """Whether `got` is the result of a case."""
    if len(result) == 1:
        scale = INF if result[0].startswith("inf") else 0.0
        parts = [scale * np.cos(b), scale * np.sin(b)]
        if result[0].endswith("-1"):
            parts[0] -= 1
        return _same(parts[0], got.real, ulp) and _same(parts[1], got.imag, ulp)
    for word, part in zip(result, (got.real, got.imag), strict=True):
        free = word.startswith("?")
        word = word.removeprefix("?")
        want = abs({"|a|": a, "|b|": b}[word]) if word in ("|a|", "|b|") else _NUMBERS[word]
        if not _same(abs(want) if free else want, abs(part) if free else part, ulp):
            return False
    return True


def _same(want: float, got: float, ulp: float) -> bool:
    if np.isnan(want) or np.isnan(got):
        return bool(np.isnan(want) and np.isnan(got))
    if np.signbit(want) != np.signbit(got):
        return False
    return bool(want == got or abs(want - got) <= 2 * ulp * abs(want))
