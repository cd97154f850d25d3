# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions of the native run time that find places: keys and places as partial results."""

from __future__ import annotations

import ctypes
from math import prod

import numpy as np
import pytest
from native_kernels import address, launch, output, random_view, strided, take

from pyfusion.runtime import library as rt

U1, F8, I8 = np.dtype("u1"), np.dtype("f8"), np.dtype("i8")
ROW_CHUNK, COL_CHUNK = 16384, 256

pytestmark = pytest.mark.usefixtures("checked_abi")


def find(a: np.ndarray, dims: tuple[int, int, int]) -> tuple[np.ndarray, np.ndarray, str]:
    """The largest elements over the middle dims, their places there, the mode of the launch."""
    lib, dtype = rt.load(), a.dtype
    form = "col" if dims[2] else "row"
    k1, r = dims[0], dims[0] + dims[1]
    kept = a.shape[:k1] + a.shape[r:]
    before = lib.stats()
    code, outs = launch(
        address(f"{form}_place", dtype),
        a.shape,
        [strided(a)],
        kind=(rt.COL if form == "col" else rt.ROW) + rt.PLACES,
        dims=dims,
        finish_fn=address("place_tree", dtype),
        finish=[output(dtype), output(I8), output(I8)],
        acc_itemsize=dtype.itemsize,
        cost=100,
    )
    assert code == rt.OK
    chunks = lib.stats()["reduce_chunks"] > before["reduce_chunks"]
    keys, places, count = (take(p, kept, t) for p, t in zip(outs, (dtype, I8, I8), strict=True))
    assert (count == prod(a.shape[k1:r])).all()
    return keys, places, "chunks" if chunks else "blocks"


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("dtype", [U1, F8], ids=str)
@pytest.mark.parametrize(
    ("shape", "dims"),
    [
        ((5,), (0, 1, 0)),
        ((3 * ROW_CHUNK + 17,), (0, 1, 0)),
        ((3, 2 * ROW_CHUNK + 1), (1, 1, 0)),
        ((1001, 30), (1, 1, 0)),
        ((5, 4), (0, 1, 1)),
        ((5 * COL_CHUNK + 3, 71), (0, 1, 1)),
        ((7, 20, 30, 50), (1, 2, 1)),
    ],
    ids=str,
)
def test_places_are_those_of_the_first_largest(shape, dims, dtype, threads):
    rt.load().pf_set_threads(threads)
    rng = np.random.default_rng(1)
    k1, r = dims[0], dims[0] + dims[1]
    kept = shape[:k1] + shape[r:]
    for make in (
        lambda: rng.integers(0, 250, shape).astype(dtype),
        lambda: random_view(rng, shape, dtype),
    ):
        a = make()
        keys, places, _ = find(a, dims)
        flat = a.reshape(*shape[:k1], -1, *shape[r:])
        np.testing.assert_array_equal(places, flat.argmax(axis=k1).reshape(kept))
        np.testing.assert_array_equal(keys, flat.max(axis=k1).reshape(kept))


def test_several_rounds_of_shared_chunks():
    """More partial results than are kept at a time."""
    rt.load().pf_set_threads(2)
    rows, columns, period = 2 * COL_CHUNK + 1, 720_000, 1000
    # Three chunks of 16 bytes an element, more than 32 MiB. Element [r, c] is (r + c) % period.
    ramp = (np.arange(rows + columns) % period).astype(F8)
    a = np.lib.stride_tricks.as_strided(ramp, (rows, columns), (8, 8), writeable=False)
    keys, places, mode = find(a, (0, 1, 1))
    assert mode == "chunks"
    expected = np.minimum(period - 1 - np.arange(columns) % period, rows - 1)
    np.testing.assert_array_equal(places, expected)
    np.testing.assert_array_equal(keys, ramp[expected + np.arange(columns)])


@pytest.mark.parametrize("kind", [3, rt.PLACES, rt.ROW + rt.COL + rt.PLACES, 8])
def test_other_kinds_are_refused(kind):
    lib = rt.load()
    elementwise = (ctypes.c_int64 * 8)(kind, 1, 0, 0, 0, 0, 0, 0)
    reduction = (ctypes.c_int64 * 8)(kind, 1, 1, 0, 8, 0, 0, 0)
    assert lib.pf_kernel_create(address("copy", F8), 0, elementwise) == rt.INVALID
    finish = address("place_tree", F8)
    assert lib.pf_kernel_create(address("row_place", F8), finish, reduction) == rt.INVALID
