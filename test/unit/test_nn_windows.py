# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions, pools, resizing and sampling, against windows that are written out one by one."""

import nn_reference as reference
import numpy as np
import pytest
from values_common import numpy_type

import pyfusion as pf
from pyfusion.errors import DTypeError, ShapeError

nn = pf.nn
FLOATS = ["float16", "bfloat16", "float32", "float64"]
NEAR = {"float16": 2e-3, "bfloat16": 1.6e-2, "float32": 2e-6, "float64": 1e-13}
if pf.config.device != "cpu":
    NEAR["float32"] = 2e-5  # libraries have algorithms of fewer products, as Winograd's


def made(rng, dtype, *shape):
    """An array of pyfusion, and its elements in float64."""
    base = rng.uniform(-1, 1, shape).astype(numpy_type(dtype))
    return pf.asarray(base), base.astype(np.float64)


def close(got, want, dtype):
    got = np.asarray(got)
    assert got.dtype == numpy_type(dtype)
    assert got.shape == want.shape
    scale = max(1.0, np.abs(want).max(initial=0))
    np.testing.assert_allclose(
        got.astype(np.float64), want, rtol=NEAR[dtype], atol=NEAR[dtype] * scale
    )


CONVOLUTIONS = [
    (1, dict()),
    (1, dict(stride=2, padding=1, dilation=2)),
    (2, dict()),
    (2, dict(stride=(2, 1), padding=(0, 2), dilation=(1, 2))),
    (2, dict(padding=1, groups=2)),
    (3, dict(stride=2, padding=(1, 0, 1))),
]


def each(options, dims, defaults):
    found = dict(defaults, **options)
    return {
        k: v if k == "groups" else (v if isinstance(v, tuple) else (v,) * dims)
        for k, v in found.items()
    }


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("dims, options", CONVOLUTIONS)
def test_convolutions(dims, options, dtype):
    rng = np.random.default_rng(dims)
    groups = options.get("groups", 1)
    x, x64 = made(rng, dtype, 2, 4, *(9, 8, 5)[:dims])
    w, w64 = made(rng, dtype, 6, 4 // groups, *(3, 2, 2)[:dims])
    b, b64 = made(rng, dtype, 6)
    function = getattr(nn, f"conv{dims}d")
    about = each(options, dims, dict(stride=1, padding=0, dilation=1, groups=1))
    want = reference.conv(x64, w64, None, **about)
    close(function(x, w, **options), want, dtype)
    # The sum is rounded before the bias is added.
    want = want.astype(numpy_type(dtype)).astype(np.float64) + b64.reshape(-1, *[1] * dims)
    close(function(x, w, b, **options), want, dtype)


TRANSPOSED = [
    (1, dict()),
    (1, dict(stride=3, padding=1, padding_out=2, dilation=2)),
    (2, dict(stride=2, padding=1, padding_out=1)),
    (2, dict(stride=(1, 2), padding=(2, 0), groups=2)),
    (2, dict(padding=(4, 1), stride=3)),
    (3, dict(stride=2, dilation=(1, 2, 1))),
]


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("dims, options", TRANSPOSED)
def test_transposed_convolutions(dims, options, dtype):
    rng = np.random.default_rng(dims)
    groups = options.get("groups", 1)
    x, x64 = made(rng, dtype, 2, 4, *(5, 4, 3)[:dims])
    w, w64 = made(rng, dtype, 4, 6 // groups, *(3, 2, 2)[:dims])
    b, b64 = made(rng, dtype, 6)
    function = getattr(nn, f"conv_transpose{dims}d")
    defaults = dict(stride=1, padding=0, padding_out=0, dilation=1, groups=1)
    about = each(options, dims, defaults)
    want = reference.conv_transpose(x64, w64, None, **about)
    close(function(x, w, **options), want, dtype)
    want = want.astype(numpy_type(dtype)).astype(np.float64) + b64.reshape(-1, *[1] * dims)
    close(function(x, w, b, **options), want, dtype)


@pytest.mark.parametrize("dtype", ["float16", "float64"])
@pytest.mark.parametrize("masked", [False, True])
def test_deformable_convolution(masked, dtype):
    rng = np.random.default_rng(0)
    x, x64 = made(rng, dtype, 2, 4, 6, 5)
    w, w64 = made(rng, dtype, 4, 2, 3, 2)
    stride, padding, dilation = (2, 1), (1, 0), (1, 2)
    offset, offset64 = made(rng, dtype, 2, 2 * 2 * 6, 3, 3)
    offset, offset64 = offset * 4, offset64 * 4
    mask, mask64 = made(rng, dtype, 2, 2 * 6, 3, 3)
    found = nn.deform_conv2d(
        x, offset, w, mask if masked else None,
        stride=stride, padding=padding, dilation=dilation, weight_groups=2, offset_groups=2,
    )  # fmt: skip
    about = (stride, padding, dilation, 2, 2)
    want = reference.deformed(x64, offset64, w64, mask64 if masked else None, *about)
    close(found, want, dtype)
    bias, bias64 = made(rng, dtype, 4)
    still = nn.deform_conv2d(x, pf.zeros((2, 12, 4, 4), dtype=dtype), w, bias=bias, weight_groups=2)
    want = reference.conv(x64, w64, groups=2)
    want = want.astype(numpy_type(dtype)).astype(np.float64) + bias64.reshape(-1, 1, 1)
    close(still, want, dtype)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("dims", [1, 2])
@pytest.mark.parametrize(
    "options",
    [
        dict(), dict(stride=2, padding=1), dict(stride=2, padding=1, ceil_mode=True),
        dict(stride=3, ceil_mode=True),
    ],
)  # fmt: skip
def test_mean_and_maximum_pools(dims, options, dtype):
    rng = np.random.default_rng(dims)
    x, x64 = made(rng, dtype, 2, 3, *(8, 6)[:dims])
    kernel = (3, 2)[:dims]
    stride = (options["stride"],) * dims if "stride" in options else kernel
    padding = (options.get("padding", 0),) * dims
    for include in (True, False):
        got = getattr(nn, f"avg_pool{dims}d")(x, kernel, **options, count_include_pad=include)

        def mean(inside, where, taps, include=include):
            return inside.sum() / (taps if include else len(inside))

        want = reference.pool(x64, kernel, stride, padding, (1,) * dims, got.shape[2:], mean)
        close(got, want, dtype)
    for dilation in (1, 2):
        more = dict(options, dilation=dilation)
        values, places = getattr(nn, f"max_pool{dims}d_with_indices")(x, kernel, **more)
        alone = getattr(nn, f"max_pool{dims}d")(x, kernel, **more)
        about = (kernel, stride, padding, (dilation,) * dims, values.shape[2:])
        want = reference.pool(x64, *about, lambda inside, where, taps: inside.max())
        close(values, want, dtype)
        close(alone, want, dtype)
        want = reference.pool(x64, *about, lambda inside, where, taps: where[inside.argmax()])
        np.testing.assert_array_equal(np.asarray(places), want.astype(np.int64))
        assert places.dtype == pf.int64


def test_how_many_windows_there_are():
    x = pf.ones((1, 1, 7))
    assert nn.max_pool1d(x, 2).shape == (1, 1, 3)
    assert nn.max_pool1d(x, 2, ceil_mode=True).shape == (1, 1, 4)
    # The fourth window would begin in the padding.
    assert nn.max_pool1d(pf.ones((1, 1, 5)), 2, stride=2, padding=1, ceil_mode=True).shape == (
        1,
        1,
        3,
    )
    assert nn.max_pool1d(x, 3, stride=1, dilation=3).shape == (1, 1, 1)


def test_maximum_pools_of_nan_infinity_and_integers():
    x = pf.asarray([[[1.0, np.nan, 3.0, np.nan, -np.inf, -np.inf]]], dtype="float32")
    values, places = nn.max_pool1d_with_indices(x, 2)
    np.testing.assert_array_equal(np.asarray(values), [[[np.nan, np.nan, -np.inf]]])
    assert places.tolist() == [[[1, 3, 4]]]
    assert nn.max_pool1d_with_indices(x, 4)[1].tolist() == [[[3]]]  # the last NaN
    values, places = nn.max_pool1d_with_indices(x[..., 4:], 2, padding=1)
    assert places.tolist() == [[[0, 1]]]
    whole = pf.asarray([[[-128, -128, 5, 5]]], dtype="int8")
    values, places = nn.max_pool1d_with_indices(whole, 2, padding=1)
    assert values.tolist() == [[[-128, 5, 5]]] and places.tolist() == [[[0, 2, 3]]]
    assert values.dtype == pf.int8


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("dims, out", [(1, 3), (1, 9), (2, (2, 4)), (2, 1), (3, (2, 3, 2))])
def test_adaptive_pools(dims, out, dtype):
    rng = np.random.default_rng(dims)
    x, x64 = made(rng, dtype, 2, 3, *(7, 5, 4)[:dims])
    sizes = out if isinstance(out, tuple) else (out,) * dims
    want = np.zeros((2, 3, *sizes))
    for place in np.ndindex(*sizes):
        box = tuple(
            slice(i * n // m, -(-(i + 1) * n // m))
            for i, n, m in zip(place, x64.shape[2:], sizes, strict=True)
        )
        part = x64[(slice(None), slice(None), *box)]
        want[(slice(None), slice(None), *place)] = part.mean(axis=tuple(range(2, 2 + dims)))
    close(getattr(nn, f"adaptive_avg_pool{dims}d")(x, out), want, dtype)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("corners", [False, True])
@pytest.mark.parametrize("mode", ["nearest", "nearest-exact", "bilinear", "bicubic", "lanczos3"])
def test_interpolation(mode, corners, dtype):
    x, x64 = made(np.random.default_rng(0), dtype, 2, 2, 5, 7)
    for size in ((8, 3), (1, 7), (5, 14)):
        got = nn.interpolate(x, size, mode=mode, align_corners=corners)
        close(got, reference.resized(x64, size, mode, corners), dtype)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("corners", [False, True])
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("mode", ["nearest", "bilinear", "bicubic"])
def test_grid_sample(mode, padding, corners, dtype):
    rng = np.random.default_rng(0)
    x, x64 = made(rng, dtype, 2, 3, 5, 4)
    grid, grid64 = made(rng, dtype, 2, 6, 3, 2)
    grid, grid64 = grid * 2, grid64 * 2
    got = nn.grid_sample(x, grid, mode=mode, padding_mode=padding, align_corners=corners)
    want = reference.sampled(x64, grid64, mode, padding, corners)
    got = np.asarray(got).astype(np.float64)
    # In float32 a coordinate may fall on the other side of a step.
    bad = np.abs(got - want) > (1e-5 if dtype != "float16" else 4e-3)
    assert bad.mean() <= (0.0 if dtype == "float64" or mode != "nearest" else 0.02)


def test_unfold():
    x = np.arange(2 * 7 * 3).reshape(2, 7, 3)
    want = np.stack([x[:, i : i + 3] for i in (0, 2, 4)], 1).transpose(0, 1, 3, 2)
    for dtype in ("bool", "int16", "bfloat16", "complex64"):
        kind = numpy_type(dtype)
        got = nn.unfold(pf.asarray(x.astype(kind)), 1, 3, 2)
        np.testing.assert_array_equal(np.asarray(got), want.astype(kind))
        assert got.dtype.numpy == kind
    assert nn.unfold(pf.ones((0, 4)), -1, 4).shape == (0, 1, 4)


def test_patches_times_weights_are_a_convolution():
    rng = np.random.default_rng(0)
    x, x64 = made(rng, "float64", 2, 3, 6, 5)
    w, w64 = made(rng, "float64", 4, 3, 3, 2)
    options = dict(stride=(2, 1), padding=(1, 0), dilation=(1, 2))
    patches = nn.unfold4d(x, (3, 2), **options)
    assert patches.shape == (2, 18, 9)
    y = pf.reshape(pf.reshape(w, (4, 18)) @ patches, (2, 4, 3, 3))
    close(y, reference.conv(x64, w64, **options), "float64")


def views_of(base):
    """Arrays with equal elements in other layouts."""
    yield pf.asarray(base)
    yield pf.permute_dims(
        pf.asarray(np.ascontiguousarray(base.transpose(3, 2, 1, 0))), (3, 2, 1, 0)
    )
    yield pf.flip(pf.asarray(np.flip(base).copy()))
    wide = np.zeros((*base.shape[:3], 2 * base.shape[3]), base.dtype)
    wide[..., ::2] = base
    yield pf.asarray(wide)[..., ::2]
    yield pf.asarray(base) + 0  # pending, in a block with what follows


def test_layouts():
    rng = np.random.default_rng(0)
    base, w = rng.standard_normal((2, 4, 6, 6)), rng.standard_normal((4, 4, 3, 3))
    grid = rng.uniform(-1, 1, (2, 3, 3, 2))
    calls = [
        lambda x: nn.conv2d(x, w, padding=1), lambda x: nn.conv_transpose2d(x, w, stride=2),
        lambda x: nn.avg_pool2d(x, 2), lambda x: nn.max_pool2d(x, 2),
        lambda x: nn.adaptive_avg_pool2d(x, 4), lambda x: nn.interpolate(x, (9, 9), mode="bicubic"),
        lambda x: nn.grid_sample(x, grid), lambda x: nn.unfold4d(x, 3),
        lambda x: nn.unfold(x, 2, 3),
    ]  # fmt: skip
    for call in calls:
        first, *rest = [np.asarray(call(x)) for x in views_of(base)]
        for other in rest:
            np.testing.assert_allclose(other, first, rtol=1e-12, atol=1e-12)
    broadcast = pf.broadcast_to(pf.asarray(base[:1]), (3, 4, 6, 6))
    for call in calls[:6]:
        found = np.asarray(call(broadcast))
        np.testing.assert_allclose(found[2], np.asarray(call(pf.asarray(base[:1])))[0], atol=1e-12)


def test_no_items_and_no_channels():
    x = pf.ones((0, 4, 6, 6))
    assert nn.conv2d(x, pf.ones((5, 4, 3, 3))).shape == (0, 5, 4, 4)
    assert np.asarray(nn.conv2d(x, pf.ones((5, 4, 3, 3)))).shape == (0, 5, 4, 4)
    none = nn.conv2d(pf.ones((2, 0, 6, 6)), pf.ones((5, 0, 3, 3)))
    np.testing.assert_array_equal(np.asarray(none), np.zeros((2, 5, 4, 4)))
    for found in (nn.max_pool2d(x, 2), nn.avg_pool2d(x, 2), nn.adaptive_avg_pool2d(x, 2)):
        assert np.asarray(found).size == 0
    assert np.asarray(nn.interpolate(x, (2, 2))).shape == (0, 4, 2, 2)


def test_modes_and_what_is_run_by_the_backend():
    rng = np.random.default_rng(0)
    x = pf.asarray(rng.standard_normal((2, 3, 8, 8)).astype(np.float32))
    w = pf.asarray(rng.standard_normal((4, 3, 3, 3)).astype(np.float32))
    b = pf.asarray(rng.standard_normal(4).astype(np.float32))

    def network(x, w, b):
        y = nn.relu(nn.conv2d(x * 2, w, b, padding=1))
        return nn.max_pool2d(y, 2) + 1

    pf.testing.assert_same_everywhere(network, x, w, b, atol=1e-4)
    if pf.config.mode == "fused":
        with pf.testing.inspect() as report:
            y = network(x, w, b)
        assert np.asarray(y).shape == (2, 4, 4, 4)
        assert report.unfused == ["conv", "max_pool"]
        assert report.kernels == 3  # before, between and behind
        smaller = pf.asarray(rng.standard_normal((2, 3, 6, 6)).astype(np.float32))
        with pf.testing.inspect() as report:
            np.asarray(network(smaller, w, b))
        assert report.compiles == 0  # of another size


def array(*shape):
    return pf.ones(shape, dtype="float32")


@pytest.mark.parametrize(
    "call, error, words",
    [
        (lambda: nn.conv2d(array(1, 2, 4, 4).astype("int32"), array(1, 2, 2, 2)),
         DTypeError, "conv2d takes arrays of floats, not int32, float32"),
        (lambda: nn.conv2d(array(1, 2, 4, 4), pf.ones((1, 2, 2, 2))), DTypeError, "one type"),
        (lambda: nn.conv2d(array(2, 4, 4), array(1, 2, 2, 2)),
         ShapeError, "\\[N, C, H, W\\], not one of shape \\(2, 4, 4\\)"),
        (lambda: nn.conv2d(array(1, 2, 4, 4), array(1, 3, 2, 2)),
         ShapeError, "weights \\(1, 3, 2, 2\\) do not fit .* \\(1, 2, 4, 4\\)"),
        (lambda: nn.conv2d(array(1, 2, 4, 4), array(3, 1, 2, 2), groups=2), ShapeError, "2 groups"),
        (lambda: nn.conv2d(array(1, 2, 4, 4), array(1, 2, 5, 2)),
         ShapeError, "a window of 5 is larger than the 4 elements"),
        (lambda: nn.conv2d(array(1, 2, 4, 4), array(1, 2, 2, 2), array(2)),
         ShapeError, "bias has shape \\(2,\\)"),
        (lambda: nn.conv2d(array(1, 2, 4, 4), array(1, 2, 2, 2), stride=0),
         ValueError, "stride is at least 1"),
        (lambda: nn.conv2d(array(1, 2, 4, 4), array(1, 2, 2, 2), stride=(1, 1, 1)),
         TypeError, "an int or 2 of them"),
        (lambda: nn.conv2d(array(1, 2, 4, 4), array(1, 2, 2, 2), padding=1.5),
         TypeError, "padding is an int"),
        (lambda: nn.conv2d(array(1, 2, 4, 4), array(1, 2, 0, 2)), ShapeError, "empty kernel"),
        (lambda: nn.conv_transpose1d(array(1, 2, 4), array(3, 1, 2)),
         ShapeError, "axis 0 of the weights"),
        (lambda: nn.conv_transpose1d(array(1, 2, 4), array(2, 1, 2), padding_out=1),
         ValueError, "padding_out"),
        (lambda: nn.conv_transpose1d(array(1, 2, 1), array(2, 1, 2), padding=1),
         ShapeError, "spatial shape \\(0,\\)"),
        (lambda: nn.deform_conv2d(array(1, 2, 4, 4), array(1, 8, 4, 4), array(1, 2, 2, 2)),
         ShapeError, "offset has shape"),
        (lambda: nn.avg_pool2d(array(1, 1, 4, 4), 2, padding=2), ValueError, "more than half"),
        (lambda: nn.avg_pool2d(array(1, 1, 4, 4).astype("int8"), 2), DTypeError, "avg_pool2d"),
        (lambda: nn.max_pool1d(array(1, 1, 4) > 0, 2), DTypeError, "not bool"),
        (lambda: nn.max_pool1d(array(1, 1, 4), 5), ShapeError, "a window of 5"),
        (lambda: nn.adaptive_avg_pool1d(array(1, 1, 0), 2), ShapeError, "no elements"),
        (lambda: nn.interpolate(array(1, 1, 4, 4), 3, mode="cubic"), ValueError, "one of nearest"),
        (lambda: nn.interpolate(array(1, 4, 4), 3), ShapeError, "\\[N, C, H, W\\]"),
        (lambda: nn.grid_sample(array(1, 1, 4, 4), array(2, 3, 3, 2)), ShapeError, "a grid"),
        (lambda: nn.unfold(array(3), 0, 4), ShapeError, "a window of 4"),
        (lambda: nn.unfold(array(3), 1, 2), ValueError, "axis 1 is out of bounds"),
    ],
)  # fmt: skip
def test_errors_are_raised_at_the_call(call, error, words):
    with pytest.raises(error, match=words):
        call()
