# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NumPy's functions of pyfusion's arrays: what stays deferred and shares kernels, `out=`, `like=`,
what is refused, and whose line errors name."""

import collections
import gc
import traceback
import weakref

import numpy as np
import pytest

import pyfusion as pf
from pyfusion.testing import inspect

N = np.arange(24, dtype="float32").reshape(4, 6) / 7 - 1.5


@pytest.fixture
def x():
    return pf.asarray(N)


def softplus(m, x):
    y = m.where(x > 0, x, 0) + m.log1p(m.exp(-m.abs(x)))
    return m.sum(m.clip(y, 0.5, 9), axis=0)


def moments(m, x):
    y = m.nan_to_num(x * 2) - m.mean(x, axis=1, keepdims=True)
    return m.count_nonzero(m.tril(m.reshape(y, (6, 4))) > 0)


def shapes(m, x):
    y = m.transpose(m.expand_dims(m.flip(x, axis=1), axis=0), (2, 1, 0))
    return m.diff(m.squeeze(m.moveaxis(y, 0, 2))) + m.select([x[:, 1:] > 0], [x[:, 1:]], 1)


def products(m, x):
    return m.outer(x[0], x[1]) + m.ptp(x, axis=0) + m.angle(x)[0] + m.split(x, 2)[1][0]


@pytest.mark.fused
@pytest.mark.parametrize("program", [softplus, moments, shapes, products])
def test_a_chain_is_as_few_kernels_by_either_name(program, x):
    counts, results = [], []
    for module in (np, pf):
        with inspect() as report:
            result = program(module, x)
        assert type(result) is pf.Array
        counts.append((report.kernels, report.unfused))
        results.append(np.asarray(result))
    assert counts[0] == counts[1] and counts[0][0] > 0 and counts[0][1] == []
    np.testing.assert_array_equal(*results)
    np.testing.assert_allclose(results[0], program(np, N), rtol=1e-5, atol=1e-6)


DEFERRED = [
    "np.concatenate([x, m])", "np.stack([x, x + 1])", "np.hstack((m, x))", "np.vstack((x, x))",
    "np.sort(x, axis=0)", "np.argsort(x)", "np.cumsum(x, axis=1)", "np.fft.rfft(x)", "np.pad(x, 1)",
    "np.fft.fft2(x)", "np.einsum('ij,kj->ik', x, m)", "np.tensordot(x, x.T, 1)", "np.roll(x, 3, 1)",
    "np.linalg.det(x[:, :4])", "np.linalg.norm(x, axis=1)", "np.tile(x, 2)", "np.repeat(x, 2, 0)",
    "np.isclose(x, m)", "np.median(x, axis=0)", "np.quantile(x, 0.25)", "np.interp(x, m[0], m[1])",
    "np.searchsorted(x[0], m)", "np.diagonal(x)", "np.trace(x)", "np.kron(x, x)", "np.nanmean(x)",
    "np.take(x, [0, 9], mode='clip')", "np.unwrap(x)", "np.convolve(x[0], x[1])", "np.vdot(x, x)",
]  # fmt: skip


@pytest.mark.host
@pytest.mark.parametrize("text", DEFERRED)
def test_what_numpy_runs_is_deferred_where_the_result_is_known(text, x):
    x, m = x * 2, N * 3
    with inspect(flush=False) as report:
        got = eval(text, {"np": np, "x": x, "m": m})
    assert type(got) is pf.Array and (report.blocks, report.unfused) == (0, [])
    want = eval(text, {"np": np, "x": N * 2, "m": m})
    m[:] = 99  # the operand is that of the call
    assert (got.dtype, got.shape) == (want.dtype, want.shape)
    np.testing.assert_allclose(np.asarray(got), want, rtol=1e-5, atol=1e-5)


AT_ONCE = [
    "np.linalg.solve(x[:, :4] @ x[:, :4].T, x[:, 0])", "np.linalg.inv(np.eye(3) + x[:3, :3])",
    "np.unique(x)", "np.nonzero(x)[0]", "np.take(x, [1, 2])", "np.linalg.norm(x, 2)",
    "np.argwhere(x)", "np.histogram(x)[0]", "np.linalg.svd(x)[1]", "np.average(x, weights=x * x)",
]  # fmt: skip


@pytest.mark.host
@pytest.mark.parametrize("text", AT_ONCE)
def test_what_depends_on_values_runs_at_once(text, x):
    with inspect(flush=False) as report:
        got = eval(text, {"np": np, "x": x})
    assert type(got) is pf.Array and len(report.unfused) >= 1
    want = eval(text, {"np": np, "x": N})
    np.testing.assert_allclose(np.asarray(got), want, rtol=2e-3, atol=1e-4)


@pytest.mark.parametrize("extents", [(4, 5, 9), (2, 3, 4), (100, 4, 5), (1, 0, 7), (5, 5, 6)])
def test_extents_of_results_are_those_of_the_operands(extents):
    """The model that NumPy is asked with has other extents."""
    p, q, r = extents
    a, b = np.ones((p, q), "float32"), np.ones((q, r), "float32")
    x, y = pf.asarray(a), pf.asarray(b)
    for text in ("np.tensordot(x,y,1)", "np.einsum('ij,jk->ki',x,y)", "np.linalg.norm(x,axis=0)",
                 "np.cumsum(x)", "np.inner(x,y.T)", "np.cov(x)", "np.kron(x,y)", "np.sort(x,None)",
                 "np.nanmedian(y,axis=1)", "np.diag(x,1)", "np.quantile(x,[.1,.2,.3,.4],axis=0)",
                 "np.trapezoid(x,axis=0)", "np.vander(x[:,0])" , "np.corrcoef(x,x)"):  # fmt: skip
        try:
            with np.errstate(all="ignore"):
                want = eval(text, {"np": np, "x": a, "y": b})
        except Exception as error:
            with pytest.raises(type(error)):
                np.asarray(eval(text, {"np": np, "x": x, "y": y}))
            continue
        got = eval(text, {"np": np, "x": x, "y": y})
        assert got.shape == np.asarray(got).shape == want.shape, text


def test_results_share_no_memory_that_is_used_again(x):
    """A view that NumPy makes of an operand outlives it."""
    got = np.diagonal(x * 2)
    more = [pf.exp(x * 3 + n) for n in range(4)]
    np.testing.assert_array_equal(np.asarray(got + 0), np.diagonal(N * 2))
    del more


OUT = [
    "np.sum(x, axis=0, out=out(6))", "np.mean(x, 1, None, out(4))", "np.clip(x, 0, 1, out(4, 6))",
    "np.cumsum(x, 0, out=out(4, 6))", "np.concatenate([x, x], out=out(8, 6))",
    "np.max(x, axis=0, out=out(6))", "np.dot(x, x.T, out(4, 4))", "np.round(x, 1, out(4, 6))",
    "np.median(x, axis=1, out=out(4))", "np.einsum('ij->ji', x, out=out(6, 4))",
    "np.take(x, [1, 2], 0, out(2, 6))", "np.std(x, out=out())", "np.stack([x, x], 0, out(2, 4, 6))",
]  # fmt: skip


@pytest.mark.parametrize("text", OUT)
@pytest.mark.parametrize("ours", [True, False])
def test_results_go_to_out(text, ours, x):
    want = eval(text, {"np": np, "x": N, "out": lambda *s: np.full(s, 7, "float32")})
    given = []

    def out(*shape):
        memory = np.full(shape, 7, "float32")
        given.append(pf.asarray(memory) if ours else memory)
        return given[0]

    got = eval(text, {"np": np, "x": x, "out": out})
    assert got is given[0]
    np.testing.assert_allclose(np.asarray(got), want, rtol=1e-5)


def test_out_says_the_type_of_a_sum():
    x = pf.asarray(np.full(3, 2**24, "float32") + np.array([0, 2, 4], "float32"))
    out = pf.zeros(())
    assert float(np.sum(x + 1, out=out)) == float(out)
    np.testing.assert_array_equal(
        np.sum(x, out=np.zeros(())), np.sum(np.asarray(x), out=np.zeros(()))
    )


def test_wrong_out_raises_as_numpy_does(x):
    with pytest.raises(ValueError):
        np.sum(x, axis=0, out=pf.zeros(5, "float32"))
    with pytest.raises(TypeError):
        np.sum(x, axis=0, out=pf.zeros(6, "int32"))
    with pytest.raises(ValueError):
        np.cumsum(x, 0, out=pf.zeros((2, 2), "float32"))


@pytest.mark.parametrize("text", [
    "np.zeros((2, 3), like=x)", "np.ones(3, 'int8', like=x)", "np.full(2, 7, like=x)",
    "np.empty((0, 2), like=x)", "np.eye(3, 4, 1, like=x)", "np.identity(2, like=x)",
    "np.arange(1, 9, 2, like=x)", "np.tri(3, like=x)", "np.asarray([1, 2], like=x)",
    "np.array([[1.5]], 'float32', ndmin=3, like=x)", "np.fromiter([1, 2], 'int64', like=x)",
    "np.frombuffer(b'ab', 'uint8', like=x)", "np.fromfunction(lambda i, j: i + j, (2, 2), like=x)",
    "np.asanyarray(x, like=x)", "np.ascontiguousarray(x.T, like=x)", "np.require(x, like=x)",
])  # fmt: skip
def test_arrays_like_ours(text, x):
    got = eval(text, {"np": np, "x": x})
    want = eval(text, {"np": np, "x": N})
    assert type(got) is pf.Array and got.device == x.device
    assert (got.dtype, got.shape) == (want.dtype, want.shape)
    np.testing.assert_array_equal(np.asarray(got), want)


@pytest.mark.parametrize("text, what", [
    ("np.put(x, [0], 1)", "pyfusion.where"), ("np.place(x, x > 0, [1])", "numpy.array"),
    ("np.putmask(x, x > 0, 1)", "numpy.putmask of a pyfusion.Array writes into its argument"),
    ("np.put_along_axis(x, x > 0, 1, 0)", "pyfusion.where"), ("np.fill_diagonal(x, 1)", "where"),
    ("np.is_busday(x)", "dates"), ("np.char.upper(x)", "strings"),
    ("np.strings.multiply(x, 2)", "strings"),
])  # fmt: skip
def test_what_writes_or_has_no_type_is_refused(text, what, x):
    with pytest.raises(TypeError, match=what):
        eval(text, {"np": np, "x": x})


def test_numpy_arrays_are_written_to_with_elements_of_ours(x):
    memory = np.zeros((4, 6), "float32")
    np.copyto(memory, x)
    np.testing.assert_array_equal(memory, N)
    np.putmask(memory, x > 0, x * 2)
    np.testing.assert_allclose(memory, np.where(N > 0, N * 2, N))
    np.fill_diagonal(memory, x[0, :4])
    np.testing.assert_array_equal(memory[:4, :4].diagonal(), N[0, :4])


def test_copyto_gives_an_array_a_new_version(x):
    y = x.T
    np.copyto(x, [1, 2, 3, 4, 5, 6], where=N > 0)
    want = np.where(N > 0, np.arange(1, 7), N)
    np.testing.assert_array_equal(np.asarray(x), want)
    np.testing.assert_array_equal(np.asarray(y), want.T)
    with pytest.raises(TypeError, match="same_kind"):
        np.copyto(pf.zeros(2, "int32"), 1.5)
    with pytest.raises(ValueError):
        np.copyto(x, pf.ones(5))
    np.nan_to_num(x, copy=False, nan=1)
    np.testing.assert_array_equal(np.asarray(x), want)


def test_files_hold_the_elements(x, tmp_path):
    np.save(tmp_path / "x.npy", x)
    np.savez(tmp_path / "x.npz", x, named=x.T)
    np.savetxt(tmp_path / "x.txt", x)
    np.testing.assert_array_equal(np.load(tmp_path / "x.npy"), N)
    np.testing.assert_array_equal(np.load(tmp_path / "x.npz")["named"], N.T)
    np.testing.assert_allclose(np.loadtxt(tmp_path / "x.txt"), N)


def test_other_classes_have_their_say(x):
    class Theirs:
        def __array_function__(self, function, types, args, kwargs):
            return "theirs"

    class Unwilling:
        def __array_function__(self, function, types, args, kwargs):
            return NotImplemented

    assert np.concatenate([x, Theirs()]) == "theirs"
    with pytest.raises(TypeError, match="no implementation found"):
        np.concatenate([x, Unwilling()])


def test_sequences_of_any_class_are_walked(x):
    for kind in (list, tuple, collections.deque):
        np.testing.assert_array_equal(np.concatenate(kind([x, x])), np.concatenate([N, N]))
        np.testing.assert_array_equal(np.vstack(kind([x[0], x[1]])), N[:2])
    pair = collections.namedtuple("Pair", "a b")
    np.testing.assert_array_equal(np.stack(pair(x, x)), np.stack([N, N]))


ERRORS = [
    "np.concatenate([x, x[0]])", "np.concatenate([])", "np.stack([x, x.T])", "np.sort(x, axis=2)",
    "np.mean(x, axis=5)", "np.reshape(x, (5, 5))", "np.fft.fft(x, axis=3)", "np.fft.fft(x, n=0)",
    "np.tensordot(x, x, 1)", "np.linalg.det(x)", "np.linalg.inv(np.zeros((2, 2)) * x[:2, :2])",
    "np.take(x, 99)", "np.split(x, 3)", "np.roll(x, (1, 2), (0, 9))", "np.einsum('ij,jk', x, x)",
    "np.cumsum(x, axis=7)", "np.repeat(x, -1)", "np.pad(x, -1)", "np.swapaxes(x, 0, 2)",
    "np.pad(x, 1, mode='bogus')", "np.quantile(x, 2.0)", "np.matrix_transpose(x[0])",
    "np.vsplit(x[0], 2)", "np.diff(x, -1)", "np.select([x], [x])", "np.hstack([])",
    "np.tile(x, -1)", "np.clip(x, 0, 1, min=3)", "np.rollaxis(x, 3)", "np.convolve(x, x)",
    "np.percentile(x, [101])",
]  # fmt: skip


@pytest.mark.host  # on a GPU its library raises, at once
@pytest.mark.parametrize("text", ERRORS)
def test_errors_are_raised_at_the_call(text, x):
    with pytest.raises(Exception) as wanted:  # noqa: B017
        eval(text, {"np": np, "x": N})
    want = wanted.value
    with pytest.raises(type(want)) as info:
        eval(text, {"np": np, "x": x})
    assert not isinstance(info.value, pf.ExecutionError)


@pytest.mark.host
def test_failures_of_deferred_calls_name_the_line(x, monkeypatch):
    """What cannot be foreseen, as memory that lacks, is raised at the read."""

    def failing(*args, **options):
        raise MemoryError("none left")

    from pyfusion.array import deferred

    y = np.roll(x, 1)
    monkeypatch.setattr(deferred.Call, "run", failing)
    with pytest.raises(pf.ExecutionError, match="roll") as info:
        np.asarray(y)
    assert __file__ in "".join(traceback.format_exception(info.value)) + str(info.value)


@pytest.mark.host
@pytest.mark.parametrize("text", ["np.concatenate([x, x])", "np.sort(x)", "np.fft.fft(x)"])
def test_calls_hold_no_array_longer_than_they_run(text):
    """No cycle that only the collector would find."""
    x = pf.asarray(N)
    kept = weakref.ref(x)
    gc.disable()
    try:
        result = eval(text, {"np": np, "x": x})
        np.asarray(result)
        del x
        assert kept() is None
    finally:
        gc.enable()
