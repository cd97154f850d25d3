# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions that move elements, make arrays, or run on the backend: against NumPy."""

from itertools import product

import numpy as np
import pytest
from values_common import DTYPES, LAYOUTS, MORE_DTYPES, check, check_all, data, pair

import pyfusion as pf

MOVES = {
    "reshape": lambda xp, x: xp.reshape(x, (3, 14)) if x.size == 42 else xp.reshape(x, (-1, 1)),
    "ravel": lambda xp, x: xp.ravel(x),
    "fortran": lambda xp, x: xp.reshape(x, (x.size,), order="F"),
    "transpose": lambda xp, x: xp.transpose(x),
    "expand_dims": lambda xp, x: xp.expand_dims(x, (0, -1)),
    "squeeze": lambda xp, x: xp.squeeze(x[None]),
    "flip": lambda xp, x: xp.flip(x),
    "broadcast_to": lambda xp, x: xp.broadcast_to(x, (2, *x.shape)),
    "roll": lambda xp, x: xp.roll(x, 1),
    "tile": lambda xp, x: xp.tile(x, 2),
    "repeat": lambda xp, x: xp.repeat(x, 2),
    "copy": lambda xp, x: xp.copy(x),
    "atleast_3d": lambda xp, x: xp.atleast_3d(x),
}
MOVES_2D = {
    "swapaxes": lambda xp, x: xp.swapaxes(x, 0, 1),
    "moveaxis": lambda xp, x: xp.moveaxis(x, 0, -1),
    "flip 0": lambda xp, x: xp.flip(x, axis=0),
    "fliplr": lambda xp, x: xp.fliplr(x),
    "rot90": lambda xp, x: xp.rot90(x),
    "rot90 3": lambda xp, x: xp.rot90(x, 3),
    "tril": lambda xp, x: xp.tril(x, k=1),
    "tril 1": lambda xp, x: xp.tril(x, 1),
    "triu": lambda xp, x: xp.triu(x, k=-1),
    "stack": lambda xp, x: xp.stack([x, x], axis=1),
    "concat": lambda xp, x: xp.concatenate([x, x[:, :3]], axis=1),
    "sort": lambda xp, x: xp.sort(x, axis=0, stable=True),
    "argsort": lambda xp, x: xp.argsort(x, axis=1, stable=True),
    "take": lambda xp, x: xp.take(x, xp.asarray([0, 2]), axis=1),
    "cumulative_sum": lambda xp, x: xp.cumulative_sum(x, axis=1),
    "diff": lambda xp, x: xp.diff(x) if x.dtype != "bool" else x,
    "mT": lambda xp, x: x.mT,
}


@pytest.mark.parametrize(
    "dtype, layout", [*product(DTYPES, LAYOUTS), *product(MORE_DTYPES, ["transposed"])]
)
def test_moves(dtype, layout):
    n, x = pair(dtype, layout, 1)
    results = {}
    for name, move in {**MOVES, **(MOVES_2D if n.ndim == 2 else {})}.items():
        with np.errstate(all="ignore"):
            results[name] = (move(pf, x), move(np, n))
    # The same on what is not in memory.
    more = {}
    if dtype not in ("bool",):
        for name, move in MOVES.items():
            with np.errstate(all="ignore"):
                more[f"{name} of a sum"] = (move(pf, x + x) * 2, move(np, n + n) * 2)
    check_all(results)
    check_all(more)


@pytest.mark.parametrize("dtype", DTYPES)
def test_creation(dtype):
    results = {
        "zeros": (pf.zeros((2, 3), dtype), np.zeros((2, 3), dtype)),
        "ones": (pf.ones(4, dtype), np.ones(4, dtype)),
        "full": (pf.full((2, 1), 1, dtype), np.full((2, 1), 1, dtype)),
        "empty shape": (pf.ones((0, 3), dtype), np.ones((0, 3), dtype)),
        "0-d": (pf.full((), 1, dtype), np.full((), 1, dtype)),
        "eye": (pf.eye(3, 4, k=1, dtype=dtype), np.eye(3, 4, k=1, dtype=dtype)),
        "zeros_like": (pf.zeros_like(pf.ones((2, 2), dtype)), np.zeros((2, 2), dtype)),
        "full_like": (pf.full_like(pf.ones(2, dtype), 1), np.ones(2, dtype)),
        "full of array": (pf.full((2, 3), pf.arange(3)), np.full((2, 3), np.arange(3))),
        "linspace": (pf.linspace(0, 1, 7), np.linspace(0, 1, 7)),
        "identity": (pf.identity(3), np.identity(3)),
    }
    check_all(results)


ARANGES = [
    (5,), (0,), (-3,), (2, 9), (9, 2), (2, 9, 3), (9, 2, -3), (0.5, 3), (0, 1, 0.1), (1, 0, -0.25),
    (0.1, 1.3, 0.1), (5, 5), (-1.5, 1e-9, 0.5), (10**6, 10**6 + 3), (0, 10, 3.7), (1e10, 1e10 + 5),
]  # fmt: skip


@pytest.mark.parametrize(
    "dtype", [None, "int32", "uint8", "int64", "float32", "float64", "float16"]
)
def test_arange(dtype):
    results = {}
    for args in ARANGES:
        kind = {} if dtype is None else {"dtype": dtype}
        try:
            with np.errstate(all="ignore"):
                want = np.arange(*args, **kind)
        except (OverflowError, ValueError) as error:
            with pytest.raises(type(error)):
                pf.arange(*args, **kind)
            continue
        results[str(args)] = (pf.arange(*args, **kind), want)
    check_all(results)


@pytest.mark.parametrize("dtype", ["bool", "int32", "float32", "float64"])
def test_matmul(dtype):
    shapes = [
        ((3, 4), (4, 5)), ((4,), (4, 5)), ((3, 4), (4,)), ((4,), (4,)), ((2, 3, 4), (4, 5)),
        ((2, 1, 3, 4), (5, 4, 2)), ((0, 4), (4, 5)), ((3, 0), (0, 5)), ((1, 1), (1, 1)),
    ]  # fmt: skip
    results = {}
    for a, b in shapes:
        n, m = (data(dtype, s, i, special=False) for i, s in enumerate((a, b)))
        if dtype == "int32":
            n, m = n % 100, m % 100
        want = n @ m
        results[f"{a} {b}"] = (pf.asarray(n) @ pf.asarray(m), want)
        if len(a) == len(b) == 2:
            x, y = pf.asarray(np.ascontiguousarray(n.T)), pf.asarray(np.ascontiguousarray(m.T))
            results[f"{a} {b} transposed"] = (x.T @ y.T, want)
    for name, (got, want) in results.items():
        got = np.asarray(got)
        assert got.shape == want.shape and got.dtype == want.dtype, name
        np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-2, err_msg=name)


def test_linalg_and_fft():
    n = np.random.default_rng(1).normal(size=(4, 4))
    x = pf.asarray(n)
    np.testing.assert_allclose(pf.linalg.inv(x) @ x, np.eye(4), atol=1e-9)
    np.testing.assert_allclose(pf.linalg.det(x), np.linalg.det(n))
    q, r = pf.linalg.qr(x)
    np.testing.assert_allclose(q @ r, n, atol=1e-9)
    assert pf.linalg.svd(x).S.shape == (4,)
    with pytest.raises(np.linalg.LinAlgError):
        pf.linalg.inv(pf.zeros((2, 2)))
    spectrum = pf.fft.fft(x + 0)
    assert spectrum.dtype == pf.complex128
    check(spectrum, np.fft.fft(n), "fft")
    check(pf.fft.ifft(spectrum).real, np.fft.ifft(np.fft.fft(n)).real, "ifft")


def test_parts_of_results_have_names_whatever_the_library_gives():
    from pyfusion.array import linalg

    svd = linalg._named(lambda x, full_matrices=True: (x, x + 1, x + 2), linalg.SVDResult)
    assert svd(1) == (1, 2, 3) and svd(1, False).S == 2
    raw = linalg._named(lambda x, mode="reduced": (x, x), linalg.QRResult)
    assert type(raw(1, mode="raw")) is type(raw(1, "raw")) is tuple
    assert pf.linalg.slogdet(pf.eye(2)).logabsdet == 0


def test_sorting_down_is_stable():
    x = pf.asarray([3, 1, 3, 2, 1])
    check(pf.argsort(x, descending=True), np.array([0, 2, 3, 1, 4]), "argsort")
    check(pf.sort(x, descending=True), np.array([3, 3, 2, 1, 1]), "sort")


def test_results_that_depend_on_values():
    n = np.array([3, 0, 3, 5, 0])
    x = pf.asarray(n) + 0
    results = {
        "nonzero": (pf.nonzero(x)[0], np.nonzero(n)[0]),
        "where": (pf.where(x)[0], np.where(n)[0]),
        "unique": (pf.unique_values(x), np.unique(n)),
        "counts": (pf.unique_counts(x).counts, np.unique_counts(n).counts),
        "inverse": (pf.unique_inverse(x).inverse_indices, np.unique_inverse(n).inverse_indices),
        "searchsorted": (pf.searchsorted(pf.sort(x), x), np.searchsorted(np.sort(n), n)),
        "argmax": (pf.argmax(x), np.asarray(np.argmax(n))),
        "count_nonzero": (pf.count_nonzero(x), np.asarray(np.count_nonzero(n))),
        "mask": (x[x > 0], n[n > 0]),
        "isin": (pf.isin(x, pf.asarray([5])), np.isin(n, [5])),
        "bincount": (pf.bincount(x), np.bincount(n)),
        "histogram": (pf.histogram(x, 3)[0], np.histogram(n, 3)[0]),
        "meshgrid": (pf.meshgrid(x, x)[1], np.meshgrid(n, n)[1]),
    }
    check_all(results)


OTHER = ["float16", "bfloat16", "complex64", "complex128", "int8", "int16", "uint16", "uint32"]


@pytest.mark.parametrize("dtype", [*OTHER, "uint64"])
def test_other_types(dtype):
    kind = getattr(pf, dtype).numpy
    n = np.arange(12).reshape(3, 4).astype(kind)
    x = pf.asarray(n)
    assert x.dtype is getattr(pf, dtype)
    results = {
        "chain": (x * 2 + x, n * 2 + n),
        "view": (x.T[1:] + x.T[1:], n.T[1:] + n.T[1:]),
        "divide": (x / 4, n / 4),
        "row": (x + x[0], n + n[0]),
        "equal": (x == x, n == n),
        "cast": (x.astype("complex128"), n.astype("complex128")),
        "from": (pf.arange(4).astype(dtype), np.arange(4).astype(kind)),
        "zeros": (pf.zeros(3, dtype), np.zeros(3, kind)),
        "where": (pf.where(x == 1, x, 2), np.where(n == 1, n, np.asarray(2, kind))),
        "negative": (-x, -n),
        "sum": (x.sum(0), n.sum(0)),
        "mean": (x.astype(dtype).mean(), np.asarray(n.astype("complex128").mean())),
    }  # fmt: skip
    mean, want = results.pop("mean")
    check_all(results)
    assert complex(mean) == complex(want)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_complex(dtype):
    n = (np.arange(6) - 2 + 1j * np.arange(6)).astype(dtype)
    x = pf.asarray(n)
    with np.errstate(all="ignore"):
        results = {
            "abs": (abs(x), abs(n)),
            "real": (x.real, n.real),
            "imag": (pf.imag(x) * 2, n.imag * 2),
            "conj": (pf.conj(x), np.conj(n)),
            "exp": (pf.exp(x), np.exp(n)),
            "scalar": (x * 2j + 1, n * 2j + 1),
            "std": (x.std(), np.asarray(n.std())),
            "of real": (x.real * 1j, n.real * 1j),
        }
    check_all(results)
    check(pf.angle(x), np.angle(n), "angle", ulp=2)
