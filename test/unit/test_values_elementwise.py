# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every element-wise operation: each type and layout, against NumPy."""

from itertools import product

import mpmath
import numpy as np
import pytest
from values_common import DTYPES, GRID, LAYOUTS, MORE_DTYPES, check, check_all, data, is_float, pair

import pyfusion as pf
from pyfusion.ir.table import OPS

UNARY = [
    "negative", "abs", "positive", "sign", "square", "isnan", "isinf", "isfinite", "logical_not",
    "bitwise_invert", "floor", "ceil", "trunc", "round", "rint", "reciprocal", "real", "imag",
    "conj", "sqrt", "signbit",
]  # fmt: skip
BINARY = [
    "add", "subtract", "multiply", "divide", "floor_divide", "remainder", "maximum", "minimum",
    "equal", "not_equal", "less", "less_equal", "greater", "greater_equal", "logical_and",
    "logical_or", "logical_xor", "bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_left_shift",
    "bitwise_right_shift", "copysign",
]  # fmt: skip
MATH = [
    "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "rsqrt", "cbrt", "sin", "cos", "tan",
    "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "sigmoid", "erf",
    "erfc", "sinc",
]  # fmt: skip
BINARY_MATH = ["atan2", "hypot", "logaddexp", "pow"]
MORE_MATH = ["deg2rad", "rad2deg", "fmod", "heaviside", "logaddexp2"]
CASTS = [*DTYPES, "int8", "int16", "uint16", "uint32", "uint64"]


def maximum(x, y):
    """NumPy's, but +0 is above -0."""
    found = np.maximum(x, y)
    return np.where((x == 0) & (y == 0), x + y, found) if is_float(found.dtype) else found


def minimum(x, y):
    return -maximum(-x, -y) if is_float(x.dtype) else np.minimum(x, y)


def sign(x):
    """NumPy's, whose sign of -0 is +0; that of bfloat16 is -0."""
    found = np.sign(x)
    return np.where(found == 0, np.zeros_like(found), found)


def numpy_name(name):
    if name in ("maximum", "minimum", "sign"):
        return globals()[name]
    return getattr(np, name if hasattr(np, name) else OPS[name].numpy)


def defined(function, *args):
    """NumPy's result, or None where it has none."""
    with np.errstate(all="ignore"):
        try:
            return function(*args)
        except TypeError:
            return None


def record(names, *arguments, numpy_arguments):
    results = {}
    for name in names:
        want = defined(numpy_name(name), *numpy_arguments)
        function = getattr(pf, name)
        if want is None:
            with pytest.raises(TypeError):
                function(*arguments)
            continue
        results[name] = (function(*arguments), want)
    return results


@pytest.mark.parametrize("dtype, layout", GRID)
def test_unary(dtype, layout):
    n, x = pair(dtype, layout)
    results = record(UNARY, x, numpy_arguments=(n,))
    check_all(results, zero_signs=True)


@pytest.mark.parametrize("dtype, layout", GRID)
def test_binary(dtype, layout):
    n, x = pair(dtype, layout, 1)
    m, y = pair(dtype, layout, 2)
    results = record(BINARY, x, y, numpy_arguments=(n, m))
    check_all(results, zero_signs=True)


@pytest.mark.parametrize("layout", ["transposed", "rows", "columns", "negative"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_binary_of_two_layouts(dtype, layout):
    n, x = pair(dtype, "contiguous", 3)
    m, y = pair(dtype, layout, 4)
    names = ["add", "multiply", "less", "maximum"]
    results = record(names, x, y, numpy_arguments=(n, m))
    row, column = data(dtype, (7,), 5), data(dtype, (6, 1), 6)
    for name in names:
        function = numpy_name(name)
        results[f"{name} row"] = (getattr(pf, name)(x, pf.asarray(row)), function(n, row))
        results[f"{name} column"] = (getattr(pf, name)(pf.asarray(column), x), function(column, n))
        outer = getattr(pf, name)(pf.asarray(row), pf.asarray(column))
        results[f"{name} outer"] = (outer, function(row, column))
    check_all(results)


@pytest.mark.parametrize(
    "dtype, layout",
    [
        *product(DTYPES, ["contiguous", "transposed", "scalar", "empty"]),
        *product(MORE_DTYPES, ["transposed"]),
    ],
)
def test_python_numbers(dtype, layout):
    n, x = pair(dtype, layout, 7)
    results = {}
    with np.errstate(all="ignore"):
        for number in (2, 3, 2.5, -0.5, True):
            for text in ("a + b", "b + a", "a * b", "a / b", "b / a", "a < b", "a == b", "a // b"):
                want = eval(text, {"a": n, "b": number})
                results[f"{text}, b={number}"] = (eval(text, {"a": x, "b": number}), want)
        if dtype != "bool":
            for number in (3, 7):
                results[f"a - {number}"] = (x - number, n - number)
                results[f"{number} - a"] = (number - x, number - n)
                results[f"a % {number}"] = (x % number, n % number)
            results["a ** 2"] = (x**2, n**2)
            results["a ** 1"] = (x**1, n**1)
            results["a ** 0"] = (x**0, n**0)
    check_all(results)


@pytest.mark.parametrize("dtype, layout", GRID)
def test_select_and_clip(dtype, layout):
    n, x = pair(dtype, layout, 8)
    m, y = pair(dtype, layout, 9)
    test, chosen = pair("bool", layout, 10)
    results = {
        "where": (pf.where(chosen, x, y), np.where(test, n, m)),
        "where truth": (pf.where(x, x, y), np.where(n, n, m)),
        "where number": (pf.where(chosen, x, 1), np.where(test, n, 1)),
        "where two": (pf.where(chosen, 1, 0), np.where(test, 1, 0)),
        "where leaks nothing": (
            pf.where(chosen, x, pf.full((), 1, dtype)),
            np.where(test, n, np.ones((), dtype)),
        ),
        "clip": (pf.clip(x, 1, 5), np.minimum(np.maximum(n, 1), 5)),
        "clip low": (pf.clip(x, min=1), np.maximum(n, 1)),
        "clip high": (pf.clip(x, max=1), np.minimum(n, 1)),
        "clip none": (pf.clip(x), n),
        "clip arrays": (pf.clip(x, y, x), np.minimum(np.maximum(n, m), n)),
    }
    if dtype != "bool":
        wide = -(2**70), 2**70
        want = n if n.dtype.kind in "iu" else np.minimum(np.maximum(n, wide[0]), wide[1])
        results["clip wide"] = (pf.clip(x, *wide), want)
    check_all(results)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_casts(dtype, layout):
    n, x = pair(dtype, layout, 11)
    results = {}
    for target in CASTS:
        with np.errstate(all="ignore"):
            want = n.astype(target)
            if n.dtype.kind == "f" and want.dtype.kind in "iu":
                want = saturated(n, np.dtype(target))
        results[target] = (x.astype(target), want)
    check_all(results)


@pytest.mark.parametrize("dtype", MORE_DTYPES)
def test_every_layout(dtype):
    results = {}
    for layout in LAYOUTS:
        n, x = pair(dtype, layout, 19)
        m, y = pair(dtype, layout, 20)
        with np.errstate(all="ignore"):
            results[f"add {layout}"] = (x + y, n + m)
            results[f"less {layout}"] = (x < y, n < m)
            results[f"where {layout}"] = (pf.where(x < y, x, y), np.where(n < m, n, m))
            results[f"cast {layout}"] = (x.astype("float64"), n.astype("float64"))
            results[f"copy {layout}"] = (pf.asarray(x, copy=True), n)
    check_all(results)


def saturated(x, target):
    info = np.iinfo(target)
    flat = []
    for element in x.ravel().tolist():
        if element != element:
            flat.append(0)
        elif abs(element) == float("inf"):
            flat.append(info.max if element > 0 else info.min)
        else:
            flat.append(min(max(int(element), info.min), info.max))
    return np.array(flat, target).reshape(x.shape)


def exact_sinc(x):
    if not mpmath.isfinite(x):
        return mpmath.nan
    return mpmath.sinpi(x) / (mpmath.pi * x) if x else mpmath.mpf(1)


def exact_lgamma(x):
    return x if mpmath.isnan(x) else mpmath.loggamma(x) if x else mpmath.inf


def exact_rsqrt(x):
    if x == 0 or x < 0 or mpmath.isnan(x):
        return mpmath.inf if x == 0 else mpmath.nan
    return 1 / mpmath.sqrt(x)


def exact_sigmoid(x):
    return 1 / (1 + mpmath.exp(-x))


REFERENCES = {
    "erf": mpmath.erf,
    "erfc": mpmath.erfc,
    "lgamma": exact_lgamma,
    "rsqrt": exact_rsqrt,
    "sigmoid": exact_sigmoid,
    "sinc": exact_sinc,
}


def reference(name, *args):
    """The result in more digits than the arguments have."""
    if name in REFERENCES:
        found = [REFERENCES[name](mpmath.mpf(a)) for a in args[0].ravel().tolist()]
        wide = np.array([np.longdouble(mpmath.nstr(v, 25)) for v in found], np.longdouble)
        return wide.reshape(args[0].shape)
    wide = np.float64 if args[0].dtype == np.float32 else np.longdouble
    with np.errstate(all="ignore"):
        return numpy_name(name)(*(a.astype(wide) for a in args))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_math(dtype, layout):
    n, x = pair(dtype, layout, 12)
    m, y = pair(dtype, layout, 13)
    results = {}
    for name in MATH:
        results[name] = (getattr(pf, name)(x), (n,))
    for name in BINARY_MATH:
        results[name] = (getattr(pf, name)(x, y), (n, m))
    results["log of abs"] = (pf.log(abs(x)), (abs(n),))
    # Beside the zeros below 0, the error of lgamma has an absolute bound.
    results["lgamma of abs"] = (pf.lgamma(abs(x)), (abs(n),))
    results["pow of abs"] = (pf.pow(abs(x), y), (abs(n), m))
    for name, (got, args) in results.items():
        check(got, reference(name.split()[0], *args), name, ulp=2)


@pytest.mark.parametrize("dtype", ["uint8", "int32", "int64"])
def test_math_of_integers_is_that_of_floats(dtype):
    n, x = pair(dtype, "transposed", 14)
    with np.errstate(all="ignore"):
        results = {
            name: (getattr(pf, name)(x), np.asarray(numpy_name(name)(n)))
            for name in ("exp", "log", "sin", "tanh", "sqrt")
        }
        for name, (got, want) in results.items():
            check(got, want.astype(np.longdouble), name, ulp=3)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", ["int32", "float32", "float64"])
def test_functions_that_are_not_fused(dtype, layout):
    n, x = pair(dtype, layout, 15)
    results = {}
    for name in MORE_MATH:
        function = getattr(np, name)
        args = (n,) * function.nin
        with np.errstate(all="ignore"):
            results[name] = (getattr(pf, name)(*(x,) * function.nin), function(*args))
    check_all(results)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("decimals", [-2, -1, 0, 1, 3])
def test_round_to_decimals(dtype, decimals):
    n, x = pair(dtype, "contiguous", 16, special=False)
    i = np.arange(-20, 120, 7)
    check(pf.round(x, decimals), np.round(n, decimals), "floats")
    check(pf.round(pf.asarray(i), decimals), np.round(i, decimals), "integers")


@pytest.mark.parametrize("dtype", ["uint8", "int32", "int64"])
def test_integer_powers_wrap(dtype):
    base = data(dtype, (40,), 18)
    exponent = np.arange(40).astype(dtype) % 9
    x = pf.asarray(base)
    check(x ** pf.asarray(exponent), base**exponent, "pow")
    check(pf.pow(x, 3), base**3, "pow 3")
    check(3 ** pf.asarray(exponent), 3**exponent, "3 to the")


def test_negative_integer_exponents_in_an_array():
    base = pf.asarray([0, 1, -1, -1, 2, -3], dtype="int32")
    exponent = pf.asarray([-1, -5, -2, -3, -1, -2], dtype="int32")
    check(base**exponent, np.array([0, 1, 1, -1, 0, 0], "int32"), "pow")


@pytest.mark.parametrize("bits", [8, 32, 64])
def test_documented_integer_edges(bits):
    info = np.iinfo(f"int{bits}")
    lowest = pf.asarray([info.min, info.min, 5, -5], dtype=f"int{bits}")
    by = pf.asarray([-1, 0, 0, 0], dtype=f"int{bits}")
    check(lowest // by, np.array([info.min, 0, 0, 0], f"int{bits}"), "floor_divide")
    check(lowest % by, np.zeros(4, f"int{bits}"), "remainder")
    shifts = pf.asarray([bits, bits + 1, -1, 1], dtype=f"int{bits}")
    values = pf.asarray([1, 1, 1, 1], dtype=f"int{bits}")
    check(values << shifts, np.array([0, 0, 0, 2], f"int{bits}"), "left")
    check(values >> shifts, np.array([0, 0, 0, 0], f"int{bits}"), "right")
    check(-values >> shifts, np.array([-1, -1, -1, -1], f"int{bits}"), "right of negative")


def test_comparison_of_signed_with_unsigned_is_exact():
    a = np.array([-1, 0, 1, 2**62, 2**63 - 1, -(2**63)], "int64")
    b = np.array([2**64 - 1, 0, 1, 2**62 + 1, 2**63, 2**63], "uint64")
    x, y = pf.asarray(a), pf.asarray(b)
    results = {}
    for name in ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal"):
        results[name] = (getattr(pf, name)(x, y), getattr(np, name)(a, b))
        results[name + " turned"] = (getattr(pf, name)(y, x), getattr(np, name)(b, a))
    check_all(results)


def test_comparison_with_a_number_beyond_the_type():
    n = np.array([0, 100, 255], "uint8")
    x = pf.asarray(n)
    results = {}
    for number in (-1, 300, 2**70):
        for text in ("a < b", "a <= b", "a > b", "a >= b", "a == b", "a != b", "b < a", "b >= a"):
            got, want = (eval(text, {"a": a, "b": number}) for a in (x, n))
            results[f"{text} {number}"] = (got, want)
    check_all(results)


def test_numbers_round_to_the_type_first():
    x = pf.asarray(np.ones(3, "float32"))
    check(x * 0.1, np.ones(3, "float32") * np.float32(0.1), "0.1")
    with np.errstate(all="ignore"):
        check(x * 1e40, np.full(3, np.inf, "float32"), "beyond the range")


def test_nan_to_num():
    n = np.array([np.nan, np.inf, -np.inf, 1.5], "float32")
    check(pf.nan_to_num(pf.asarray(n)), np.nan_to_num(n), "default")
    got = pf.nan_to_num(pf.asarray(n), nan=1, posinf=2, neginf=3)
    check(got, np.nan_to_num(n, nan=1, posinf=2, neginf=3), "given")
