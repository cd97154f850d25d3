# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What clients of the array API standard rely on beyond its text."""

import array_api_compat
import numpy as np
import pytest

import pyfusion as pf


@pytest.mark.parametrize("dtype", ["int64", "uint8", "float32", "complex64", "bool"])
def test_unique_values_are_in_ascending_order(dtype):
    n = (np.arange(200) * 37 % 101).astype(dtype)
    found = pf.unique_values(pf.asarray(n.reshape(10, 20)))
    np.testing.assert_array_equal(np.asarray(found), np.unique(n), strict=True)


def test_each_nan_is_a_unique_value_of_its_own():
    found = pf.unique_values(pf.asarray([np.nan, 2.0, 1.0, np.nan, 2.0]))
    np.testing.assert_array_equal(np.asarray(found), [1, 2, np.nan, np.nan])


def test_broadcast_arrays_leaves_objects_to_numpy():
    x, none, text = np.broadcast_arrays(pf.asarray([1.0, 2.0, 3.0]), None, ["/"])
    assert isinstance(x, pf.Array) and x.shape == (3,)
    assert none.dtype == object and none.tolist() == [None] * 3
    assert text.tolist() == ["/"] * 3


def test_to_numpy_is_a_view_that_is_read_only():
    x = pf.asarray([[1, 2], [3, 4]]) + 1
    found = x.to_numpy()
    np.testing.assert_array_equal(found, [[2, 3], [4, 5]], strict=True)
    assert not found.flags.writeable


def test_array_api_compat_knows_what_an_array_is():
    x = pf.asarray([[1.0, 2.0]])
    assert array_api_compat.array_namespace(x) is pf
    assert array_api_compat.is_array_api_obj(x) and array_api_compat.is_writeable_array(x)
    assert not array_api_compat.is_lazy_array(x)
    assert array_api_compat.device(x) == "cpu" and array_api_compat.size(x) == 2
    assert array_api_compat.to_device(x, "cpu").device == "cpu"


@pytest.mark.parametrize("method", ["set", "add", "multiply", "max"])
def test_array_api_extra_writes_copies(method):
    xpx = pytest.importorskip("array_api_extra")
    n = np.arange(6.0)
    x = pf.asarray(n)
    found = getattr(xpx.at(x, slice(1, 3)), method)(4.0)
    wanted = getattr(xpx.at(n, slice(1, 3)), method)(4.0, copy=True)
    np.testing.assert_array_equal(np.asarray(found), wanted)
    kept = getattr(xpx.at(found, 0), method)(9.0, copy=True)
    assert isinstance(kept, pf.Array)
    np.testing.assert_array_equal(np.asarray(found), wanted)


@pytest.mark.parametrize("turned", [False, True], ids=["rows", "columns"])
@pytest.mark.parametrize(
    "key, value",
    [
        (3, 9),
        (-1, 9.5),
        (slice(None, None, 5), 0),
        (slice(1, 9), [1, 2, 3]),
        (slice(0, 2), [1, 2, 3, 4]),
        ([0, 5, 7], [1, 2, 3]),
        (np.arange(12) % 3 == 0, 7),
        (..., 2),
    ],
    ids=str,
)
def test_flat_reads_and_writes_as_that_of_numpy(turned, key, value):
    n = np.arange(12).reshape(3, 4)
    x = pf.asarray(n)
    n, x = (n.T, x.T) if turned else (n, x)
    np.testing.assert_array_equal(np.asarray(x.flat[key]), n.flat[key])
    n.flat[key] = value
    x.flat[key] = value
    np.testing.assert_array_equal(np.asarray(x), n, strict=True)


def test_flat_is_a_sequence_of_the_elements():
    x = pf.asarray([[1, 2], [3, 4]]).T
    assert [int(v) for v in x.flat] == [1, 3, 2, 4] and len(x.flat) == 4
    assert np.asarray(x.flat).tolist() == [1, 3, 2, 4] and x.flat.base is x
    read = x.flat[:2]
    x.flat = [5, 6]
    assert x.tolist() == [[5, 6], [5, 6]] and read.tolist() == [1, 3]


def test_writes_to_flat_are_fused():
    x = pf.asarray(np.ones((8, 8)))
    pf.sync()
    with pf.testing.inspect() as report:
        y = x * 2 + 1
        y.flat[::9] = 0
        np.asarray(y)
    assert not report.unfused and float(y.sum()) == 3 * 56


@pytest.mark.parametrize(
    "key, value, error",
    [
        (12, 0, IndexError),
        (0, [1, 2], ValueError),
        (slice(3), [], ValueError),
        ((0, 1), 0, IndexError),
    ],
)
def test_flat_says_what_is_wrong(key, value, error):
    x = pf.zeros((3, 4))
    with pytest.raises(error):
        x.flat[key] = value
    assert not pf.any(x)
