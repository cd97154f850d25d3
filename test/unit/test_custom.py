# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations of a user's: rules, bodies, lowerings, IR."""

import re
import subprocess
import sys

import numpy as np
import pytest

import pyfusion as pf

fused_only = pytest.mark.skipif(pf.config.mode != "fused", reason="about compiled programs")


def counted(f, *args):
    pf.sync()
    with pf.testing.inspect() as report:
        found = np.asarray(f(*args))
    return found, report


# --- Bodies for the backend -----------------------------------------------------------------------


@pf.custom.op(shape=lambda x, bins: (bins,), dtype=pf.int64)
def histogram(x, bins=4):
    return np.histogram(x, bins=bins)[0]


def test_a_body_of_numpy_is_deferred_and_runs_between_kernels():
    x = pf.asarray([1.0, 2.0, 2.5, 9.0])
    called = []

    @pf.custom.op(shape=lambda x: x.shape, dtype=lambda x: x.dtype, name="test.sorted")
    def sorted_(x):
        called.append((type(x), x.flags.writeable))
        return np.sort(x)

    y = sorted_(-x)
    assert called == []
    assert (y + 1).tolist() == [-8.0, -1.5, -1.0, 0.0]
    assert called == [(np.ndarray, False)]
    assert y.shape == (4,) and y.dtype is pf.float64


def test_default_rules_are_those_of_an_element_wise_operation():
    @pf.custom.op
    def plus(x, y):
        return np.add(x, y, dtype=np.result_type(x, y))

    got = plus(pf.asarray(np.ones((3, 1), np.float32)), pf.asarray(np.ones(2, np.float64)))
    assert (got.shape, got.dtype) == ((3, 2), pf.float64)
    assert np.asarray(got).tolist() == [[2, 2]] * 3


@fused_only
def test_numbers_are_arguments_and_compile_nothing_anew():
    x = pf.asarray(np.arange(6.0))
    np.asarray(histogram(x * 2, 3))
    got, report = counted(lambda: histogram(x * 2, 5))
    assert got.shape == (5,) and got.sum() == 6
    assert (report.compiles, report.unfused) == (0, ["custom.histogram"])


@fused_only
def test_what_is_static_is_part_of_the_program():
    seen = []

    @pf.custom.op(shape=lambda x, how: x.shape, dtype=lambda x, how: x.dtype, name="test.static")
    def body(x, how):
        seen.append(how)
        return x + len(how)

    x = pf.asarray(np.zeros(2))
    assert body(x, "a").tolist() == [1, 1]
    assert body(x, how="abc").tolist() == [3, 3]
    assert body(x, "a").tolist() == [1, 1]
    assert seen == ["a", "abc", "a"]


def test_equal_static_arguments_of_other_types_are_told_apart():
    import enum

    class A(enum.IntEnum):
        ONE = 1

    class B(enum.IntEnum):
        ONE = 1

    @pf.custom.op(shape=(), dtype=bool, name="test.enums")
    def is_a(which):
        return np.asarray(type(which) is A)

    assert bool(is_a(A.ONE)) and not bool(is_a(B.ONE)) and bool(is_a(A.ONE))


def test_several_results_run_the_body_once():
    calls = []

    @pf.custom.op(
        shape=lambda x: [x.shape, x.shape[:-1]],
        dtype=lambda x: [x.dtype, pf.int64],
        name="test.two",
    )
    def two(x):
        calls.append(1)
        return np.sort(x, -1), np.argmax(x, -1)

    a, b = two(pf.asarray([[3.0, 1.0], [5.0, 7.0]]))
    total = b + 1
    del b
    assert total.tolist() == [1, 2] and a.tolist() == [[1, 3], [5, 7]]
    assert calls == [1]
    for limit in (1, 2):
        with pf.config.scope(max_queue=limit):
            a, b = two(pf.asarray([[3.0, 1.0], [5.0, 7.0]]) + 0)
            assert (b.tolist(), a.tolist()) == ([0, 1], [[1, 3], [5, 7]])
    assert len(calls) == 3


def test_structures_of_arrays_are_taken_apart_and_put_together():
    def rule(tree, scale):
        return {"sum": pf.custom.TensorSpec((), tree["w"][0].dtype), "rest": [tree["b"]]}

    @pf.custom.op(results=rule, name="test.tree")
    def body(tree, scale):
        assert type(tree["w"]) is tuple and tree["name"] == "layer"
        return {"rest": [tree["b"] * scale[0]], "sum": tree["w"][0].sum() + tree["w"][1]}

    tree = {"w": (pf.ones(3), 2.0), "b": np.arange(2.0), "name": "layer"}
    got = body(tree, [3])
    assert list(got) == ["sum", "rest"] and type(got["rest"]) is list
    assert float(got["sum"]) == 5 and got["rest"][0].tolist() == [0, 3]


def test_an_operation_without_arrays():
    @pf.custom.op(shape=lambda n: (n,), dtype=pf.float32, name="test.made")
    def made(n):
        return np.arange(n, dtype=np.float32)

    assert (made(3) * 2).tolist() == [0, 2, 4]


@pytest.mark.parametrize(
    "rules, error, match",
    [
        ({"shape": "abc"}, TypeError, "the shape 'abc', not a tuple of ints"),
        ({"shape": (1.5,)}, TypeError, "not a tuple of ints"),
        ({"shape": (-1,)}, ValueError, "negative extent"),
        ({"dtype": "float33"}, TypeError, "the type 'float33'"),
        ({"dtype": lambda x: None}, TypeError, "None names no element type"),
        ({"shape": []}, TypeError, "gave none"),
        ({"shape": [(1,), (2,)], "dtype": [float] * 3}, TypeError, "2 shapes and 3 types"),
        ({"results": lambda x: [x, 5]}, TypeError, "not a TensorSpec"),
        ({"shape": lambda x, y: x}, TypeError, "missing 1 required"),
        ({"shape": lambda x: 1 // 0}, ZeroDivisionError, "by zero"),
    ],
)
def test_wrong_rules_raise_at_the_call(rules, error, match):
    body = pf.custom.op(name="test.wrong_rule", **rules)(_identity)
    with pytest.raises(error, match=match):
        body(pf.ones(2))


def _identity(x):
    return x


@pytest.mark.host
def test_a_failure_is_the_operations_own_also_where_steps_are_timed(capsys):
    @pf.custom.op(name="test.timed")
    def bad(x):
        raise ArithmeticError("made to fail")

    x = pf.ones(2)
    pf.sync()
    with pf.config.scope(debug=2), pytest.raises(pf.ExecutionError, match="made to fail"):
        np.asarray(bad(x))


@fused_only
@pytest.mark.host
def test_the_body_of_an_array_on_a_gpu_runs_on_the_host(gpu):
    @pf.custom.op(shape=lambda x: [x.shape, ()], name="test.on_host")
    def body(x):
        return np.sort(x), x.sum()

    x = pf.asarray(np.array([2.0, 1.0]), device="cuda:1")
    with pytest.warns(pf.HostWarning, match="custom.test.on_host"):
        a, b = body(x)
        assert (a.device, b.device) == ("cuda:1", "cuda:1")
        assert a.tolist() == [1, 2]
        assert float(b) == 3


def test_wrong_arguments_raise_at_the_call():
    with pytest.raises(TypeError, match="custom.histogram: missing a required argument: 'x'"):
        histogram()
    with pytest.raises(TypeError, match="custom.histogram: an argument of set is no array"):
        histogram({1, 2})


@pytest.mark.parametrize(
    "rules, body, match",
    [
        ({}, lambda x: x[:1], r"the result is float64\[1\], where the rule says float64\[2\]"),
        ({"dtype": pf.float32}, lambda x: x, r"is float64\[2\], where the rule says float32\[2\]"),
        ({"shape": [(2,), (2,)]}, lambda x: x, "one ndarray, but has to be 2 results"),
        ({"shape": [(2,), (2,)]}, lambda x: (x,), "is 1 results, but has to be 2"),
        ({"shape": [(2,), (2,)]}, lambda x: (x, x[:1]), r"result 1 is float64\[1\]"),
        ({}, lambda x: (x, x), "a tuple of 2, where the rule says one array"),
        ({}, lambda x: None, "is None"),
        ({}, lambda x: 1 // 0, "ZeroDivisionError"),
    ],
)
def test_wrong_results_raise_at_the_read(rules, body, match):
    def wrong(x):
        return body(x)

    made = pf.custom.op(name="test.wrong", **rules)(wrong)
    x = pf.ones(2)
    pf.sync()
    got = made(x)
    first = got[0] if isinstance(got, tuple) else got
    good = x + 1
    with pytest.raises(pf.ExecutionError, match=match) as found:
        np.asarray(first)
    assert "test_custom.py" in str(found.value)
    if isinstance(got, tuple):
        with pytest.raises(pf.ExecutionError, match=match):
            np.asarray(got[1])
    assert good.tolist() == [2, 2]


def test_names_are_owned():
    with pytest.raises(ValueError, match="there is a custom operation 'histogram' already"):
        pf.custom.op(name="histogram")(_identity)
    with pytest.raises(ValueError, match="letters, digits"):
        pf.custom.op(lambda x: x)
    with pytest.raises(TypeError, match="either results= or"):
        pf.custom.op(name="test.both", results=lambda x: x, dtype=float)(_identity)

    def again(x):
        return x + 1

    first = pf.custom.op(name="test.again")(again)
    x = pf.zeros(2)
    assert first(x).tolist() == [1, 1]

    def again(x):  # noqa: F811  the cell of a notebook, run again
        return x + 2

    assert pf.custom.op(name="test.again")(again)(x).tolist() == [2, 2]
    assert first(x).tolist() == [1, 1]


def test_names_of_built_in_operations_are_no_others():
    @pf.custom.op
    def pow(x, y):
        return x + y

    assert pow(pf.ones(2), 4.0).tolist() == [5, 5]


def test_a_result_that_is_an_argument_is_not_overwritten():
    @pf.custom.op(name="test.alias")
    def same(x):
        return x

    x = pf.asarray(np.ones(1000))
    y = same(x)
    x = x * 2
    assert np.asarray(x)[0] == 2 and np.asarray(y)[0] == 1


# --- Bodies of pyfusion's functions ---------------------------------------------------------------


@pf.custom.op(fused=True, shape=lambda x: x.shape, dtype=lambda x: x.dtype)
def silu(x):
    return x / (1 + pf.exp(-x))


@fused_only
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


@fused_only
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


@fused_only
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


# --- IR -------------------------------------------------------------------------------------------

SCALED = """
    func.func @test_scaled(%x: tensor<?xf32>, %s: f32) -> tensor<?xf32> {
      %0 = fusion.full %s [] : f32 to tensor<f32>
      %1 = fusion.multiply %x, %0 : tensor<?xf32>, tensor<f32>
      return %1 : tensor<?xf32>
    }
"""
scaled = pf.custom.from_ir(SCALED)


@fused_only
def test_ir_fuses():
    x = pf.asarray(np.arange(4, dtype=np.float32))

    def f(x, s):
        return pf.exp(scaled(x + 1, s) - 1)

    got, report = counted(f, x, 0.5)
    np.testing.assert_allclose(got, np.exp((np.arange(4) + 1) * 0.5 - 1), rtol=1e-5)
    assert (report.kernels, report.unfused) == (1, [])
    _, report = counted(f, x, 0.25)
    assert report.compiles == 0
    assert len(pf.explain(f, x, 0.5).kernels) == 1
    assert "test_custom.py" in str(_site(lambda: f(x, 0.5)))


def _site(f):
    sites = []

    class Observer:
        def registered(self, operation):
            sites.append(operation.site)

    with pf.observer.install(Observer()):
        f()
    return sites[2]  # the multiplication in the text


def test_ir_is_the_same_everywhere():
    x = np.arange(5, dtype=np.float32)
    pf.testing.assert_same_everywhere(lambda x: scaled(x * 2, 3.0) + 1, x)


EVERY_KIND = """
func.func @test_kinds(%x: tensor<?x3xf32>, %n: index) -> (tensor<?xf32>, tensor<3x?xf32>) {
  %c = fusion.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %0 = fusion.add %x, %c : tensor<?x3xf32>, tensor<3xf32>
  %1 = fusion.sum %0 axes [1] : tensor<?x3xf32>
  %2 = fusion.slice %0[0, 2] [%n, 3] [1, -1] : tensor<?x3xf32> to tensor<?x3xf32>
  %3 = fusion.transpose %2 perm [1, 0] : tensor<?x3xf32>
  return %1, %3 : tensor<?xf32>, tensor<3x?xf32>
}
"""


def test_ir_of_every_kind_with_several_results():
    kinds = pf.custom.from_ir(EVERY_KIND)
    x = np.arange(12, dtype=np.float32).reshape(4, 3)
    total, part = kinds(x, 2)
    y = x + [1, 2, 3]
    assert np.asarray(total).tolist() == y.sum(1).tolist()
    assert np.asarray(part).tolist() == y[:2, ::-1].T.tolist()
    pf.testing.assert_same_everywhere(lambda x: kinds(x, 3), x)
    with pytest.raises(pf.ShapeError, match="takes 5 elements from 0 by 1 of 4"):
        kinds(x, 5)
    with pytest.raises(pf.ShapeError, match=r"float32\[\?, 3\], not an array of float32\[4, 2\]"):
        kinds(pf.asarray(x[:, :2]), 2)
    with pytest.raises(TypeError, match="argument 1 is an index, not 2.0"):
        kinds(x, 2.0)


OVERLOADED = """
func.func @test_twice(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = fusion.add %x, %x : tensor<?xf32>, tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func @test_twice_matrix(%x: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %0 = fusion.add %x, %x : tensor<?x?xi32>, tensor<?x?xi32>
  return %0 : tensor<?x?xi32>
}
"""


def test_ir_of_several_functions():
    twice = pf.custom.from_ir(OVERLOADED)
    assert twice(np.ones(2, np.float32)).tolist() == [2, 2]
    assert twice(np.ones((1, 2), np.int32)).tolist() == [[2, 2]]
    with pytest.raises(pf.DTypeError, match="(?s)takes no .an array of float64.*@test_twice_matr"):
        twice(np.ones(2))


def test_extents_that_meet_must_be_equal():
    add = pf.custom.from_ir("""
        func.func @test_add(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
          %0 = fusion.add %x, %y : tensor<?xf32>, tensor<?xf32>
          return %0 : tensor<?xf32>
        }""")
    x, one = np.ones(3, np.float32), np.ones(1, np.float32)
    assert add(one, one).tolist() == [2]
    with pytest.raises(pf.ShapeError, match="extents 1 and 3: only an extent whose type says 1"):
        add(x, one)


@pytest.mark.parametrize(
    "body, match",
    [
        ("%0 = fusion.no_such %x", "no_such"),
        ("%0 = fusion.exp %y : tensor<?xf32>", "undeclared SSA value"),
        ('%0 = fusion.custom_call "numpy.sort"(%x) : (tensor<?xf32>) -> tensor<?xf32>', "may hold"),
    ],
)
def test_wrong_ir_raises_at_the_call(body, match):
    op = pf.custom.from_ir(
        "func.func @test_bad(%x: tensor<?xf32>) -> tensor<?xf32> {" + body + "\n"
        "return %0 : tensor<?xf32> }"
    )
    with pytest.raises(pf.CompileError, match=match):
        op(np.ones(2, np.float32))


def test_an_abort_of_the_child_is_an_error_here(monkeypatch):
    from pyfusion.custom import ir_text

    monkeypatch.setattr(ir_text, "_CHILD", "import os; os.abort(); ")
    with pytest.raises(pf.CompileError, match="ended with signal 6"):
        pf.custom.from_ir(SCALED, name="test.abort")(np.ones(2, np.float32), 1.0)


def test_ir_without_a_function():
    with pytest.raises(ValueError, match="no func.func"):
        pf.custom.from_ir("module {}")


def test_results_die_with_their_arrays():
    """What the body gave is not kept by the operation."""
    import gc
    import weakref

    made = []

    class Owned(np.ndarray):
        pass

    @pf.custom.op(shape=[(3,), (3,)], dtype=float, name="test.owned")
    def body(x):
        found = [np.zeros(3).view(Owned) for _ in range(2)]
        made.extend(map(weakref.ref, found))
        return found

    a, b = body(pf.ones(3))
    assert (a.tolist(), b.tolist()) == ([0] * 3, [0] * 3)
    del a, b
    gc.collect()
    assert [r() for r in made] == [None, None]


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
