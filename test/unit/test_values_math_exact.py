# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Math functions where the result is exact, and where it could be lost on the way."""

import numpy as np
import pytest
from values_common import check_all

import pyfusion as pf

INF = np.inf
BITS = {"float32": (-149, 127), "float64": (-1074, 1023)}


@pytest.mark.parametrize("dtype", BITS)
def test_exact_results(dtype):
    low, high = BITS[dtype]
    exponents = np.arange(low, high + 1).astype(dtype)
    powers = np.ldexp(np.ones((), dtype), exponents.astype(int))
    tens = np.arange(11 if dtype == "float32" else 23)
    limit = 255 if dtype == "float32" else 5000
    cubes = np.arange(-limit, limit + 1).astype(dtype)
    even = exponents[exponents % 2 == 0]
    results = {
        "exp2": (pf.exp2(pf.asarray(exponents)), powers),
        "exp2 beyond": (pf.exp2(pf.asarray([high + 1, low - 1], dtype=dtype)), [INF, 0]),
        "log2": (pf.log2(pf.asarray(powers)), exponents),
        "log10": (pf.log10(pf.asarray(10.0**tens, dtype=dtype)), tens),
        "cbrt": (pf.cbrt(pf.asarray(cubes**3)), cubes),
        "rsqrt": (
            pf.rsqrt(pf.asarray(np.ldexp(np.ones((), dtype), even.astype(int)))),
            np.ldexp(np.ones((), dtype), (-even / 2).astype(int)),
        ),
    }
    check_all({name: (got, np.asarray(want, dtype)) for name, (got, want) in results.items()})


@pytest.mark.parametrize(("dtype", "x"), [("float32", -100.0), ("float64", -740.0)])
def test_small_sigmoids_keep_their_digits(dtype, x):
    # Subnormal: the smallest number is their unit.
    got = np.asarray(pf.sigmoid(pf.asarray([x, x / 2], dtype=dtype)))
    want = np.exp(np.array([x, x / 2], np.longdouble))
    assert (abs(got - want) <= 1.5 * np.spacing(got)).all() and (got > 0).all()


@pytest.mark.parametrize("dtype", BITS)
def test_nothing_overflows_on_the_way(dtype):
    """The largest arguments with a finite result, and the next ones."""
    kind = np.dtype(dtype).type
    largest = np.finfo(dtype).max
    wide = np.longdouble(largest)
    # sinh and cosh are e^x / 2 here, beyond the range of exp.
    last = kind(np.log(wide) + np.log(np.longdouble(2)))
    while np.exp(np.longdouble(last)) / 2 >= wide:
        last = np.nextafter(last, kind(0))
    after = np.nextafter(last, kind(INF))
    x = pf.asarray(np.array([last, -last, after, -after], dtype))
    huge = pf.asarray(np.array([largest, largest / 2, largest / 3], dtype))
    recorded = pf.sinh(x), pf.cosh(x), pf.asinh(huge), pf.acosh(huge), pf.logaddexp(huge, -huge)
    sinh, cosh, asinh, acosh, sums = map(np.asarray, recorded)
    near = np.exp(np.longdouble(last)) / 2
    assert abs(sinh[0] - near) <= 2 * np.spacing(sinh[0]) and sinh[1] == -sinh[0]
    assert (cosh[:2] == sinh[0]).all() and (cosh[2:] == INF).all()
    assert sinh[2] == INF and sinh[3] == -INF
    want = (np.log(np.asarray(huge).astype(np.longdouble)) + np.log(np.longdouble(2))).astype(dtype)
    assert (asinh == want).all() and (acosh == want).all()
    assert (sums == np.asarray(huge)).all()


@pytest.mark.parametrize("name", ["erf", "rsqrt", "sigmoid", "sinc"])
def test_functions_of_real_numbers_refuse_complex_ones(name):
    with pytest.raises(TypeError, match=f"{name} is not defined for complex128"):
        getattr(pf, name)(pf.asarray([1 + 2j]))
