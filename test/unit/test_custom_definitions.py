# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Custom operations that are defined again, several of one name, and equal arguments of theirs."""

import concurrent.futures
import contextlib
import re
import threading
from decimal import Decimal

import numpy as np
import pytest

import pyfusion as pf


def scaled_by(k, name="test.factory"):
    @pf.custom.op(shape=lambda x: [x.shape, x.shape], dtype=lambda x: x.dtype, name=name)
    def scaled(x):
        return x * k, x * -k

    @scaled.lowering
    def _(op, fusion):
        from mlir import ir

        x = op.operands[0]
        element = x.type.element_type
        number = ir.FloatAttr.get(element, float(k))
        splat = ir.DenseElementsAttr.get_splat(ir.RankedTensorType.get([], element), number)
        found = fusion.multiply(x, fusion.constant(splat))
        return found, fusion.negative(found)

    return scaled


def test_operations_of_one_name_keep_their_lowerings():
    ops = {k: scaled_by(k) for k in (2, 10, 7)}
    x = pf.asarray(np.ones(3))
    pending = {k: ops[k](x + 1) for k in ops}
    for k in (10, 2, 7):
        assert [r.tolist() for r in ops[k](x)] == [[k] * 3, [-k] * 3]
    a, b = ops[2](x), ops[10](x)
    assert (a[1] + b[0]).tolist() == [8] * 3  # in one block
    assert {k: r[1].tolist() for k, r in pending.items()} == {k: [-2 * k] * 3 for k in ops}


@pytest.mark.fused
def test_what_was_recorded_before_a_lowering_keeps_the_one_it_had():
    @pf.custom.op(name="test.lowered_again")
    def body(x):
        return x + 1

    x = pf.asarray(np.zeros(2))
    recorded = [body(x - 1)]
    for name in ("negative", "floor"):
        body.lowering(lambda op, fusion, name=name: getattr(fusion, name)(op.operands[0]))
        recorded.append(body(x - 1))
    assert [r.tolist()[0] for r in recorded] == [0, 1, -1]


@pytest.mark.fused
def test_saved_plans_of_one_name_are_told_apart(tmp_path):
    x = pf.asarray(np.ones(5))
    with pf.config.scope(keep_plans=True):
        two = scaled_by(2)
        assert two(x)[0].tolist() == [2] * 5
        pf.client.save_plans(tmp_path / "plans")
        pf.client.load_plans(tmp_path / "plans")
        assert scaled_by(10)(x)[0].tolist() == [10] * 5


def test_ir_names_the_operation_alone_where_no_other_one_has_its_name():
    one, two = (scaled_by(k, "test.two_of_a_name") for k in (3, 4))
    x = pf.asarray(np.ones(2))
    texts = [pf.lower(lambda x, f=f: f(x)[0], x).as_text("fusion") for f in (one, two, one)]
    names = [re.search(r'custom_call "([^"]*)"', text)[1] for text in texts]
    assert names == [f"custom.test.two_of_a_name{end}" for end in ("", "#2", "")]


def test_further_results_are_told_apart_where_two_threads_call_first(monkeypatch):
    three = pf.custom.op(
        name="test.three", results=lambda x: (pf.custom.TensorSpec((1,), x.dtype),) * 3
    )
    three = three(_three)
    make, both = pf.custom.ops.user_op, threading.Barrier(2)

    def slow(*about):
        with contextlib.suppress(threading.BrokenBarrierError):
            both.wait(1)
        return make(*about)

    monkeypatch.setattr(pf.custom.ops, "user_op", slow)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        calls = [pool.submit(lambda: [r.tolist() for r in three(pf.zeros(1))]) for _ in range(2)]
    for results in (*[c.result() for c in calls], [r.tolist() for r in three(pf.zeros(1))]):
        assert results == [[1], [2], [3]]


def _three(x):
    return x + 1, x + 2, x + 3


EQUAL = [
    *(Decimal("1.0"), Decimal("1.00"), frozenset({1}), frozenset({1.0}), range(0), range(5, 5)),
    *({1: "a"}, {True: "a"}, (range(0),), (range(2, 2),)),
]


@pytest.mark.parametrize("lowered", [False, True])
@pytest.mark.parametrize("count", [1, 2])
def test_equal_static_arguments_that_are_not_the_same(lowered, count):
    seen = []

    @pf.custom.op(
        name="test.equal", results=lambda x, how: (pf.custom.TensorSpec((2,), x.dtype),) * count
    )
    def body(x, how):
        seen.append(how)
        return (x,) * count

    if lowered:  # and left to the body
        body.lowering(lambda op, fusion: None)
    x = pf.asarray(np.zeros(2))
    for how in EQUAL:
        assert np.asarray(body(x, how)[0] + 1).tolist() == [1, 1]
    assert list(dict.fromkeys(map(repr, seen))) == list(map(repr, EQUAL))


@pytest.mark.fused
def test_a_lowering_is_asked_for_each_text_of_an_argument():
    @pf.custom.op(name="test.text")
    def body(x, *, how):
        return x + len(str(how))

    @body.lowering
    def _(op, fusion):
        text = op.attributes["options"]["how"].value
        return fusion.negative(op.operands[0]) if "00" in text else fusion.abs(op.operands[0])

    x = pf.asarray(np.ones(2))
    assert body(x, how=Decimal("1.0")).tolist() == [1, 1]
    assert body(x, how=Decimal("1.00")).tolist() == [-1, -1]
    with pf.testing.inspect() as report:
        body(x, how=Decimal("1.0")).tolist()
    assert report.compiles == 0
