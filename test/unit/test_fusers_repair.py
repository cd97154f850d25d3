# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Orders for strategies, and what is given up where there is none."""

from fake_fusers import Pattern, Run, program, shown

from pyfusion.fusers.blocks import Strategy
from pyfusion.fusers.graph import nodes_of
from pyfusion.fusers.repair import ordered, repair
from pyfusion.fusers.search import search

A, B, C = (Run(name) for name in "abc")


def test_strategies_without_a_conflict_stay():
    nodes = nodes_of(program("x -1", "x 0", "x 1", "x 2"))
    strategies = [Strategy((0, 1), A, 5), Strategy((2, 3), B, 5)]
    assert repair(strategies, nodes) == (strategies, [])
    assert ordered(strategies, nodes) == strategies


def test_strategies_are_ordered_by_what_they_read():
    nodes = nodes_of(program("x -1", "y -1", "x 1", "y 1"))
    late, early = Strategy((0, 2), A, 5), Strategy((1, 3), B, 1)
    assert shown(ordered([late, early], nodes)) == [("b", [1, 3]), ("a", [0, 2])]


def test_independent_strategies_keep_program_order():
    nodes = nodes_of(program("x -1", "y -1", "x 0", "y 1"))
    strategies = [Strategy((1, 3), B, 9), Strategy((0, 2), A, 5)]
    assert shown(ordered(strategies, nodes)) == [("a", [0, 2]), ("b", [1, 3])]


def test_of_two_that_need_each_other_only_the_lower_score_is_given_up():
    nodes = nodes_of(program("x -1", "y -1", "x 1", "y 0", "z 3"))
    high, low, free = Strategy((0, 2), A, 9), Strategy((1, 3), B, 5), Strategy((4,), C, 1)
    assert repair([low, high, free], nodes) == ([high, free], [low])
    assert shown(ordered([low, high, free], nodes)) == [
        ("-", [1]),
        ("a", [0, 2]),
        ("-", [3]),
        ("c", [4]),
    ]


def test_of_two_with_one_score_the_later_is_given_up():
    nodes = nodes_of(program("x -1", "y -1", "x 1", "y 0"))
    first, second = Strategy((0, 2), A, 5), Strategy((1, 3), B, 5)
    assert repair([first, second], nodes) == ([first], [second])


def test_of_a_cycle_of_three_one_is_given_up():
    nodes = nodes_of(program("x -1", "x -1", "x -1", "x 0", "x 1", "x 2"))
    ring = [Strategy((0, 5), A, 3), Strategy((1, 3), B, 2), Strategy((2, 4), C, 4)]
    kept, dropped = repair(ring, nodes)
    assert kept == [ring[0], ring[2]] and dropped == [ring[1]]


def test_a_cycle_elsewhere_costs_nothing_here():
    nodes = nodes_of(program(*["x -1"] * 4, "x 1", "x 0", "x 3", "x 2"))
    strategies = [
        Strategy((0, 4), A, 5),
        Strategy((1, 5), B, 4),
        Strategy((2, 6), A, 2),
        Strategy((3, 7), B, 3),
    ]
    kept, dropped = repair(strategies, nodes)
    assert kept == [strategies[0], strategies[3]]
    assert dropped == [strategies[1], strategies[2]]


def test_unfused_ones_are_split_before_a_fused_one():
    # The unfused group makes 0 and frees it with 2; the fused one reads it in between.
    nodes = nodes_of(program("x -1", "x 0", "x 0", "x 1"), freed={2: [0]})
    group, fused = Strategy((0, 2)), Strategy((1, 3), A, 1)
    assert repair([group, fused], nodes) == ([fused], [group])
    assert shown(ordered([group, fused], nodes)) == [("-", [0]), ("a", [1, 3]), ("-", [2])]


def test_one_that_cannot_run_at_once_is_unfused():
    nodes = nodes_of(program("x -1", "y 0", "x 1"))
    around = Strategy((0, 2), A, 100)
    assert repair([around], nodes) == ([], [around])
    assert shown(ordered([around], nodes)) == [("-", [0]), ("-", [1]), ("-", [2])]


def test_one_with_a_wrong_order_inside_is_unfused():
    nodes = nodes_of(program("x -1", "x 0"))
    backwards = Strategy((1, 0), A, 100)
    assert repair([backwards], nodes) == ([], [backwards])
    freed = nodes_of(program("x -1", "x -1"), freed={0: [-1]})
    assert repair([Strategy((0, 1), A, 1)], freed) == ([], [Strategy((0, 1), A, 1)])
    assert repair([Strategy((1, 0), A, 1)], freed)[1] == []


def test_in_a_search_what_was_given_up_is_searched_again():
    # "p" and "q" each are legal but need each other; the compiler-like fuser takes the rest.
    p = program("x -1", "y -1", "x 1", "y 0")
    x, y = Pattern("x", "x x", 9), Pattern("y", "y y", 8)
    assert shown(search(p, [x, y])) == [("-", [1]), ("x", [0, 2]), ("-", [3])]
    assert shown(search(p, [x, y, Run("all")])) == [("all", [1]), ("x", [0, 2]), ("all", [3])]
