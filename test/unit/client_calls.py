# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of libraries that take arrays of the array API standard.

The same call is made with arrays of pyfusion and with NumPy's: `client_calls_scipy.py` and its
like have tables of calls for the tests, and for docs/clients.py, which counts their kernels.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import pyfusion as pf

# SciPy reads it when it is imported; scikit-learn's dispatch wants it set.
os.environ["SCIPY_ARRAY_API"] = "1"

# The oldest versions that have all of the calls, and take arrays of libraries they do not know.
VERSIONS = {"scipy": "1.17", "sklearn": "1.9", "einops": "0.8.1", "matplotlib": "3.8"}


@dataclass(frozen=True)
class Call:
    """`function(*inputs)`; `gives` says whose arrays the library's contract is to return."""

    function: Callable[..., Any]
    inputs: tuple[np.ndarray, ...]
    gives: str = "pyfusion"
    rtol: float = 1e-9

    def run(self, *arrays: Any) -> Any:
        """With these arrays; libraries warn of constant input and the like, for NumPy's too."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return self.function(*arrays)


def leaves(result: Any) -> Iterator[Any]:
    """The arrays and numbers within tuples, lists and dicts."""
    if isinstance(result, dict):
        result = tuple(result.values())
    if isinstance(result, tuple | list):
        for part in result:
            yield from leaves(part)
    else:
        yield result


def kinds(result: Any) -> str:
    """Whose arrays a result is made of, "number" where there are none."""
    found = set()
    for leaf in leaves(result):
        if isinstance(leaf, pf.Array):
            found.add("pyfusion")
        elif isinstance(leaf, np.ndarray):
            found.add("NumPy")
    return ", ".join(sorted(found)) or "number"


def check(call: Call) -> None:
    """The results are those of NumPy's arrays, in kind too, and the inputs keep their elements."""
    expected = list(leaves(call.run(*(array.copy() for array in call.inputs))))
    inputs = [pf.asarray(array) for array in call.inputs]
    result = call.run(*inputs)
    found = list(leaves(result))
    assert len(found) == len(expected)
    for ours, theirs in zip(found, expected, strict=True):
        ours, theirs = np.asarray(ours), np.asarray(theirs)
        assert ours.dtype == theirs.dtype
        assert ours.shape == theirs.shape
        if theirs.dtype.kind in "biufc":
            np.testing.assert_allclose(ours, theirs, rtol=call.rtol, atol=1e-12)
        else:
            np.testing.assert_array_equal(ours, theirs)
    assert kinds(result) == call.gives
    for ours, given in zip(inputs, call.inputs, strict=True):
        np.testing.assert_array_equal(np.asarray(ours), given, strict=True)
