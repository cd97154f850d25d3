# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Mistakes raise at the call, NumPy's class of exception, with what was given in the text."""

import numpy as np
import pytest

import pyfusion as pf

# A program on `xp` and arrays a: (2, 3) float32, i: (2, 3) int32, b: (2, 3) bool, s: ().
MISTAKES = [
    "a + xp.ones((4,))", "a * xp.ones((3, 2))", "xp.where(b, a, xp.ones(5))",
    "xp.clip(a, 0, xp.ones(5))", "a & 1", "~a", "a << 1", "b - b", "-b", "a + 'x'", "a + None",
    "a + {}", "a < 'x'", "xp.sqrt('x')", "i ** -1", "i + 2**40", "xp.astype(i, 'uint8') + 256",
    "xp.sum(a, axis=2)", "xp.sum(a, axis=-3)", "xp.sum(a, axis=(0, 0))", "xp.sum(a, axis=1.5)",
    "xp.mean(s, axis=0)", "xp.max(xp.zeros((0, 3)), axis=0)", "xp.min(xp.zeros(0))",
    "a.argmax(axis=4)", "xp.reshape(a, (4,))", "xp.reshape(a, (-1, -1))", "xp.reshape(a, (-1, 4))",
    "xp.reshape(a, (2, 3, 0))", "xp.reshape(a, 'x')", "a.T.reshape(6, copy=False)",
    "xp.transpose(a, (0,))", "xp.transpose(a, (0, 0))", "xp.transpose(a, (0, 2))",
    "xp.expand_dims(a, axis=5)", "xp.expand_dims(a, axis=(0, 0))", "xp.squeeze(a, axis=0)",
    "xp.squeeze(a, axis=3)", "xp.flip(a, axis=2)", "xp.swapaxes(a, 0, 2)", "xp.moveaxis(a, 0, 4)",
    "xp.moveaxis(a, (0, 1), 0)", "xp.broadcast_to(a, (3, 3))", "xp.broadcast_to(a, (3,))",
    "xp.broadcast_shapes((2,), (3,))", "xp.broadcast_arrays(a, xp.ones(5))",
    "xp.rot90(a, axes=(0, 0))", "a @ a", "a @ 2", "2 @ a", "s @ a",
    "xp.matmul(xp.ones((2, 3, 4)), xp.ones((3, 4, 5)))", "xp.matrix_transpose(xp.ones(3))",
    "xp.ones(3).mT", "xp.zeros(-1)", "xp.zeros('x')", "xp.zeros(2.5)", "xp.zeros(3, 'nope')",
    "xp.full(3, 300, 'uint8')", "xp.full((2, 3), xp.ones(5))", "xp.arange(0, 5, 0)",
    "xp.asarray(300, dtype='uint8')", "xp.asarray([[1, 2], [3]])", "xp.eye(-1)",
    "xp.linspace(0, 1, -1)", "xp.astype(a, 'nope')", "a.astype(None, 3, 3, 3, 3, 3, 3)", "bool(a)",
    "int(a)", "float(a)", "complex(a)", "len(s)", "list(s)", "range(s)", "[0][a]", "hash(a)",
    "a.item()", "f'{a:.2f}'", "a.nope", "xp.concatenate([a, xp.ones(3)])",
    "xp.stack([a, xp.ones(3)])", "xp.round(a, 1.5)", "a.reshape(2, 3, 4)", "xp.add(a)", "xp.exp()",
    "xp.exp(a, a, a, a)", "xp.unstack(s)", "xp.take(a, [7], axis=0)",
    "xp.array(a, copy=False, dtype='int8')", "xp.ones((1,) * 65)", "xp.reshape(s, (1,) * 65)",
    "a[(None,) * 63]", "xp.expand_dims(a, tuple(range(63)))", "xp.broadcast_to(s, (1,) * 65)",
]  # fmt: skip


def names(xp):
    return {
        "xp": xp,
        "a": xp.ones((2, 3), dtype="float32"),
        "i": xp.ones((2, 3), dtype="int32"),
        "b": xp.ones((2, 3), dtype="bool"),
        "s": xp.asarray(xp.ones((), dtype="float32")),
    }


@pytest.mark.parametrize("text", MISTAKES)
def test_class_of_exception(text):
    with pytest.raises(Exception) as theirs, np.errstate(all="ignore"):
        eval(text, names(np))
    with pytest.raises(Exception) as ours:
        eval(text, names(pf))
    classes = (
        np.exceptions.AxisError,
        ZeroDivisionError,
        OverflowError,
        IndexError,
        AttributeError,
        TypeError,
    )
    expected = next((c for c in classes if isinstance(theirs.value, c)), ValueError)
    assert isinstance(theirs.value, expected), theirs
    assert isinstance(ours.value, expected), (ours.value, theirs.value)


def test_an_error_leaves_the_queue_usable():
    x = pf.ones((2, 3), "float32")
    y = x + 1
    with pytest.raises(ValueError):
        y + pf.ones(7)
    assert (y * 2).tolist() == [[4.0] * 3] * 2


def test_texts():
    x = pf.ones((2, 3), "float32")
    with pytest.raises(pf.ShapeError, match=r"add: .*\(2, 3\) \(4,\)"):
        x + pf.ones(4)
    with pytest.raises(pf.DTypeError, match="bitwise_and is not defined for float32, Python int"):
        x & 1
    with pytest.raises(OverflowError, match="Python integer 300 out of bounds for uint8"):
        pf.ones(2, "uint8") + 300
    with pytest.raises(pf.ShapeError, match=r"matmul: .*\(2, 3\) and \(2, 3\) of float32"):
        x @ x
    with pytest.raises(TypeError, match="pyfusion.asarray"):
        pf.Array([1])
    with pytest.raises(TypeError, match="names no element type"):
        pf.zeros(3, "nope")
    with pytest.raises(TypeError, match="not supported"):
        pf.asarray(np.zeros(2, "datetime64[s]"))
    with pytest.raises(ValueError, match="device"):
        pf.zeros(2, device="gpu:7")
    with pytest.raises(ValueError, match="version"):
        x.__array_namespace__(api_version="1999.01")
    with pytest.raises(ValueError, match="kind"):
        pf.isdtype(pf.float32, "nope kind")
    with pytest.raises(ValueError):
        pf.tril(pf.ones(()))
    with pytest.raises(TypeError, match="complex"):
        pf.full(2, 1j, "float32")


@pytest.mark.parametrize("k", [1.5, float("nan"), np.float64(1), np.ones(2, int), "1", None])
def test_diagonals_are_numbered_by_ints(k):
    for function in (pf.tril, pf.triu):
        with pytest.raises(TypeError):
            function(pf.ones((3, 3)), k)
        with pytest.raises(TypeError):
            function(pf.ones((3, 3)), pf.asarray([1, 2]))
    np.testing.assert_array_equal(pf.triu(pf.ones((3, 3)), np.int8(1)), np.triu(np.ones((3, 3)), 1))


def test_what_is_no_device_or_stream():
    info = pf.__array_namespace_info__()
    for ask in (info.dtypes, info.default_dtypes):
        with pytest.raises(pf.DeviceError):
            ask(device=5)
        assert ask(device="cpu") == ask()
    with pytest.raises(TypeError, match="stream"):
        pf.ones(2).to_device("cpu", stream=object())


def test_arguments_of_creation_and_shapes():
    n = np.arange(6.0).reshape(2, 3)
    x = pf.asarray(n)
    for call in (
        lambda: pf.zeros(True),
        lambda: pf.arange(None),
        lambda: pf.zeros_like(x, dtype=0),
        lambda: pf.ones_like(x, dtype=""),
        lambda: pf.full_like(x, 1, dtype=False),
    ):
        with pytest.raises(TypeError):
            call()
    with pytest.raises(TypeError, match="reshape"):
        pf.reshape(x, None)
    with pytest.raises(ValueError, match="transpose"):
        pf.transpose(x, 0)
    with pytest.raises(ValueError, match="copy"):
        pf.asarray(n, copy="no")
    with pytest.raises(ValueError, match="copy=False"):
        pf.asarray([1, 2], copy=0)
    np.testing.assert_array_equal(pf.transpose(pf.arange(3), 0), np.arange(3))
    np.testing.assert_array_equal(x.reshape((3, 2), order="f"), n.reshape((3, 2), order="F"))
