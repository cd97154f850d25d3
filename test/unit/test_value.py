# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arithmetic on shapes and strides that all parts share."""

import numpy as np
import pytest

import pyfusion as pf
from pyfusion.ir import value

pytestmark = pytest.mark.host

BASE = np.arange(210, dtype=np.int32).reshape(5, 6, 7)
VIEWS = [
    BASE,
    BASE[::-1],
    BASE[:, ::-2, 3:],
    BASE[::-1, :, ::-3].transpose(2, 0, 1),
    np.broadcast_to(BASE[0, 0], (3, 7)),
    BASE[2:2],
    BASE[1, 2, 3],
]


@pytest.mark.parametrize("x", VIEWS)
def test_the_reach_of_a_view(x):
    low, high = value.reach(x.shape, tuple([s // 4 for s in x.strides]))
    first, end = np.lib.array_utils.byte_bounds(x)
    start = x.__array_interface__["data"][0]
    assert (start + 4 * low, start + 4 * high + 4) == (first, end if x.size else first + 4)


@pytest.mark.parametrize("shape", [(), (3,), (0, 4), (2, 1, 5)])
def test_dense_sizes_and_strides(shape):
    x = pf.zeros(shape, dtype=pf.float64)
    pf.sync()
    assert value.bytes_of(shape, pf.float64) == x.nbytes == np.zeros(shape).nbytes
    if 0 not in shape:
        assert value.strides_of(x._v) == tuple([s // 8 for s in np.zeros(shape).strides])


def test_masks_of_many_shapes_are_bounded():
    for n in range(10_000):
        assert value.ones_mask((n, 1, 7)) == (n == 1, True, False)
    assert len(value._masks) <= 4096
