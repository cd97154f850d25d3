# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tests of saved plans share."""

import numpy as np

import pyfusion as pf
from pyfusion.runtime.statistics import statistics


def compiles_of(run):
    before = statistics.compiles
    run()
    return statistics.compiles - before


def matrix(shape=(3, 4), dtype="float32"):
    return pf.asarray(np.arange(float(np.prod(shape)), dtype=dtype).reshape(shape))


def evaluate(function, *arrays):
    """Reads the results; the arrays are held by the caller."""
    found = function(*arrays)
    for one in found if isinstance(found, tuple) else (found,):
        np.asarray(one)


def save(path, function=lambda x: pf.exp(x) + 1):
    with pf.config.scope(keep_plans=True):
        evaluate(function, matrix())
    return pf.save_plans(path)
