# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random numbers have the bits that docs/random.md defines, wherever they are computed."""

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_oracle import Oracle, threefry

import pyfusion as pf
from pyfusion.passes.threefry import Numbers
from pyfusion.passes.threefry import threefry as own_threefry

FLOATS = ["float16", "bfloat16", "float32", "float64"]
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]

# Of the file kat_vectors that the authors of the generators publish with Random123: the counter,
# the key and the words of threefry2x32 with 20 rounds.
ANSWERS = [
    ((0, 0), (0, 0), (0x6B200159, 0x99BA4EFE)),
    ((0xFFFFFFFF, 0xFFFFFFFF), (0xFFFFFFFF, 0xFFFFFFFF), (0x1CB996FC, 0xBB002BE7)),
    ((0x243F6A88, 0x85A308D3), (0x13198A2E, 0x03707344), (0xC4923A9C, 0x483DF7A0)),
]


def wide(x):
    """As float64, bfloat16 too."""
    return np.asarray(x).astype(np.float64)


# --- The generator --------------------------------------------------------------------------------


@pytest.mark.parametrize("counter, key, words", ANSWERS)
def test_published_answers(counter, key, words):
    assert own_threefry(Numbers(), key, counter) == words
    assert tuple(int(w) for w in threefry(key, counter)) == words


@pytest.mark.parametrize("counter, key, words", ANSWERS[:1])
def test_published_answers_of_compiled_code(counter, key, words):
    rng = pf.random.default_rng(0)
    rng.state = {"generator": "threefry2x32-20", "key": key, "draw": counter[1]}
    (found,) = np.asarray(rng.integers(0, 2**64, 1, dtype="uint64")).tolist()
    assert (found & 0xFFFFFFFF, found >> 32) == words


def test_a_published_answer_far_from_the_beginning():
    """The first word of the counter is the position: one of 2^32 - 1 needs no such array here."""
    counter, key, words = ANSWERS[1]
    from pyfusion.passes.random_values import VALUES
    from pyfusion.random.on_numpy import _Chunk

    args = [*key, 0, 1, counter[1]]
    with np.errstate(over="ignore"):
        chunk = _Chunk(VALUES["bits_64"], args, counter[0], counter[0] + 1)
        assert tuple(int(w[0]) for w in chunk.block(0)) == words


@given(
    seed=st.one_of(st.integers(0, 2**200), st.lists(st.integers(0, 2**64), min_size=1, max_size=4)),
    shape=st.lists(st.integers(0, 6), max_size=3),
)
@settings(max_examples=25, deadline=None)
def test_any_seed_and_shape(seed, shape):
    n = int(np.prod(shape))
    rng, oracle = pf.random.default_rng(seed), Oracle(seed)
    for _ in range(2):
        x = rng.random(shape)
        assert x.shape == tuple(shape)
        assert np.array_equal(np.asarray(x).ravel(), oracle.random(n, "float64"))


# --- The values -----------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", [(), (1,), (1, 1), (1, 9), (7, 5), (2, 3, 4), (0,), (3, 0)])
def test_uniform_floats_have_the_bits_that_are_defined(dtype, shape):
    rng, oracle = pf.random.default_rng(11), Oracle(11)
    n = int(np.prod(shape))
    x = rng.random(shape, dtype=dtype)
    assert (x.shape, x.dtype.name) == (shape, dtype)
    assert np.array_equal(wide(x).ravel(), oracle.random(n, dtype))
    u = wide(rng.uniform(-2, 2, shape, dtype=dtype)).ravel()
    assert np.array_equal(u, 4 * oracle.random(n, dtype) - 2)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integers_have_the_bits_that_are_defined(dtype):
    rng, oracle = pf.random.default_rng(12), Oracle(12)
    info = np.iinfo(dtype)
    ranges = [
        (0, 1),
        (0, 2),
        (3, 10),
        (info.min, info.max + 1),
        (info.min, info.max),
        (info.max, info.max + 1),
        (0, min(2**32, info.max)),
        (0, min(2**32 + 1, info.max)),
        (info.min // 3, info.max // 3 * 2),
    ]
    for low, high in ranges:
        x = rng.integers(low, high, (3, 7), dtype=dtype)
        assert x.dtype.name == dtype
        assert np.asarray(x).ravel().tolist() == oracle.integers(low, high, 21), (low, high)
    x = rng.integers(info.min, info.max, 5, dtype, endpoint=True)
    assert np.asarray(x).tolist() == oracle.integers(info.min, info.max + 1, 5)


@given(bounds=st.lists(st.integers(-(2**63), 2**63 - 1), min_size=2, max_size=2, unique=True))
@settings(max_examples=25, deadline=None)
def test_integers_of_any_range(bounds):
    low, high = sorted(bounds)
    rng, oracle = pf.random.default_rng(13), Oracle(13)
    x = np.asarray(rng.integers(low, high, 50))
    assert x.tolist() == oracle.integers(low, high, 50)
    assert low <= x.min() and x.max() < high


def test_bools():
    rng, oracle = pf.random.default_rng(14), Oracle(14)
    x = rng.integers(0, 2, 100, dtype="bool")
    assert np.asarray(x).tolist() == oracle.integers(0, 2, 100)
    assert np.asarray(rng.integers(1, 2, 3, dtype="bool")).tolist() == [True] * 3
    oracle.number += 1
    for p in (0.0, 2**-31, 0.3, 1.0):
        x = rng.bernoulli(p, (4, 25))
        assert x.dtype is pf.bool
        assert np.array_equal(np.asarray(x).ravel(), oracle.bernoulli(p, 100))
    p = pf.asarray([0.0, 0.25, 1.0, np.nan, -3.0, 7.0])
    found = np.asarray(rng.bernoulli(p, (1000, 6), dtype="float32")).mean(0)
    assert found[[0, 2, 3, 4, 5]].tolist() == [0, 1, 0, 0, 1] and 0.2 < found[1] < 0.3


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_exponential_and_normal_are_near_their_definitions(dtype):
    """Exponential ones within 2 units in the last place, normal ones within 3 of the radius."""
    rng, oracle, n = pf.random.default_rng(15), Oracle(15), 200_000
    unit = float(np.finfo(dtype).eps)
    found, exact = wide(rng.standard_exponential(n, dtype)), oracle.exponential(n, dtype)
    assert np.all(np.abs(found - exact) <= 2 * unit * exact)
    found, (exact, radius) = wide(rng.standard_normal(n, dtype)), oracle.normal(n, dtype)
    assert np.all(np.abs(found - exact) <= 3 * unit * radius)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("name", ["standard_normal", "standard_exponential"])
def test_short_floats_are_those_of_float32_rounded(name, dtype):
    short = getattr(pf.random.default_rng(16), name)(1000, dtype=dtype)
    long = getattr(pf.random.default_rng(16), name)(1000, dtype="float32")
    kind = ml_dtypes.bfloat16 if dtype == "bfloat16" else np.float16
    assert np.array_equal(wide(short), wide(np.asarray(long).astype(kind)))


def test_parameters_are_those_of_the_standard_ones():
    def pair(name, standard, *args, **kwargs):
        given = getattr(pf.random.default_rng(17), name)(*args, **kwargs)
        size = kwargs.get("size", given.shape)
        unit = getattr(pf.random.default_rng(17), standard)(size, given.dtype)
        return np.asarray(given), np.asarray(unit)

    x, z = pair("normal", "standard_normal", 3.0, 0.5, size=(4, 5))
    assert np.array_equal(x, z * 0.5 + 3.0)
    loc, scale = np.arange(5.0), np.full((4, 1), 2.0)
    x, z = pair("normal", "standard_normal", loc, pf.asarray(scale))
    assert x.shape == (4, 5) and np.array_equal(x, z * scale + loc)
    x, z = pair("lognormal", "standard_normal", 1.0, 0.5, size=9, dtype="float32")
    assert x.dtype == np.float32 and np.allclose(x, np.exp(z * np.float32(0.5) + 1), rtol=1e-6)
    x, e = pair("exponential", "standard_exponential", [1.0, 3.0], size=(6, 2))
    assert np.array_equal(x, e * [1.0, 3.0])
    x, u = pair("uniform", "random", [-1.0, 0.0], [[1.0], [5.0]])
    assert np.array_equal(x, u * (np.array([[1.0], [5.0]]) - [-1.0, 0.0]) + [-1.0, 0.0])


# --- The same everywhere --------------------------------------------------------------------------


def draws(seed=20, shape=(37, 29)):
    rng = pf.random.default_rng(seed)
    return {
        **{f"random {d}": rng.random(shape, d) for d in FLOATS},
        **{f"integers {d}": rng.integers(0, 100, shape, d) for d in INTEGERS},
        "uint64": rng.integers(0, 2**64, shape, "uint64"),
        "wide": rng.integers(-(2**62), 2**62 + 5, shape),
        "uniform": rng.uniform(-1, [3.0] * shape[-1], shape),
        "bernoulli": rng.bernoulli(0.3, shape),
        "dropout": rng.dropout(pf.ones(shape, dtype="float32"), 0.25),
    }


def test_each_mode_has_the_same_bits():
    """The backend too."""
    pf.testing.assert_same_everywhere(draws, ulp=0)
    pf.testing.assert_same_everywhere(draws, 21, (1001,), ulp=0)

    def others():
        rng = pf.random.default_rng(22)
        return rng.exponential(2.0, (9, 100)), rng.lognormal(size=400, dtype="float32")

    pf.testing.assert_same_everywhere(others, ulp=8)


def test_functions_of_normal_numbers_are_the_same_bits_fused_or_not():
    def normal():
        rng = pf.random.default_rng(23)
        return [rng.standard_normal((50, 60), d) for d in FLOATS]

    pf.testing.assert_same_everywhere(normal, rtol=0.02, atol=1e-5)


@pytest.mark.host
def test_any_number_of_threads_gives_the_same_bits():
    want = {name: np.asarray(x) for name, x in draws(24, (300, 700)).items()}
    for threads in (1, 2, 3, 8):
        with pf.config.scope(threads=threads):
            for name, x in draws(24, (300, 700)).items():
                assert np.array_equal(np.asarray(x), want[name]), (threads, name)


def test_elements_do_not_depend_on_how_many_there_are_or_how_they_are_read():
    def x(shape):
        return pf.random.default_rng(25).random(shape, "float32")

    whole = np.asarray(x(1000))
    assert np.array_equal(np.asarray(x(10)), whole[:10])
    assert np.array_equal(np.asarray(x(1000)[100:900:7]), whole[100:900:7])
    assert np.array_equal(np.asarray(x((10, 100))), whole.reshape(10, 100))
    square = whole.reshape(10, 100)
    assert np.array_equal(np.asarray(x((10, 100)).T * 2), square.T * 2)
    assert np.array_equal(np.asarray(pf.flip(x((10, 100)), axis=0) + 1), square[::-1] + 1)
    assert np.array_equal(np.asarray(x((10, 1, 100))[:, 0, ::3] - 1), square[:, ::3] - 1)
    assert np.array_equal(np.asarray(x(1000).reshape(5, -1)), whole.reshape(5, -1))
    assert np.array_equal(np.asarray(x((10, 100)) + x((10, 1))), square + whole[:10, None])
    assert float(x((10, 100)).sum()) == float(pf.asarray(square).sum())


def test_operands_that_are_strided_do_not_move_the_elements():
    keep = np.asarray(pf.random.default_rng(26).bernoulli(0.5, (40, 30)))
    base = np.arange(1.0, 1201.0, dtype=np.float32).reshape(30, 40)
    for view in (lambda a: a.T, lambda a: a.T[::-1, ::-1], lambda a: a[:, :1].T + 0 * a.T):
        x = view(pf.asarray(base))
        mask = pf.random.default_rng(26).bernoulli(0.5, x.shape)
        assert np.array_equal(np.asarray(pf.where(mask, x, 0)), np.where(keep, view(base), 0))


@pytest.mark.parametrize("name", ["bits_32", "bits_64"])
def test_more_elements_than_a_word_counts(name):
    """Arrays of 2^32 elements do not fit here: compiled code is given a position to begin at."""
    from pyfusion.array.core import emit, wrap
    from pyfusion.dtypes import DTYPES
    from pyfusion.passes.random_values import VALUES
    from pyfusion.random import record
    from pyfusion.runtime import devices

    key, draw, start, n = (3, 4), 7, 2**32 - 2, 5
    dtype = DTYPES[VALUES[name].element]
    args = (*key, start, 1, draw)
    op = record._OPS[name, True]
    with pf.config.scope(mode="single"):
        x = wrap(emit(op, args, (False,), (n, n), (n,), dtype, devices.default()))
        found = np.asarray(x)
    position = np.arange(start, start + n, dtype=np.uint64)
    low, high = position & np.uint64(0xFFFFFFFF), position >> np.uint64(32)
    first, second = threefry(key, (low, np.uint64(draw) + high))
    want = first if name == "bits_32" else second << np.uint64(32) | first
    assert np.array_equal(found, want)


@pytest.mark.gpu
def test_more_elements_than_a_word_counts_on_a_gpu():
    n = 2**32 + 5
    rng = pf.random.default_rng(28)
    rng.advance(3)
    x = rng.integers(0, 256, n, "uint8", device="cuda")
    position = np.arange(n - 9, n, dtype=np.uint64)
    low, high = position & np.uint64(0xFFFFFFFF), position >> np.uint64(32)
    first, second = threefry(Oracle(28).key, (low, np.uint64(3) + high))
    want = [(b << 32 | a) * 256 >> 64 for a, b in zip(first.tolist(), second.tolist(), strict=True)]
    assert np.asarray(x[-9:]).tolist() == want
    assert rng.state["draw"] == 5


def test_an_array_of_more_elements_takes_more_draws(monkeypatch):
    from pyfusion.random import record

    def values(rng):
        yield lambda: rng.random((5, 7), "float32")
        yield lambda: rng.random(9)
        yield lambda: rng.integers(0, 9, (3, 4))
        yield lambda: rng.integers(0, 2**40, 6)

    assert [record._lines(s) for s in [(), (0,), (2**32,), (2**20, 2**12 + 1)]] == [1, 1, 1, 2]
    want = []
    rng = pf.random.default_rng(27)
    for n, value in enumerate(values(rng)):
        rng.state = {**rng.state, "draw": 100 * n}
        want.append(np.asarray(value()))
    monkeypatch.setattr(record, "_lines", lambda shape: 2)
    for n, value in enumerate(values(rng)):
        rng.state = {**rng.state, "draw": 100 * n}
        x = np.asarray(value())
        assert rng.state["draw"] == 100 * n + (4 if n == 3 else 2)
        assert n == 3 or np.array_equal(x, want[n])
