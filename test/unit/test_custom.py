# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations of a user's with bodies for the backend: rules, results, names."""

import numpy as np
import pytest
from custom_common import counted

import pyfusion as pf


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


@pytest.mark.fused
def test_numbers_are_arguments_and_compile_nothing_anew():
    x = pf.asarray(np.arange(6.0))
    np.asarray(histogram(x * 2, 3))
    got, report = counted(lambda: histogram(x * 2, 5))
    assert got.shape == (5,) and got.sum() == 6
    assert (report.compiles, report.unfused) == (0, ["custom.histogram"])


@pytest.mark.fused
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


@pytest.mark.fused
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
