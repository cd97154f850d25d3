# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Activations and norms: values, kernels, and that each is one operation until it is compiled."""

import math

import numpy as np
import pytest
from values_common import LAYOUTS, numpy_type, pair

import pyfusion as pf
from pyfusion.errors import DTypeError, ShapeError
from pyfusion.nn.composite import COMPOSITES

nn = pf.nn
FLOATS = ["float16", "bfloat16", "float32", "float64"]
# Of the largest element of a result: errors of sums and of differences are relative to it.
NEAR = {"float16": 1e-3, "bfloat16": 8e-3, "float32": 3e-6, "float64": 1e-14}

erf = np.vectorize(math.erf, otypes=[float])


def sigmoid(x):
    return np.where(x < 0, np.exp(np.minimum(x, 0)), 1) / (1 + np.exp(-np.abs(x)))


def softplus(x):
    return np.logaddexp(0, x)


def softmax(x, axis=-1):
    powers = np.exp(x - x.max(axis, keepdims=True))
    return powers / powers.sum(axis, keepdims=True)


def gelu_tanh(x):
    return x / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def elu(x, alpha=1.0):
    return np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0)))


def selu(x):
    return 1.0507009873554805 * elu(x, 1.6732632423543772)


# What it is called, how it is called, and NumPy's in float64.
ELEMENTWISE = {
    "relu": (nn.relu, lambda x: np.maximum(x, 0)),
    "leaky_relu": (lambda x: nn.leaky_relu(x, 0.25), lambda x: np.where(x < 0, x / 4, x)),
    "leaky_relu, default": (nn.leaky_relu, lambda x: np.where(x < 0, 0.01 * x, x)),
    "prelu": (lambda x: nn.prelu(x, pf.asarray(0.5, dtype=x.dtype)),
        lambda x: np.where(x < 0, x / 2, x)),
    "gelu": (nn.gelu, lambda x: x * (1 + erf(x / math.sqrt(2))) / 2),
    "gelu, tanh": (lambda x: nn.gelu(x, approximate="tanh"), gelu_tanh),
    "sigmoid": (nn.sigmoid, sigmoid),
    "hard_sigmoid": (nn.hard_sigmoid, lambda x: np.clip(0.2 * x + 0.5, 0, 1)),
    "hard_swish": (nn.hard_swish, lambda x: x * np.clip(x / 6 + 0.5, 0, 1)),
    "log_sigmoid": (nn.log_sigmoid, lambda x: -softplus(-x)),
    "silu": (nn.silu, lambda x: x * sigmoid(x)),
    "swish": (lambda x: nn.swish(x, 1.5), lambda x: x * sigmoid(1.5 * x)),
    "mish": (nn.mish, lambda x: x * np.tanh(softplus(x))),
    "softplus": (lambda x: nn.softplus(x, 2.0), lambda x: softplus(2 * x) / 2),
    "elu": (lambda x: nn.elu(x, 0.5), lambda x: elu(x, 0.5)),
    "celu": (lambda x: nn.celu(x, 2.0),
        lambda x: np.where(x > 0, x, 2 * np.expm1(np.minimum(x, 0) / 2))),
    "selu": (nn.selu, selu),
    "softsign": (nn.softsign, lambda x: x / (1 + np.abs(x))),
}  # fmt: skip
ROWS = {
    "softmax": (nn.softmax, softmax),
    "softmax, axis 0": (lambda x: nn.softmax(x, 0), lambda x: softmax(x, 0)),
    "log_softmax": (nn.log_softmax, lambda x: np.log(softmax(x))),
    "softmin": (lambda x: nn.softmin(x, axis=0), lambda x: softmax(-x, 0)),
    "layer_norm": (nn.layer_norm, lambda x: normalized(x, -1)),
    "rms_norm": (nn.rms_norm, lambda x: x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5)),
}
EVERY = {**ELEMENTWISE, **ROWS}


def normalized(x, axes, epsilon=1e-5):
    centred = x - x.mean(axes, keepdims=True)
    return centred / np.sqrt((centred**2).mean(axes, keepdims=True) + epsilon)


def close(got, want, dtype, name):
    got = np.asarray(got)
    assert got.dtype == numpy_type(dtype) and got.shape == want.shape, name
    scale = max(1.0, np.abs(want).max(initial=0))
    np.testing.assert_allclose(
        got.astype(np.float64), want, rtol=NEAR[dtype], atol=NEAR[dtype] * scale, err_msg=name
    )


def moderate(dtype, layout, seed=0):
    """Elements from -8 to 8 in a layout, and what NumPy has of them in float64."""
    shape, view = LAYOUTS[layout]
    base = np.random.default_rng(seed).uniform(-8, 8, shape).astype(numpy_type(dtype))
    return view(pf, pf.asarray(base)), view(np, base).astype(np.float64)


# Kernels do not depend on the layout: of the other types two do.
GRID = [("float32", layout) for layout in LAYOUTS]
GRID += [
    (dtype, layout) for dtype in FLOATS if dtype != "float32" for layout in ("transposed", "rows")
]


@pytest.mark.parametrize("dtype, layout", GRID)
def test_values(dtype, layout):
    x, wide = moderate(dtype, layout)
    names = list(ELEMENTWISE if layout == "scalar" else EVERY)
    if layout == "empty":
        names = [name for name in names if "axis 0" not in name and name != "softmin"]
    if layout == "columns":
        names.remove("layer_norm")  # of equal elements: rounding errors over no variance
    found = {name: EVERY[name][0](x) for name in names}
    for name, got in found.items():
        close(got, EVERY[name][1](wide), dtype, name)


@pytest.mark.parametrize("name", EVERY)
def test_each_mode_gives_the_same(name):
    x = np.random.default_rng(1).uniform(-6, 6, (5, 7))
    for dtype in ("float32", "bfloat16"):
        pf.testing.assert_same_everywhere(
            EVERY[name][0], pf.asarray(x.astype(numpy_type(dtype))), ulp=4, atol=NEAR[dtype]
        )


@pytest.mark.fused
@pytest.mark.parametrize("dtype", ["float16", "float32"])
@pytest.mark.parametrize("name", ELEMENTWISE)
def test_activations_are_fused_with_what_is_around_them(name, dtype):
    x = pf.asarray(np.linspace(-2, 2, 60).reshape(6, 10), dtype=dtype)
    with pf.testing.inspect() as report:
        EVERY[name][0](x + 1) * 2
        y = EVERY[name][0](x.T + 1) * 2
    assert report.unfused == []
    assert np.asarray(y).shape == (10, 6)
    assert report.kernels == 1


def written_out_softmax(x):
    powers = pf.exp(x - pf.max(x, axis=-1, keepdims=True))
    return powers / pf.sum(powers, axis=-1, keepdims=True)


def written_out_norm(x):
    centred = x - pf.mean(x, axis=-1, keepdims=True)
    return centred / pf.sqrt(pf.mean(centred * centred, axis=-1, keepdims=True) + 1e-5)


def written_out_root(x):
    return x / pf.sqrt(pf.mean(x * x, axis=-1, keepdims=True) + 1e-5)


@pytest.mark.fused
@pytest.mark.parametrize(
    "call, composition",
    [
        (nn.softmax, written_out_softmax),
        (nn.layer_norm, written_out_norm),
        (nn.rms_norm, written_out_root),
    ],
)
def test_rows_have_the_kernels_of_what_they_are_made_of(call, composition):
    x = pf.asarray(np.random.default_rng(0).standard_normal((20, 30)).astype(np.float32))
    counted = []
    for f in (call, composition):
        with pf.testing.inspect() as report:
            y = f(x)
        assert report.unfused == []
        counted.append((report.kernels, report.bytes_written, np.asarray(y).tobytes()))
    assert counted[0] == counted[1]


@pytest.mark.fused
def test_other_numbers_compile_nothing_anew():
    x = pf.asarray(np.ones((3, 4), np.float32))
    for f in (
        lambda n: nn.leaky_relu(x, n), lambda n: nn.elu(x, n), lambda n: nn.softplus(x, n),
        lambda n: nn.hard_sigmoid(x, n, n), lambda n: nn.layer_norm(x, epsilon=n),
    ):  # fmt: skip
        np.asarray(f(0.5))
        with pf.testing.inspect() as report:
            np.asarray(f(0.25))
        assert report.compiles == 0


def test_each_is_one_operation_until_it_is_inlined():
    x = pf.ones((3, 4), dtype="float32")
    gamma = pf.ones(4, dtype="float32")
    three = pf.ones((2, 3, 4), dtype="float32")
    per_channel = [pf.ones(3, dtype="float32")] * 4
    calls = {
        "relu": lambda: nn.relu(x), "leaky_relu": lambda: nn.leaky_relu(x),
        "prelu": lambda: nn.prelu(x, gamma), "gelu": lambda: nn.gelu(x),
        "gelu_tanh": lambda: nn.gelu(x, "tanh"), "sigmoid": lambda: nn.sigmoid(x),
        "hard_sigmoid": lambda: nn.hard_sigmoid(x), "hard_swish": lambda: nn.hard_swish(x),
        "log_sigmoid": lambda: nn.log_sigmoid(x), "softmax": lambda: nn.softmax(x),
        "log_softmax": lambda: nn.log_softmax(x), "softmin": lambda: nn.softmin(x),
        "silu": lambda: nn.silu(x), "swish": lambda: nn.swish(x, 2), "mish": lambda: nn.mish(x),
        "softplus": lambda: nn.softplus(x), "elu": lambda: nn.elu(x), "celu": lambda: nn.celu(x),
        "selu": lambda: nn.selu(x), "softsign": lambda: nn.softsign(x), "glu": lambda: nn.glu(x),
        "layer_norm": lambda: nn.layer_norm(x, gamma, gamma), "rms_norm": lambda: nn.rms_norm(x),
        "batch_norm": lambda: nn.batch_norm(three, *per_channel),
        "standardize": lambda: nn.instance_norm(three),
        "scale_shift": lambda: nn.group_norm(three, 1, *per_channel[:2]),
    }  # fmt: skip
    assert set(calls) == set(COMPOSITES)
    for name, call in calls.items():
        lowered = pf.lower(call)
        text = lowered.as_text("fusion")
        assert text.count(f'fusion.custom_call "nn.{name}"') == 1, name
        arithmetic = {"subtract", "multiply", "divide", "maximum", "exp", "erf", "select"}
        assert not any(f"fusion.{op} " in text for op in arithmetic), name
        assert "custom_call" not in lowered.as_text("merged"), name


def test_an_observer_sees_one_operation():
    names = []

    class Observer(pf.observer.FusionObserver):
        def registered(self, operation):
            names.append(operation.op.name)

    with pf.observer.install(Observer()):
        np.asarray(nn.softmax(pf.ones((4, 8))))
    assert names.count("softmax") == 1
    assert "exp" not in names


def test_extremes():
    x = [np.nan, np.inf, -np.inf, 1e4, -1e4, 0.0]
    inf, nan = np.inf, np.nan
    want = {
        nn.relu: [nan, inf, 0, 1e4, 0, 0],
        nn.leaky_relu: [nan, inf, -inf, 1e4, -100, 0],
        nn.sigmoid: [nan, 1, 0, 1, 0, 0.5],
        nn.log_sigmoid: [nan, 0, -inf, 0, -1e4, -math.log(2)],
        nn.softplus: [nan, inf, 0, 1e4, 0, math.log(2)],
        nn.elu: [nan, inf, -1, 1e4, -1, 0],
        nn.hard_sigmoid: [nan, 1, 0, 1, 0, 0.5],
        nn.silu: [nan, inf, nan, 1e4, 0, 0],
    }
    for function, expected in want.items():
        got = np.asarray(function(pf.asarray(x, dtype="float32")))
        np.testing.assert_allclose(got, np.float32(expected), rtol=1e-6, err_msg=str(function))
    big = pf.asarray([[1e4, 1e4 - 1, -inf], [0.0, -1e4, -1e4]], dtype="float32")
    e = math.exp(-1)
    want = [[1 / (1 + e), e / (1 + e), 0], [1, 0, 0]]
    np.testing.assert_allclose(np.asarray(nn.softmax(big)), want, rtol=1e-6)
    found = np.asarray(nn.log_softmax(big))
    np.testing.assert_allclose(found[0], [-math.log1p(e), -1 - math.log1p(e), -inf], rtol=1e-4)
    assert nn.softmax(pf.ones((3, 0))).shape == (3, 0)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_norms(dtype):
    rng = np.random.default_rng(3)

    def made(*shape, low=-2.0):
        base = rng.uniform(low, 2, shape).astype(dtype)
        return pf.asarray(base), base.astype(np.float64)

    x, wide = made(3, 6, 4, 5)
    g, g64 = made(6, low=0.5)
    b, b64 = made(6)
    m, m64 = made(6)
    v, v64 = made(6, low=0.5)

    def each(a):
        return a[:, None, None]

    want = (wide - each(m64)) / np.sqrt(each(v64) + 1e-3) * each(g64) + each(b64)
    close(nn.batch_norm(x, g, b, m, v, epsilon=1e-3), want, dtype, "batch_norm")
    want = normalized(wide.reshape(3, 2, 60), 2).reshape(wide.shape) * each(g64) + each(b64)
    close(nn.group_norm(x, 2, g, b), want, dtype, "group_norm")
    want = normalized(wide, (2, 3))
    close(nn.instance_norm(x), want, dtype, "instance_norm")
    close(nn.instance_norm(x, g, b), want * each(g64) + each(b64), dtype, "instance_norm")
    g, g64 = made(5)
    b, b64 = made(5)
    close(nn.layer_norm(x, g, b), normalized(wide, -1) * g64 + b64, dtype, "layer_norm")
    close(nn.layer_norm(x, g), normalized(wide, -1) * g64, dtype, "layer_norm")
    root = np.sqrt((wide * wide).mean(-1, keepdims=True) + 0.5)
    close(nn.rms_norm(x, g, epsilon=0.5), wide / root * g64, dtype, "rms_norm")
    two, two64 = made(4, 6)
    per = [made(6, low=0.5) for _ in range(4)]
    g64, b64, m64, v64 = (p[1] for p in per)
    want = (two64 - m64) / np.sqrt(v64 + 1e-5) * g64 + b64
    close(nn.batch_norm(two, *[p[0] for p in per]), want, dtype, "batch_norm of [N, C]")


def test_prelu_and_glu():
    x, wide = moderate("float32", "contiguous")
    four = pf.reshape(pf.concat([x, x]), (2, 6, 7))
    alpha = np.linspace(0, 1, 6).astype(np.float32)
    want = np.stack([wide, wide])
    want = np.where(want < 0, want * alpha[:, None], want)
    close(nn.prelu(four, alpha), want, "float32", "prelu by channel")
    close(nn.prelu(x, alpha[:1]), np.where(wide < 0, 0 * wide, wide), "float32", "prelu of one")
    close(nn.prelu(x, pf.ones((6, 7), dtype="float32")), wide, "float32", "prelu, each")
    halves = wide[:3] * sigmoid(wide[3:])
    close(nn.glu(x, 0), halves, "float32", "glu")


def test_numpy_arrays_and_lists_are_taken():
    assert nn.relu([-1.0, 1.0]).tolist() == [0, 1]
    assert nn.relu(np.float32([-1, 1])).dtype == pf.float32
    found = nn.prelu(np.float32([-2, 1]), 0.5)
    assert found.tolist() == [-1, 1] and found.dtype == pf.float32
    assert nn.layer_norm(np.ones((3, 0))).shape == (3, 0)
    assert np.asarray(nn.layer_norm(np.ones((3, 0)))).size == 0
    assert np.asarray(nn.instance_norm(np.ones((2, 0, 4)))).shape == (2, 0, 4)


@pytest.mark.parametrize(
    "call, error, words",
    [
        (lambda x: nn.relu(x.astype("int32")),
         DTypeError, "relu takes arrays of floats, not int32"),
        (lambda x: nn.gelu(x > 0), DTypeError, "gelu .* not bool"),
        (lambda x: nn.softmax(x.astype("complex64")), DTypeError, "softmax .* not complex64"),
        (lambda x: nn.prelu(x, pf.ones(3)), DTypeError, "one type, not float32, float64"),
        (lambda x: nn.prelu(x, pf.ones(5, dtype="float32")),
         ShapeError, "5 elements .* 3 channels"),
        (lambda x: nn.softmax(x, 2), ValueError, "axis 2 is out of bounds"),
        (lambda x: nn.gelu(x, "exact"), ValueError, "one of none, tanh, not 'exact'"),
        (lambda x: nn.leaky_relu(x, "a"), TypeError, "negative_slope is a number, not 'a'"),
        (lambda x: nn.leaky_relu(x, x), TypeError, "negative_slope is a number"),
        (lambda x: nn.glu(x), ShapeError, "axis 1 of \\(2, 3\\), whose extent is odd"),
        (lambda x: nn.layer_norm(x, pf.ones(2, dtype="float32")), ShapeError, "gamma .* \\(3,\\)"),
        (lambda x: nn.layer_norm(x, None, x), TypeError, "beta is given without gamma"),
        (lambda x: nn.layer_norm(x[0, 0]), ShapeError, "at least one dimension"),
        (lambda x: nn.batch_norm(x, x, x, x, x), ShapeError, "gamma has shape \\(2, 3\\)"),
        (lambda x: nn.group_norm(x, 2), ShapeError, "3 channels .* not 2 groups"),
        (lambda x: nn.group_norm(x, 0), ValueError, "groups is at least 1"),
        (lambda x: nn.group_norm(x, 3, x[0]), TypeError, "both or not at all"),
        (lambda x: nn.instance_norm(x[0]), ShapeError, "\\[N, C, ...\\]"),
    ],
)  # fmt: skip
def test_errors_are_raised_at_the_call(call, error, words):
    with pytest.raises(error, match=words):
        call(pf.ones((2, 3), dtype="float32"))


def test_special_values_in_every_layout_agree_between_modes():
    def several(x):
        return [nn.relu(x), nn.leaky_relu(x), nn.hard_sigmoid(x), nn.softsign(x)]

    for layout in ("transposed", "negative", "columns"):
        _, x = pair("float32", layout)
        pf.testing.assert_same_everywhere(several, x, ulp=4)
