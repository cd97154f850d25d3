# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element types of results: NumPy's, for every pair of types and kind of scalar."""

import numpy as np
import pytest
from values_common import check, check_all

import pyfusion as pf
from pyfusion.dtypes import DTYPES
from pyfusion.ir.table import OPS, UFUNCS

TYPES = [name for name in DTYPES if name != "bfloat16"]
# bool() and such are kinds of Python numbers; NumPy's scalars have types of their own.
NUMBERS = [
    True,
    2,
    2.5,
    1 + 2j,
    np.float32(2),
    np.int8(3),
    np.float64(2),
    np.uint64(5),
    np.bool_(1),
]

TWO = sorted(op.name for op in UFUNCS.values() if op.ufunc.nin == 2 and op.name != "matmul")
RUN_BY_NUMPY = [n for n in TWO if any(o.name == n and o.kind == "opaque" for o in UFUNCS.values())]
ONE = sorted(op.name for op in UFUNCS.values() if op.ufunc.nin == 1 and op.name != "isnat")


def our_result(function, *args):
    """The type of a result, or the class of the exception."""
    try:
        return function(*args).dtype
    except TypeError:
        return TypeError
    except OverflowError:
        return OverflowError
    except ValueError:
        return ValueError


def numpy_result(ufunc, *args):
    with np.errstate(all="ignore"):
        return our_result(ufunc, *args)


def functions(names):
    table = {op.name: op for op in [*OPS.values(), *UFUNCS.values()]}
    return {name: (getattr(pf, name), table[name].ufunc) for name in names}


@pytest.mark.parametrize("left", TYPES)
def test_pairs_of_types(left):
    n, x = np.ones(1, left), pf.ones(1, left)
    for name, (function, ufunc) in functions(TWO).items():
        if name == "ldexp":
            continue
        for right in TYPES:
            want = numpy_result(ufunc, n, np.ones(1, right))
            got = our_result(function, x, pf.ones(1, right))
            assert got == want, f"{name} of {left} and {right}: {got}, not {want}"


@pytest.mark.parametrize("dtype", TYPES)
def test_arrays_with_numbers(dtype):
    n, x = np.ones(1, dtype), pf.ones(1, dtype)
    for name, (function, ufunc) in functions(TWO).items():
        for number in NUMBERS:
            want = numpy_result(ufunc, n, number)
            got = our_result(function, x, number)
            assert got == want, f"{name} of {dtype} and {number!r}: {got}, not {want}"
            want = numpy_result(ufunc, number, n)
            got = our_result(function, number, x)
            assert got == want, f"{name} of {number!r} and {dtype}: {got}, not {want}"


@pytest.mark.parametrize("dtype", DTYPES)
def test_numbers_as_operands_of_what_numpy_runs(dtype):
    n, x = np.array([1, 0, 3]).astype(getattr(pf, dtype).numpy), pf.asarray([1, 0, 3]).astype(dtype)
    results = {}
    for name, (function, ufunc) in functions(RUN_BY_NUMPY).items():
        if dtype == "bfloat16" and name == "float_power":
            continue  # as of float16, not as in `ml_dtypes`
        for number in NUMBERS:
            if dtype == "bfloat16" and name == "ldexp" and number.__class__ is np.uint64:
                continue  # the same
            for left, right in ((n, number), (number, n)):
                if not isinstance(numpy_result(ufunc, left, right), type):
                    with np.errstate(all="ignore"):
                        want = ufunc(left, right)
                    got = function(*[x if a is n else a for a in (left, right)])
                    results[f"{name} of {left!r} and {right!r}"] = got, want
    assert results
    check_all(results)


def test_float_power_is_float64_at_least():
    for dtype in ("float16", "bfloat16", "float32", "int8"):
        check(pf.float_power(pf.asarray([1, 3], dtype=dtype), 2), np.array([1.0, 9.0]), dtype)


def test_exponents_of_ldexp():
    for dtype in ("float16", "bfloat16", "float32", "float64"):
        x = pf.ones(2, dtype)
        got = pf.ldexp(x, pf.asarray([1, -1], dtype="int64"))
        check(got, np.array([2, 0.5]).astype(got.dtype.numpy), dtype)
        with pytest.raises(pf.DTypeError, match=f"ldexp is not defined for {dtype}, uint64"):
            pf.ldexp(x, pf.ones(2, "uint64"))


@pytest.mark.parametrize("mode", ["fused", "backend"])
def test_exponents_of_ldexp_beyond_32_bits(mode):
    numbers = [2**31, 2**32 - 1, -(2**31) - 1, 2**62]
    with pf.config.scope(mode=mode):
        for dtype in ("bool", "int8", "float16", "bfloat16", "float32", "float64"):
            x = pf.ones(2, dtype)
            for number in numbers:
                got = pf.ldexp(x, np.int64(number))
                want = np.full(2, np.inf if number > 0 else 0.0)
                check(got, want.astype(got.dtype.numpy), f"{dtype}, {number}")
            assert pf.ldexp(x, np.uint32(2**32 - 1)).tolist() == [np.inf] * 2
            if dtype != "bool":  # with it a number is an int64
                with pytest.raises(OverflowError, match="int32"):
                    pf.ldexp(x, 2**31)
        assert pf.ldexp(pf.ones(1, "bool"), 2**40).tolist() == [np.inf]
        assert np.ldexp(pf.zeros(1), np.int64(2**40)).tolist() == [0.0]


@pytest.mark.parametrize("dtype", TYPES)
def test_one_operand(dtype):
    n, x = np.ones(1, dtype), pf.ones(1, dtype)
    for name, (function, ufunc) in functions([n for n in ONE if n not in ("round",)]).items():
        want, got = numpy_result(ufunc, n), our_result(function, x)
        assert got == want, f"{name} of {dtype}: {got}, not {want}"


@pytest.mark.parametrize("dtype", TYPES)
def test_operators(dtype):
    n, x = np.ones(1, dtype), pf.ones(1, dtype)
    texts = ["a + b", "b - a", "a * b", "a / b", "b // a", "a % b", "a ** b", "a & b", "b | a"]
    texts += ["a ^ b", "a << b", "b >> a", "a < b", "b >= a", "a == b", "a != b"]
    for text in texts:
        for number in NUMBERS:
            if text == "a ** b" and dtype == "bool":
                continue  # NumPy's operator has rules for some numbers that its function has not
            names = {"a": n, "b": number}, {"a": x, "b": number}
            want = numpy_result(eval, text, names[0])
            got = our_result(eval, text, names[1])
            assert got == want, f"{text} of {dtype} and {number!r}: {got}, not {want}"


BFLOAT16_WITH = {
    "bool": "bfloat16",
    "int8": "bfloat16",
    "uint8": "bfloat16",
    "int16": "float32",
    "uint16": "float32",
    "int32": "float64",
    "uint32": "float64",
    "int64": "float64",
    "uint64": "float64",
    "float16": "float32",
    "bfloat16": "bfloat16",
    "float32": "float32",
    "float64": "float64",
    "complex64": "complex64",
    "complex128": "complex128",
}


@pytest.mark.parametrize("other", DTYPES)
def test_bfloat16_takes_part_as_float16_does(other):
    x, y = pf.ones(2, "bfloat16"), pf.ones(2, other)
    want = BFLOAT16_WITH[other]
    assert (x + y).dtype == (y * x).dtype == pf.maximum(x, y).dtype == want
    assert pf.where(True, x, y).dtype == pf.result_type(x, y) == want
    assert pf.promote_types("bfloat16", other) == want
    assert (x == y).dtype is pf.bool
    # What `ml_dtypes` has registered is the same.
    assert want == np.promote_types(pf.bfloat16.numpy, getattr(pf, other).numpy)


def test_bfloat16_with_numbers():
    x, n = pf.ones(2, "bfloat16"), np.ones(2, pf.bfloat16.numpy)
    for number in (2, 2.5, True, np.float32(1), np.float16(1), np.int8(1), np.int64(1)):
        assert (x * number).dtype == (number * x).dtype == (n * number).dtype, repr(number)
    assert (x * 2j).dtype is pf.complex64
    assert (x / 2).dtype is (2 // x).dtype is pf.sin(x).dtype is pf.degrees(x).dtype is x.dtype
    for name in ("bitwise_and", "bitwise_left_shift", "gcd"):
        with pytest.raises(TypeError):
            getattr(pf, name)(x, x)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", ["sum", "prod", "max", "any", "mean", "std", "var"])
def test_reductions(dtype, name):
    n, x = np.ones(3, dtype), pf.ones(3, dtype)
    assert getattr(pf, name)(x).dtype == getattr(np, name)(n).dtype


def test_choices():
    for left in TYPES:
        for right in TYPES:
            got = pf.where(True, pf.ones(1, left), pf.ones(1, right)).dtype
            assert got == np.result_type(np.dtype(left), np.dtype(right))
        for number in (True, 2, 2.5, 2j, np.float64(1)):
            want = np.where(True, np.ones(1, left), number).dtype
            assert pf.where(True, pf.ones(1, left), number).dtype == want, (left, number)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int64", "uint64"])
@pytest.mark.parametrize("number", [127, 128, 255, 256, -1, -129, 2**63, 2**64, 10**400])
def test_python_integers_out_of_range(dtype, number):
    n, x = np.ones(2, dtype), pf.ones(2, dtype)
    for name in ("add", "multiply", "maximum", "bitwise_and", "logical_and", "logical_xor"):
        want = numpy_result(getattr(np, name), n, number)
        got = our_result(getattr(pf, name), x, number)
        assert got == want, f"{name} of {dtype} and {number}: {got}, not {want}"


def test_huge_integers_with_floats():
    x = pf.ones(2, "float32")
    with pytest.raises(OverflowError):
        x * 10**400
    assert (x * 2**200).dtype is pf.float32


def test_conversion_of_numbers():
    assert pf.asarray(1).dtype is pf.int64
    assert pf.asarray(2**63).dtype is pf.uint64
    assert pf.asarray(1.5).dtype is pf.float64
    assert pf.asarray(True).dtype is pf.bool
    assert pf.asarray([1, 2.5]).dtype is pf.float64
    assert pf.asarray([2**63]).dtype is pf.uint64
    assert pf.asarray(np.float32(1)).dtype is pf.float32
    for given in (2**64, [2**64], [1, 2**70]):
        with pytest.raises(OverflowError):
            pf.asarray(given)
    for dtype in ("uint8", pf.int8):
        with pytest.raises(OverflowError):
            pf.asarray(300, dtype=dtype)
        with pytest.raises(OverflowError):
            pf.asarray([300], dtype=dtype)


def test_questions_about_types():
    assert pf.result_type(pf.ones(1, "float32"), 2.5) is pf.float32
    assert pf.result_type(pf.int32, pf.float32) is pf.float64
    assert pf.promote_types("int8", "uint8") is pf.int16
    assert pf.can_cast(pf.int32, pf.float64) and not pf.can_cast(pf.ones(1), pf.int8)
    assert pf.isdtype(pf.float32, ("integral", "real floating"))
    assert not pf.isdtype(pf.bool, "numeric")
    assert pf.finfo(pf.float32).eps == np.finfo("float32").eps
    assert pf.finfo(pf.bfloat16).bits == 16
    assert pf.iinfo(pf.uint8).max == 255
    assert pf.float32 == np.float32 == np.dtype("float32") == pf.float32
    assert pf.float32 == "float32" and pf.float32 != "float64" and pf.float32 != 5
    assert np.zeros(1, pf.int16).dtype == pf.int16


def test_an_undefined_operation_names_bfloat16():
    with pytest.raises(pf.DTypeError, match="bitwise_invert is not defined for bfloat16"):
        pf.bitwise_invert(pf.ones(2, "bfloat16"))
