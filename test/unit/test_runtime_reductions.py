# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions of the native run time, in both forms, against NumPy; their bits on any threads."""

from __future__ import annotations

from math import prod

import numpy as np
import pytest
from native_kernels import (
    address,
    launch,
    output,
    random_array,
    random_view,
    scalar,
    strided,
    take,
)

from pyfusion.runtime import library as rt

TYPES = [np.dtype(t) for t in ("u1", "u2", "u4", "u8", "f4", "f8")]
F4, U4 = np.dtype("f4"), np.dtype("u4")
ROW_CHUNK, COL_CHUNK = 16384, 256

pytestmark = pytest.mark.usefixtures("checked_abi")


def split(shape: tuple[int, ...], dims: tuple[int, int, int]) -> tuple[tuple[int, ...], ...]:
    k1, r = dims[0], dims[0] + dims[1]
    return shape[:k1], shape[k1:r], shape[r:]


def dot(a, b, addend, dims, cost=0):
    """(the sum of a * b over the middle dims) * 2 + addend, and the mode that the launch used."""
    lib, dtype = rt.load(), a.dtype
    kind = rt.COL if dims[2] else rt.ROW
    k1, r, k2 = split(a.shape, dims)
    inputs = [strided(a), strided(b)]
    if a.size == 0:
        for operand in inputs:
            operand.words[0] = 64  # where nothing can be read
    before = lib.stats()
    code, outs = launch(
        address("col_dot" if kind == rt.COL else "row_dot", dtype),
        a.shape,
        inputs,
        kind=kind,
        dims=dims,
        finish_fn=address("tree", dtype),
        finish=[strided(addend), scalar(dtype.type(2)), output(dtype), output(dtype)],
        acc_itemsize=dtype.itemsize,
        cost=cost,
    )
    assert code == rt.OK
    after = lib.stats()
    kept = k1 + k2
    result, count = take(outs[0], kept, dtype), take(outs[1], kept, dtype)
    np.testing.assert_array_equal(count, np.full(kept, prod(r)).astype(dtype))
    chunks = after["reduce_chunks"] > before["reduce_chunks"]
    if prod(kept):
        assert chunks or after["reduce_blocks"] > before["reduce_blocks"]
    return result, "chunks" if chunks else "blocks"


def check_dot(a, b, addend, dims, cost=0):
    got, mode = dot(a, b, addend, dims, cost)
    axes = tuple(range(dims[0], dims[0] + dims[1]))
    with np.errstate(over="ignore"):
        expected = np.sum(a * b, axis=axes, dtype=a.dtype) * a.dtype.type(2) + addend
    np.testing.assert_array_equal(got, expected)
    return mode


def operands(rng, shape, dims, dtype, make=random_array):
    k1, _, k2 = split(shape, dims)
    return make(rng, shape, dtype), make(rng, shape, dtype), make(rng, k1 + k2, dtype)


ROW_SHAPES = [
    ((), (0, 0, 0)),
    ((5,), (0, 1, 0)),
    ((ROW_CHUNK,), (0, 1, 0)),
    ((3 * ROW_CHUNK + 17,), (0, 1, 0)),
    ((700, 301), (0, 2, 0)),
    ((1000, 3), (1, 1, 0)),
    ((40, 50, 7), (2, 1, 0)),
    ((3, 2 * ROW_CHUNK + 1), (1, 1, 0)),
    ((11, 1, 40, 60), (1, 3, 0)),
]
COL_SHAPES = [
    ((5, 4), (0, 1, 1)),
    ((COL_CHUNK, 100), (0, 1, 1)),
    ((5 * COL_CHUNK + 3, 70), (0, 1, 1)),
    ((9 * COL_CHUNK + 3, 3), (0, 1, 1)),
    ((3, 6000), (0, 1, 1)),
    ((200, 5, 3), (1, 1, 1)),
    ((6, 300, 90), (1, 1, 1)),
    ((7, 20, 30, 2, 50), (1, 2, 2)),
]


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("dtype", TYPES, ids=str)
@pytest.mark.parametrize(("shape", "dims"), ROW_SHAPES + COL_SHAPES, ids=str)
def test_dense_operands(shape, dims, dtype, threads):
    rt.load().pf_set_threads(threads)
    check_dot(*operands(np.random.default_rng(1), shape, dims, dtype), dims, cost=100)


@pytest.mark.parametrize(("shape", "dims"), ROW_SHAPES + COL_SHAPES, ids=str)
def test_random_layouts(shape, dims):
    for seed in range(12):
        rng = np.random.default_rng(seed)
        rt.load().pf_set_threads(int(rng.integers(1, 4)))
        cost = int(rng.choice([0, 200]))
        check_dot(*operands(rng, shape, dims, TYPES[seed % 6], random_view), dims, cost)


@pytest.mark.parametrize("seed", range(40))
def test_random_shapes(seed):
    rng = np.random.default_rng(1000 + seed)
    rt.load().pf_set_threads(int(rng.integers(1, 4)))
    for _ in range(8):
        dims = tuple(int(n) for n in rng.integers(0, 3, 3))
        if dims[2] and rng.random() < 0.3:
            dims = (dims[0], dims[1], 0)
        limit = [1, 40_000, 300, 50, 16, 9, 6][sum(dims)]
        shape = tuple(int(n) for n in rng.integers(1, limit + 1, sum(dims)))
        cost = int(rng.choice([0, 200]))
        check_dot(*operands(rng, shape, dims, TYPES[seed % 6], random_view), dims, cost)


@pytest.mark.parametrize(
    ("shape", "dims"),
    [((4, 0), (1, 1, 0)), ((0,), (0, 1, 0)), ((0, 5), (0, 1, 1)), ((3, 0, 5), (1, 1, 1))],
    ids=str,
)
def test_an_empty_reduction_gives_the_identity(shape, dims):
    check_dot(*operands(np.random.default_rng(2), shape, dims, F4), dims)


@pytest.mark.parametrize(
    ("shape", "dims"), [((0, 3), (1, 1, 0)), ((3, 0), (0, 1, 1)), ((0, 0), (1, 1, 0))], ids=str
)
def test_nothing_kept_gives_empty_outputs(shape, dims):
    check_dot(*operands(np.random.default_rng(3), shape, dims, F4), dims)


def pairwise(partials: list[np.ndarray]) -> np.ndarray:
    step = 1
    while step < len(partials):
        for c in range(0, len(partials) - step, 2 * step):
            partials[c] = partials[c] + partials[c + step]
        step *= 2
    return partials[0]


def test_the_tree_of_the_row_form_is_the_documented_one():
    rng = np.random.default_rng(4)
    a = rng.random((2, 5 * ROW_CHUNK + 100), F4)
    one, zero = np.ones_like(a), np.zeros(2, F4)
    chunks = [a[:, i : i + ROW_CHUNK] for i in range(0, a.shape[1], ROW_CHUNK)]
    expected = pairwise([np.add.accumulate(c, axis=1)[:, -1] for c in chunks]) * F4.type(2)
    got, _ = dot(a, one, zero, (1, 1, 0))
    np.testing.assert_array_equal(got, expected)


def test_the_tree_of_the_column_form_is_the_documented_one():
    rng = np.random.default_rng(5)
    a = rng.random((6 * COL_CHUNK + 10, 90), F4)
    one, zero = np.ones_like(a), np.zeros(90, F4)
    chunks = [a[i : i + COL_CHUNK] for i in range(0, a.shape[0], COL_CHUNK)]
    expected = pairwise([np.add.accumulate(c, axis=0)[-1] for c in chunks]) * F4.type(2)
    got, _ = dot(a, one, zero, (0, 1, 1))
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize(
    ("shape", "dims"),
    [
        ((40 * ROW_CHUNK + 5,), (0, 1, 0)),
        ((7, 5 * ROW_CHUNK), (1, 1, 0)),
        ((3000, 100), (1, 1, 0)),
        ((100 * COL_CHUNK + 1, 20), (0, 1, 1)),
        ((600, 2000), (0, 1, 1)),
        ((9, 700, 65), (1, 1, 1)),
    ],
    ids=str,
)
def test_bits_depend_on_the_shape_alone(shape, dims):
    """Not on threads, blocks or layout."""
    rng = np.random.default_rng(6)
    k1, _, k2 = split(shape, dims)
    a, b = rng.standard_normal(shape, F4), rng.standard_normal(shape, F4)
    addend = rng.standard_normal(k1 + k2, F4)
    fortran = np.asfortranarray(a)
    results, modes = [], set()
    for threads in (1, 2, 3, 8):
        rt.load().pf_set_threads(threads)
        for cost in (0, 100):
            for source in (a, fortran, np.ascontiguousarray(a[..., ::-1])[..., ::-1]):
                result, mode = dot(source, b, addend, dims, cost)
                results.append(result)
                modes.add(mode)
    for result in results:
        np.testing.assert_array_equal(result.view(U4), results[0].view(U4))


def test_both_ways_to_share_the_work_are_used():
    rng = np.random.default_rng(7)
    rt.load().pf_set_threads(4)
    modes = {}
    for shape, dims in [((40 * ROW_CHUNK,), (0, 1, 0)), ((3000, 100), (1, 1, 0))]:
        modes[shape] = check_dot(*operands(rng, shape, dims, U4), dims)
    assert set(modes.values()) == {"chunks", "blocks"}
