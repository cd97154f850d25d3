# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Linear layers, embeddings, attention, quantisation, CTC and collectives."""

import math
import pickle

import nn_reference as reference
import numpy as np
import pytest
from values_common import numpy_type

import pyfusion as pf
from pyfusion.errors import DTypeError, ExecutionError, ShapeError

nn = pf.nn
NEAR = {"float16": 4e-3, "bfloat16": 3e-2, "float32": 3e-6, "float64": 1e-13}


def made(rng, dtype, *shape):
    base = rng.uniform(-1, 1, shape).astype(numpy_type(dtype))
    return pf.asarray(base), base.astype(np.float64)


def close(got, want, dtype):
    got = np.asarray(got)
    assert got.dtype == numpy_type(dtype) and got.shape == want.shape
    np.testing.assert_allclose(got.astype(np.float64), want, rtol=NEAR[dtype], atol=NEAR[dtype])


@pytest.mark.parametrize("dtype", NEAR)
def test_linear(dtype):
    rng = np.random.default_rng(0)
    w, w64 = made(rng, dtype, 4, 6)
    b, b64 = made(rng, dtype, 6)
    for shape in ((4,), (3, 4), (2, 3, 4), (0, 4)):
        x, x64 = made(rng, dtype, *shape)
        close(nn.linear(x, w), x64 @ w64, dtype)
        close(nn.linear(x, w, b), x64 @ w64 + b64, dtype)


@pytest.mark.fused
def test_the_bias_and_the_activation_are_one_kernel():
    x, w, b = pf.ones((3, 4)), pf.ones((4, 6)), pf.ones(6)
    np.asarray(x), np.asarray(w), np.asarray(b)
    with pf.testing.inspect() as report:
        y = nn.gelu(nn.linear(x, w, b))
    assert np.asarray(y).shape == (3, 6)
    assert (report.kernels, report.unfused) == (1, ["matmul"])


def test_embedding():
    rng = np.random.default_rng(0)
    for dtype in ("float16", "int8"):
        table = rng.integers(-9, 9, (5, 3)).astype(dtype)
        for indices in ([0, 4, -1], [[1, 1], [2, 0]], 3, np.zeros((0, 2), np.uint8)):
            got = np.asarray(nn.embedding(table, indices))
            np.testing.assert_array_equal(got, table[np.asarray(indices)])
            assert got.dtype == dtype


def attended(q, k, v, *, mask=None, bias=0.0, scale=None, softcap=None, causal=False):
    scores = q @ k.swapaxes(2, 3) * (1 / math.sqrt(q.shape[3]) if scale is None else scale)
    if softcap is not None:
        scores = softcap * np.tanh(scores / softcap)
    if mask is not None:
        scores = np.where(mask, -np.inf, scores)
    if causal:
        rows, columns = scores.shape[2:]
        later = np.arange(columns) > np.arange(rows)[:, None] + columns - rows
        scores = np.where(later, -np.inf, scores)
    scores = scores + bias
    with np.errstate(all="ignore"):
        powers = np.exp(scores - scores.max(3, keepdims=True))
        return powers / powers.sum(3, keepdims=True) @ v


@pytest.mark.parametrize("dtype", NEAR)
def test_attention(dtype):
    rng = np.random.default_rng(0)
    q, q64 = made(rng, dtype, 2, 3, 4, 8)
    k, k64 = made(rng, dtype, 2, 3, 6, 8)
    v, v64 = made(rng, dtype, 2, 3, 6, 5)
    bias, bias64 = made(rng, dtype, 3, 4, 6)
    mask = rng.random((2, 1, 4, 6)) < 0.3
    mask[..., 0] = False
    given = (q, k, v)
    wide = (q64, k64, v64)
    close(nn.attention(*given), attended(*wide), dtype)
    close(nn.attention(*given, mask), attended(*wide, mask=mask), dtype)
    close(nn.attention(*given, None, bias), attended(*wide, bias=bias64), dtype)
    want = attended(*wide, scale=2.0, softcap=0.5, causal=True, mask=mask, bias=bias64)
    found = nn.attention(*given, pf.asarray(mask), bias, scale=2.0, softcap=0.5, is_causal=True)
    close(found, want, dtype)
    # Without a key that is seen there is nothing to weigh.
    none = np.asarray(nn.attention(*given, np.ones((4, 6), bool)))
    assert np.isnan(none.astype(np.float64)).all()


def test_causal_attention_sees_the_same_keys_whatever_came_before():
    """The last query sees every key: rows of a longer sequence keep their values."""
    rng = np.random.default_rng(0)
    q, k, v = (pf.asarray(rng.standard_normal((1, 1, 6, 4))) for _ in range(3))
    whole = np.asarray(nn.attention(q, k, v, is_causal=True))
    last = np.asarray(nn.attention(q[:, :, 4:], k, v, is_causal=True))
    np.testing.assert_allclose(last, whole[:, :, 4:], rtol=1e-12)
    np.testing.assert_allclose(whole[0, 0, 0], np.asarray(v)[0, 0, 0], rtol=1e-12)


@pytest.mark.fused
def test_what_is_between_the_products_is_fused():
    rng = np.random.default_rng(0)
    q, k, v = (pf.asarray(rng.standard_normal((1, 2, 5, 4)).astype(np.float32)) for _ in range(3))
    with pf.testing.inspect() as report:
        y = nn.attention(q, k, v, softcap=3.0, is_causal=True)
    assert np.asarray(y).shape == (1, 2, 5, 4)
    assert report.unfused == ["matmul", "matmul"]
    assert report.kernels <= 7  # two of them count rows and columns
    pf.testing.assert_same_everywhere(
        lambda *x: nn.attention(*x, softcap=3.0, is_causal=True), q, k, v, atol=1e-5
    )


@pytest.mark.parametrize("value", nn.QUANTIZED)
@pytest.mark.parametrize("dtype", NEAR)
def test_quantisation(dtype, value):
    low, high = nn.QUANTIZED[value]
    rng = np.random.default_rng(0)
    base = (rng.standard_normal((4, 32)) * 3).astype(numpy_type(dtype))
    x, x64 = pf.asarray(base), base.astype(np.float64)
    for block in (None, 8):
        scale = nn.quantization_scale(x, value=value, block_size=block)
        blocks = x64.reshape(1, -1) if block is None else x64.reshape(4, 4, 8)
        want = np.abs(blocks).max(-1) * 2 / (high - low)
        close(scale, want.reshape(scale.shape), dtype)
        assert scale.shape == (() if block is None else (4, 4))
        codes = nn.quantize(x, scale, value=value, block_size=block)
        s64 = np.asarray(scale).astype(np.float64)
        per = s64 if block is None else np.repeat(s64, 8, 1)
        exact = x64 / per
        assert codes.dtype == pf.int8 and codes.shape == (4, 32)
        found = np.asarray(codes).astype(np.float64)
        assert np.abs(found - np.clip(exact, low, high)).max() <= 0.5 + 1e-4
        assert found.min() >= low and found.max() <= high
        back = nn.dequantize(codes, scale, dtype=dtype, block_size=block)
        close(back, found * per, dtype)


@pytest.mark.fused
def test_quantisation_is_fused():
    x = pf.asarray(np.random.default_rng(0).standard_normal((4, 32)).astype(np.float32))
    for block in (None, 8):
        scale = nn.quantization_scale(x, block_size=block)
        np.asarray(scale)
        with pf.testing.inspect() as report:
            y = nn.dequantize(nn.quantize(x * 2, scale, block_size=block), scale, block_size=block)
        assert np.asarray(y).shape == (4, 32)
        assert report.unfused == []
        assert report.kernels <= (1 if block is None else 3)


def test_codes_of_special_values():
    x = pf.asarray([np.inf, -np.inf, np.nan, 0.5, 1.5, 2.5], dtype="float32")
    assert nn.quantize(x, 1.0).tolist() == [127, -127, 0, 0, 2, 2]
    assert nn.quantize(x, 1.0, value="q4f").tolist() == [7, -8, 0, 0, 2, 2]
    assert nn.quantize(pf.zeros(3), 0.0).tolist() == [0, 0, 0]
    assert nn.quantize(x, 0.5, global_scale=2.0).tolist() == [127, -127, 0, 0, 2, 2]
    codes = pf.asarray([-3, 4], dtype="int8")
    assert nn.dequantize(codes, 0.5, global_scale=[4.0]).tolist() == [-6, 8]
    assert nn.dequantize(codes, 0.5).dtype == pf.float32


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_ctc_is_the_sum_over_all_paths(dtype):
    rng = np.random.default_rng(0)
    logits = rng.standard_normal((4, 5, 3)).astype(dtype)
    log_probs = np.asarray(nn.log_softmax(pf.asarray(logits)))
    targets = np.array([[1, 2], [2, 2], [1, 0], [0, 0], [2, 1]])
    frames, lengths = np.array([4, 4, 3, 2, 1]), np.array([2, 2, 1, 0, 2])
    found = np.asarray(nn.ctc_loss(log_probs, targets, frames, lengths))
    want = [
        reference.ctc(log_probs[:f, n].astype(np.float64), targets[n, :k], 0)
        for n, (f, k) in enumerate(zip(frames, lengths, strict=True))
    ]
    assert found.dtype == dtype and want[-1] == np.inf
    np.testing.assert_allclose(found, want, rtol=1e-3 if dtype == "float16" else 1e-6)
    blank_last = nn.ctc_loss(log_probs[:, :1], [[0, 1]], [4], [2], blank=2)
    want = reference.ctc(log_probs[:, 0].astype(np.float64), [0, 1], 2)
    np.testing.assert_allclose(np.asarray(blank_last), [want], rtol=1e-3)


def test_ctc_of_no_frames_and_wrong_lengths():
    x = pf.zeros((3, 1, 2))
    assert nn.ctc_loss(x, [[1]], [0], [0]).tolist() == [0.0]
    assert nn.ctc_loss(x, [[1]], [0], [1]).tolist() == [np.inf]
    for lengths in (([4], [1]), ([3], [2]), ([-1], [1])):
        with pytest.raises(ExecutionError, match="a length is beyond"):
            np.asarray(nn.ctc_loss(x, [[1]], *lengths))
    with pytest.raises(ExecutionError, match="a target is no class of 2"):
        np.asarray(nn.ctc_loss(x, [[2]], [3], [1]))


def test_without_a_registered_function_a_group_has_one_member():
    x = pf.asarray([1.0, 2.0])
    assert nn.all_reduce(x).tolist() == [1, 2]
    assert nn.all_reduce(x + 1, "mean", devices=["cpu"]).tolist() == [2, 3]
    nn.sync_collectives()
    with pytest.raises(ValueError, match="2 devices, but nothing is registered"):
        nn.all_reduce(x, devices=(0, 1))


def test_a_registered_function_reduces():
    calls = []

    def reduce(array, op, devices):
        calls.append((array.tolist(), op, devices))
        return array * len(devices) if op == "sum" else array

    x = pf.asarray([1.0, 2.0], dtype="float32")
    with nn.register_collective(reduce, lambda: calls.append("waited")):
        y = nn.all_reduce(x * 2, devices=("a", "b", "c"))
        assert calls == [([2, 4], "sum", ("a", "b", "c"))]  # at once: the others wait
        assert y.tolist() == [6, 12] and y.dtype == pf.float32
        nn.sync_collectives()
        assert calls[-1] == "waited"
        with (
            nn.register_collective(lambda array, op, devices: array[:1]),
            pytest.raises(TypeError, match="gave float32\\[1\\] for float32\\[2\\]"),
        ):
            nn.all_reduce(x)
    assert nn.all_reduce(x).tolist() == [1, 2]


def test_functions_can_be_pickled():
    for name in nn.__all__:
        function = getattr(nn, name)
        assert pickle.loads(pickle.dumps(function)) is function or name == "QUANTIZED"


def test_every_function_says_what_it_does():
    for name in nn.__all__:
        if name != "QUANTIZED":
            assert getattr(nn, name).__doc__ and getattr(nn, name).__module__ == "pyfusion.nn"


def one(*shape):
    return pf.ones(shape, dtype="float32")


@pytest.mark.parametrize(
    "call, error, words",
    [
        (lambda: nn.linear(one(3), one(4, 2)),
         ShapeError, "weights \\(4, 2\\) \\[in, out\\] for an array of shape \\(3,\\)"),
        (lambda: nn.linear(one(3), one(3)), ShapeError, "of weights \\[in, out\\]"),
        (lambda: nn.linear(one(3), one(3, 2), one(3)),
         ShapeError, "bias has shape \\(3,\\), but has to have \\(2,\\)"),
        (lambda: nn.linear(one(3), pf.ones((3, 2))), DTypeError, "one type, not float32, float64"),
        (lambda: nn.embedding(one(3, 2), one(1)), DTypeError, "indices are integers, not float32"),
        (lambda: nn.embedding(one(3), [0]), ShapeError, "\\[rows, width\\]"),
        (lambda: nn.attention(one(1, 1, 2, 3), one(1, 1, 2, 4), one(1, 1, 2, 3)),
         ShapeError, "do not fit"),
        (lambda: nn.attention(one(2, 3), one(2, 3), one(2, 3)),
         ShapeError, "\\[N, heads, length, width\\]"),
        (lambda: nn.attention(*[one(1, 1, 2, 3)] * 3, one(2, 2)),
         DTypeError, "the mask holds booleans"),
        (lambda: nn.attention(*[one(1, 1, 2, 3)] * 3, one(3, 1, 2, 2) > 0),
         ShapeError, "a mask of shape \\(3, 1, 2, 2\\)"),
        (lambda: nn.attention(*[one(1, 1, 2, 3)] * 3, softcap=0),
         ValueError, "softcap is positive"),
        (lambda: nn.quantize(one(4), one(2)), ShapeError, "scales of shape \\(2,\\)"),
        (lambda: nn.quantize(one(4), one(2), block_size=3), ShapeError, "not whole blocks of 3"),
        (lambda: nn.quantize(one(4), 1), DTypeError, "the scale is int64"),
        (lambda: nn.quantize(one(4), 1.0, value="q3"), ValueError, "one of q8f"),
        (lambda: nn.dequantize(one(4), 1.0), DTypeError, "makes floats of int8"),
        (lambda: nn.ctc_loss(one(3, 1, 2), [[1]], [3, 3], [1]),
         ShapeError, "input_lengths has shape"),
        (lambda: nn.ctc_loss(one(3, 1, 2), [[1]], [3], [1], blank=2), ValueError, "no class of 2"),
        (lambda: nn.all_reduce(one(2), "max"), ValueError, "one of sum, mean"),
        (lambda: nn.all_reduce(one(2) > 0), DTypeError, "bool has no sum"),
        (lambda: nn.register_collective(3), TypeError, "a function, not 3"),
    ],
)  # fmt: skip
def test_errors_are_raised_at_the_call(call, error, words):
    with pytest.raises(error, match=words):
        call()
