# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Figures of Matplotlib from arrays of pyfusion have the pixels of those from NumPy's."""

import pytest
from client_calls import VERSIONS, check

matplotlib = pytest.importorskip("matplotlib", VERSIONS["matplotlib"])

from client_calls_matplotlib import CALLS  # noqa: E402

pytestmark = pytest.mark.host


@pytest.mark.parametrize("name", CALLS)
def test_pixels_are_those_of_numpy(name):
    check(CALLS[name])
