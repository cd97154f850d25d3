# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A GPU gives what the CPU gives, bit for bit where both compute in the same order.

The value tests of `test/unit` run on a GPU too, with `PYFUSION_DEVICE=cuda`.
"""

import numpy as np
import pytest

import pyfusion as pf

pytestmark = pytest.mark.gpu

TYPES = ["float32", "float64", "float16", "bfloat16", "int8", "int32", "int64", "uint8", "uint64"]
SHAPES = [(0,), (1,), (7,), (1000,), (33, 65), (4, 1, 257), (128, 256), (3, 5, 7, 11)]


def data(shape, dtype, seed=0):
    found = np.random.default_rng(seed).normal(0, 30, shape)
    return np.asarray(pf.asarray(found).astype(dtype))


def elementwise(x, y):
    with_views = [x + y, x * 3 - y, abs(x), pf.maximum(x, y), pf.where(x > y, x, 1), x == y]
    if x.ndim > 1:
        with_views += [x + x[..., :1], x[::-1] - y, x[..., ::2] * 2, x.T + y.T, x[0] + y]
    if x.ndim == 2 and x.shape[0] == x.shape[1] // 2:
        with_views.append(x + y.reshape(y.shape[::-1]).T)
    return with_views


def same(got, want):
    got, want = np.asarray(got), np.asarray(want)
    assert got.dtype == want.dtype and got.shape == want.shape
    nan = (got != got) & (want != want)
    assert ((got == want) | nan).all()


@pytest.mark.parametrize("dtype", TYPES)
def test_element_wise(dtype):
    pairs = []
    for shape in SHAPES:
        x, y = data(shape, dtype), data(shape, dtype, 1)
        on = (
            [pf.asarray(x, device=d) for d in ("cuda", "cpu")],
            [pf.asarray(y, device=d) for d in ("cuda", "cpu")],
        )
        got, want = (elementwise(a, b) for a, b in zip(*on, strict=True))
        pairs += zip(got, want, strict=True)
    for got, want in pairs:
        same(got, want)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_math(dtype):
    names = ["exp", "log", "tanh", "sin", "erf", "sqrt", "log1p", "expm1", "cbrt", "sigmoid"]
    x = data((4099,), dtype)
    on_gpu, on_cpu = pf.asarray(x, device="cuda"), pf.asarray(x)
    found = [(getattr(pf, n)(abs(on_gpu)), getattr(pf, n)(abs(on_cpu))) for n in names]
    for got, want in found:
        same(got, want)


@pytest.mark.parametrize("dtype", ["int32", "float32", "float64", "bool"])
@pytest.mark.parametrize("shape", [(1000,), (33, 65), (5, 1, 300), (2, 3, 4, 5), (70000, 3)])
def test_reductions(shape, dtype):
    x = data(shape, dtype)
    on_gpu, on_cpu = pf.asarray(x, device="cuda"), pf.asarray(x)
    pairs = []
    for axis in (None, 0, -1, tuple(range(len(shape)))):
        for name in ("max", "min", "any", "all", "count_nonzero"):
            if dtype == "bool" and name in ("max", "min"):
                continue
            run = getattr(pf, name)
            pairs.append((run(on_gpu, axis=axis), run(on_cpu, axis=axis)))
        if not isinstance(axis, tuple) and dtype != "bool":
            pairs.append((pf.argmax(on_gpu, axis=axis), pf.argmax(on_cpu, axis=axis)))
    exact = dtype in ("int32", "bool")
    sums = [(on_gpu.sum(axis=a), on_cpu.sum(axis=a)) for a in (None, 0, -1)]
    for got, want in pairs + (sums if exact else []):
        same(got, want)
    for got, want in [] if exact else sums:
        bound = np.finfo(dtype).eps * x.size * float(abs(x).max())
        np.testing.assert_allclose(np.asarray(got), np.asarray(want), atol=bound)


def test_products_of_matrices():
    for dtype in ("float32", "float64", "float16", "bfloat16"):
        x, y = data((65, 33), dtype), data((33, 17), dtype, 1)
        got = pf.asarray(x, device="cuda") @ pf.asarray(y, device="cuda") + 1
        assert got.device == "cuda:0"
        want = x.astype("float64") @ y.astype("float64") + 1
        tolerance = {"float64": 1e-12, "float32": 1e-5}.get(dtype, 2e-2)
        np.testing.assert_allclose(np.asarray(got).astype("float64"), want, rtol=tolerance, atol=1)


def test_nothing_falls_back():
    x = pf.asarray(data((64, 48), "float32"), device="cuda")
    with pf.testing.inspect() as report:
        y = pf.exp(x - x.max(axis=1, keepdims=True))
        y = y / y.sum(axis=1, keepdims=True) + x.reshape(48, 64).T
    assert (report.fallbacks, report.unfused, report.on_host, report.transfers) == (0, [], [], 0)
    assert report.kernels > 0 and y.device == "cuda:0"


def test_other_lengths_do_not_recompile():
    def run(n, m, scale):
        x = pf.asarray(data((n, m), "float32"), device="cuda")
        return np.asarray((x * scale + x[:, :1]).sum(axis=0))

    run(8, 9, 1.5)
    with pf.testing.inspect() as report:
        for n, m in ((16, 9), (1000, 333), (2, 4096)):
            run(n, m, float(n))
    assert report.compiles == 0
