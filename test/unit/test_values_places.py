# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""argmax, argmin and count_nonzero: each type and layout against NumPy, ties, NaN, threads."""

import numpy as np
import pytest
from values_common import GRID, check_all, data, pair

import pyfusion as pf

NAMES = ["argmax", "argmin"]


@pytest.mark.parametrize(("dtype", "layout"), GRID)
def test_places(dtype, layout):
    n, x = pair(dtype, layout, 6)
    if dtype == "bfloat16":
        n = n.astype("float32")
    results = {}
    for axis in [None, *range(n.ndim)]:
        options = dict(axis=axis, keepdims=axis != 0)
        for name in NAMES:
            try:
                want = getattr(np, name)(n, **options)
            except ValueError:
                with pytest.raises(ValueError, match="empty sequence"):
                    getattr(pf, name)(x, **options)
                continue
            got = getattr(pf, name)(x, **options)
            assert got.dtype == "int64"
            results[f"{name} {options}"] = (got, want)
        results[f"count {axis}"] = (
            pf.count_nonzero(x, axis),
            np.asarray(np.count_nonzero(n, axis), np.int64),
        )
    with pf.testing.inspect() as report:
        check_all(results)
    assert not report.unfused


LONG = [1, 2, 31, 32, 33, 63, 64, 65, 300, 16383, 16384, 16385, 3 * 16384 + 1]


def crafted(size, dtype):
    """Rows in which the winner is at the beginning, the end, beside a chunk's border, or twice."""
    rows = np.zeros((9, size), dtype)
    spots = [0, size - 1, size // 2, 16383 % size, 16384 % size, 64 % size, 63 % size]
    for row, spot in enumerate(spots):
        rows[row, spot] = 5
    rows[7, [size // 3, size - 1]] = 5  # the first of equal ones
    return rows  # the last row is all equal


@pytest.mark.parametrize("dtype", ["uint8", "int16", "int32", "int64", "float32", "float64"])
def test_first_of_equal_ones_across_lanes_and_chunks(dtype):
    for size in LONG:
        n = crafted(size, dtype)
        x, columns = pf.asarray(n), pf.asarray(np.ascontiguousarray(n.T))
        least = 5 - n
        want, flat = n.argmax(1), np.asarray(n.argmax())
        results = {}
        results[f"row {size}"] = (x.argmax(1), want)
        results[f"column {size}"] = (columns.argmax(0), want)
        results[f"all {size}"] = (x.argmax(), flat)
        results[f"transposed {size}"] = (columns.T.argmax(), flat)
        results[f"min {size}"] = (pf.asarray(least).argmin(1), want)
        results[f"strided {size}"] = (pf.asarray(np.repeat(n, 2, 1))[:, ::2].argmax(1), want)
        check_all(results)  # the next size runs the same kernels


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_nan_infinity_and_zero(dtype):
    nan, inf = np.nan, np.inf
    rows = [
        [0.0, -0.0, 0.0],
        [-0.0, 0.0, -0.0],
        [1.0, nan, inf],
        [nan, nan, inf],
        [-inf, -inf, -inf],
        [inf, -inf, inf],
        [-nan, nan, 1.0],
        [1.0, 2.0, -nan],
    ]
    n = np.array(rows, dtype)
    results = {}
    for repeats in (1, 12, 100, 6000):  # short rows, fewer than lanes, long ones, several chunks
        wide = np.repeat(n, repeats, 1)
        x, columns = pf.asarray(wide), pf.asarray(np.ascontiguousarray(wide.T))
        for name in NAMES:
            want = getattr(np, name)(wide, 1)
            results[f"{name} {repeats}"] = (getattr(pf, name)(x, 1), want)
            results[f"{name} columns {repeats}"] = (getattr(pf, name)(columns, 0), want)
    check_all(results)


def test_places_of_an_expression_are_one_kernel():
    n = data("float32", (300, 700), 7, special=False)
    x = pf.asarray(n)
    with pf.testing.inspect() as report:
        got = np.asarray(pf.argmax(abs(x * 2 - 1), 1) + 1)
    assert report.kernels == 1 and not report.unfused
    assert report.bytes_written == got.nbytes
    np.testing.assert_array_equal(got, np.argmax(np.abs(n * 2 - 1), 1) + 1)
    with pf.testing.inspect() as report:
        count = int(pf.count_nonzero(x > 3))
    assert report.kernels == 1 and not report.unfused and report.bytes_written == 8
    assert count == np.count_nonzero(n > 3)


def test_a_view_is_searched_in_the_order_of_its_shape():
    # pytorch #183894: of a transposed view the place was that in memory.
    n = np.zeros((3, 5), "float32")
    n[2, 1] = 1
    assert int(pf.argmax(pf.asarray(n).T)) == 5
    assert int(pf.argmax(pf.asarray(n)[::-1, ::-1])) == 3


@pytest.mark.parametrize("shape", [(5, 4, 3), (2, 1, 700), (40, 3, 500)])
def test_three_dimensions(shape):
    n = data("int32", shape, 8)
    x = pf.asarray(n)
    results = {}
    for axis in (None, 0, 1, 2, -1):
        results[f"{axis}"] = (pf.argmin(x, axis), n.argmin(axis))
        turned = x.transpose(1, 2, 0)
        results[f"turned {axis}"] = (pf.argmax(turned, axis), n.transpose(1, 2, 0).argmax(axis))
    check_all(results)


@pytest.mark.parametrize("threads", [1, 2, 3, 7])
def test_places_with_any_number_of_threads(threads):
    n = data("float32", (7, 100_003), 9, special=False).round(1)
    x, old = pf.asarray(n), pf.config.threads
    pf.config.threads = threads
    try:
        results = {f"{axis}": (pf.argmax(x, axis), n.argmax(axis)) for axis in (None, 0, 1)}
        results["transposed"] = (pf.argmax(x.T, 0), n.T.argmax(0))
        check_all(results)
    finally:
        pf.config.threads = old


def test_arguments():
    n = np.array([[1, 5], [7, 2]], "int16")
    x, memory = pf.asarray(n), np.zeros(2, np.int64)
    assert pf.argmax(x, 0, memory) is memory and memory.tolist() == [1, 0]
    assert np.argmax(x, axis=1).tolist() == [1, 0]
    with pytest.raises(np.exceptions.AxisError):
        pf.argmax(x, 2)
    with pytest.raises(TypeError):
        pf.argmax(x, (0, 1))
    assert int(pf.argmax(pf.asarray(3.0))) == 0
    assert pf.argmin(pf.zeros((0, 3)), 1).shape == (0,)
    z = np.array([1 + 2j, 3 + 1j, 0])
    assert int(pf.argmax(pf.asarray(z))) == 1 and int(pf.count_nonzero(pf.asarray(z))) == 2
