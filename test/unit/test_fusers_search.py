# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The search of fusers, driven by fakes."""

import random
import time

import pytest
from fake_fusers import Fuser, Pattern, Run, program, shown

from pyfusion.fusers import MlirFuser, blocks
from pyfusion.fusers import search as module
from pyfusion.fusers.graph import is_valid_execution_order, nodes_of
from pyfusion.fusers.search import search


def found(operations, *fusers, freed=None):
    """What the search makes of a program; that it can run in this order is checked."""
    strategies = search(operations, fusers, freed)
    flat = [p for s in strategies for p in s.positions]
    assert sorted(flat) == list(range(len(operations)))
    assert is_valid_execution_order(nodes_of(operations, freed), flat)
    return shown(strategies)


def test_a_single_block():
    p = program("exp -1", "add 0 -2")
    assert found(p, Pattern("p", "exp add")) == [("p", [0, 1])]


def test_independent_blocks_one_after_the_other():
    p = program("exp -1", "add 0 -2", "exp -3", "add 2 -4")
    assert found(p, Pattern("p", "exp add")) == [("p", [0, 1]), ("p", [2, 3])]


def test_independent_blocks_interleaved():
    p = program("exp -1", "exp -3", "add 0 -2", "add 1 -4")
    assert found(p, Pattern("p", "exp add")) == [("p", [0, 2]), ("p", [1, 3])]


def test_many_interleaved_blocks_up_to_the_cap():
    n = blocks.MAX_BLOCKS
    p = program(*[f"exp {-1 - i}" for i in range(n)], *[f"add {i} {i}" for i in range(n)])
    assert found(p, Pattern("p", "exp add")) == [("p", [i, n + i]) for i in range(n)]


def test_beyond_the_cap_the_oldest_block_waits_for_the_next_round():
    n = 3 * blocks.MAX_BLOCKS + 2
    p = program(*[f"exp {-1 - i}" for i in range(n)], *[f"add {i} {i}" for i in range(n)])
    assert found(p, Pattern("p", "exp add")) == [("p", [i, n + i]) for i in range(n)]


def test_a_pattern_over_two_blocks_that_an_operation_joins():
    p = program("exp -1", "exp -2", "add 0 1")
    assert found(p, Pattern("p", "exp exp add")) == [("p", [0, 1, 2])]


def test_an_operation_that_cannot_join_two_blocks_goes_to_the_later():
    p = program("exp -1", "exp -2", "add 0 1")
    assert found(p, Pattern("p", "exp add")) == [("-", [0]), ("p", [1, 2])]


def test_a_pattern_over_two_blocks_that_nothing_joins():
    p = program("exp -1", "sin 0", "exp -2", "sin 2", "neg -3")
    assert found(p, Pattern("p", "exp sin exp sin")) == [("p", [0, 1, 2, 3]), ("-", [4])]


def test_what_no_fuser_covers_stays_alone():
    p = program("exp -1", "add 0 -2", "sort 1", "exp 2", "add 3 -2")
    assert found(p, Pattern("p", "exp add")) == [("p", [0, 1]), ("-", [2]), ("p", [3, 4])]


def test_no_fuser_at_all():
    assert found(program("exp -1", "add 0 0")) == [("-", [0]), ("-", [1])]
    assert found([]) == []


def test_operations_are_not_reordered_in_a_block():
    p = program("a -1", "b 0", "c 1", "d 2", "e 3")
    run = Run("run")
    assert found(p, run) == [("run", [0, 1, 2, 3, 4])]
    assert run.log[:5] == ["a", "b", "c", "d", "e"]


def test_a_fuser_that_stays_incomplete_runs_nothing():
    p = program("exp -1", "add 0 -2")
    assert found(p, Pattern("p", "exp add mul")) == [("-", [0]), ("-", [1])]


def test_one_fuser_is_ready_while_another_is_still_open():
    p = program("exp -1", "add 0 -2")
    wide = Pattern("wide", "exp add mul", score=100)
    assert found(p, wide, Pattern("p", "exp add")) == [("p", [0, 1])]


def test_the_highest_score_wins():
    p = program("exp -1", "add 0 -2")
    low, high = Pattern("low", "exp add", 5), Pattern("high", "exp add", 6)
    assert found(p, low, high) == found(p, high, low) == [("high", [0, 1])]


def test_a_tie_goes_to_the_earlier_fuser():
    p = program("exp -1", "add 0 -2", "exp 1")
    a, b = Pattern("a", "exp add"), Pattern("b", "exp add")
    assert found(p, a, b)[0] == ("a", [0, 1])
    assert found(p, b, a)[0] == ("b", [0, 1])
    whole, part = Run("whole"), Pattern("part", "exp add", score=2)
    assert found(p, whole, part) == [("whole", [0, 1, 2])]
    assert found(p, part, whole) == [("part", [0, 1]), ("whole", [2])]


def test_a_score_of_zero_never_wins():
    p = program("exp -1", "add 0 -2")
    assert found(p, Pattern("p", "exp add", score=0), Run("run", score=0)) == [
        ("-", [0]),
        ("-", [1]),
    ]


def test_a_fuser_that_closes_is_offered_what_follows():
    p = program("sin -1", "cos 0", "exp 1", "add 2 -2", "sin 3")
    assert found(p, Pattern("p", "exp add")) == [
        ("-", [0]),
        ("-", [1]),
        ("p", [2, 3]),
        ("-", [4]),
    ]


def test_a_pattern_that_begins_inside_a_failed_one():
    p = program("exp -1", "exp 0", "add 1 -2")
    assert found(p, Pattern("p", "exp add")) == [("-", [0]), ("p", [1, 2])]


def test_a_pattern_over_what_another_one_left():
    p = program("exp -1", "sin 0", "add 1 -2", "mul 2 2")
    straddling = Pattern("s", "exp sin add", 5)
    assert found(p, straddling, Pattern("t", "sin add mul", 6)) == [("-", [0]), ("t", [1, 2, 3])]
    assert found(p, straddling, Pattern("t", "sin add mul", 4)) == [("s", [0, 1, 2]), ("-", [3])]


def test_a_dependent_operation_gets_a_block_of_its_own_and_comes_after():
    # Both blocks want their last operation when "join" comes, which neither takes.
    p = program("exp -1", "sin -2", "join 0 1", "exp 2", "sin 2", "add 0 -1", "neg 1")
    result = found(p, Pattern("e", "exp add"), Pattern("s", "sin neg"))
    assert ("e", [0, 5]) in result and ("s", [1, 6]) in result
    assert result.index(("-", [2])) > result.index(("e", [0, 5])) == 0


def test_an_operation_that_would_close_a_cycle_does_not_join():
    # add reads exp's result and what sort makes of it: exp and add cannot run as one.
    p = program("exp -1", "sort 0", "add 0 1")
    assert found(p, Pattern("p", "exp add")) == [("-", [0]), ("-", [1]), ("-", [2])]


def test_a_fuser_of_everything_gives_way_only_where_it_scores_less():
    p = program("sin -1", "exp 0", "add 1 -2", "cos 2")
    everything = Run("all", score=2)
    assert found(p, everything, Pattern("p", "exp add", 4)) == [("all", [0, 1, 2, 3])]
    assert found(p, everything, Pattern("p", "exp add", 5)) == [
        ("all", [0]),
        ("p", [1, 2]),
        ("all", [3]),
    ]


def test_what_is_left_is_searched_again_by_reset_fusers():
    names = ["exp", "add"] * 10
    p = program(*[f"{name} {i - 1}" for i, name in enumerate(names)])
    result = found(p, Run("all"), Pattern("p", "exp add", 9))
    assert result == [("p", [i, i + 1]) for i in range(0, 20, 2)]
    result = found(p, Run("all"), Pattern("p", "add exp", 9))
    assert result[0] == ("all", [0]) and result[-1] == ("all", [19])
    assert result[1:-1] == [("p", [i, i + 1]) for i in range(1, 19, 2)]


def test_in_the_last_round_nothing_is_cut(monkeypatch):
    p = program("sin -1", "exp 0", "add 1 -2", "cos 2")
    assert ("p", [1, 2]) in found(p, Run("all"), Pattern("p", "exp add", 3))
    monkeypatch.setattr(module, "ROUNDS", 1)
    assert found(p, Run("all"), Pattern("p", "exp add", 3)) == [("all", [0, 1, 2, 3])]


def test_what_is_left_joins_as_far_as_the_order_allows():
    # Of two chains only one has the pattern: what comes before it, after it and beside it.
    p = program("a -1", "exp 0", "a -2", "add 1 -3", "a 2", "a 3", "a 4")
    assert found(p, Run("all"), Pattern("p", "exp add", 9)) == [
        ("all", [0, 2, 4, 6]),
        ("p", [1, 3]),
        ("all", [5]),
    ]


def test_what_is_left_joins_its_reader():
    # 1 could run before the pattern, but only 3 reads it.
    p = program("exp -1", "a -2", "add 0 -3", "a 2 1")
    assert found(p, Run("all"), Pattern("p", "exp add", 9)) == [("p", [0, 2]), ("all", [1, 3])]
    # Here the pattern reads it too.
    p = program("exp -1", "a -2", "add 0 1", "a 2 1")
    assert found(p, Run("all"), Pattern("p", "exp add", 9)) == [
        ("all", [1]),
        ("p", [0, 2]),
        ("all", [3]),
    ]


def test_the_compiler_alone_is_as_without_a_search():
    p = program("exp -1", "sort 0", "add -2 -3", "mul 2 1")
    assert found(p, MlirFuser()) == [("mlir", [0, 1, 2, 3])]
    assert found(p, MlirFuser(), Pattern("p", "exp add mul", 100)) == [("mlir", [0, 1, 2, 3])]


def test_operations_that_free_come_last():
    p = program("exp -1", "neg -1", "add 0 -2")
    result = found(p, Pattern("p", "exp add", 9), freed={0: [-1]})
    assert result == [("-", [1]), ("p", [0, 2])]


@pytest.mark.parametrize("rounds", [1, 2, 16])
def test_random_programs_are_covered_once_and_in_a_legal_order(rounds, monkeypatch):
    monkeypatch.setattr(module, "ROUNDS", rounds)
    monkeypatch.setattr(module, "WINDOW", 16)
    rng = random.Random(rounds)
    for _ in range(150):
        names = "abcd"
        count = rng.randrange(1, 40)
        p = program(
            *[
                f"{rng.choice(names)} {rng.randrange(-3, i)} {rng.randrange(-3, i)}"
                for i in range(count)
            ]
        )
        fusers = [Run("all")] if rng.random() < 0.5 else []
        for k in range(rng.randrange(4)):
            pattern = " ".join(rng.choices(names, k=rng.randrange(1, 5)))
            fusers.append(Pattern(f"p{k}", pattern, rng.randrange(12)))
        if rng.random() < 0.5:
            fusers.append(Run("some", "a b", score=2, least=2))
        result = found(p, *fusers)
        if any(fuser.name == "all" for fuser in fusers):
            assert all(name != "-" for name, _ in result)
            assert sum(s.score for s in search(p, fusers)) >= count  # what "all" alone scores


class Greedy(Fuser):
    """Takes everything and is never ready: the worst there is for a search that begins anew."""

    def take(self, name):
        self.covered += 1

    def ready(self):
        return False

    def value(self):
        return 1


def test_the_search_is_not_quadratic():
    def offers(count):
        greedy, pattern = Greedy("greedy", 1), Pattern("p", "exp add", 5)
        p = program(*[f"{'exp' if i % 3 else 'add'} {i - 1} -1" for i in range(count)])
        search(p, [Run("all"), greedy, pattern])
        return len(greedy.log) + len(pattern.log)

    assert offers(2000) < 5 * offers(500)


def test_long_programs_do_not_recurse():
    count = 20_000
    p = program(*[f"{'exp' if i % 100 else 'sort'} {i - 1}" for i in range(count)])
    start = time.perf_counter()
    result = found(p, Run("run", "exp"))
    assert len(result) <= 2 * count // 100 + count // module.WINDOW  # cut where a window ends
    assert time.perf_counter() - start < 60
