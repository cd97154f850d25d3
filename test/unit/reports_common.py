# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tests of public bug reports share."""

import numpy as np

import pyfusion as pf
from pyfusion.testing.compare import is_float

# What runs on the backend; everything else in these programs has to be compiled.
ON_BACKEND = {"matmul", "take"}


def read(x):
    return np.asarray(x).tolist()


def everywhere(want, f, *args, dtype=None, rtol=0.0, atol=0.0, ulp=0):
    """Checks a program's result in every mode.

    Args:
        want: the right values, NaN for NaN; the signs of zeros count where the type has them.
        args: what `f` is called with; NumPy arrays as arrays of pyfusion.
        dtype: the result's type, that of `want` by default.
        rtol, atol: how near to `want` the results must be.
        ulp: how near the modes must be to each other, beside `rtol` and `atol`.
    """
    pf.testing.assert_same_everywhere(f, *args, ulp=ulp, rtol=2 * rtol, atol=2 * atol)
    with pf.testing.inspect() as report:
        got = np.asarray(f(*(pf.asarray(a) if isinstance(a, np.ndarray) else a for a in args)))
    if pf.config.mode != "backend":
        assert set(report.unfused) <= ON_BACKEND
    want = np.asarray(want, dtype)
    assert got.dtype == want.dtype and got.shape == want.shape, (got, want)
    if rtol or atol or ulp:
        got, want = got.astype(np.float64), want.astype(np.float64)
        np.testing.assert_allclose(got, want, rtol=rtol, atol=atol)
    else:
        np.testing.assert_array_equal(got, want)
        if is_float(got.dtype):
            numbers = ~np.isnan(got)
            assert (np.signbit(got) == np.signbit(want))[numbers].all(), (got, want)
