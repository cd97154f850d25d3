# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Seeds, draw numbers, default generators of threads and processes, and mistakes in calls."""

import copy
import pickle
import re
import threading
import traceback

import numpy as np
import pytest
from forking import forked
from random_oracle import Oracle, threefry

import pyfusion as pf
from pyfusion.ir.value import site_text


def numbers(rng, n=4):
    return np.asarray(rng.random(n)).tolist()


def test_draws_follow_the_order_of_the_program():
    rng, oracle = pf.random.default_rng(1), Oracle(1)
    first, second = rng.random(3), rng.random(3)
    dropped = rng.random(1000)
    del dropped
    third = rng.random(3)
    third, first, second = (np.asarray(x).tolist() for x in (third, first, second))
    want = [oracle.random(3, "float64").tolist() for _ in range(4)]
    assert [first, second, third] == [want[0], want[1], want[3]]
    assert rng.state["draw"] == 4


def test_seeds():
    same = numbers(pf.random.default_rng(5))
    for seed in (np.int64(5), [5], (5,), np.array([5]), np.random.SeedSequence(5)):
        assert numbers(pf.random.default_rng(seed)) == same
    rng = pf.random.Generator(5)
    assert pf.random.default_rng(rng) is rng
    assert numbers(pf.random.default_rng(6)) != same
    assert numbers(pf.random.default_rng([5, 0, 1])) != same
    assert numbers(pf.random.default_rng()) != numbers(pf.random.default_rng())
    with pytest.raises(ValueError, match="a seed is not negative: -1"):
        pf.random.default_rng(-1)
    for wrong in (1.5, "seed", [1, 2.5]):
        with pytest.raises(TypeError, match="seed is an int"):
            pf.random.default_rng(wrong)


def test_children_and_jumps():
    rng = pf.random.default_rng(7)
    children = [*rng.spawn(2), *rng.spawn(1)]
    want = np.random.SeedSequence(7).spawn(3)
    assert [numbers(c) for c in children] == [numbers(pf.random.default_rng(s)) for s in want]
    assert rng.state["draw"] == 0
    jumped = rng.jumped(2)
    assert jumped.state["draw"] == 2 << 64 and rng.state["draw"] == 0
    assert numbers(jumped) != numbers(rng)
    with pytest.raises(TypeError, match="count is an int, not 1.5"):
        rng.spawn(1.5)


def test_a_key_serves_two_to_the_32_draws():
    rng, oracle = pf.random.default_rng(8), Oracle(8)
    rng.advance(2**32 - 1)
    oracle.number = 2**32 - 1
    assert numbers(rng) == oracle.random(4, "float64").tolist()
    inverted = [~k & 0xFFFFFFFF for k in oracle.key]
    oracle.key, oracle.number = [int(w) for w in threefry(inverted, (1, 0))], 0
    assert numbers(rng) == oracle.random(4, "float64").tolist()
    # One that takes two numbers has both of one key.
    rng.advance(2**32 - 2)
    assert rng.state["draw"] == 2**33 - 1
    rng.standard_normal(3)
    assert rng.state["draw"] == 2**33 + 2
    rng.advance(-(2**33) - 2 - 5)
    assert rng.state["draw"] == 2**96 - 5
    assert repr(rng) == f"<Generator of threefry2x32-20 before draw {2**96 - 5}>"


def test_state_copies_and_pickles():
    rng = pf.random.default_rng(9)
    rng.random(5)
    kept = rng.state
    assert kept == {"generator": "threefry2x32-20", "key": tuple(Oracle(9).key), "draw": 1}
    copies = [copy.copy(rng), copy.deepcopy(rng), pickle.loads(pickle.dumps(rng))]
    want = numbers(rng)
    assert [numbers(c) for c in copies] == [want] * 3
    assert numbers(copies[2].spawn(1)[0]) == numbers(copies[1].spawn(1)[0])
    rng.state = kept
    assert numbers(rng) == want and numbers(rng.spawn(1)[0])
    other = pf.random.default_rng(10)
    other.state = kept
    assert numbers(other) == want
    with pytest.raises(TypeError, match="there is no seed to spawn from"):
        other.spawn(1)
    for wrong in ({}, 3, {**kept, "generator": "PCG64"}, {**kept, "draw": -1}):
        with pytest.raises(ValueError, match="a state"):
            rng.state = wrong
    with pytest.raises(TypeError, match="a word of the key is an int"):
        rng.state = {**kept, "key": (0.5, 1)}


def test_functions_can_be_pickled_and_say_where_they_are():
    assert set(pf.random.__all__) <= set(dir(pf.random))
    for name in ("random", "normal", "dropout", "shuffle"):
        function = getattr(pf.random, name)
        assert pickle.loads(pickle.dumps(function)) is function
        assert function.__doc__ == getattr(pf.random.Generator, name).__doc__


# --- Default generators ---------------------------------------------------------------------------


def in_thread(function):
    found = []
    thread = threading.Thread(target=lambda: found.append(function()))
    thread.start()
    thread.join()
    return found[0]


def test_seed_starts_the_functions_of_the_module_anew():
    pf.random.seed(3)
    first = [pf.random.random(4), pf.random.normal(size=4), pf.random.integers(0, 9, 4)]
    rng = pf.random.default_rng(3)
    want = [rng.random(4), rng.normal(size=4), rng.integers(0, 9, 4)]
    for x, y in zip(first, want, strict=True):
        assert np.array_equal(np.asarray(x), np.asarray(y))
    assert pf.random.default_generator().state == rng.state
    pf.random.seed()
    assert numbers(pf.random) != numbers(pf.random.default_rng(3))


def test_each_thread_has_a_generator_of_its_own():
    def run():
        pf.random.seed(4)
        mine = [numbers(pf.random)]
        others = [in_thread(lambda: numbers(pf.random)) for _ in range(2)]
        mine.append(numbers(pf.random))
        spawned = numbers(pf.random.default_generator().spawn(1)[0])
        return mine, others, spawned

    mine, others, spawned = run()
    rng = pf.random.default_rng(4)
    assert mine == [numbers(rng), numbers(rng)]
    assert others == [numbers(c) for c in rng.spawn(2)]
    assert spawned not in others
    assert run() == (mine, others, spawned)


def test_a_seed_of_another_thread_reaches_this_one():
    pf.random.seed(5)
    numbers(pf.random)
    in_thread(lambda: pf.random.seed(6))
    assert numbers(pf.random) == numbers(pf.random.default_rng(6).spawn(1)[0])


def test_threads_share_the_draws_of_a_generator():
    """Each draw is one thread's, and none is lost."""
    rng = pf.random.default_rng(11)
    found, start = [], threading.Barrier(4)

    def work():
        start.wait()
        for _ in range(50):
            found.append(numbers(rng, 2)[0])

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    oracle = Oracle(11)
    assert sorted(found) == sorted(oracle.random(2, "float64")[0] for _ in range(200))


@pytest.mark.host
def test_a_forked_child_does_not_repeat_its_parent():
    pf.random.seed(12)
    before = numbers(pf.random)
    mine = pf.random.default_rng(12)
    first, second = (child.spawn(1)[0] for child in mine.spawn(2))
    numbers(mine)
    assert forked(lambda: numbers(pf.random) == numbers(first)) == 0
    assert forked(lambda: numbers(pf.random) == numbers(second)) == 0
    assert before == numbers(pf.random.default_rng(12)) and numbers(pf.random) == numbers(mine)


# --- Mistakes -------------------------------------------------------------------------------------

RNG = pf.random.default_rng(0)

MISTAKES = [
    (lambda: RNG.random(-1), ValueError, "negative dimensions"),
    (lambda: RNG.random(2.5), TypeError, "a shape is an int or a sequence of ints, not 2.5"),
    (lambda: RNG.random((2**40, 2**40)), ValueError, "random: .* larger than the maximum size"),
    (lambda: RNG.random(3, "int32"), pf.DTypeError, "random: dtype is a float type.* not int32"),
    (lambda: RNG.random(3, device="cuda:x"), pf.DeviceError, "device 'cuda:x' does not exist"),
    (lambda: RNG.uniform(2, 1), ValueError, "uniform: low 2.0 is greater than high 1.0"),
    (lambda: RNG.uniform(0, np.inf), OverflowError, "float64 does not hold a range"),
    (lambda: RNG.uniform(-3e38, 3e38, dtype="float32"), OverflowError, "float32 does not hold"),
    (lambda: RNG.uniform(0, 1e5, dtype="float16"), OverflowError, "float16 does not hold"),
    (lambda: RNG.uniform("a", 1), TypeError, "uniform: low is a number or an array, not str"),
    (lambda: RNG.uniform(0, np.ones(3), 4), pf.ShapeError, r"broadcast.*\(4,\) \(3,\)"),
    (lambda: RNG.uniform(0, np.ones((2, 3)), 3), pf.ShapeError, r"size \(3,\) is not that of"),
    (lambda: RNG.normal(0, -1), ValueError, "normal: scale is -1.0, and has to be at least 0"),
    (lambda: RNG.normal(0, 1j), TypeError, "normal: scale is a number or an array, not complex"),
    (lambda: RNG.normal(np.ones(2) * 1j), pf.DTypeError, "normal: loc is an array of complex128"),
    (lambda: RNG.lognormal(0, -1), ValueError, "lognormal: sigma is -1.0"),
    (lambda: RNG.exponential(-2), ValueError, "exponential: scale is -2.0"),
    (lambda: RNG.bernoulli(1.5), ValueError, "bernoulli: p is 1.5, and has to be from 0 to 1"),
    (lambda: RNG.bernoulli(np.nan), ValueError, "bernoulli: p is nan"),
    (lambda: RNG.dropout(pf.ones(3), 2), ValueError, "dropout: p is 2.0, and has to be from 0"),
    (lambda: RNG.dropout(pf.ones(3), [0.5] * 3), TypeError, "dropout: p is a number"),
    (lambda: RNG.dropout(pf.arange(3)), pf.DTypeError, "dropout: dtype is a float.* not int64"),
    (lambda: RNG.integers(3, 3), ValueError, "integers: nothing from 3 to 3, endpoint=False"),
    (lambda: RNG.integers(0), ValueError, "integers: nothing from 0 to 0"),
    (lambda: RNG.integers(0, 257, dtype="uint8"), ValueError, "uint8 does not hold 0 to 256"),
    (lambda: RNG.integers(-1, 5, dtype="uint8"), ValueError, "uint8 does not hold -1 to 4"),
    (lambda: RNG.integers(0, 2.5), TypeError, "integers: high is an int, not 2.5"),
    (lambda: RNG.integers(0, pf.ones(2)), TypeError, "integers: high is an int, not "),
    (lambda: RNG.integers(0, 5, dtype=float), pf.DTypeError, "bool or an integer type"),
    (lambda: RNG.permutation(-1), ValueError, "there are no -1 integers"),
    (lambda: RNG.permutation(pf.ones(())), ValueError, "an int, or has a dimension"),
    (lambda: RNG.permutation(pf.ones(3), axis=1), np.exceptions.AxisError, "axis 1"),
    (lambda: RNG.shuffle([1, 2]), TypeError, "x is an Array, not list"),
    (lambda: RNG.choice(0, 2), ValueError, "choice: 2 elements of 0"),
    (lambda: RNG.choice(3, 4, replace=False), ValueError, "4 elements of 3 without"),
    (lambda: RNG.choice(3, 2, False, p=[1, 0, 0]), ValueError, "2 elements of 1 without"),
    (lambda: RNG.choice(3, p=[0.5, 0.5]), ValueError, r"p has the shape \(2,\)"),
    (lambda: RNG.choice(2, p=[0.5, 0.6]), ValueError, "probabilities of sum 1"),
    (lambda: RNG.choice(2, p=[1.5, -0.5]), ValueError, "probabilities of sum 1"),
]


@pytest.mark.parametrize("number", range(len(MISTAKES)))
def test_mistakes_raise_at_the_call(number):
    call, error, text = MISTAKES[number]
    with pytest.raises(error) as caught:
        call()
    assert type(caught.value) is error and re.search(text, str(caught.value))
    first = traceback.extract_tb(caught.value.__traceback__)[1]
    assert (first.filename, first.name) == (__file__, "<lambda>")


def test_a_mistake_takes_no_draw():
    rng = pf.random.default_rng(13)
    for call in (
        lambda: rng.uniform(2, 1),
        lambda: rng.random(3, "int8"),
        lambda: rng.bernoulli(2),
    ):
        with pytest.raises((TypeError, ValueError)):
            call()
    assert rng.state["draw"] == 0


def test_the_call_site_is_the_users():
    for draw in (RNG.random, pf.random.normal, pf.random.uniform, RNG.bernoulli):
        x = draw(size=3)
        assert (site_text(x._v.record[4]) or "").startswith(f"{__file__}:")
