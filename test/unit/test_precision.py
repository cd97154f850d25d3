# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""config.precision: "fast" contracts, keeps short floats in float32, and relaxes nothing else."""

import math
import platform
import re
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from values_common import check

import pyfusion as pf

pytestmark = pytest.mark.fused


def _read(f, *args):
    return np.asarray(f(*[pf.asarray(a) for a in args]))


def _has_fma():
    """Whether the host has the instruction: without it nothing is contracted."""
    if platform.machine() not in ("x86_64", "AMD64"):
        return True
    return re.search(r"^flags.*\bfma\b", Path("/proc/cpuinfo").read_text(), re.MULTILINE)


@pytest.mark.skipif(not _has_fma(), reason="the processor has no fused multiply-add")
def test_fast_contracts_products_and_sums():
    x = np.full(64, 1 + 2.0**-12, np.float32)
    z = np.full(64, -(1 + 2.0**-11), np.float32)  # x * x rounded to float32, negated

    def f(x, z):
        return x * x + z

    assert (_read(f, x, z) == 0).all()
    with pf.config.scope(precision="fast"):
        assert (_read(f, x, z) == 2.0**-24).all()
    assert (_read(f, x, z) == 0).all()


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_fast_keeps_short_floats_in_float32_within_a_kernel(dtype):
    dtype = getattr(pf, dtype)
    big = pf.full(40, 2.0**10, dtype=dtype)

    def f():
        return (big + 0.25) - big

    assert not np.asarray(f()).any()
    with pf.config.scope(precision="fast"):
        assert (np.asarray(f()) == 0.25).all()


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_fast_keeps_the_rounding_of_casts(dtype):
    x = pf.full(40, 2.0**10 + 0.25, dtype=pf.float32)
    with pf.config.scope(precision="fast"):
        assert (
            np.asarray(pf.astype(pf.astype(x, getattr(pf, dtype)), pf.float32)) == 2.0**10
        ).all()


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_fast_rounds_what_a_cast_reads(dtype):
    big = pf.full(40, 2.0**10, dtype=getattr(pf, dtype))
    with pf.config.scope(precision="fast"):
        with pf.testing.inspect() as report:
            kept = (big + 0.25) == big
            wide = (big + 0.25).astype(pf.float32)
            whole = ((big + 0.25) * 4).astype(pf.int32)
        assert not np.asarray(kept).any()  # compared before it is rounded
        assert (np.asarray(wide) == 2.0**10).all()
        assert (np.asarray(whole) == 2**12).all()
    assert report.fallbacks == 0


def _rounding_casts(h, same, wide):
    """Casts of `h * 2`, which is beyond float16's range and needs a digit more than bfloat16's."""
    return [
        (h * 2 + 1).astype(same) - h * 2,
        pf.astype(h * 2 + 1, same) - h * 2,
        (h * 2 + 1).astype(wide).astype(same) - h * 2,
        (h * 2 + 1).astype(wide).astype("float64").astype(same) - h * 2,
        (h * 2 + 1).astype(same, copy=True).astype(same) - h * 2,
        pf.sum((h * 2 + 1).astype(same) - h * 2, axis=0),
    ]


@pytest.mark.parametrize("wide", ["float32", "float64"])
def test_fast_rounds_casts_to_the_same_type(wide):
    """Directly, and by way of a type that holds all of its values."""
    h = pf.full(40, 128, dtype="bfloat16")
    with pf.config.scope(precision="fast"):
        kept = h * 2 + 1 - h * 2
        assert (np.asarray(kept) == 1).all()
        for got in _rounding_casts(h, "bfloat16", wide):
            assert not np.asarray(got).any()
    h = pf.full(40, 65504, dtype="float16")
    with pf.config.scope(precision="fast"):
        assert (np.asarray(h * 2 / 2) == 65504).all()
        assert np.isinf(np.asarray((h * 2).astype("float16") / 2)).all()
        assert np.isinf(np.asarray((h * 2).astype(wide).astype("float16") / 2)).all()


def test_a_cast_to_the_same_type_is_recorded_before_the_precision_is_known():
    h = pf.full(40, 65504, dtype="float16")
    y = (h * 2).astype("float16") / 2
    with pf.config.scope(precision="fast"):
        assert np.isinf(np.asarray(y)).all()
    for mode in ("fused", "single", "backend"):
        with pf.config.scope(mode=mode):
            x = h + 1
            rounded = x.astype("float16")
            assert (np.asarray(rounded) == 65504).all() and (np.asarray(x) == 65504).all()
            assert x.astype("float16", copy=False) is x
    with pf.testing.inspect(flush=False) as report:  # a stored one has no digits to lose
        pf.sync()
        same = x.astype("float16")
    assert same._v is x._v and report.blocks == 0


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("name", ["exp", "tanh", "sigmoid", "erf"])
def test_fast_functions_of_unrounded_operands_are_as_exact(dtype, name):
    """Their shorter forms are made for operands of the type: others err by little more."""
    kind = np.dtype(getattr(ml_dtypes, dtype, dtype))
    n, m = (np.random.default_rng(seed).normal(0, 2, 20000).astype(kind) for seed in (1, 2))
    product = n.astype(np.float64) * m.astype(np.float64)
    exact = {
        "exp": np.exp,
        "tanh": np.tanh,
        "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
        "erf": np.vectorize(math.erf),
    }
    with pf.config.scope(precision="fast"):
        got = _read(lambda x, y: getattr(pf, name)(x * y), n, m)
    check(got, exact[name](product), name, ulp=0.54)


def test_the_precision_is_read_once_for_a_block(monkeypatch):
    """The key and the code agree if another thread sets the flag between the two."""
    from pyfusion.compile import emit

    x = pf.full(40, 2.0**10, dtype=pf.float16)
    strict = np.asarray((x + 0.25) - x)
    pf.stream.engine.plans.clear()
    init = emit.Emitter.__init__

    def switched(self, block):
        init(self, block)
        pf.config.precision = "fast"

    monkeypatch.setattr(emit.Emitter, "__init__", switched)
    try:
        np.testing.assert_array_equal(np.asarray((x + 0.25) - x), strict)
    finally:
        pf.config.precision = "strict"


def test_fast_leaves_functions_and_division_alone():
    x = np.linspace(-20, 20, 1000, dtype=np.float32)
    y = np.linspace(0.3, 3, 1000, dtype=np.float32)

    def f(x, y):
        return pf.stack([pf.exp(x), pf.sin(x), pf.remainder(x, y), x / y, pf.log(y), pf.sqrt(y)])

    strict = _read(f, x, y)
    with pf.config.scope(precision="fast"):
        np.testing.assert_array_equal(_read(f, x, y), strict)


def test_each_precision_has_its_plans():
    x = pf.asarray(np.ones(8, np.float32))
    with pf.testing.inspect() as report:
        for _ in range(3):
            for precision in ("strict", "fast"):
                with pf.config.scope(precision=precision):
                    np.asarray(x * 3.0 + 0.125 - x)
    assert report.compiles == 2


def test_unknown_precision():
    with pytest.raises(ValueError, match="strict, fast"):
        pf.config.precision = "quick"
