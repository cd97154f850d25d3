# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NumPy's ufuncs of pyfusion's arrays: their methods and options, against NumPy, deferred."""

import numpy as np
import pytest
from numpy.testing.overrides import get_overridable_numpy_ufuncs

import pyfusion as pf
from pyfusion.ir.value import site_text
from pyfusion.testing import inspect

DTYPES = [
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float16", "float32", "float64", "complex64", "complex128"),
]
LAYOUTS = {
    "transposed": lambda a: a.T,
    "sliced": lambda a: a[1:, ::-2],
    "row": lambda a: a[1],
    "zero-size": lambda a: a[:0],
}


def elements(dtype):
    n = (np.arange(20).reshape(4, 5) * 7 % 11).astype(dtype)
    return n + n[::-1] * 1j if n.dtype.kind == "c" else n


def both(text, n, **more):
    """Of NumPy's array and of ours, with what they raised in place of results."""
    found = []
    for x in (n, pf.asarray(n)):
        try:
            with np.errstate(all="ignore"):
                found.append(eval(text, {"np": np, "pf": pf, "x": x, **more}))
        except Exception as error:
            found.append(error)
    return found


def check(text, n, **more):
    want, got = both(text, n, **more)
    if isinstance(want, Exception):
        assert isinstance(got, type(want).__mro__[-4 if isinstance(want, TypeError) else 0])
        return
    assert not isinstance(got, Exception), got
    for one, other in zip(*[r if isinstance(r, tuple) else (r,) for r in (got, want)], strict=True):
        assert type(one) is pf.Array and (one.dtype, one.shape) == (other.dtype, other.shape), text
        tolerance = 2e-3 if other.dtype.itemsize == 2 else 1e-5
        np.testing.assert_allclose(np.asarray(one), other, rtol=tolerance, err_msg=text)


METHODS = [
    "np.add.reduce(x)", "np.add.reduce(x, axis=None)", "np.add.reduce(x, -1, keepdims=True)",
    "np.multiply.reduce(x)", "np.maximum.reduce(x, axis=-1)", "np.minimum.reduce(x)",
    "np.logical_and.reduce(x)", "np.logical_or.reduce(x, axis=None)", "np.bitwise_xor.reduce(x)",
    "np.logical_xor.reduce(x)", "np.fmax.reduce(x)", "np.subtract.reduce(x)",
    "np.add.accumulate(x)", "np.multiply.accumulate(x, axis=-1)", "np.maximum.accumulate(x)",
    "np.subtract.accumulate(x)", "np.add.reduceat(x, [0, 1, 0])", "np.multiply.outer(x, x)",
    "np.subtract.outer(x, 3)", "np.less.outer(x, x[0])", "np.add.reduceat(x, [0], axis=-1)",
    "np.add.reduce(x, initial=3)", "np.maximum.reduce(x, initial=2, where=x != 1)",
    "np.add.reduce(x, where=x > 3)", "np.add.reduce(x, dtype='float32')", "np.modf(x)",
    "np.frexp(x)", "np.divmod(x, 3)", "np.add(x, x, dtype='complex128')", "np.vecdot(x, x)",
    "np.add(x, 1, where=x > 2, out=x * 1)", "np.exp(x, dtype='float64')", "np.matmul(x, x.T)",
    "np.add(x, 1, casting='unsafe', dtype='int16')", "np.add(x, 2, signature='dd->d')",
]  # fmt: skip


@pytest.mark.parametrize("text", METHODS)
def test_calls_of_all_types_and_layouts(text):
    """Each type of elements with every third call, each layout with all."""
    for dtype in DTYPES[METHODS.index(text) % 3 :: 3]:
        check(text, elements(dtype))
    for layout in LAYOUTS.values():
        check(text, layout(elements("float32")))


@pytest.mark.parametrize("text", ["np.add.reduce(x)", "np.add.outer(x, x)", "np.modf(x)",
                                  "np.add.reduce(x, axis=None)", "np.frexp(x)", "np.divmod(x, 2)",
                                  "np.add.accumulate(x)", "np.add.reduceat(x, [0])"])  # fmt: skip
def test_arrays_without_dimensions(text):
    check(text, np.float32(2.5) * np.ones((), "float32"))


DEFERRED = [
    "np.add.reduce(x)", "np.maximum.reduce(x, axis=None)", "np.logical_or.reduce(x, axis=1)",
    "np.hypot.reduce(x)", "np.add.accumulate(x)", "np.maximum.accumulate(x)", "np.modf(x)[0]",
    "np.multiply.outer(x, x)", "np.add.reduceat(x, [0, 1])", "np.add(x, 1, dtype='float64')",
    "np.exp(x, where=x > 0)", "np.add.reduce(x, where=x > 0, initial=2)", "np.frexp(x)[1]",
    "np.vecdot(x, x)", "np.add(x, 1, out=y)", "np.multiply(x, 2, out=y, where=x > 0)",
    "np.add.reduce(x, axis=1, out=z)", "np.max(x, initial=0.0)", "np.any(x, where=x > 1)",
]  # fmt: skip


@pytest.mark.host
@pytest.mark.parametrize("text", DEFERRED)
def test_stays_deferred(text):
    n = elements("float32")
    x, y, z = pf.asarray(n) * 1, pf.zeros((4, 5), "float32"), pf.zeros(4)
    with inspect(flush=False) as report:
        got = eval(text, {"np": np, "x": x, "y": y, "z": z})
    assert type(got) is pf.Array and (report.blocks, report.unfused) == (0, [])
    if "out=" not in text:
        want = eval(text, {"np": np, "x": n})
        mask = n > 0 if text.startswith("np.exp") else np.full(want.shape, True)
        np.testing.assert_allclose(np.asarray(got)[mask], want[mask], rtol=1e-5)


@pytest.mark.fused
def test_a_sum_by_its_ufunc_is_one_kernel():
    x = pf.asarray(elements("float32"))
    with inspect() as report:
        got = np.add.reduce(np.multiply.outer(np.exp(x[0]), x[1]) * 2, axis=0, where=x[0] > 0)
    assert report.kernels <= 2 and report.unfused == []
    assert got.shape == (5,)


def test_masks_and_out():
    n = elements("float32")
    x, mask = pf.asarray(n), n % 2 == 0
    for given in (mask, pf.asarray(mask), mask[:, :1], mask[0]):
        want = np.add(n, 1, out=np.full((4, 5), 9.0, "float32"), where=np.asarray(given))
        for out in (np.full((4, 5), 9.0, "float32"), pf.full((4, 5), 9.0, "float32")):
            assert np.add(x, 1, out=out, where=given) is out
            np.testing.assert_array_equal(np.asarray(out), want)
    np.testing.assert_array_equal(np.add(x, 1, where=mask), np.where(mask, n + 1, 0))
    assert np.add(x[0], 1, where=mask).shape == (4, 5)
    out = np.zeros((4, 5))
    assert np.add(x[0], 1, out=out) is out
    np.testing.assert_array_equal(out, np.broadcast_to(n[0] + 1, (4, 5)))
    ours = pf.zeros((4, 5), "int16")
    view = ours.T
    np.multiply(x, 2.5, out=ours, casting="unsafe")
    np.testing.assert_array_equal(np.asarray(view), (n * 2.5).astype("int16").T)
    pair = (pf.zeros((4, 5), "float32"), np.zeros((4, 5), "float32"))
    got = np.divmod(x, 3, out=pair)
    assert got[0] is pair[0] and got[1] is pair[1]
    np.testing.assert_array_equal(pair[1], n % 3)


@pytest.mark.parametrize("text, error", [
    ("np.add(x, 1, out=np.zeros(3))", ValueError), ("np.add(x, 1, out=pf.zeros(3))", ValueError),
    ("np.add(x, 1.5, out=pf.zeros((4, 5), int))", TypeError),
    ("np.add(x, 1.5, out=np.zeros((4, 5), int))", TypeError),
    ("np.add(x, 1, where=[1, 0, 1, 0, 1])", TypeError), ("np.add(x, 1, dtype='int8')", TypeError),
    ("np.add(x, 1, casting='bogus')", ValueError), ("np.add(x, 1, bogus=1)", TypeError),
    ("np.add(x, x[:, :2])", ValueError), ("np.add.reduce(x, axis=2)", ValueError),
    ("np.add.at(x, [0], 1)", TypeError), ("np.maximum.reduce(x[:0])", ValueError),
    ("np.add.reduceat(x, [9])", IndexError), ("np.exp.outer(x, x)", ValueError),
    ("np.matmul.outer(x, x)", TypeError), ("np.subtract.reduce(x, axis=(0, 1))", ValueError),
    ("np.maximum.reduce(x, where=x > 1)", ValueError), ("np.add(x, 1, out=(y, y))", ValueError),
    ("np.invert(x)", TypeError), ("np.add(x, 1, signature='ii->i')", TypeError),
])  # fmt: skip
def test_errors_at_the_call(text, error):
    x, y = pf.asarray(elements("float32")), np.zeros((4, 5))
    with pytest.raises(error):
        eval(text, {"np": np, "x": x, "y": y, "pf": pf})


def test_what_writes_says_what_works():
    x = pf.zeros(4)
    with pytest.raises(TypeError, match=r"numpy\.add\.at writes into its first argument.*where"):
        np.add.at(x, [0, 0], 1)
    memory = np.zeros(4)
    np.add.at(memory, pf.asarray([0, 0, 2]), pf.asarray([1.0, 2.0, 3.0]))
    assert memory.tolist() == [3, 0, 3, 0]


@pytest.mark.parametrize("dtype", ["int32", "float32", "complex64"])
def test_operators_with_arrays_and_scalars_of_numpy(dtype):
    n = elements(dtype)
    x = pf.asarray(n)
    m = n[::-1].copy()
    scalars = [np.float32(2), np.float64(2), np.int8(3), np.uint64(1), np.bool_(True)]
    for other in (m, *scalars, np.complex64(1), m[0], np.asarray(2.0)):
        for text in ("x + o", "o + x", "x * o", "o * x", "x == o", "o == x", "np.maximum(o, x)"):
            with np.errstate(all="ignore"):
                want = eval(text, {"np": np, "x": n, "o": other})
            got = eval(text, {"np": np, "x": x, "o": other})
            assert type(got) is pf.Array, (text, other)
            assert got.dtype == want.dtype
            np.testing.assert_allclose(np.asarray(got), want, rtol=1e-6)


def test_arrays_of_numpy_in_place():
    n = elements("float64")
    x = pf.asarray(n)
    memory = np.ones((4, 5))
    view = memory[1:]
    memory += x
    np.testing.assert_array_equal(view, n[1:] + 1)
    memory *= x[0]
    memory -= np.float32(1) * x
    np.testing.assert_array_equal(memory, (n + 1) * n[0] - n)
    whole = np.ones((4, 5), int)
    with pytest.raises(TypeError):
        whole += x
    with pytest.raises(ValueError):
        memory[0] += x
    whole = np.ones((3, 4, 5))
    whole /= x + 1
    np.testing.assert_allclose(whole[2], 1 / (n + 1))
    fixed = np.ones((4, 5))
    fixed.flags.writeable = False
    with pytest.raises(ValueError):
        fixed += x


def test_signs_of_parts():
    n = np.array([1.5, -1.5, 2, -2, 0.0, -0.0, np.inf, -np.inf, np.nan], "float32")
    for got, want in zip(np.modf(pf.asarray(n)), np.modf(n), strict=True):
        got = np.asarray(got)
        np.testing.assert_array_equal(got, want)
        np.testing.assert_array_equal(np.signbit(got[:-1]), np.signbit(want[:-1]))


@pytest.mark.host
def test_ufuncs_of_others_are_deferred():
    """As those of SciPy; one of Python's objects, whose function may do anything, runs at once."""
    ufunc = np.frompyfunc(lambda a: a * 2, 1, 1)
    x = pf.asarray(elements("float64"))
    with pytest.raises(TypeError):
        ufunc(x)
    private = np._core.umath._ones_like
    with inspect(flush=False) as report:
        got = private(x + 1)
    assert report.unfused == [] and np.asarray(got).tolist() == [[1.0] * 5] * 4


def test_every_ufunc_of_numpy_gives_arrays_or_refuses():
    n = elements("float64")[:, 1:] + 0.5
    i = elements("int32")[:, 1:]
    count = 0
    for ufunc in get_overridable_numpy_ufuncs():
        for a in (n, i):
            given = [a if ufunc.signature is None else a[:, :4]] * ufunc.nin
            try:
                with np.errstate(all="ignore"):
                    want = ufunc(*given)
            except (TypeError, ValueError):
                with pytest.raises((TypeError, ValueError)):
                    ufunc(*map(pf.asarray, given))
                continue
            got = ufunc(*map(pf.asarray, given))
            count += 1
            for one, other in zip(
                *[r if isinstance(r, tuple) else (r,) for r in (got, want)], strict=True
            ):
                assert type(one) is pf.Array and one.dtype == other.dtype, ufunc
                np.testing.assert_allclose(np.asarray(one), other, rtol=1e-6, err_msg=str(ufunc))
    assert count > 120


@pytest.mark.host  # on a GPU some run at once
def test_call_sites_are_the_user_s():
    x = pf.asarray(elements("float32")) * 1
    made = [
        np.add.reduce(x), np.multiply.outer(x, x), np.exp(x, where=x > 0), np.modf(x)[0],
        np.sinc(x), np.where(x > 0, x, 0), np.mean(x), np.clip(x, 0, 1), np.roll(x, 1),
        np.stack([x, x]), np.diff(x), np.outer(x, x), np.ptp(x), np.meshgrid(x[0], x[1])[0],
        np.select([x > 1], [x], 2), np.split(x, 2)[1], np.sum(x, where=x > 1), np.isposinf(x),
    ]  # fmt: skip
    for y in made:
        assert __file__ in site_text(y._v.record[4])
