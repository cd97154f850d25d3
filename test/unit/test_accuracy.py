# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Errors of the elementary functions are within the limits of bench/accuracy_table.py.

Every float32 and a million float64 are counted by bench/accuracy.py; here is a part of them.
"""

import sys
from pathlib import Path

import numpy as np
import pytest

import pyfusion as pf
from pyfusion.dtypes import DTYPES

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))

import accuracy  # noqa: E402
from accuracy_f32 import compare, special_arguments, spread  # noqa: E402
from accuracy_f64 import errors, reference, worst  # noqa: E402
from accuracy_table import FUNCTIONS, compiled  # noqa: E402

COUNTS = {"float32": 1 << 20, "float64": 10_000}
SIZES = (1, 15, 16, 17, 33)
STARTS = (0, 40, 1001, 2050, 3333)


def computed(dtype, count):
    """Operands and result of each function; all are recorded first, to be one block."""
    rng = np.random.default_rng(2024)
    recorded = {}
    for name in compiled(dtype):
        f = FUNCTIONS[name]
        parts = zip(special_arguments(f, dtype), spread(f, count, rng, dtype), strict=True)
        columns = tuple(np.concatenate(part) for part in parts)
        recorded[name] = columns, getattr(pf, name)(*map(pf.asarray, columns))
    return {name: (columns, np.asarray(got)) for name, (columns, got) in recorded.items()}


@pytest.fixture(scope="module")
def results():
    found = {}

    def get(dtype, name):
        if dtype not in found:
            found[dtype] = computed(dtype, COUNTS[dtype])
        return found[dtype][name]

    return get


@pytest.mark.parametrize("name", FUNCTIONS)
def test_float32(results, name):
    f = FUNCTIONS[name]
    columns, got = results("float32", name)
    found, _ = compare(f, columns, got)
    assert not found.wrong, f"{name}{found.wrong_at} is wrong, and {found.wrong - 1} others are"
    # The reference has an error of its own.
    assert found.error <= f.ulp32 + 1e-6, f"{name}{found.at}: {found.error} ulp"


@pytest.mark.parametrize("name", FUNCTIONS)
def test_float64(results, name):
    f = FUNCTIONS[name]
    columns, got = results("float64", name)
    found = worst(f, columns, errors(reference(f, *columns), got, f.free_zero))
    assert not found.wrong, f"{name}{found.wrong_at} is wrong, and {found.wrong - 1} others are"
    assert found.error <= f.ulp64, f"{name}{found.at}: {found.error} ulp"


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_half_types_are_float32_rounded_once(name, dtype):
    differences, count = accuracy.half_differences(FUNCTIONS[name], dtype)
    assert not differences, f"{differences} of {count}"


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_results_do_not_depend_on_the_position(dtype):
    """The vectorised body of a loop and its tail give the same bits."""
    rng = np.random.default_rng(5)
    names = compiled(dtype)
    kind = DTYPES[dtype].numpy
    bits = f"u{kind.itemsize}"
    with np.errstate(all="ignore"):
        wide = spread(FUNCTIONS["pow"], 4096, rng, "float64" if dtype == "float64" else "float32")
        columns = [column.astype(kind) for column in wide]

    def run(part):
        x, y = (pf.asarray(column[part]) for column in columns)
        found = {n: getattr(pf, n)(*(x, y)[: FUNCTIONS[n].arity]) for n in names}
        return {n: np.asarray(value) for n, value in found.items()}

    whole = run(slice(None))
    for size in SIZES:
        for start in STARTS:
            part = slice(start, start + size)
            for name, got in run(part).items():
                want = whole[name][part]
                same = (got.view(bits) == want.view(bits)) | (np.isnan(got) & np.isnan(want))
                assert same.all(), f"{name} of {size} elements from {start}: {got} is not {want}"


def test_errors_are_counted():
    f, x = FUNCTIONS["exp"], np.array([0.5, 1, -200, 200, np.nan], np.float32)
    exact = np.exp(x.astype(np.float64))
    with np.errstate(over="ignore"):
        rounded = exact.astype(np.float32)
    found, other = compare(f, (x,), rounded, np.nextafter(rounded, np.float32(0)))
    assert found.error <= 0.5 and not found.wrong
    assert 0.5 <= other.error <= 1.5 and other.wrong == 1 and other.wrong_at == (200.0,)
    assert compare(f, (x,), -rounded)[0].wrong == 2, "signs of zero and infinity"

    y = np.array([0.5, 1, -800, 800, np.nan, 0])
    with np.errstate(over="ignore"):
        rounded = np.exp(y)
    want = reference(f, y)
    assert (errors(want, rounded) <= 0.51).all()
    shifted = errors(want, np.nextafter(rounded, -1))
    assert np.isinf(shifted[3]) and (np.abs(shifted[[0, 1, 2, 5]] - 1) <= 0.51).all()
    assert np.isinf(errors(want, -rounded)[[2, 3]]).all(), "signs of zero and infinity"


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_each_function_is_compiled(dtype):
    assert compiled(dtype) == list(FUNCTIONS)
