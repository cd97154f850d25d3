# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NumPy's `floor_divide` and `divmod` on arrays of pyfusion, in every way to call them: the exact
quotient, where NumPy's own is off by one."""

import numpy as np
import pytest
from exact_functions import floor_divide

import pyfusion as pf

A = np.array([float.fromhex("-0x1.0ef7a2p+29"), 41580912, -7], np.float32)
B = np.array([float.fromhex("0x1.542676p+5"), 2.5, 2], np.float32)
Q = floor_divide(A, B)
M = np.array([True, True, False])


def names():
    return {
        "np": np,
        "n": A.copy(),
        "m": B.copy(),
        "a": pf.asarray(A),
        "b": pf.asarray(B),
        "mask": M,
        "out": np.zeros(3, np.float32),
        "wide": np.zeros((2, 3)),
        "cell": pf.zeros(3, "float32"),
        "rest": pf.zeros(3, "float32"),
    }


# Recorded, whatever is done with the results.
RECORDED = [
    "np.divmod(a, b)", "np.divmod(n, b)", "np.divmod(a, m)", "divmod(n, b)", "divmod(a, m)",
    "divmod(a, b)", "np.divmod(a, b, out=(out, None))", "np.divmod(n, b, out=(n, rest))",
    "np.divmod(a, b, out=(a, b))", "np.floor_divide(a, b)", "np.floor_divide(a, b, out=out)",
    "np.floor_divide(n, b, out=n)", "np.floor_divide(a, b, out=cell)",
    "np.floor_divide(a, b, out=wide)", "np.divmod(a, b, out=(wide, out))",
]  # fmt: skip
# Types and masks are recorded too; with a mask the last element is not divided.
TYPED = [
    "np.floor_divide(a, b, dtype='float32')", "np.floor_divide(a, b, signature='ff->f')",
    "np.floor_divide(n, b, dtype='f4', out=n)",
]  # fmt: skip
AT_ONCE = ["np.divmod(a, b, casting='unsafe')"]
MASKED = [
    "np.floor_divide(a, b, where=mask, out=out)", "np.floor_divide(a, b, where=mask, out=cell)",
    "np.divmod(a, b, where=mask, out=(out, rest))",
]  # fmt: skip


@pytest.mark.parametrize("text", [*RECORDED, *TYPED, *AT_ONCE, *MASKED])
def test_calls(text):
    with pf.testing.inspect() as report:
        given = names()
        found = eval(text, given)
        parts = found if isinstance(found, tuple) else (found,)
        got = [np.asarray(part) for part in parts]
    assert len(report.unfused) == (text in AT_ONCE)
    selected = M if text in MASKED else True
    wanted = [np.where(selected, Q, 0), np.where(selected, np.remainder(A, B), 0)]
    for one, want in zip(got, wanted, strict=False):
        np.testing.assert_array_equal(one, np.broadcast_to(want, one.shape))
    assert len(got) == 1 + ("divmod" in text)
    for name in ("out", "cell", "wide"):
        if f"={name}" in text or f"({name}" in text:
            assert parts[0] is given[name]


def test_in_place_on_an_array_of_numpy():
    n = A.copy()
    same = n
    n //= pf.asarray(B)
    assert n is same and type(n) is np.ndarray
    np.testing.assert_array_equal(n, Q)


def test_methods_of_the_ufunc():
    a, b = pf.asarray(A), pf.asarray(B)
    both = np.stack([A, B])
    p = pf.asarray(both)
    outer = floor_divide(*np.broadcast_arrays(A[:, None], B))
    np.testing.assert_array_equal(np.floor_divide.outer(a, b), outer)
    np.testing.assert_array_equal(np.divmod.outer(a, b)[0], outer)
    got = np.floor_divide.reduce(p)
    assert type(got) is pf.Array and got.dtype is pf.float32
    np.testing.assert_array_equal(got, Q)
    out = np.zeros((1, 3), np.float32)
    assert np.floor_divide.reduce(p, keepdims=True, out=out) is out
    np.testing.assert_array_equal(out, [Q])
    np.testing.assert_array_equal(
        np.floor_divide.reduce(p, where=[[True], [False]], initial=1e30),
        floor_divide(np.float32([1e30] * 3), A),
    )
    np.testing.assert_array_equal(np.floor_divide.accumulate(p), [A, Q])
    np.testing.assert_array_equal(np.floor_divide.reduceat(p, [0]), [Q])
    np.testing.assert_array_equal(np.floor_divide.reduceat(p, [0, 1]), both)
    n = A.copy()
    assert np.floor_divide.at(n, [0, 1], b[:2]) is None
    np.testing.assert_array_equal(n, [Q[0], Q[1], A[2]])
    i = A.astype(int)
    np.floor_divide.at(i, [0], B[:1].astype(float) + pf.zeros(1))
    assert i.tolist() == [Q[0], A[1], A[2]]
    n = A.copy()
    np.floor_divide.at(n, [0, 0], pf.asarray([B[0], 1.5]))  # float64, rounded at each step
    assert n[0] == np.float32(floor_divide(np.float64(Q[0]), np.float64(1.5)))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float64"])
def test_other_floats(dtype):
    kind = getattr(pf, dtype).numpy
    x, y = np.array([4e4, -7.5, 3]).astype(kind), np.array([0.3, 2, 0]).astype(kind)
    want = floor_divide(x, y)
    got = np.floor_divide(pf.asarray(x), pf.asarray(y), where=True, dtype=kind)
    assert got.dtype.name == dtype
    np.testing.assert_array_equal(np.asarray(got), want)
    np.testing.assert_array_equal(np.floor_divide.reduce(pf.asarray([x, y])), want)


def test_what_numpy_refuses_and_integers():
    a, b = pf.asarray(A), pf.asarray(B)
    for call in (
        lambda: np.floor_divide(a, b, dtype="int32"),
        lambda: np.floor_divide(a, b, out=np.zeros(3, int)),
        lambda: np.floor_divide(a, b, out=np.zeros(3, int), where=M),
        lambda: np.divmod(pf.ones(2, "complex64"), 1),
    ):
        with pytest.raises(TypeError):
            call()
    for call in (
        lambda: np.floor_divide.reduce(pf.ones((2, 2)), axis=None),
        lambda: np.floor_divide(a, b, out=np.zeros(2, np.float32)),
        lambda: np.divmod.reduce(a),
    ):
        with pytest.raises(ValueError):
            call()
    i = pf.asarray([7, -7, 2**60 + 1])
    np.testing.assert_array_equal(np.divmod(i, 2)[0], [3, -4, 2**59])
    np.testing.assert_array_equal(np.floor_divide.outer(i, [2])[:, 0], [3, -4, 2**59])
