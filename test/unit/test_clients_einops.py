# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""einops on arrays of pyfusion."""

import numpy as np
import pytest
from client_calls import VERSIONS, check

import pyfusion as pf

einops = pytest.importorskip("einops", VERSIONS["einops"])

from client_calls_einops import CALLS, X  # noqa: E402

pytestmark = pytest.mark.host


@pytest.mark.parametrize("name", CALLS)
def test_results_are_those_of_numpy_and_stay_arrays(name):
    check(CALLS[name])


def test_what_it_does_is_fused_with_its_neighbours():
    x = pf.asarray(X)
    pf.sync()
    with pf.testing.inspect() as report:
        found = einops.reduce(x * 2 + 1, "a b c -> c", "sum")
        found = einops.repeat(found, "c -> c k", k=2) + 1
        np.asarray(found)
    assert report.kernels == 2 and not report.unfused


def test_what_is_repeated_can_be_written_to():
    x = pf.asarray(X)
    found = einops.repeat(x, "a b c -> a b c k", k=2)
    found[0, 0, 0, 0] = 9.0
    assert float(found[0, 0, 0, 1]) == X[0, 0, 0] == float(x[0, 0, 0])


def test_errors_are_those_of_einops():
    with pytest.raises(einops.EinopsError, match="Shape mismatch"):
        einops.rearrange(pf.asarray(X), "a b (c d) -> a b c d", d=3)
