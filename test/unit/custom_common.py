# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tests of custom operations share."""

import numpy as np

import pyfusion as pf


def counted(f, *args):
    """A program's result, and what running it took."""
    pf.sync()
    with pf.testing.inspect() as report:
        found = np.asarray(f(*args))
    return found, report
