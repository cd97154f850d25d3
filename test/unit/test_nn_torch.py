# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""pyfusion.nn against PyTorch, and run by PyTorch, where it is installed."""

import inspect
import sys
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("array_api_compat")

import pyfusion as pf  # noqa: E402
from pyfusion.backends import torch_functions  # noqa: E402
from pyfusion.backends.on_device import GROUPS  # noqa: E402
from pyfusion.backends.torch_host import TorchHostBackend  # noqa: E402
from pyfusion.errors import ExecutionError  # noqa: E402

sys.path.insert(0, str(Path(__file__).parents[2] / "docs"))

from operation_examples import EXAMPLES  # noqa: E402

F = torch.nn.functional
nn = pf.nn
RNG = np.random.default_rng(0)


def made(*shape):
    return RNG.uniform(-2, 2, shape)


X1, X2, X3 = made(2, 4, 9), made(2, 4, 8, 7), made(2, 4, 5, 6, 4)
W1, W2, W3 = made(6, 2, 3), made(6, 2, 3, 2), made(6, 2, 2, 3, 2)
T1, T2, T3 = made(4, 3, 3), made(4, 3, 3, 2), made(4, 3, 2, 3, 2)
B, M = made(6), made(9, 12)
GRID = RNG.uniform(-1.5, 1.5, (2, 5, 3, 2))
PER = [made(4) for _ in range(3)] + [RNG.uniform(0.5, 2, 4)]
Q, K, V = made(2, 3, 4, 8), made(2, 3, 4, 8), made(2, 3, 4, 5)
GEOMETRY = dict(stride=2, padding=1, dilation=2, groups=2)
TURNED = dict(stride=3, padding=1, dilation=2, groups=2)
POOL = dict(stride=2, padding=1, ceil_mode=True)

# What it is, here, and in PyTorch.
CASES = {
    "relu": (lambda: nn.relu(M), lambda t: F.relu(t(M))),
    "leaky_relu": (lambda: nn.leaky_relu(M, 0.2), lambda t: F.leaky_relu(t(M), 0.2)),
    "prelu": (lambda: nn.prelu(X2, PER[0]), lambda t: F.prelu(t(X2), t(PER[0]))),
    "gelu": (lambda: nn.gelu(M), lambda t: F.gelu(t(M))),
    "gelu, tanh": (lambda: nn.gelu(M, "tanh"), lambda t: F.gelu(t(M), approximate="tanh")),
    "sigmoid": (lambda: nn.sigmoid(M), lambda t: torch.sigmoid(t(M))),
    "hard_sigmoid": (lambda: nn.hard_sigmoid(M, 1 / 6), lambda t: F.hardsigmoid(t(M))),
    "hard_swish": (lambda: nn.hard_swish(M * 3), lambda t: F.hardswish(t(M * 3))),
    "log_sigmoid": (lambda: nn.log_sigmoid(M), lambda t: F.logsigmoid(t(M))),
    "softmax": (lambda: nn.softmax(M, 0), lambda t: F.softmax(t(M), 0)),
    "log_softmax": (lambda: nn.log_softmax(M), lambda t: F.log_softmax(t(M), -1)),
    "softmin": (lambda: nn.softmin(M), lambda t: F.softmin(t(M), -1)),
    "silu": (lambda: nn.silu(M), lambda t: F.silu(t(M))),
    "mish": (lambda: nn.mish(M), lambda t: F.mish(t(M))),
    "softplus": (lambda: nn.softplus(M, 2.0), lambda t: F.softplus(t(M), 2.0)),
    "elu": (lambda: nn.elu(M, 0.7), lambda t: F.elu(t(M), 0.7)),
    "celu": (lambda: nn.celu(M, 0.7), lambda t: F.celu(t(M), 0.7)),
    "selu": (lambda: nn.selu(M), lambda t: F.selu(t(M))),
    "softsign": (lambda: nn.softsign(M), lambda t: F.softsign(t(M))),
    "glu": (lambda: nn.glu(M), lambda t: F.glu(t(M))),
    "layer_norm": (
        lambda: nn.layer_norm(M, M[0], M[1]),
        lambda t: F.layer_norm(t(M), (12,), t(M[0]), t(M[1])),
    ),
    "rms_norm": (
        lambda: nn.rms_norm(M, M[0], epsilon=1e-3),
        lambda t: F.rms_norm(t(M), (12,), t(M[0]), 1e-3),
    ),
    "batch_norm": (
        lambda: nn.batch_norm(X2, *PER),
        lambda t: F.batch_norm(t(X2), t(PER[2]), t(PER[3]), t(PER[0]), t(PER[1])),
    ),
    "group_norm": (
        lambda: nn.group_norm(X2, 2, *PER[:2]),
        lambda t: F.group_norm(t(X2), 2, t(PER[0]), t(PER[1])),
    ),
    "instance_norm": (lambda: nn.instance_norm(X2), lambda t: F.instance_norm(t(X2))),
    "linear": (lambda: nn.linear(M, M.T, M[:, 0]), lambda t: F.linear(t(M), t(M), t(M[:, 0]))),
    "conv1d": (lambda: nn.conv1d(X1, W1, B, **GEOMETRY),
        lambda t: F.conv1d(t(X1), t(W1), t(B), **GEOMETRY)),
    "conv2d": (lambda: nn.conv2d(X2, W2, B, **GEOMETRY),
        lambda t: F.conv2d(t(X2), t(W2), t(B), **GEOMETRY)),
    "conv3d": (lambda: nn.conv3d(X3, W3, B, padding=1, groups=2),
        lambda t: F.conv3d(t(X3), t(W3), t(B), padding=1, groups=2)),
    "conv_transpose1d": (
        lambda: nn.conv_transpose1d(X1, T1, B, padding_out=2, **TURNED),
        lambda t: F.conv_transpose1d(t(X1), t(T1), t(B), output_padding=2, **TURNED),
    ),
    "conv_transpose2d": (
        lambda: nn.conv_transpose2d(X2, T2, B, padding_out=1, **TURNED),
        lambda t: F.conv_transpose2d(t(X2), t(T2), t(B), output_padding=1, **TURNED),
    ),
    "conv_transpose3d": (
        lambda: nn.conv_transpose3d(X3, T3, B, **TURNED),
        lambda t: F.conv_transpose3d(t(X3), t(T3), t(B), **TURNED),
    ),
    "avg_pool1d": (lambda: nn.avg_pool1d(X1, 3, **POOL), lambda t: F.avg_pool1d(t(X1), 3, **POOL)),
    "avg_pool2d": (
        lambda: nn.avg_pool2d(X2, 3, count_include_pad=False, **POOL),
        lambda t: F.avg_pool2d(t(X2), 3, count_include_pad=False, **POOL),
    ),
    "max_pool1d_with_indices": (
        lambda: nn.max_pool1d_with_indices(X1, 2, dilation=2, **POOL),
        lambda t: F.max_pool1d(t(X1), 2, dilation=2, return_indices=True, **POOL),
    ),
    "max_pool2d_with_indices": (
        lambda: nn.max_pool2d_with_indices(X2, 3, dilation=2, **POOL),
        lambda t: F.max_pool2d(t(X2), 3, dilation=2, return_indices=True, **POOL),
    ),
    "adaptive_avg_pool1d": (lambda: nn.adaptive_avg_pool1d(X1, 4),
        lambda t: F.adaptive_avg_pool1d(t(X1), 4)),
    "adaptive_avg_pool2d": (lambda: nn.adaptive_avg_pool2d(X2, (3, 10)),
        lambda t: F.adaptive_avg_pool2d(t(X2), (3, 10))),
    "adaptive_avg_pool3d": (lambda: nn.adaptive_avg_pool3d(X3, 3),
        lambda t: F.adaptive_avg_pool3d(t(X3), 3)),
    "unfold4d": (
        lambda: nn.unfold4d(X2, (3, 2), stride=2, padding=1, dilation=2),
        lambda t: F.unfold(t(X2), (3, 2), 2, 1, 2),
    ),
    "unfold": (lambda: nn.unfold(M, 1, 5, 3), lambda t: t(M).unfold(1, 5, 3)),
    "embedding": (lambda: nn.embedding(M, [[1, 3]]),
        lambda t: F.embedding(torch.tensor([[1, 3]]), t(M))),
    "attention": (
        lambda: nn.attention(Q, K, V, is_causal=True, scale=0.3),
        lambda t: F.scaled_dot_product_attention(t(Q), t(K), t(V), is_causal=True, scale=0.3),
    ),
    "ctc_loss": (
        lambda: nn.ctc_loss(nn.log_softmax(X3[0, :, :, :, 0]),
            [[1, 2, 1]] * 5, [4, 4, 4, 4, 4], [3, 2, 1, 3, 2]),
        lambda t: F.ctc_loss(
            F.log_softmax(t(X3[0, :, :, :, 0]), -1), torch.tensor([[1, 2, 1]] * 5),
            torch.tensor([4] * 5), torch.tensor([3, 2, 1, 3, 2]), reduction="none",
        ),
    ),
    "topk_with_indices": (lambda: nn.topk_with_indices(M, 4), lambda t: tuple(torch.topk(t(M), 4))),
    "cummin": (lambda: nn.cummin(M, 0), lambda t: torch.cummin(t(M), 0).values),
    "gather": (
        lambda: nn.gather(M, [[1, 2], [0, 3]], 1),
        lambda t: torch.gather(t(M), 1, torch.tensor([[1, 2], [0, 3]])),
    ),
    "scatter": (
        lambda: nn.scatter(M, [[1, 2], [1, 3]], M[:2, :2], 0),
        lambda t: torch.scatter_add(t(M), 0, torch.tensor([[1, 2], [1, 3]]), t(M[:2, :2])),
    ),
}  # fmt: skip
for mode in ("nearest", "nearest-exact", "bilinear", "bicubic"):
    for corners in (False, True) if mode.startswith("bi") else (None,):
        CASES[f"interpolate, {mode}, {corners}"] = (
            lambda m=mode, c=corners: nn.interpolate(X2, (11, 5), mode=m, align_corners=bool(c)),
            lambda t, m=mode, c=corners: F.interpolate(t(X2), (11, 5), mode=m, align_corners=c),
        )
for mode in ("nearest", "bilinear", "bicubic"):
    for padding in ("zeros", "border", "reflection"):
        for corners in (False, True):
            about = dict(padding_mode=padding, align_corners=corners)
            CASES[f"grid_sample, {mode}, {about}"] = (
                lambda m=mode, a=about: nn.grid_sample(X2, GRID, mode=m, **a),
                lambda t, m=mode, a=about: F.grid_sample(t(X2), t(GRID), m, **a),
            )


@pytest.mark.parametrize("name", CASES)
def test_values_are_those_of_pytorch(name):
    here, there = CASES[name]
    found, want = here(), there(torch.from_numpy)
    pairs = zip(found, want, strict=True) if isinstance(found, tuple) else [(found, want)]
    for got, expected in pairs:
        got, expected = np.asarray(got), expected.numpy()
        assert got.shape == expected.shape and got.dtype == expected.dtype
        np.testing.assert_allclose(got, expected, rtol=1e-10, atol=1e-10)


@pytest.fixture(scope="module")
def device():
    """PyTorch, decorated."""
    return pf.Fusion(TorchHostBackend()).device


OF_NN = [name for name in EXAMPLES if name.startswith("nn.")]


@pytest.mark.host
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
@pytest.mark.parametrize("name", OF_NN)
def test_on_pytorch_they_give_the_same(name, dtype, device):
    def maker(where):
        def a(*shape):
            base = np.cos(np.arange(np.prod(shape))).reshape(shape)
            return pf.asarray(base, dtype=dtype, device=where)

        return a

    results = []
    for where in ("cpu", device):
        found = EXAMPLES[name](maker(where))
        results.append(found if isinstance(found, tuple) else (found,))
    near = {"float16": 2e-3, "bfloat16": 1.6e-2, "float32": 2e-6, "float64": 1e-12}[dtype]
    for want, got in zip(*results, strict=True):
        assert got.device == device and got.dtype is want.dtype
        want, got = (np.asarray(x).astype(np.float64) for x in (want, got))
        np.testing.assert_allclose(got, want, rtol=near, atol=near)


@pytest.mark.host
def test_pytorch_runs_what_it_is_said_to_run(device, monkeypatch):
    ran = set()
    for name, function in torch_functions.FUNCTIONS.items():

        def call(*args, _name=name, _call=function.call, **options):
            ran.add(_name)
            return _call(*args, **options)

        call.__signature__ = inspect.signature(function.call)
        monkeypatch.setitem(torch_functions.FUNCTIONS, name, function._replace(call=call))

    def a(*shape):
        return pf.asarray(np.cos(np.arange(np.prod(shape))).reshape(shape), device=device)

    for name in OF_NN:
        found = EXAMPLES[name](a)
        for x in found if isinstance(found, tuple) else (found,):
            np.asarray(x)
    wanted = {name.removesuffix("+") for name in GROUPS["of pyfusion.nn"].split()}
    assert ran >= wanted


@pytest.mark.host
def test_indices_out_of_bounds_are_errors_there_too(device):
    x = pf.ones((3, 2), device=device)
    for call in (
        lambda: nn.gather(x, [[3, 0]], 0),
        lambda: nn.select(x, [-4], 0),
        lambda: nn.gather_nd(x, [[0, 2]]),
    ):
        with pytest.raises(ExecutionError, match="out of bounds for axis . with size ."):
            np.asarray(call())
    assert nn.select(x, [-1], 0).tolist() == [[1, 1]]
