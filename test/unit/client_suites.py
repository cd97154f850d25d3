# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Has the tests that SciPy and scikit-learn have of the array API run with pyfusion alone:

export PYTHONPATH=test/unit
python -m pytest -p client_suites --pyargs scipy.integrate -m array_api_backends
python -m pytest -p client_suites --pyargs sklearn.metrics -k array_api
"""

from __future__ import annotations

from collections.abc import Iterator

import client_calls  # noqa: F401  # before SciPy
import pytest
from scipy import conftest
from sklearn.utils import _array_api

import pyfusion


def _combinations(include_numpy_namespaces: bool = True) -> Iterator[tuple[str, str, str]]:
    yield "pyfusion", "cpu", "float64"
    yield "pyfusion", "cpu", "float32"


def _namespaces(include_numpy_namespaces: bool = True) -> Iterator[str]:
    yield "pyfusion"


_array_api.yield_namespace_device_dtype_combinations = _combinations
_array_api.yield_namespaces = _namespaces
# The fixture has its own copy of the list of libraries.
_ours = pytest.param(pyfusion, id="pyfusion", marks=pytest.mark.array_api_backends)
object.__setattr__(conftest.xp._fixture_function_marker, "params", (_ours,))
