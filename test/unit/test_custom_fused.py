# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations of a user's that are compiled: bodies of pyfusion's functions, and lowerings."""

import re
import subprocess
import sys

import numpy as np
import pytest
from custom_common import counted

import pyfusion as pf


@pf.custom.op(fused=True, shape=lambda x: x.shape, dtype=lambda x: x.dtype)
def silu(x):
    return x / (1 + pf.exp(-x))


@pytest.mark.fused
def test_a_fused_body_is_one_kernel_with_what_is_around_it():
    x = pf.asarray(np.linspace(-2, 2, 9, dtype=np.float32))
    got, report = counted(lambda x: silu(x * 2) + 1, x)
    assert (report.kernels, report.unfused) == (1, [])
    y = np.asarray(x) * 2
    np.testing.assert_allclose(got, y / (1 + np.exp(-y)) + 1, rtol=1e-6)
    assert len(pf.explain(lambda x: silu(x * 2) + 1, x).kernels) == 1


def test_a_fused_body_leaves_the_arguments_alone():
    @pf.custom.op(fused=True, name="test.inplace")
    def doubled(x):
        x += x
        return {"twice": x}

    x = pf.ones(2)
    assert doubled(x)["twice"].tolist() == [2, 2] and x.tolist() == [1, 1]


def test_wrong_results_of_a_fused_body_raise_at_the_call():
    def wrong(x):
        return x[:1]

    x = pf.ones(3)
    with pytest.raises(pf.ShapeError, match=r"test.fused_1: the result is float64\[1\]"):
        pf.custom.op(fused=True, shape=(3,), dtype=float, name="test.fused_1")(wrong)(x)
    with pytest.raises(pf.DTypeError, match="where the rule says int32"):
        pf.custom.op(fused=True, shape=(1,), dtype=pf.int32, name="test.fused_2")(wrong)(x)
    with pytest.raises(TypeError, match="has to be 2 results"):
        pf.custom.op(fused=True, shape=[(1,), (1,)], name="test.fused_3")(wrong)(x)


# --- Lowerings ------------------------------------------------------------------------------------


@pf.custom.op(name="test.axpy")
def axpy(a, x, y):
    return x * x.dtype.type(a) + y


@axpy.lowering
def _axpy(op, fusion):
    from mlir import ir

    x, y, a = op.operands
    scale = fusion.full(ir.RankedTensorType.get([], a.type), a, [], [])
    return fusion.add(fusion.multiply(x, scale), y)


@pytest.mark.fused
def test_a_lowering_fuses():
    x = pf.asarray(np.arange(4, dtype=np.float32))

    def f(x, a):
        return pf.exp(axpy(a, x * 2, x)) - 1

    got, report = counted(f, x, 0.5)
    assert (report.kernels, report.unfused) == (1, [])
    np.testing.assert_allclose(got, np.expm1(2 * np.arange(4)), rtol=1e-5)
    _, report = counted(f, x, 0.75)
    assert report.compiles == 0
    assert '"custom.test.axpy"' in pf.lower(f, x, 0.5).as_text("fusion")
    assert "custom" not in pf.lower(f, x, 0.5).as_text("merged")
    assert len(pf.explain(f, x, 0.5).kernels) == 1


@pytest.mark.parametrize("shapes", [((3,), (3,)), ((3, 1), (3, 1)), ((1,), (1,))])
def test_a_lowering_agrees_with_its_body(shapes):
    x, y = (np.ones(s, np.float32) * 3 for s in shapes)
    pf.testing.assert_same_everywhere(lambda x, y: axpy(2.0, x + 1, y) * y, x, y)


def test_a_number_that_a_lowering_cannot_have():
    with pytest.raises(pf.DTypeError, match="0.5 is no int32"):
        axpy(0.5, pf.ones(2, dtype=pf.int32), pf.ones(2, dtype=pf.int32))


def test_complex_numbers_go_to_the_body():
    x = pf.asarray(np.array([1 + 2j, 3j]))
    assert axpy(2.0, x, x).tolist() == [3 + 6j, 9j]


def test_a_lowering_of_several_results_and_options():
    @pf.custom.op(
        shape=lambda x, how: [x.shape, x.shape], dtype=lambda x, how: x.dtype, name="test.both_ways"
    )
    def both(x, how):
        return (np.sin(x), np.cos(x)) if how == "sin" else (np.cos(x), np.sin(x))

    @both.lowering
    def _(op, fusion):
        found = [fusion.sin(op.operands[0]), fusion.cos(op.operands[0])]
        return found if op.attributes["options"]["how"].value == "sin" else found[::-1]

    x = np.linspace(0, 3, 7)
    for how in ("sin", "cos"):
        pf.testing.assert_same_everywhere(lambda x, how=how: both(x * 2, how), x)
    if pf.config.mode == "fused":
        y = pf.asarray(x)
        _, report = counted(lambda: sum(both(y, "sin")))
        assert (report.kernels, report.unfused) == (1, [])


@pytest.mark.fused
def test_a_lowering_that_fails_falls_back_to_the_body():
    @pf.custom.op(name="test.bad_lowering")
    def body(x):
        return x + 1

    x = pf.asarray(np.ones(2, np.float32))
    for problem in ("raises", "type", "count"):

        @body.lowering
        def _(op, fusion, problem=problem):
            if problem == "raises":
                raise LookupError("not here")
            return fusion.isnan(op.operands[0]) if problem == "type" else []

        with pf.config.scope(strict=False), pytest.warns(pf.FallbackWarning) as said:
            assert body(x).tolist() == [2, 2]
        wanted = {"raises": "not here", "type": "gives \\(tensor<\\?xi1>\\)", "count": "gives 0"}
        assert any(re.search(wanted[problem], str(w.message)) for w in said)

    @body.lowering
    def _(op, fusion):
        return None

    got, report = counted(body, x)
    assert got.tolist() == [2, 2] and report.unfused == ["custom.test.bad_lowering"]


def test_plans_of_a_lowering_are_not_taken_by_another_process(tmp_path):
    """A file of plans holds compiled code, and the lowering may have changed."""
    code = f"""
import sys, warnings
import numpy as np, pyfusion as pf
@pf.custom.op(name="t")
def t(x):
    return x
@t.lowering
def _(op, fusion):
    return fusion.add(op.operands[0], op.operands[0]) if sys.argv[1] == "a" else op.operands[0]
pf.config.keep_plans = True
if sys.argv[1] == "b":
    pf.load_plans({str(tmp_path / "plans")!r})
print(np.asarray(t(pf.asarray(np.ones(2, np.float32))) * 3).tolist())
if sys.argv[1] == "a":
    pf.save_plans({str(tmp_path / "plans")!r})
"""
    said = [
        subprocess.run([sys.executable, "-c", code, which], capture_output=True, text=True).stdout
        for which in "ab"
    ]
    if pf.config.mode != "backend":
        assert said == ["[6.0, 6.0]\n", "[3.0, 3.0]\n"]
