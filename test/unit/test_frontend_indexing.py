# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`x[...]`: the elements, shapes and errors of NumPy."""

import numpy as np
import pytest

import pyfusion as pf
from pyfusion.testing import inspect

SHAPE = (4, 5, 6)

BASIC = [
    0, -1, 3, (1, 2), (1, 2, 3), (-1, -2, -3), ..., (), None, (..., 0), (0, ...), (None, 0, None),
    slice(None), slice(1, None), slice(None, -1), slice(None, None, 2), slice(None, None, -1),
    slice(3, 0, -2), slice(10, 20), slice(-100, 100), slice(2, 2), slice(3, 1),
    (slice(1, 3), slice(None, None, -1), slice(None, None, 3)), (slice(None), 2),
    (slice(None), None, 2), (..., None), (None, ...), (..., None, slice(0, 2)),
    (1, ..., slice(1, -1)), (slice(None, None, -2), slice(4, None, -3), -1),
    (np.int64(2), np.uint8(1)), (slice(np.int32(1), np.int64(3)),), (..., slice(5, 5), 0),
]  # fmt: skip


def pair():
    n = np.arange(np.prod(SHAPE), dtype="float32").reshape(SHAPE)
    return n, pf.asarray(n)


def test_basic_indices():
    n, x = pair()
    got = [x[i] for i in BASIC]
    for index, view in zip(BASIC, got, strict=True):
        assert view.shape == n[index].shape, index
        np.testing.assert_array_equal(view, n[index], err_msg=str(index))


def test_basic_indices_of_what_is_not_in_memory():
    n, x = pair()
    got = [(x * 2)[i] + 1 for i in BASIC]
    for index, view in zip(BASIC, got, strict=True):
        np.testing.assert_array_equal(view, (n * 2)[index] + 1, err_msg=str(index))


def test_indices_of_indices():
    n, x = pair()
    for first in (slice(1, None, 2), (..., slice(None, None, -1)), slice(3, 0, -1)):
        for second in (slice(None, None, -1), (slice(None), slice(1, 4, 2)), -1, (..., None, 2)):
            np.testing.assert_array_equal(x[first][second], n[first][second])


def test_basic_indices_are_deferred():
    _, x = pair()
    with inspect(flush=False) as report:
        for index in BASIC:
            x[index]
    assert report.unfused == [] and report.blocks == 0


def test_other_shapes():
    for shape in [(), (1,), (0,), (3, 0), (1, 1, 1)]:
        n = np.zeros(shape, "int32") + 5
        x = pf.asarray(n)
        for index in [..., None, (), (None, ...), (..., None)]:
            np.testing.assert_array_equal(x[index], n[index])
        if shape and shape[0]:
            assert x[-1].shape == n[-1].shape


ADVANCED = [
    [0, 2], [True, False, True, False], True, False, (slice(None), [1, 0]), ([0, 1], [2, 3]),
    (..., [1]), ([[0], [1]], [0, 2]), (None, [1]), ([], 0),
]  # fmt: skip


@pytest.mark.parametrize("index", ADVANCED, ids=str)
def test_advanced_indices_run_on_the_backend(index):
    n, x = pair()
    with inspect() as report:
        got = x[index]
    assert report.unfused == ["getitem"]
    np.testing.assert_array_equal(got, n[index])


def test_arrays_as_indices():
    n, x = pair()
    np.testing.assert_array_equal(x[x > 50], n[n > 50])
    np.testing.assert_array_equal(x[pf.asarray([1, 0])], n[[1, 0]])
    np.testing.assert_array_equal(x[np.array([1, 0])], n[[1, 0]])
    np.testing.assert_array_equal(x[pf.asarray(2)], n[2])
    np.testing.assert_array_equal(x[np.array(2), 1:], n[2, 1:])
    np.testing.assert_array_equal(n[pf.asarray([1, 0])], n[[1, 0]])
    assert [10, 20, 30][pf.asarray(1)] == 20


def test_a_result_of_advanced_indexing_is_no_view():
    n, x = pair()
    for a in (n, x):
        picked = a[[0, 1]]
        a += 1
        assert float(picked[0, 0, 0]) == 0


ERRORS = [
    4, -5, (0, 5), (0, 0, -7), (0, 0, 0, 0), (..., ...), 1.5, "a", (slice(None), 2.0), 10**30,
    slice(None, None, 0), slice(1.5, None), [7], ([0, 1], [0, 1, 2]), [True], {}, np.array([0.5]),
]  # fmt: skip


@pytest.mark.parametrize("index", ERRORS, ids=str)
def test_errors_are_those_of_numpy(index):
    n, x = pair()
    with pytest.raises(Exception) as ours:
        x[index]
    with pytest.raises(Exception) as theirs:
        n[index]
    assert isinstance(ours.value, theirs.type), (ours, theirs)


def test_messages_name_the_shape():
    _, x = pair()
    with pytest.raises(IndexError, match=r"index 9 is out of bounds for axis 1 .*\(4, 5, 6\)"):
        x[0, 9]


def test_no_elements_are_deleted():
    _, x = pair()
    with pytest.raises(ValueError):
        del x[0]


def test_take():
    n, x = pair()
    np.testing.assert_array_equal(pf.take(x, pf.asarray([2, 0]), axis=1), np.take(n, [2, 0], 1))
    np.testing.assert_array_equal(pf.take(x[0, 0], [2, 0]), n[0, 0][[2, 0]])
    order = np.argsort(-n, axis=1)
    np.testing.assert_array_equal(
        pf.take_along_axis(x, pf.asarray(order), axis=1), np.take_along_axis(n, order, 1)
    )
