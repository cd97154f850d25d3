# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the compiler says to the run time of kernels for a real GPU, which are not launched."""

import numpy as np
import pytest
from fake_gpu import fake_gpus

import pyfusion as pf
from pyfusion.compile.gpu import GpuMaker, GpuReader
from pyfusion.runtime.library import COL, IN_DENSE, IN_STRIDED, INOUT, OUT, ROW, SCALAR, UNIFORM
from pyfusion.stream import engine


class Kernel:
    """Computes nothing."""

    def scratch(self, words):
        return 0

    def launch(self, words, stream=0, scratch=0):
        pass


class Recorder(GpuMaker):
    """Compiles to PTX, and keeps what a kernel would be made with."""

    def __init__(self):
        self.specs = []
        self.variants = []

    def engine(self, module):
        return None

    def kernel(self, engine, device, name, spec, variants):
        assert device.target == "cuda:sm_90"
        self.specs.append(spec)
        self.variants.append(set(variants[name]))
        return Kernel()


@pytest.fixture
def made():
    pf.sync()
    engine.plans.clear()
    maker = Recorder()
    with fake_gpus(maker), pf.config.scope(mode="fused"):
        yield maker
    engine.plans.clear()


def on_gpu(*shape, dtype="float32"):
    x = pf.asarray(np.ones(shape, dtype), device="cuda")
    return x


def spec_of(made, result):
    """Of the one kernel that computes a result; operands in the order of their roles."""
    made.specs.clear()
    np.asarray(result)
    (spec,) = made.specs
    return {k: sorted(v) if k.endswith("operands") else v for k, v in spec.items()}


def test_dense_operands_scalars_and_results(made):
    x, y = on_gpu(3, 4), on_gpu(3, 4, dtype="float64")
    spec = spec_of(made, x * 2.5 + y)
    assert spec["dims"] == (1, 0, 0) and spec["iota"] is False
    assert spec["operands"] == [
        (IN_DENSE, 4, True),
        (IN_DENSE, 8, True),
        (OUT, 8, True),
        (SCALAR, 8, True),
    ]
    assert made.variants == [{"flat"}]


def test_broadcast_operands(made):
    x, row, column = on_gpu(3, 4), on_gpu(4), on_gpu(3, 1)
    spec = spec_of(made, x + row)
    assert spec["dims"] == (2, 0, 0)
    assert spec["operands"] == [(IN_DENSE, 4, True), (IN_STRIDED, 4, True), (OUT, 4, True)]
    spec = spec_of(made, x + column)
    assert spec["operands"] == [(IN_DENSE, 4, True), (IN_STRIDED, 4, False), (OUT, 4, True)]
    assert made.variants[-1] >= {"rows", "strided"}


def test_strided_and_transposed_operands(made):
    x, y = on_gpu(6, 6), on_gpu(6, 6)
    for view in (y[:, ::-1], y.T, y[::2].reshape(3, 6)[:, :]):
        other = x[: view.shape[0]] if view.shape != x.shape else x
        spec = spec_of(made, view * other)
        assert (IN_STRIDED, 4, True) in spec["operands"] and spec["dims"] == (2, 0, 0)


def test_an_operand_of_one_element_is_uniform(made):
    x, one = on_gpu(3, 4), on_gpu(1, 1)
    spec = spec_of(made, x + one)
    assert spec["operands"] == [(IN_DENSE, 4, True), (OUT, 4, True), (UNIFORM, 4, True)]


def test_static_extents_of_1_are_no_dimensions(made):
    spec = spec_of(made, on_gpu(5, 1, 7) + on_gpu(1, 7))
    assert spec["dims"] == (2, 0, 0)


def test_the_result_takes_over_a_dying_operand(made):
    x = on_gpu(100)
    pf.sync()
    x = x + 1
    spec = spec_of(made, x)
    assert spec["operands"] == [(INOUT, 4, True), (SCALAR, 8, True)]


def test_iota(made):
    assert spec_of(made, pf.arange(3, dtype="float32", device="cuda"))["iota"] is True
    assert spec_of(made, pf.ones(3, dtype="float32", device="cuda"))["iota"] is False


def test_reductions(made):
    x, row = on_gpu(3, 4), on_gpu(4)
    spec = spec_of(made, (x * 2).sum(axis=1) + 1)
    assert (spec["kind"], spec["dims"], spec["acc_itemsize"]) == (ROW, (1, 1, 0), 4)
    assert spec["operands"] == [(IN_STRIDED, 4, True), (SCALAR, 8, True)]
    assert spec["finish_operands"] == [(OUT, 4, True), (SCALAR, 8, True)]
    assert made.variants[-1] == {"reduce", "finish"}
    spec = spec_of(made, x.sum(axis=0) * row)
    assert (spec["kind"], spec["dims"]) == (COL, (0, 1, 1))
    assert spec["operands"] == [(IN_STRIDED, 4, True)]
    assert spec["finish_operands"] == [(IN_DENSE, 4, True), (OUT, 4, True)]
    spec = spec_of(made, (x + on_gpu(3, 1)).max(axis=1))
    assert (IN_STRIDED, 4, False) in spec["operands"]


def test_a_kernel_and_its_reader_agree_on_what_is_dense(made, monkeypatch):
    """Kernels address dense operands by the linear index: another layout must not reach them."""
    x, y = on_gpu(6, 6), on_gpu(6, 6)
    monkeypatch.setattr(GpuReader, "_order", lambda self, iteration: [1, 0])
    with pytest.raises(pf.CompileError, match="takes an operand for dense that is not"):
        np.asarray(x + y)
