# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`x += y`, and who sees it: names of one array and views, as in NumPy."""

import copy
import gc

import numpy as np
import pytest

import pyfusion as pf

OPERATORS = ["+=", "-=", "*=", "/=", "//=", "%=", "**=", "&=", "|=", "^=", "<<=", ">>=", "@="]


def run(text, **names):
    exec(text, names)
    return names["x"]


@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize("dtype", ["bool", "uint8", "int32", "float32", "float64"])
def test_types_follow_same_kind(operator, dtype):
    others = [True, 2, 2.5, np.int64(1), np.float64(2), np.ones((2, 2)), np.ones((2, 2), "int32")]
    for other in others[5:] if operator == "@=" else others:
        n = np.ones((2, 2), dtype)
        x = pf.asarray(n)
        try:
            with np.errstate(all="ignore"):
                want = run(f"x {operator} y", x=n, y=other)
        except Exception as error:  # noqa: BLE001
            kinds = (TypeError, ValueError)
            expected = next(k for k in kinds if isinstance(error, k))
            with pytest.raises(expected):
                run(f"x {operator} y", x=x, y=other)
            np.testing.assert_array_equal(x, n)
            continue
        got = run(f"x {operator} y", x=x, y=other)
        assert got is x and got.dtype == want.dtype
        np.testing.assert_array_equal(got, want)


def test_every_name_sees_it():
    x = pf.asarray([1, 2, 3])
    y = x
    held = pf.asarray(x)
    other = x.copy()
    also = copy.copy(x)
    x += 1
    assert y is x and held is x
    assert x.tolist() == [2, 3, 4]
    assert other.tolist() == also.tolist() == [1, 2, 3]


def test_what_was_recorded_before_keeps_its_version():
    x = pf.asarray([1, 2])
    r = x + 10
    x += 1
    assert r.tolist() == [11, 12] and x.tolist() == [2, 3]


def test_an_exported_array_keeps_its_version():
    x = pf.asarray([1.0, 2.0])
    seen = np.asarray(x)
    x += 1
    assert seen.tolist() == [1, 2] and x.tolist() == [2, 3]


def test_operand_is_itself():
    n = np.arange(4)
    x = pf.asarray(n)
    x += x
    x *= x[::-1]
    n += n
    n *= n[::-1].copy()
    assert x.tolist() == n.tolist()


def test_the_shape_does_not_grow():
    x = pf.ones((1, 3))
    with pytest.raises(ValueError, match=r"\(1, 3\).*\(2, 3\)"):
        x += pf.ones((2, 3))
    y = pf.ones((2, 3))
    y += pf.ones(3)
    assert y.tolist() == [[2] * 3] * 2


VIEWS = {
    "slice": lambda a: a[1:],
    "steps": lambda a: a[::-2, 1::2],
    "int": lambda a: a[1],
    "none": lambda a: a[None, :, None],
    "ellipsis": lambda a: a[...],
    "T": lambda a: a.T,
    "transpose": lambda a: a.transpose(1, 0),
    "swapaxes": lambda a: a.swapaxes(0, 1),
    "reshape": lambda a: a.reshape(2, 6),
    "reshape 1": lambda a: a.reshape(-1),
    "ravel": lambda a: a.ravel(),
    "same shape": lambda a: a.reshape(3, 4),
    "squeeze": lambda a: a[None].squeeze(),
    "chain": lambda a: a[1:].T[::-1][..., 0],
    "deep": lambda a: a.T[1:][::-1].T.reshape(3, 3)[1:],
    "flatten": lambda a: a.flatten(),
    "copying reshape": lambda a: a.T.reshape(-1),
    "viewing reshape": lambda a: a[:2].reshape(-1),
    "copying slice": lambda a: a[:, 1:].reshape(-1),
    "mask": lambda a: a[a > 3],
    "list": lambda a: a[[0, 1]],
    "astype": lambda a: a.astype(a.dtype),
    "copy": lambda a: a.copy(),
    "arithmetic": lambda a: a * 1,
    "iteration": lambda a: list(a)[2],
    "diagonal": lambda a: a.diagonal(),
}


@pytest.mark.parametrize("name", [n for n in VIEWS if n != "diagonal"])
def test_views_see_the_new_version(name):
    n = np.arange(12, dtype="float64").reshape(3, 4).copy()
    x = pf.asarray(n)
    v, w = VIEWS[name](n), VIEWS[name](x)
    n += 1
    x += 1
    np.testing.assert_array_equal(w, v)
    n *= n
    x *= x
    np.testing.assert_array_equal(w, v)
    np.testing.assert_array_equal(VIEWS[name](x), VIEWS[name](n))


FUNCTIONS = {
    "flip": lambda xp, a: xp.flip(a),
    "flip 1": lambda xp, a: xp.flip(a, axis=1),
    "broadcast_to": lambda xp, a: xp.broadcast_to(a, (2, 3, 4)),
    "expand_dims": lambda xp, a: xp.expand_dims(a, axis=0),
    "moveaxis": lambda xp, a: xp.moveaxis(a, 0, 1),
    "permute_dims": lambda xp, a: xp.permute_dims(a, (1, 0)),
    "rot90": lambda xp, a: xp.rot90(a),
    "unstack": lambda xp, a: xp.unstack(a, axis=1)[2],
    "atleast_3d": lambda xp, a: xp.atleast_3d(a),
    "broadcast_arrays": lambda xp, a: xp.broadcast_arrays(a, xp.ones((2, 1, 1)))[0],
    "matrix_transpose": lambda xp, a: xp.matrix_transpose(a),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_that_view(name):
    n = np.arange(12.0).reshape(3, 4).copy()
    x = pf.asarray(n)
    v, w = FUNCTIONS[name](np, n), FUNCTIONS[name](pf, x)
    n += 1
    x += 1
    np.testing.assert_array_equal(w, v)


def test_results_of_views_keep_their_version():
    x = pf.asarray([1, 2, 3])
    v = x[1:]
    r = v * 10
    x += 1
    assert r.tolist() == [20, 30] and v.tolist() == [3, 4]


def test_writing_through_a_view():
    x = pf.ones((2, 3))
    for view in (x[0], x.T, x.reshape(-1), x[...]):
        view += 1
    assert x.tolist() == [[5] * 3, [4] * 3]


def test_a_view_that_nobody_shares_may_be_written():
    x = pf.arange(6).reshape(2, 3)
    x += 1
    y = x.T
    x *= 2
    assert x.tolist() == [[2, 4, 6], [8, 10, 12]] and y.tolist() == [[2, 8], [4, 10], [6, 12]]


def test_two_views_of_a_dead_array_still_share():
    x = pf.arange(6)
    a, b = x[1:], x[:3]
    del x
    gc.collect()
    a += 1
    assert b.tolist() == [0, 2, 3]
    del b
    a += 1
    assert a.tolist() == [3, 4, 5, 6, 7]


def test_many_views_do_not_pile_up():
    x = pf.ones(8)
    for _ in range(1000):
        x[1:]
    assert len(x._link.views) < 100
    for _ in range(20_000):
        x = x[::-1]
    assert x.shape == (8,)
    pf.sync()


def test_out_and_ufuncs():
    x = pf.ones(3, "float32")
    v = x[1:]
    assert np.add(x, 2, out=x) is x
    assert v.tolist() == [3, 3]
    n = np.zeros(3, "float32")
    n += x
    assert type(n) is np.ndarray and n.tolist() == [3, 3, 3]
    with pytest.raises(TypeError):
        np.add(pf.ones(3, "int32"), 1.5, out=pf.ones(3, "int32"))
    np.add(v, 1, out=v)
    assert x.tolist() == [3, 4, 4]
