# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`x[...] = value`: NumPy's aliasing between arrays and their views, over immutable versions."""

import gc

import numpy as np
import pytest
import random_writes

import pyfusion as pf


@pytest.mark.parametrize("first", range(0, 400, 50))
def test_random_programs(first):
    for seed in range(first, first + 50):
        random_writes.run(seed)


def test_a_view_and_its_base_see_each_other():
    x = pf.arange(6.0)
    v = x[1:4]
    x[:] = 0
    assert v.tolist() == [0, 0, 0]
    v += 1
    assert x.tolist() == [0, 1, 1, 1, 0, 0]
    y = x
    y[-1] = 9
    assert x[5] == 9


def test_what_was_recorded_before_a_write_uses_the_old_values():
    x = pf.arange(4.0)
    before, copied, viewed = x + 1, x.copy(), x[1:]
    x[1] = 100
    assert before.tolist() == [1, 2, 3, 4]
    assert copied.tolist() == [0, 1, 2, 3]
    assert viewed.tolist() == [100, 2, 3]


def test_views_outlive_their_base():
    x = pf.arange(8.0)
    v, w = x[::2], x[2:6]
    del x
    gc.collect()
    w[0] = -1
    assert v.tolist() == [0, -1, 4, 6]
    assert w.tolist() == [-1, 3, 4, 5]


def test_a_reshape_that_copies_is_an_array_of_its_own():
    x = pf.arange(6.0).reshape(2, 3)
    y = x.T.reshape(-1)
    y[0] = 9
    assert x[0, 0] == 0
    z = x.reshape(3, 2)[1:]
    z[:, 1] = 7
    assert x.tolist() == [[0, 1, 2], [7, 4, 7]]


@pytest.mark.parametrize(
    "value", [[[1.0, 2.0, 3.0]], 5, np.float32(2), np.arange(3), True, [1], np.ones((1, 1, 3))]
)
def test_values_are_broadcast_and_converted(value):
    x, n = pf.zeros((4, 3), dtype=pf.int16), np.zeros((4, 3), np.int16)
    x[1:3] = value
    n[1:3] = value
    np.testing.assert_array_equal(np.asarray(x), n)


@pytest.mark.parametrize(
    ("key", "value", "error", "text"),
    [
        (7, 0, IndexError, "index 7 is out of bounds for axis 0 with size 3"),
        ((0, 0, 0), 0, IndexError, "too many indices"),
        (slice(2), [1, 2, 3, 4], pf.ShapeError, r"from shape \(4,\) into shape \(2, 2\)"),
        (0, float("nan"), ValueError, "cannot convert float NaN to int32"),
        (0, float("inf"), OverflowError, "infinity"),
        (0, 2**40, OverflowError, "1099511627776 out of bounds for int32"),
        (0, 1j, TypeError, "complex number cannot be written to an array of int32"),
        (0, "one", TypeError, "str cannot be written to an array of int32"),
        (np.zeros((2, 2), bool), 0, IndexError, "axis 0; size of axis is 3 but .* axis is 2"),
        (np.ones(3), 0, IndexError, "must be of integer"),
        ("a", 0, IndexError, "valid indices"),
        ([0, 3], 0, IndexError, "index 3 is out of bounds for axis 0 with size 3"),
    ],
)
def test_errors_are_raised_at_once(key, value, error, text):
    x = pf.zeros((3, 2), dtype=pf.int32)
    with pytest.raises(error, match=text):
        x[key] = value
    x[0, 0] = 1
    assert x.tolist() == [[1, 0], [0, 0], [0, 0]]


def test_broadcast_views_are_read_only():
    x = pf.zeros((3,))
    v = pf.broadcast_to(x, (2, 3))
    with pytest.raises(ValueError, match="read-only"):
        v[0] = 1
    with pytest.raises(ValueError, match="read-only"):
        v += 1


@pytest.mark.parametrize("value", [7, [1.5, 2.5], [[1], [2], [3], [4]], np.arange(8.0)])
def test_masks(value):
    n = np.arange(12.0).reshape(4, 3)
    x = pf.asarray(n)
    mask = n % 2 == 0
    for chosen in (mask, n[:, 0] > 2):
        try:
            n[chosen] = value
        except (ValueError, TypeError):
            with pytest.raises((pf.ExecutionError, ValueError), match="shape|assign"):
                x[pf.asarray(chosen)] = value
                np.asarray(x)
            return
        x[pf.asarray(chosen)] = value
        np.testing.assert_array_equal(np.asarray(x), n)


def test_an_integer_array_known_only_at_run_time():
    x = pf.zeros(4)
    places = pf.asarray([1, 2]) - 4
    x[places] = pf.asarray([5.0, 6.0])
    assert x.tolist() == [0, 5, 6, 0]
    x[places + 3] = 1
    y = x + 1
    x[pf.asarray([1, 3]) + 2] = 1
    with pytest.raises(IndexError, match="test_writes.py"):
        np.asarray(x)
    assert y.tolist() == [2, 6, 7, 1] or y.tolist() == [2, 2, 7, 1]


# --- Kernels and memory ---------------------------------------------------------------------------


def counted(program):
    with pf.testing.inspect() as report:
        program()
    return report


@pytest.mark.host
@pytest.mark.fused
def test_a_write_is_one_kernel_and_in_place():
    x, a, b = pf.zeros(1000), pf.arange(100.0), pf.arange(100.0)
    for y in (x, a, b):
        np.asarray(y)

    def program():
        x[100:200] = a * b + 1
        pf.sync()

    report = counted(program)
    assert report.kernels == 1
    assert report.bytes_written == 100 * x.itemsize
    assert report.allocations == 0


@pytest.mark.host
@pytest.mark.fused
def test_many_writes_to_one_array_copy_nothing():
    x, a = pf.zeros((50, 40)), pf.arange(40.0)
    np.asarray(x), np.asarray(a)

    def program():
        for i in range(50):
            x[i] = a * i
        pf.sync()

    report = counted(program)
    assert report.kernels == 50
    assert report.allocations == 0
    assert report.bytes_written == 50 * 40 * x.itemsize
    np.testing.assert_array_equal(np.asarray(x), np.outer(np.arange(50), np.arange(40)))


@pytest.mark.host
@pytest.mark.fused
def test_a_held_version_is_copied_once():
    x = pf.zeros(1000)
    held = np.asarray(x)

    def program():
        x[:10] = 1
        x[10:20] = 2
        pf.sync()

    report = counted(program)
    assert report.bytes_written == (1000 + 20) * x.itemsize
    assert not held.any()


@pytest.mark.host
@pytest.mark.fused
def test_a_write_of_what_is_read_at_the_same_place():
    x = pf.arange(1000.0)
    np.asarray(x)

    def program():
        x[100:200] += 1
        pf.sync()

    report = counted(program)
    assert (report.kernels, report.allocations) == (1, 0)
    n = np.arange(1000.0)
    n[100:200] += 1
    np.testing.assert_array_equal(np.asarray(x), n)


@pytest.mark.parametrize("shift", [-3, 1, 3])
def test_a_write_that_overlaps_with_what_is_read(shift):
    n = np.arange(5000.0).reshape(50, 100)
    x = pf.asarray(n)
    np.asarray(x)
    for a in (x, n):
        a[10:20] = a[10 + shift : 20 + shift] * 2
        a[:, 5:90] = a[:, 5 + shift : 90 + shift]
        a[::-1] = a + 1
        a.T[3:50] = a.T[3 + shift : 50 + shift]
    np.testing.assert_array_equal(np.asarray(x), n)


@pytest.mark.host
@pytest.mark.fused
def test_a_mask_is_one_kernel_with_its_neighbours():
    x = pf.arange(1000.0) - 500
    np.asarray(x)

    def program():
        y = x * 2
        y[y < 0] = 0
        np.asarray(y + 1)

    assert counted(program).kernels == 1


@pytest.mark.parametrize("dtype", ["float32", "float16", "int8", "int64", "bool", "complex128"])
@pytest.mark.parametrize("shape", [(300, 200), (7, 5, 3), (64, 3), (2, 3, 4, 5)])
def test_layouts(dtype, shape):
    rng = np.random.default_rng(1)
    for axes in (tuple(range(len(shape))), tuple(reversed(range(len(shape))))):
        n = rng.integers(0, 2, shape).astype(dtype)
        x = pf.asarray(n.copy())
        v, m = pf.permute_dims(x, axes), n.transpose(axes)
        key = (slice(None, None, 2), ..., slice(None, None, -1))
        value = rng.integers(0, 2, m[key].shape).astype(dtype)
        v[key] = value
        m[key] = value
        v[1:, ..., :2] = ~v[1:, ..., :2] if dtype == "bool" else v[1:, ..., :2] + 1
        m[1:, ..., :2] = ~m[1:, ..., :2] if dtype == "bool" else m[1:, ..., :2] + 1
        np.testing.assert_array_equal(np.asarray(x), n)


def test_zero_size_and_0d():
    x = pf.zeros((0, 3))
    x[:] = 1
    x[:, 1] = 2
    assert x.shape == (0, 3)
    y = pf.asarray(1.0)
    y[()] = 4
    y[...] = y + 1
    assert float(y) == 5
    z = pf.zeros(3)
    z[3:] = []
    assert z.tolist() == [0, 0, 0]


@pytest.mark.parametrize("dtype", ["float32", "complex128", "bfloat16", "bool"])
def test_on_a_gpu(gpu, dtype):
    n = (np.arange(60).reshape(3, 4, 5) % 7).astype(dtype if dtype != "bfloat16" else np.float32)
    x = pf.asarray(n.copy(), dtype=dtype, device="cuda")
    held, v = x.copy(), x[::-1, :, 1:3]
    for a, b in ((x, v), (n, n[::-1, :, 1:3])):
        a[1:, ::-2] = 1
        b[0, 1:3, ::-1] = a[0, :2, :2]
        a[:, 0] = a[:, 1]
    assert x.device == "cuda:0"
    np.testing.assert_array_equal(np.asarray(x).astype(n.dtype), n)
    assert not np.array_equal(np.asarray(held).astype(n.dtype), n)
