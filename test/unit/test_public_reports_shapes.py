# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Public bug reports on layouts and shapes: views, reductions, normalisation, products."""

import numpy as np
import pytest
from reports_common import everywhere, read

import pyfusion as pf

f16, f32 = np.float16, np.float32


def softmax(x, axis):
    e = pf.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def exact_softmax(x, axis):
    wide = x.astype(np.float64)
    e = np.exp(wide - wide.max(axis=axis, keepdims=True, initial=-np.inf))
    return (e / e.sum(axis=axis, keepdims=True)).astype(x.dtype)


def test_burn_5122_product_with_one_column():
    h = np.array([[0.9, 0.8, -0.9], [0.1, 0.45, -0.6], [-0.25, -0.41, 0.51], [0.6, 0.1, 0]], f32)
    v = np.array([[0.3], [-0.2], [0.1]], f32)

    def twice(h, v):
        o = h @ v
        return o + o

    everywhere(np.array([[0.04], [-0.24], [0.116], [0.32]], f32), twice, h, v, atol=1e-7)


@pytest.mark.parametrize("dtype", [f16, f32])
def test_burn_4461_means_of_permuted_axes(dtype):
    x = np.arange(1024).astype(dtype).reshape(2, 2, 256)

    def means(x):
        return x.transpose(1, 2, 0).mean(axis=0, keepdims=True).mean(axis=1, keepdims=True)

    everywhere(np.array([[[255.5, 767.5]]], dtype), means, x)


def test_burn_3169_variance_of_swapped_axes():
    x = np.array(
        [
            [0.03365147, 0.64734447, 0.74192876, 0.06468803],
            [0.39552283, 0.55383015, 0.4253056, 0.8396726],
        ],
        f32,
    )[None]
    mean = np.array([[[0.214587], [0.600587], [0.583617], [0.452180]]], f32)
    var = np.array([[[0.032738], [0.002186], [0.025063], [0.150150]]], f32)
    everywhere(mean, lambda x: x.swapaxes(1, 2).mean(axis=2, keepdims=True), x, atol=1e-6)
    everywhere(var, lambda x: x.swapaxes(1, 2).var(axis=2, keepdims=True), x, atol=1e-6)


def test_burn_5202_rows_of_a_masked_softmax_sum_to_one():
    x = ((np.arange(55296, dtype=f32) / f32(55296) - f32(0.5)) * f32(20)).reshape(6, 96, 96)
    above = np.triu(np.ones((96, 96), bool), 1)

    def masked(x, above):
        return softmax(pf.where(above, -1e4, x), 2)

    want = exact_softmax(np.where(above, f32(-1e4), x), 2)
    everywhere(want, masked, x, above, rtol=2e-6, atol=1e-9)
    everywhere(np.ones((6, 96), f32), lambda x, a: masked(x, a).sum(axis=2), x, above, rtol=1e-6)


def test_burn_4815_softmax_of_a_transposed_array():
    x = np.arange(1, 13, dtype=f32).reshape(3, 4)
    want = np.array([[0.000329, 0.017980, 0.981690]] * 4, f32)
    everywhere(want, lambda x: softmax(x.T, 1), x, atol=1e-6)


def test_burn_3329_two_powers_in_one_program():
    x, y = np.arange(1, 9, dtype=f32), np.arange(1, 8, dtype=f32)
    want = np.concatenate([x.astype(float) ** 2.5, y.astype(float) ** 1.5]).astype(f32)

    def powers(x, y):
        return x**2.5, y**1.5

    pf.testing.assert_same_everywhere(powers, x, y)
    got = np.concatenate([np.asarray(p) for p in powers(pf.asarray(x), pf.asarray(y))])
    np.testing.assert_allclose(got, want, rtol=2e-7)
    x, y = np.arange(1, 33, dtype=f32).reshape(4, 8), np.array([[0.5], [1], [1.5], [-2]], f32)
    want = (x.astype(float) ** y).astype(f32)
    everywhere(want, lambda x, y: x**y, x, y, rtol=2e-7)


def test_burn_reductions_among_element_wise_operations():
    a = np.arange(32, dtype=f32).reshape(4, 8)
    b = np.arange(4, dtype=f32)[:, None]
    want = (a + a).sum(1, keepdims=True) + b + a
    assert want[0].tolist() == list(range(56, 64)) and want[3].tolist() == list(range(467, 475))
    everywhere(want, lambda a, b: (a + a).sum(axis=1, keepdims=True) + b + a, a, b)


def test_burn_swapped_broadcast_sum():
    x = np.arange(8, dtype=f32).reshape(4, 2, 1)
    y = np.arange(16, 24, dtype=f32).reshape(1, 4, 2)

    def sums(x, y):
        return (x.swapaxes(0, 2) + y.swapaxes(1, 2)).sum(axis=2)

    everywhere(np.array([[88, 96]], f32), sums, x, y)


def test_burn_diamond_with_a_reduction():
    x = np.arange(12, dtype=f32).reshape(3, 4)

    def diamond(x):
        y = x + 1
        return y * y.sum(axis=1, keepdims=True), y

    pf.testing.assert_same_everywhere(diamond, x)
    product, kept = diamond(pf.asarray(x))
    assert read(kept) == (x + 1).tolist()
    assert read(product) == ((x + 1) * (x + 1).sum(1, keepdims=True)).tolist()


@pytest.mark.parametrize("length", [7, 64, 1000])
def test_softmax_with_odd_numbers_of_rows(length):
    rng = np.random.default_rng(length)
    for rows in (33, 100, 257):
        x = rng.normal(0, 3, (rows, length)).astype(f32)
        everywhere(exact_softmax(x, 1), lambda x: softmax(x, 1), x, rtol=3e-6, atol=1e-9)


def test_softmax_of_empty_rows():
    with pytest.raises(ValueError, match="zero-size"):
        softmax(pf.zeros((3, 0)), 1)
    everywhere(np.zeros((3, 0)), lambda x: pf.exp(x) / pf.exp(x).sum(axis=1, keepdims=True),
               np.zeros((3, 0)))  # fmt: skip
    everywhere(np.zeros((0, 3), f32), lambda x: softmax(x, 1), np.zeros((0, 3), f32))


def test_equal_numbers_of_operations_after_a_product():
    a = np.arange(12, dtype=f32).reshape(3, 4) / 8 - 1
    b = a.T.copy()
    p = a.astype(np.float64) @ b
    everywhere(f32(np.abs(p) + 1), lambda a, b: abs(a @ b) + 1, a, b, rtol=1e-6)
    everywhere(f32(np.exp(p) * 2), lambda a, b: pf.exp(a @ b) * 2, a, b, rtol=1e-6)
    everywhere(f32(np.abs(p) + 1), lambda a, b: abs(a @ b) + 1, a, b, rtol=1e-6)


def test_an_operand_that_dies_is_read_in_another_order_too():
    x = np.arange(10_000, dtype=f32).reshape(100, 100)
    # The copies that the programs are given die with their last use.
    everywhere(x + x.T, lambda x: x + x.T, x)
    everywhere(x + x[::-1, ::-1], lambda x: x + pf.flip(x), x)
    everywhere(x + 1 + (x + 1).T, lambda x: (lambda y: y + y.T)(x + 1), x)
    everywhere(x[::-1] + x[:, ::-1] * 2, lambda x: x[::-1] + x[:, ::-1] * 2, x)


def test_gather_with_computed_operands():
    x, index = np.arange(6, dtype=f32), np.array([0, 2, -4])
    want = (x * 2 + 1)[index - 1]
    everywhere(want, lambda x, i: pf.take(x * 2 + 1, i - 1), x, index)
    with pytest.raises(IndexError):
        np.asarray(pf.take(pf.asarray(x) * 2, pf.asarray([6])))
    assert read(pf.asarray(x) + 1) == (x + 1).tolist()


def test_pytorch_102546_axis_of_a_0d_array():
    x = pf.asarray(np.array(3, f32))
    with pytest.raises(np.exceptions.AxisError):
        pf.mean(x, axis=0)
    with pytest.raises(np.exceptions.AxisError):
        pf.mean(x, axis=1)
    everywhere(f32(3), pf.mean, np.array(3, f32))
    everywhere(f32(3), lambda x: pf.sum(x, axis=0), np.array(3, f32))


def test_mlx_1234_a_maximum_is_one_of_the_elements():
    x = np.random.default_rng(0).normal(size=(1, 2, 2, 2, 2, 64)).astype(f32)

    def hits(x):
        y = pf.exp(x * 1.5) / 3
        return (y == y.max(axis=(2, 4), keepdims=True)).sum(axis=(2, 4))

    everywhere(np.ones((1, 2, 2, 64)), hits, x, dtype=np.int64)


def test_pytorch_135661_permuted_result_of_a_product():
    rng = np.random.default_rng(0)
    a, b = (rng.integers(-4, 5, shape).astype(f32) for shape in ((24, 8), (8, 30)))
    c = rng.integers(-4, 5, (2, 3, 4, 5, 6)).astype(f32)
    permuted = (a @ b).reshape(2, 4, 3, 5, 6).transpose(0, 2, 1, 3, 4)

    def program(a, b, c):
        return (a @ b).reshape(2, 4, 3, 5, 6).transpose(0, 2, 1, 3, 4) + c

    everywhere(permuted + c, program, a, b, c)


def test_iree_18589_product_and_residual():
    rng = np.random.default_rng(0)
    for dtype in (f16, f32):
        a, b = (rng.integers(-4, 5, s).astype(dtype) for s in ((3, 16, 64), (3, 64, 8)))
        r = rng.integers(-4, 5, (3, 16, 8)).astype(dtype)
        everywhere(a @ b + r, lambda a, b, r: a @ b + r, a, b, r)
        everywhere((a @ b + r).sum(2), lambda a, b, r: (a @ b + r).sum(axis=2), a, b, r)


def test_pytorch_107066_no_read_of_an_empty_buffer():
    empty, row = np.zeros((0, 1), f32), np.ones((1, 4), f32)
    want = np.zeros((0, 4), f32)
    everywhere(want, lambda x, y: x + y, empty, row)
    everywhere(want, lambda x, y: pf.where(x > 0, x, y), empty, row)
    everywhere(want, lambda x, y: pf.where(y > 0, x, y), empty, row)
    everywhere(np.zeros((0, 2), f32), lambda x: pf.take(x, pf.asarray([0, 0]), axis=1), empty)
