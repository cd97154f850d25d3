# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""SciPy's functions on arrays of pyfusion, by way of the array API standard."""

import pytest
from client_calls import VERSIONS, check

scipy = pytest.importorskip("scipy", VERSIONS["scipy"])

from client_calls_scipy import CALLS  # noqa: E402

pytestmark = pytest.mark.host


@pytest.mark.parametrize("name", CALLS)
def test_results_are_those_of_numpy_and_stay_arrays(name):
    check(CALLS[name])
