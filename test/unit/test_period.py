# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The search for the period of what is queued."""

import numpy as np

from pyfusion.stream import period


def queued(*ops):
    """A queue of these operations: a token, and the places of the operands."""

    class Queued:
        pass

    class Op:
        def __init__(self, code):
            self.code = code

    from pyfusion.dtypes import float32
    from pyfusion.ir.value import Value

    queue = []
    for code, *args in ops:
        v = Value.__new__(Value)
        v.dtype = float32
        operands = tuple([queue[a] if 0 <= a < len(queue) else 1.0 for a in args])
        v.record = (Op(code), operands, None, (), None)
        queue.append(v)
    return queue


def found(queue):
    return period._find(queue, period.tokens_of(queue))


def test_the_period_of_what_repeats():
    one = [1, 2, 3, 4, 5]
    queue = queued(*[(code, place - 1) for place, code in enumerate(one * 8)])
    assert len(found(queue).tokens) == 5
    queue = queued(*[(code, place - 1) for place, code in enumerate([7, 8, 9, *one * 8, 1, 2])])
    assert len(found(queue).tokens) == 5


def test_a_period_within_a_body_is_not_taken_for_it():
    body = [1, 2] * 5 + [3, 4, 5, 6]
    queue = queued(*[(code, place - 1) for place, code in enumerate(body * 6)])
    assert len(found(queue).tokens) == 14


def test_operands_decide_where_operations_are_alike():
    """All are additions; what they take repeats every six."""
    back = [1, 2, 1, 3, 5, 2]
    ops = [(1, place - 1, place - back[place % 6]) for place in range(60)]
    assert len(found(queued(*ops)).tokens) == 6


def test_no_period():
    rng = np.random.default_rng(0)
    ops = [(int(code), place - 1) for place, code in enumerate(rng.integers(0, 5, 250))]
    assert found(queued(*ops)) is None
    assert found(queued((1, -1))) is None
    assert found([]) is None


def test_landmarks_are_the_same_in_each_process():
    """They do not depend on hashes of strings, of which attributes may have some."""
    rng = np.random.default_rng(0)
    queue = queued(*[(int(code), -1) for code in rng.integers(0, 9, 200)])
    period._grams.clear()
    assert period._landmark(queue) == 0  # all is new
    place = period._landmark(queue)
    assert 100 <= place < 192
    for number, v in enumerate(queue):
        v.record = (*v.record[:2], (str(number),), *v.record[3:])
    assert period._landmark(queue) == place


def test_the_search_takes_linear_time():
    import time

    rng = np.random.default_rng(0)
    seconds = []
    for count in (2000, 32_000):
        codes = rng.integers(0, 2, count // 4).tolist() * 4
        queue = queued(*[(code, place - 1) for place, code in enumerate(codes)])
        start = time.perf_counter()
        period.cuts(None, queue, count, False)
        seconds.append(time.perf_counter() - start)
    assert seconds[1] < 16 * 4 * seconds[0]
