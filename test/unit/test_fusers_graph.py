# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The graph under the search of fusers."""

import random
import time

import pytest
from fake_fusers import node, program

from pyfusion.fusers.graph import (
    Reachability,
    as_set,
    combine,
    cycles,
    indices,
    is_valid_execution_order,
    nodes_of,
    predecessors,
    topological_order,
)


def test_nodes_of_operations():
    nodes = nodes_of(program("exp -1", "add 0 -2", "mul 1 1"), freed={2: [1]})
    assert [sorted(n.produced) for n in nodes] == [[0], [1], [2]]
    assert [sorted(n.read) for n in nodes] == [[-1], [-2, 0], [1]]
    assert [n.position for n in nodes] == [0, 1, 2]
    assert [sorted(n.freed) for n in nodes] == [[], [], [1]]


def test_combined_nodes_read_only_what_comes_from_outside():
    both = combine(nodes_of(program("exp -1", "add 0 -2"), freed={1: [0, -2]}))
    assert both == node({0, 1}, {-1, -2}, {0, -2}, 0)


def test_what_is_read_is_produced_before_whatever_the_positions():
    assert topological_order([node({0}, {1}, position=0), node({1}, position=1)]) == [1, 0]


def test_positions_decide_between_nodes_that_do_not_need_each_other():
    assert topological_order([node({0}, position=5), node({1}, position=3), node({2})]) == [2, 1, 0]


def test_equal_positions_keep_the_order_of_the_list():
    assert topological_order([node({i}) for i in range(4)]) == [0, 1, 2, 3]


def test_nodes_that_need_each_other_are_a_cycle():
    nodes = [node({0}, {1}), node({1}, {0})]
    assert topological_order(nodes) is None
    assert cycles(nodes) == [[0, 1]]


def test_a_long_cycle_is_found_and_what_follows_it_is_not_in_it():
    nodes = [node({0}, {2}), node({1}, {0}), node({2}, {1}), node({3}, {2}), node({4}, {-1})]
    assert topological_order(nodes) is None
    assert cycles(nodes) == [[0, 1, 2]]


def test_two_cycles_are_apart():
    nodes = [node({0}, {1}), node({1}, {0}), node({2}, {3}), node({3}, {2})]
    assert sorted(cycles(nodes)) == [[0, 1], [2, 3]]


def test_a_freer_comes_after_every_reader():
    nodes = [node({0}, {-1}, {-1}, 0), node({1}, {-1}, (), 1), node({2}, {-1}, (), 2)]
    assert topological_order(nodes) == [1, 2, 0]


def test_a_freer_comes_after_the_producer():
    assert topological_order([node((), (), {0}, 0), node({0}, position=1)]) == [1, 0]


def test_freeing_what_another_one_makes_from_it_first_is_a_cycle():
    # The first frees what the second reads, and makes what the second reads.
    assert topological_order([node({0}, {-1}, {-1}), node({1}, {0, -1})]) is None


def test_what_comes_from_outside_orders_nothing():
    nodes = [node({0}, {-1}), node({1}, {-1})]
    assert predecessors(nodes) == [set(), set()]


def test_no_nodes():
    assert topological_order([]) == [] and cycles([]) == []
    assert is_valid_execution_order([], [])


def test_reachability_of_a_diamond():
    reach = Reachability(nodes_of(program("exp -1", "sin 0", "cos 0", "add 1 2")))
    assert [indices(s) for s in reach.ancestors] == [[], [0], [0], [0, 1, 2]]
    assert [indices(s) for s in reach.descendants] == [[1, 2, 3], [3], [3], []]
    assert reach.can_contract(as_set([0, 1]))
    assert reach.can_contract(as_set([1, 2]))
    assert not reach.can_contract(as_set([0, 1, 3]))  # 2 would run inside
    assert not reach.can_contract(as_set([0, 3]))
    assert reach.can_contract(as_set([0, 1, 2, 3]))


def test_contraction_over_a_node_between_is_refused_and_with_it_allowed():
    reach = Reachability(nodes_of(program("a -1", "b 0", "c 1")))
    assert not reach.can_contract(as_set([0, 2]))
    assert reach.can_contract(as_set([0, 1, 2]))


def test_contraction_of_nothing_is_refused():
    assert not Reachability(nodes_of(program("a -1"))).can_contract(0)


def test_contraction_of_independent_nodes():
    assert Reachability(nodes_of(program("a -1", "b -1", "c -1"))).can_contract(as_set([0, 2]))


def test_reachability_of_more_nodes_than_a_machine_word_has_bits():
    chain = nodes_of(program("a -1", *[f"a {i}" for i in range(199)]))
    reach = Reachability(chain)
    assert indices(reach.ancestors[199]) == list(range(199))
    assert indices(reach.descendants[0]) == list(range(1, 200))
    assert not reach.can_contract(as_set([3, 150]))
    assert reach.can_contract(as_set(range(3, 151)))


def test_reachability_in_a_cycle():
    nodes = [node({0}, {2}), node({1}, {0}), node({2}, {1}), node({3}, {2})]
    reach = Reachability(nodes)
    assert [indices(s) for s in reach.ancestors] == [[0, 1, 2]] * 4
    assert [indices(s) for s in reach.descendants] == [[0, 1, 2, 3]] * 3 + [[]]


def test_reachability_agrees_with_a_search_of_each_node():
    rng = random.Random(0)
    for _ in range(20):
        nodes = [
            node({i}, {rng.randrange(30) for _ in range(rng.randrange(3))}, position=i)
            for i in range(30)
        ]
        reach = Reachability(nodes)
        before = predecessors(nodes)
        for i in range(30):
            seen, work = set(), list(before[i])
            while work:
                j = work.pop()
                if j not in seen:
                    seen.add(j)
                    work += before[j]
            assert set(indices(reach.ancestors[i])) - {i} == seen - {i}


@pytest.mark.parametrize("members", [[], [0], [63], [64], [0, 63, 64, 65, 1000]])
def test_sets_and_indices(members):
    assert indices(as_set(members)) == members
    assert as_set(members) == as_set(members[::-1] * 2)


def test_valid_orders():
    nodes = nodes_of(program("a -1", "b 0", "c -1"), freed={1: [0], 2: [-1]})
    assert is_valid_execution_order(nodes, [0, 1, 2])
    assert is_valid_execution_order(nodes, [0, 2, 1])
    assert not is_valid_execution_order(nodes, [1, 0, 2])  # read before it is produced
    assert not is_valid_execution_order(nodes, [2, 0, 1])  # read after it was freed


def test_valid_orders_of_some_of_the_nodes():
    nodes = nodes_of(program("a -1", "b 0", "c 1"))
    assert is_valid_execution_order(nodes, [2])  # 1 comes from outside
    assert is_valid_execution_order(nodes, [0, 2])
    assert is_valid_execution_order(nodes, [2, 0])
    assert not is_valid_execution_order(nodes, [2, 1])


def test_freeing_twice_or_before_it_is_produced_is_not_valid():
    assert not is_valid_execution_order([node(freed={-1}), node(freed={-1})], [0, 1])
    assert not is_valid_execution_order([node(freed={0}), node({0})], [0, 1])
    assert is_valid_execution_order([node({0}, freed={0})], [0])


def test_long_programs_take_linear_time():
    def seconds(count):
        nodes = nodes_of(program("a -1", *[f"a {i}" for i in range(count - 1)]))
        best = float("inf")
        for _ in range(3):
            start = time.process_time()
            assert topological_order(nodes) == list(range(count))
            assert cycles(nodes) == []
            assert is_valid_execution_order(nodes, range(count))
            best = min(best, time.process_time() - start)
        return best

    assert seconds(40_000) < 100 * seconds(2000)  # 400 times, were it quadratic
