# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tables of special cases of the array API standard, compiled and on the backend."""

import numpy as np
import pytest
from special_cases import CASES, EXTENSIONS, cases, operands, wanted

import pyfusion as pf
from pyfusion.dtypes import DTYPES

NAMES = sorted({**CASES, **EXTENSIONS})
TYPES = ["float16", "bfloat16", "float32", "float64"]


def evaluated(dtype, mode):
    """Operands and result for each case of each function; one block."""
    kind = DTYPES[dtype].numpy
    recorded = {}
    with pf.config.scope(mode=mode):
        for name in NAMES:
            parts = [operands(case, kind) for case in cases(name)]
            columns = [np.concatenate(column) for column in zip(*parts, strict=True)]
            splits = np.cumsum([part[0].size for part in parts])[:-1]
            result = getattr(pf, name)(*map(pf.asarray, columns))
            recorded[name] = columns, result, splits
        found = {}
        for name, (columns, result, splits) in recorded.items():
            got = np.asarray(result)
            pieces = [np.split(a, splits) for a in (*columns, got)]
            found[name] = list(zip(*pieces, strict=True))
    return found


@pytest.fixture(scope="module")
def results():
    found = {}

    def get(dtype, mode):
        if (dtype, mode) not in found:
            found[dtype, mode] = evaluated(dtype, mode)
        return found[dtype, mode]

    return get


@pytest.mark.parametrize("mode", ["fused", "backend"])
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", NAMES)
def test_cases(results, name, dtype, mode):
    wrong = []
    for case, (*arguments, got) in zip(cases(name), results(dtype, mode)[name], strict=True):
        bad = ~wanted(case.result, arguments, got)
        for at in np.flatnonzero(bad):
            values = ", ".join(str(a[at]) for a in arguments)
            wrong.append(f"{name}({values}) is {got[at]}, not {case.result}")
    assert not wrong, "\n".join(wrong)


INF, NAN = float("inf"), float("nan")
# function, options, elements, result.
FLOATING = ("max", "min", "sum", "prod", "mean", "var", "std")
REDUCTIONS = [
    *[(name, {}, [1.0, NAN, 2.0], NAN) for name in FLOATING],
    *[(name, {}, [NAN], NAN) for name in FLOATING],
    ("sum", {}, [], 0.0), ("prod", {}, [], 1.0), ("any", {}, [], False), ("all", {}, [], True),
    *[(name, {}, [], NAN) for name in ("mean", "var", "std")],
    *[(name, {"correction": 1}, [2.0], NAN) for name in ("var", "std")],
    *[(name, {"correction": 3}, [2.0, 3.0, 4.0], NAN) for name in ("var", "std")],
    *[(name, {"correction": 5}, [2.0, 3.0, 4.0], NAN) for name in ("var", "std")],
    ("var", {}, [2.0], 0.0), ("std", {}, [2.0], 0.0),
    ("sum", {}, [INF, 1.0], INF), ("sum", {}, [INF, -INF], NAN), ("mean", {}, [-INF, 1.0], -INF),
    ("mean", {}, [INF, -INF], NAN), ("prod", {}, [INF, 0.0], NAN), ("prod", {}, [-INF, 2.0], -INF),
    ("max", {}, [-INF, INF, 0.0], INF), ("min", {}, [-INF, INF, 0.0], -INF),
    ("max", {}, [NAN, INF], NAN), ("min", {}, [-INF, NAN], NAN), ("max", {}, [-INF, -INF], -INF),
    ("var", {}, [INF, 1.0], NAN), ("std", {}, [INF, 1.0], NAN),
    *[("any", {}, [0.0, value], True) for value in (NAN, INF, -INF)],
    *[("all", {}, [1.0, value], True) for value in (NAN, INF, -INF)],
    ("any", {}, [0.0, -0.0], False), ("all", {}, [1.0, -0.0], False),
]  # fmt: skip


@pytest.mark.parametrize("mode", ["fused", "backend"])
@pytest.mark.parametrize("dtype", TYPES)
def test_reductions(dtype, mode):
    groups = {}  # rows of one length, reduced in one go
    for name, options, elements, want in REDUCTIONS:
        key = name, tuple(options.items()), len(elements)
        groups.setdefault(key, []).append((elements, want))
    recorded = []
    with pf.config.scope(mode=mode):
        for (name, options, length), rows in groups.items():
            elements = np.array([row for row, _ in rows] * 2, np.float32).reshape(
                2 * len(rows), length
            )
            x = pf.asarray(elements).astype(dtype)
            recorded.append((name, rows, getattr(pf, name)(x, axis=1, **dict(options))))
        for name, rows, result in recorded:
            want = [want for _, want in rows] * 2
            assert result.dtype == ("bool" if isinstance(want[0], bool) else dtype)
            np.testing.assert_array_equal(np.asarray(result).astype(float), want, f"{name} {rows}")
        for name in ("max", "min"):
            with pytest.raises(ValueError):
                getattr(pf, name)(pf.ones((2, 0), dtype=dtype), axis=1)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_cumulative(dtype):
    x = pf.asarray([1.0, INF, 2.0, -INF, 0.0], dtype=dtype)
    np.testing.assert_array_equal(np.asarray(pf.cumulative_sum(x)), [1, INF, INF, NAN, NAN])
    np.testing.assert_array_equal(np.asarray(pf.cumulative_prod(x)), [1, INF, INF, -INF, NAN])
