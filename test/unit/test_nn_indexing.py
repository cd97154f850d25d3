# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reading and writing at indices, orders, running extremes: against loops over NumPy arrays."""

import numpy as np
import pytest
from values_common import ALL_DTYPES, LAYOUTS, data, numpy_type

import pyfusion as pf
from pyfusion.errors import DTypeError, ExecutionError, ShapeError

nn = pf.nn
UPDATES = {
    "assign": lambda a, b: b,
    "add": lambda a, b: a | b if isinstance(a, np.bool_) else a + b,
    "mul": lambda a, b: a * b,
    "min": min,
    "max": max,
}


def small(dtype, shape, seed=0):
    """Elements whose sums and products are exact in every type."""
    rng = np.random.default_rng(seed)
    return rng.integers(0 if dtype == "bool" else 1, 3, shape).astype(numpy_type(dtype))


def wide(base):
    """In a type where loops compute as the functions do."""
    return base.astype(np.float64) if base.dtype.kind not in "biu" else base


def same(got, want, dtype):
    got = np.asarray(got)
    assert got.dtype == numpy_type(dtype) and got.shape == want.shape
    np.testing.assert_array_equal(got, want.astype(got.dtype))


@pytest.mark.parametrize("dtype", ALL_DTYPES)
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_gather_and_scatter(axis, dtype):
    base = small(dtype, (4, 5, 3))
    shape = {0: (6, 5, 2), 1: (4, 7, 3), -1: (3, 5, 4)}[axis]
    indices = np.random.default_rng(1).integers(-base.shape[axis], base.shape[axis], shape)
    values = small(dtype, shape, 2)
    x = pf.asarray(base)
    want = np.zeros(shape, base.dtype)
    for place in np.ndindex(*shape):
        at = list(place)
        at[axis] = indices[place]
        want[place] = base[tuple(at)]
    same(nn.gather(x, indices, axis), want, dtype)
    same(nn.gather(x, indices.astype(np.int8), axis), want, dtype)
    for update, change in UPDATES.items():
        want = wide(base).copy()
        for place in np.ndindex(*shape):
            at = list(place)
            at[axis] = indices[place]
            want[tuple(at)] = change(want[tuple(at)], wide(values)[place])
        same(nn.scatter(x, indices, values, axis, update=update), want, dtype)
    same(x, base, dtype)  # the array itself is left alone


@pytest.mark.parametrize("dtype", ALL_DTYPES)
@pytest.mark.parametrize("axis", [0, -2])
def test_select(axis, dtype):
    base = small(dtype, (4, 3))
    indices = np.array([3, 0, 3, -1, 1])
    x = pf.asarray(base)
    same(nn.select(x, indices, axis), base.take(indices, axis), dtype)
    values = small(dtype, (5, 3), 2)
    for update, change in UPDATES.items():
        want = wide(base).copy()
        for number, index in enumerate(indices):
            for column in range(3):
                want[index, column] = change(want[index, column], wide(values)[number, column])
        same(nn.select_assign(x, indices, values, axis, update=update), want, dtype)


@pytest.mark.parametrize("dtype", ["bool", "int32", "bfloat16", "float64", "complex64"])
def test_tuples_of_indices(dtype):
    kind = np.dtype("complex64") if dtype == "complex64" else numpy_type(dtype)
    base = np.random.default_rng(0).integers(1, 3, (4, 5, 3)).astype(kind)
    x = pf.asarray(base)
    indices = np.array([[[0, 1], [3, -1]], [[2, 2], [0, 1]]])
    want = base[indices[..., 0], indices[..., 1]]
    np.testing.assert_array_equal(np.asarray(nn.gather_nd(x, indices)), want)
    np.testing.assert_array_equal(
        np.asarray(nn.gather_nd(x, indices[..., :1])), base[indices[..., 0]]
    )
    every = nn.gather_nd(x, np.zeros((2, 0), np.int64))
    np.testing.assert_array_equal(np.asarray(every), np.stack([base, base]))
    values = np.ones_like(want)
    for update in ("assign", "add", "mul") if dtype == "complex64" else UPDATES:
        found = base.copy() if kind.kind in "biuc" else base.astype(np.float64)
        for place in np.ndindex(2, 2):
            at = tuple(indices[place])
            for k in range(3):
                change = UPDATES[update]
                found[(*at, k)] = change(found[(*at, k)], values.astype(found.dtype)[(*place, k)])
        got = np.asarray(nn.scatter_nd(x, indices, values, update=update))
        np.testing.assert_array_equal(got, found.astype(kind))


def test_sums_of_short_floats_are_rounded_once():
    ones = pf.ones(3000, dtype="float16")
    found = nn.scatter(pf.zeros(1, dtype="float16"), np.zeros(3000, np.int64), ones, 0)
    assert found.tolist() == [3000.0]  # in float16 alone it stays at 2048


def test_slice_assign():
    base = np.arange(24.0).reshape(4, 6)
    x = pf.asarray(base)
    for key in (
        slice(1, 3),
        (slice(None, None, 2), slice(4, None, -2)),
        (slice(-2, None),),
        slice(3, 1),
    ):
        want = base.copy()
        want[key] = -1.0
        same(nn.slice_assign(x, key, -1.0), want, "float64")
        part = -base[key]
        want[key] = part
        same(nn.slice_assign(x, key, part), want, "float64")
    same(
        nn.slice_assign(x, (slice(None), slice(0, 1)), pf.zeros((4, 1))),
        np.hstack([np.zeros((4, 1)), base[:, 1:]]),
        "float64",
    )


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts(layout):
    shape, view = LAYOUTS[layout]
    base = data("int32", shape)
    x, array = view(pf, pf.asarray(base)), view(np, base)
    if array.ndim == 0:
        with pytest.raises(ValueError, match="axis"):
            nn.gather(x, 0, 0)
        return
    rows = np.array([[0] * array.shape[1]]) if array.shape[0] else np.zeros((0, 7), int)
    same(nn.gather(x, rows, 0), np.take_along_axis(array, rows, 0), "int32")
    same(nn.scatter(x, rows, 0, 0, update="mul")[1:], array[1:], "int32")
    same(nn.select(x, [1, 1], 1), array.take([1, 1], 1), "int32")
    same(nn.cummax(x, 1), np.maximum.accumulate(array, 1), "int32")
    same(nn.topk(x, 2, 1), -np.sort(-array.astype(np.int64), 1, kind="stable")[:, :2], "int32")
    same(nn.max_abs(x.astype("float64"), 1), np.abs(array.astype(float)).max(1), "float64")


@pytest.mark.parametrize("dtype", ALL_DTYPES)
def test_orders(dtype):
    base = data(dtype, (5, 12), seed=3)
    base[0, :3] = base[0, 3]  # equal elements
    x = pf.asarray(base)
    key = base.astype(np.float64) if base.dtype.kind not in "biu" else base
    # NaN is the largest; equal elements stay in their order.
    for descending in (False, True):
        values, places = nn.sort_with_indices(x, 1, descending=descending)
        order = np.argsort(key, 1, kind="stable")
        if descending:
            order = np.array([sorted(range(12), key=lambda k: (rank(row, k), k)) for row in key])
        np.testing.assert_array_equal(np.asarray(places), order)
        same(values, np.take_along_axis(base, order, 1), dtype)
        assert places.dtype == pf.int64
    values, places = nn.topk_with_indices(x, 4, 1)
    np.testing.assert_array_equal(np.asarray(places), order[:, :4])
    same(values, np.take_along_axis(base, order[:, :4], 1), dtype)
    same(nn.topk(x.T, 4, 0).T, np.take_along_axis(base, order[:, :4], 1), dtype)
    np.testing.assert_array_equal(np.asarray(nn.argtopk(x, 4)), order[:, :4])
    assert nn.topk(x, 0).shape == (5, 0)


def rank(row, k):
    """Where an element comes in descending order: NaN first."""
    if row[k] != row[k]:
        return 0
    return 1 + sum(bool(other > row[k] or other != other) for other in row)


@pytest.mark.parametrize("dtype", ALL_DTYPES)
def test_running_extremes(dtype):
    base = data(dtype, (4, 9), seed=1)
    x = pf.asarray(base)
    for function, ufunc in ((nn.cummin, np.minimum), (nn.cummax, np.maximum)):
        for axis in (0, -1):
            same(function(x, axis), ufunc.accumulate(base, axis), dtype)
    assert nn.cummin(pf.ones((0, 3)), 0).shape == (0, 3)


def test_extremes_with_places_are_fused():
    base = data("float32", (6, 40), seed=5)
    x = pf.asarray(base)
    with pf.testing.inspect() as report:
        high, where_high = nn.max_with_indices(x * 2, 1)
        low, where_low = nn.min_with_indices(x * 2, 1, keepdims=True)
        large = nn.max_abs(x, 1)
        whole = nn.max_abs(x)
    if pf.config.mode != "backend":
        assert report.unfused == []
    with np.errstate(all="ignore"):
        twice = base * 2
    np.testing.assert_array_equal(np.asarray(high), twice.max(1))
    np.testing.assert_array_equal(np.asarray(where_high), twice.argmax(1))
    np.testing.assert_array_equal(np.asarray(low), twice.min(1, keepdims=True))
    np.testing.assert_array_equal(np.asarray(where_low), twice.argmin(1, keepdims=True))
    np.testing.assert_array_equal(np.asarray(large), np.abs(base).max(1))
    np.testing.assert_array_equal(np.asarray(whole), np.abs(base).max())


def test_they_are_deferred():
    x = pf.asarray(np.arange(12.0).reshape(3, 4))
    with pf.testing.inspect() as report:
        y = nn.gather(x + 1, [[0], [1], [2]], 1) * 2
        z = nn.topk(x, 2)
        w = nn.scatter(x, [[0, 0]], 1.0, 1) + z[:, :1]
    assert y.tolist() == [[2], [12], [22]]
    assert w.tolist() == [[5, 4, 5, 6], [11, 12, 13, 14], [19, 20, 21, 22]]
    if pf.config.mode != "single":
        assert report.blocks == 1
    pf.testing.assert_same_everywhere(lambda x: [nn.cummax(x + 1, 0), nn.topk(x, 2)], x)


def test_another_shape_has_a_plan_of_its_own_where_an_extent_is_one():
    for rows in (1, 3, 1, 2):
        x = pf.asarray(np.arange(4.0 * rows).reshape(rows, 4))
        found = nn.select(x, np.zeros(rows, np.int64), 1) + pf.ones((rows, rows))
        np.testing.assert_array_equal(np.asarray(found), np.asarray(x)[:, [0] * rows] + 1)


def test_indices_out_of_bounds_fail_when_they_are_read():
    x = pf.ones((3, 2))
    for call in (
        lambda: nn.gather(x, [[3, 0]], 0),
        lambda: nn.select(x, [-4], 0),
        lambda: nn.scatter(x, [[0, 2]], 1.0, 1),
        lambda: nn.gather_nd(x, [[0, 2]]),
        lambda: nn.embedding(x, [3]),
    ):
        found = call()
        with pytest.raises(ExecutionError, match="is out of bounds for axis . with size ."):
            np.asarray(found)


@pytest.mark.parametrize(
    "call, error, words",
    [
        (lambda x: nn.gather(x, [[0.5]], 0),
         DTypeError, "gather: indices are integers, not float64"),
        (lambda x: nn.gather(x, [0], 0),
         ShapeError, "indices of shape \\(1,\\) for an array of shape \\(3, 2\\)"),
        (lambda x: nn.gather(x, [[0, 0, 0]], 0), ShapeError, "no larger on the axes other than 0"),
        (lambda x: nn.gather(x, [[0]], 2), ValueError, "axis 2 is out of bounds"),
        (lambda x: nn.scatter(x, [[0]], x.astype("int8"), 0),
         DTypeError, "values are int8, the array is float64"),
        (lambda x: nn.scatter(x, [[0]], pf.ones(2), 0),
         ShapeError, "values of shape \\(2,\\) do not broadcast to \\(1, 1\\)"),
        (lambda x: nn.scatter(x, [[0]], 1.0, 0, update="sub"),
         ValueError, "one of assign, add, mul, min, max, not 'sub'"),
        (lambda x: nn.scatter(x.astype("complex128"), [[0]], 1j, 0, update="min"),
         DTypeError, "complex numbers have no min"),
        (lambda x: nn.select(x, [[0]], 0), ShapeError, "one dimension"),
        (lambda x: nn.select_assign(x, [0], pf.ones((2, 2)), 0),
         ShapeError, "do not broadcast to \\(1, 2\\)"),
        (lambda x: nn.gather_nd(x, [[0, 0, 0]]), ShapeError, "last axis"),
        (lambda x: nn.scatter_nd(x, [[0]], pf.ones(2)), ShapeError, "has to have \\(1, 2\\)"),
        (lambda x: nn.slice_assign(x, 0, 1.0), TypeError, "takes slices"),
        (lambda x: nn.slice_assign(x, (slice(1),) * 3, 1.0), IndexError, "3 slices"),
        (lambda x: nn.slice_assign(x, slice(2), pf.ones(3)),
         ShapeError, "do not broadcast to \\(2, 2\\)"),
        (lambda x: nn.topk(x, 4, 0), ValueError, "4 elements of axis 0 of shape \\(3, 2\\)"),
        (lambda x: nn.topk(x, -1), ValueError, "k is at least 0"),
        (lambda x: nn.cummin(x.astype("complex64"), 0), DTypeError, "no order"),
        (lambda x: nn.max_with_indices(x[:0], 0), ValueError, "zero-size"),
    ],
)  # fmt: skip
def test_errors_are_raised_at_the_call(call, error, words):
    with pytest.raises(error, match=words):
        call(pf.ones((3, 2)))
