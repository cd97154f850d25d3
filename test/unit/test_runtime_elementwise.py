# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element-wise launches of the native run time, in every tile mode, against NumPy."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
from native_kernels import (
    address,
    dense,
    launch,
    output,
    random_array,
    random_view,
    scalar,
    strided,
    take,
    uniform,
)

from pyfusion.runtime import library as rt

TYPES = [np.dtype(t) for t in ("u1", "u2", "u4", "u8", "f4", "f8")]
F4 = np.dtype("f4")

pytestmark = pytest.mark.usefixtures("checked_abi")


@pytest.fixture(params=[1, 3])
def threads(request):
    rt.load().pf_set_threads(request.param)
    yield request.param
    rt.load().pf_set_threads(0)


def axpy(a: np.ndarray, b: np.ndarray, cost: int = 0) -> tuple[np.ndarray, dict[str, int]]:
    """2 a + b, and the modes that the launch used."""
    lib = rt.load()
    before = lib.stats()
    operands = [strided(a), strided(b), output(a.dtype)]
    code, (out,) = launch(address("axpy", a.dtype), a.shape, operands, cost=cost)
    assert code == rt.OK
    after = lib.stats()
    modes = {k: after[k] - before[k] for k in after if after[k] != before[k]}
    return take(out, a.shape, a.dtype), modes


def check_axpy(a: np.ndarray, b: np.ndarray, mode: str, cost: int = 0) -> None:
    got, modes = axpy(a, b, cost)
    np.testing.assert_array_equal(got, (2 * a + b).astype(a.dtype))
    assert mode in modes, modes


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_dense_operands_run_over_flat_ranges(threads, dtype):
    rng = np.random.default_rng(1)
    for shape in [(), (1,), (63,), (100_003,), (7, 11, 13), (1, 5, 1, 300, 1)]:
        a, b = random_array(rng, shape, dtype), random_array(rng, shape, dtype)
        check_axpy(a, b, "flat", cost=100)


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_broadcast_rows_and_columns_run_row_by_row(threads, dtype):
    rng = np.random.default_rng(2)
    a = random_array(rng, (37, 5003), dtype)
    row, column = random_array(rng, (1, 5003), dtype), random_array(rng, (37, 1), dtype)
    for other in (row, column, column[:1], a[:, ::-1], a[::-1]):
        check_axpy(a, np.broadcast_to(other, a.shape), "rows", cost=100)
        check_axpy(np.broadcast_to(other, a.shape), a, "rows", cost=100)


def test_one_strided_dimension():
    rng = np.random.default_rng(3)
    base = random_array(rng, (30_000,), F4)
    for view in (base[::2], base[::-1][:15_000], base[::-2], np.broadcast_to(base[:1], 15_000)):
        check_axpy(view, base[:15_000], "rows")


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_transposed_operands_run_in_two_dimensional_tiles(threads, dtype):
    rng = np.random.default_rng(4)
    for rows, cols in [(300, 517), (65, 1025), (129, 70), (70, 1000), (1000, 66)]:
        a, t = random_array(rng, (rows, cols), dtype), random_array(rng, (cols, rows), dtype).T
        check_axpy(a, t, "tiles", cost=100)
        check_axpy(t[::-1], a, "tiles", cost=100)
        check_axpy(a, t[:, ::-1], "tiles", cost=100)
    wide = random_array(rng, (517, 600), dtype)
    check_axpy(a := random_array(rng, (300, 517), dtype), wide[:, ::2].T, "tiles")
    check_axpy(a, wide[:, ::-2].T, "tiles")


def test_tiles_with_operands_that_disagree_on_every_axis(threads):
    rng = np.random.default_rng(5)
    shape = (20, 70, 130)
    a, b = random_array(rng, shape, F4), random_array(rng, (130, 70, 20), F4).transpose(2, 1, 0)
    c = random_array(rng, (70, 130, 20), F4).transpose(2, 0, 1)
    d = np.broadcast_to(random_array(rng, (1, 70, 1), F4), shape)
    operands = [strided(x) for x in (a, b, c, d)]
    code, (out,) = launch(address("four", F4), shape, [*operands, output(F4)])
    assert code == rt.OK
    np.testing.assert_array_equal(take(out, shape, F4), a + 3 * b + 5 * c + 7 * d)


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_short_inner_dimensions_run_in_flat_tiles(threads, dtype):
    rng = np.random.default_rng(6)
    image = random_array(rng, (61, 83, 3), dtype)
    gains, pixels = random_array(rng, (3,), dtype), random_array(rng, (61, 83, 1), dtype)
    planes = random_array(rng, (3, 61, 83), dtype).transpose(1, 2, 0)
    for other in (gains, pixels, planes, image[:, :, ::-1], image[:, ::-1]):
        check_axpy(image, np.broadcast_to(other, image.shape), "packed_flat", cost=100)
        check_axpy(np.broadcast_to(other, image.shape), image, "packed_flat", cost=100)
    for n in range(2, 20):
        matrices = random_array(rng, (500, n, n), dtype)
        check_axpy(matrices, matrices.swapaxes(1, 2), "packed_flat")
        check_axpy(matrices, np.broadcast_to(matrices[:, :, :1], matrices.shape), "packed_flat")


@pytest.mark.parametrize("seed", range(60))
def test_random_layouts(seed):
    rng = np.random.default_rng(seed)
    lib = rt.load()
    lib.pf_set_threads(int(rng.integers(1, 4)))
    dtype = TYPES[seed % len(TYPES)]
    for _ in range(12):
        rank = int(rng.integers(0, 7))
        limit = [1, 9000, 200, 40, 14, 8, 6][rank]
        shape = tuple(int(n) for n in rng.integers(1, limit + 1, rank))
        views = [random_view(rng, shape, dtype) for _ in range(4)]
        operands = [strided(v) for v in views]
        code, (out,) = launch(
            address("four", dtype),
            shape,
            [*operands, output(dtype)],
            cost=int(rng.choice([0, 500])),
        )
        assert code == rt.OK
        a, b, c, d = views
        with np.errstate(over="ignore"):  # of rank 0
            expected = (a + 3 * b + 5 * c + 7 * d).astype(dtype)
        np.testing.assert_array_equal(take(out, shape, dtype), expected)
    lib.pf_set_threads(0)


@pytest.mark.parametrize("shape", [(0,), (3, 0), (0, 5, 2), (2, 0, 0)])
def test_nothing_to_do_gives_empty_outputs(shape):
    # Not even the pointers are looked at.
    operands = [strided(np.empty(shape, F4)), strided(np.empty(shape, F4)), output(F4)]
    operands[0].words[0] = 0
    code, (out,) = launch(address("axpy", F4), shape, operands)
    assert code == rt.OK
    assert take(out, shape, F4).shape == shape


@pytest.mark.parametrize("layout", ["dense", "rows", "tiles", "flat"])
@pytest.mark.parametrize("dtype", [np.dtype("u4"), np.dtype("f8")], ids=str)
def test_roles_and_logical_indices(threads, layout, dtype):
    """A taken-over buffer, a uniform, a scalar and the flat index, in each mode."""
    rng = np.random.default_rng(7)
    shape = (90, 40, 3) if layout == "flat" else (90, 200)
    a = {
        "dense": lambda: random_array(rng, shape, dtype),
        "rows": lambda: random_array(rng, shape, dtype)[::-1],
        "tiles": lambda: random_array(rng, shape[::-1], dtype).T,
        "flat": lambda: np.broadcast_to(random_array(rng, (3,), dtype), shape),
    }[layout]()
    x, factor, addend = random_array(rng, shape, dtype), np.array(3, dtype), dtype.type(11)
    index = np.arange(x.size, dtype=dtype).reshape(shape)
    expected = x * factor + addend + a + index
    operands = [dense(x, rt.INOUT), strided(a), uniform(factor), scalar(addend), output(dtype)]
    code, (out,) = launch(address("update", dtype), shape, operands, cost=200)
    assert code == rt.OK
    np.testing.assert_array_equal(x, expected)
    np.testing.assert_array_equal(take(out, shape, dtype), index)


def test_given_outputs_are_written_in_place():
    a, out = np.arange(1000, dtype=F4), np.zeros(1000, F4)
    code, pointers = launch(address("copy", F4), a.shape, [dense(a), dense(out, rt.OUT)])
    assert (code, pointers) == (rt.OK, [out.ctypes.data])
    np.testing.assert_array_equal(out, a)


def test_many_packed_operands_share_a_small_tile():
    count = 40
    rng = np.random.default_rng(8)
    views = [random_array(rng, (200, 150), F4).T for _ in range(count)]

    def add(args):
        lines = ctypes.cast(args, ctypes.POINTER(ctypes.c_void_p))
        begin, end = (
            ctypes.cast(lines[count + 1 + i], ctypes.POINTER(ctypes.c_int64))[0] for i in (0, 1)
        )

        def line(i):
            words = ctypes.cast(
                ctypes.cast(lines[i], ctypes.POINTER(ctypes.c_void_p))[0],
                ctypes.POINTER(ctypes.c_int64),
            )
            floats = (ctypes.c_float * (end - begin)).from_address(words[1] + 4 * begin)
            return np.frombuffer(floats, F4)

        line(count)[:] = sum(line(i) for i in range(count))

    callback = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(add)
    pointer = ctypes.cast(callback, ctypes.c_void_p).value
    code, (out,) = launch(pointer, (150, 200), [*(strided(v) for v in views), output(F4)])
    assert code == rt.OK
    np.testing.assert_array_equal(take(out, (150, 200), F4), sum(views))
