# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Custom operations that are wrong: definitions, rules and arguments; and results of odd memory."""

import collections
import re
import tempfile

import numpy as np
import pytest

import pyfusion as pf

X = np.arange(24, dtype=np.float32).reshape(4, 6)


def _identity(x):
    return x


def _raises(x):
    return {}["missing"]


@pytest.mark.parametrize(
    "rules, error, match",
    [
        ({"dtype": []}, TypeError, "the rule of the types gave none"),
        ({"dtype": lambda x: []}, TypeError, "the rule of the types gave none"),
        ({"shape": [2, 3]}, TypeError, r"the shape \[2, 3\], not a tuple of ints: a list is"),
        ({"shape": (2**63,)}, ValueError, "larger than the maximum size"),
        ({"shape": (2**64, 0)}, ValueError, "larger than the maximum size"),
        ({"shape": (2**40, 2**40)}, ValueError, "larger than the maximum size"),
        ({"shape": (1,) * 65}, ValueError, "at most 64 dimensions, not 65"),
        ({"shape": lambda x: (0, -1)}, ValueError, "negative extent"),
        ({"results": lambda x: pf.custom.TensorSpec((-1,), float)}, ValueError, "negative extent"),
    ],
)
def test_rules_that_no_array_fits(rules, error, match):
    body = pf.custom.op(name="test.no_array", **rules)(_identity)
    with pytest.raises(error, match=r"^custom\.test\.no_array: .*" + match):
        body(pf.ones(2))


@pytest.mark.parametrize("which", ["shape", "dtype", "results"])
def test_an_exception_of_a_rule_names_the_operation_and_the_line(which):
    line = _raises.__code__.co_firstlineno + 1
    body = pf.custom.op(name="test.raising_rule", **{which: _raises})(_identity)
    with pytest.raises(KeyError) as found:
        body(pf.ones(2))
    text = str(found.value)
    assert text.startswith("\"custom.test.raising_rule: 'missing'")
    assert text.endswith(f'test_custom_rules.py:{line})"')
    body = pf.custom.op(name="test.raising_rule", shape=lambda: 1)(_identity)
    with pytest.raises(TypeError, match=r"custom.*0 positional arguments.*test_custom_rules\.py"):
        body(pf.ones(2))


def test_an_exception_of_a_rule_with_a_text_of_its_own_is_raised_as_it_is():
    class Own(Exception):
        def __init__(self, number):
            super().__init__(number)

        def __str__(self):
            return f"number {self.args[0]}"

    def rule(x):
        raise Own(3)

    body = pf.custom.op(name="test.own_error", shape=rule)(_identity)
    with pytest.raises(Own, match="^number 3$"):
        body(pf.ones(2))


def test_what_is_no_body():
    for wrong in (3, "sin", pf.custom.op(name="test.no_body")(_identity)):
        with pytest.raises(TypeError, match=f"made of a function, not of {re.escape(repr(wrong))}"):
            pf.custom.op(wrong)
        with pytest.raises(TypeError, match="made of a function"):
            pf.custom.op(fused=True)(wrong)
    with pytest.raises(TypeError, match="Python knows no signature of <built-in function max>"):
        pf.custom.op(max)

    async def later(x): ...

    def several(x):
        yield x

    with pytest.raises(TypeError, match=r"custom\.later: the body is a coroutine function"):
        pf.custom.op(later)
    with pytest.raises(TypeError, match=r"custom\.several: the body is a generator function"):
        pf.custom.op(several)
    with pytest.raises(TypeError, match="fused is a bool, not 'no'"):
        pf.custom.op(fused="no")


@pytest.mark.parametrize("array", [np.array(["a"]), np.array([{}]), np.zeros(2, "M8[s]")])
@pytest.mark.parametrize("fused", [False, True])
def test_arrays_of_elements_that_there_are_not(array, fused):
    body = pf.custom.op(name="test.elements", fused=fused)(_identity)
    with pytest.raises(TypeError, match=r"^custom\.test\.elements: an argument: arrays of dtype"):
        body(array)


@pytest.mark.parametrize("result", ["text", None, [], {}, object(), (None,), np.array(["a"])])
def test_a_fused_body_that_gives_no_array(result):
    body = pf.custom.op(name="test.gives", fused=True)(lambda x: result)
    with pytest.raises(TypeError, match=r"^custom\.test\.gives: the body gave .*, not an array"):
        body(pf.ones(2))


@pytest.mark.parametrize("fused", [False, True])
def test_arguments_of_odd_structure(fused):
    op = pf.custom.op(
        name="test.structures", fused=fused, shape=lambda x, s: x.shape, dtype=lambda x, s: x.dtype
    )(lambda x, s: x + 0)
    x = pf.ones(2)
    for empty in ([], {}):
        cyclic = [empty]
        empty.append(cyclic) if isinstance(empty, list) else empty.update(a=cyclic)
        with pytest.raises(
            ValueError, match=r"^custom\.test\.structures: the arguments are nested to"
        ):
            op(x, empty)
    with pytest.raises(TypeError, match=r"^custom\.test\.structures: takes arrays, not the values"):
        op(x, x._v)

    class Pair(collections.namedtuple("Base", "a b")):
        def __new__(cls, both):
            return super().__new__(cls, both, both)

    assert op(x, Pair(x)).tolist() == [1, 1]

    class Nameless:
        def __repr__(self):
            raise ValueError("no text")

    assert op(x, Nameless()).tolist() == [1, 1]

    def of_any(**named):
        return named["self"] * 2

    double = pf.custom.op(name="test.named_self", fused=fused)(of_any)
    assert double(self=x).tolist() == [2, 2]


def test_a_fused_body_that_gives_what_holds_itself():
    cyclic = []
    cyclic.append(cyclic)
    op = pf.custom.op(name="test.gives_cycle", fused=True)(lambda x: cyclic)
    with pytest.raises(ValueError, match=r"^custom\.test\.gives_cycle: what the body gave holds"):
        op(pf.ones(2))


@pytest.mark.fused
def test_a_lowering_that_is_wrong_is_named():
    op = pf.custom.op(name="test.raising_lowering")(_identity)
    with pytest.raises(TypeError, match=r"custom\.test\.raising_lowering: a lowering is a f"):
        op.lowering(3)
    op.lowering(lambda op, fusion: 1 // 0)
    with pf.config.scope(strict=True), pytest.raises(pf.CompileError) as found:
        np.asarray(op(pf.ones(2)))
    assert "custom.test.raising_lowering: its lowering raised: integer division" in str(found.value)


def test_a_fused_body_gives_arrays_in_any_structure():
    body = pf.custom.op(name="test.gives_more", fused=True)(lambda x: {"a": (x, 2), "b": [X]})
    x = pf.ones(2)
    found = body(x)
    assert found["a"][0].tolist() == [1, 1] and float(found["a"][1]) == 2
    np.testing.assert_array_equal(np.asarray(found["b"][0]), X)
    assert isinstance(found["b"][0], pf.Array)


def _misaligned(x):
    raw = bytearray(x.nbytes + 1)
    raw[1:] = x.tobytes()
    return np.frombuffer(raw, x.dtype, offset=1).reshape(x.shape)


def _field(x):
    records = np.zeros(x.shape, [("tag", "u1"), ("value", x.dtype)])
    records["value"] = x
    return records["value"]


def _read_only(x):
    found = x.copy()
    found.flags.writeable = False
    return found


def _mapped(x):
    with tempfile.NamedTemporaryFile() as file:
        found = np.memmap(file.name, x.dtype, "w+", shape=x.shape)
    found[...] = x
    return found


RESULTS = {
    "transposed": np.asfortranarray,
    "negative": lambda x: x[::-1, ::-1].copy()[::-1, ::-1],
    "broadcast": lambda x: np.broadcast_to(x[:1], x.shape),
    "every second": lambda x: np.repeat(x, 2, 1)[:, ::2],
    "misaligned": _misaligned,
    "a field": _field,
    "read-only": _read_only,
    "of bytes": lambda x: np.frombuffer(x.tobytes(), x.dtype).reshape(x.shape),
    "mapped": _mapped,
    "other byte order": lambda x: x.astype(x.dtype.newbyteorder()),
    "the argument": lambda x: x,
    "a view": lambda x: x[::-1],
}


@pytest.mark.parametrize("made", RESULTS.values(), ids=RESULTS)
def test_results_of_any_layout(made):
    """What cannot be used in place is copied; nobody overwrites an argument that a result shows."""
    body = pf.custom.op(name="test.layout")(lambda x: made(x))
    pair = pf.custom.op(
        name="test.layouts", shape=lambda x: [x.shape, x.shape], dtype=lambda x: x.dtype
    )(lambda x: (made(x), made(x)))
    want = np.asarray(made(X), np.float32)
    for of in (pf.asarray(X), pf.asarray(X) * 1):  # one that exists, one that the block makes
        result = body(of)
        of = of * 2 + 1  # the last use of the argument, which could take its memory
        np.testing.assert_array_equal(np.asarray(of), X * 2 + 1)
        np.testing.assert_array_equal(np.asarray(result * 3), want * 3)
    first, second = pair(pf.asarray(X) + 0)
    np.testing.assert_array_equal(np.asarray(second - first), want - want)
    np.testing.assert_array_equal(np.asarray(second), want)


def test_a_body_that_uses_arrays_of_pyfusion():
    """What exists can be read; what has to be run first cannot, and the message says what to do."""
    with pf.stream():
        pending = pf.asarray(X) * 2
    bodies = {
        "read": lambda x: np.asarray(pending) + x,
        "float": lambda x: x * float(pending[0, 1]),
        "result": lambda x: pf.exp(x),
        "one of several": lambda x: (x, pf.exp(x)),
        "sync": lambda x: pf.sync() or x,
    }
    for name, used in bodies.items():
        shape = [X.shape] * 2 if "several" in name else X.shape

        def body(x, used=used):
            return used(x)

        op = pf.custom.op(name="test.uses_arrays", shape=shape)(lambda x, body=body: body(x))
        result = op(pf.asarray(X))
        with pytest.raises(
            pf.ExecutionError, match=r"is given NumPy arrays.*op\(fused=True\)"
        ) as e:
            np.asarray(result[0] if "several" in name else result)
        assert str(e.value).startswith("custom.test.uses_arrays: ")
    np.testing.assert_array_equal(np.asarray(pending), X * 2)
    op = pf.custom.op(name="test.uses_arrays")(lambda x: x + np.asarray(pending))
    np.testing.assert_array_equal(np.asarray(op(pf.asarray(X))), X * 3)


def test_a_result_of_complex_numbers_at_half_an_address():
    want = np.array([1 + 2j, 3 - 1j])
    body = pf.custom.op(name="test.half")(
        lambda x: np.frombuffer(bytes(8) + x.tobytes(), complex, offset=8)
    )
    assert (body(pf.asarray(want)) + 1).tolist() == [2 + 2j, 4 - 1j]
