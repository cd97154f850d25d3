# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Blocks of a search, and merging them."""

import pytest
from fake_fusers import Pattern, Run, program

from pyfusion.fusers.blocks import MAX_BLOCKS, Block, BlockSearch, Window
from pyfusion.fusers.graph import nodes_of
from pyfusion.fusers.merging import merge, merge_blocks, merge_two


def window(*lines, freed=None):
    p = program(*lines)
    return Window(p, nodes_of(p, freed), range(len(p)))


def block(over, fuser, *indices):
    made = Block(over, fuser.clone())
    for index in indices:
        assert made.offer(index)
    return made


CHAINS = ["a -1", "b -2", "c -3", "d -4", "e -5"]


def names(blocks):
    return [b.order for b in blocks]


def only(*pairs):
    """Merges just these pairs, given by the first operations of both."""

    def pair(a, b):
        for x, y in ((a, b), (b, a)):
            if (x.order[0], y.order[0]) in pairs:
                return merge(x, y)
        return None

    return pair


def test_no_block():
    assert merge_blocks([]) == ([], [])


def test_one_block():
    one = block(window("a -1"), Run("run"), 0)
    assert merge_blocks([one]) == ([], [one])


def test_two_blocks():
    w = window(*CHAINS)
    a, b = block(w, Run("run"), 0), block(w, Run("run"), 1)
    merged, alone = merge_blocks([a, b])
    assert (names(merged), alone) == ([[0, 1]], [])
    assert (a.order, b.order) == ([0], [1])  # as they were


def test_three_blocks():
    w = window(*CHAINS)
    merged, alone = merge_blocks([block(w, Run("run"), i) for i in range(3)])
    assert (names(merged), alone) == ([[0, 1, 2]], [])


def test_three_blocks_of_which_two_merge():
    w = window(*CHAINS)
    three = [block(w, Run("run"), i) for i in range(3)]
    merged, alone = merge_blocks(three, merge_pair=only((0, 2)))
    assert (names(merged), alone) == ([[0, 2]], [three[1]])


def test_four_blocks_that_become_two():
    w = window(*CHAINS)
    merged, alone = merge_blocks(
        [block(w, Run("run"), i) for i in range(4)], merge_pair=only((0, 3), (1, 2))
    )
    assert (sorted(names(merged)), alone) == ([[0, 3], [1, 2]], [])


def test_five_blocks_of_which_one_stays_alone():
    w = window(*CHAINS)
    five = [block(w, Run("run"), i) for i in range(5)]
    merged, alone = merge_blocks(five, merge_pair=only((0, 1), (0, 3), (0, 4)))
    assert (names(merged), alone) == ([[0, 1, 3, 4]], [five[2]])


def test_none_merges():
    w = window(*CHAINS)
    four = [block(w, Run("run"), i) for i in range(4)]
    assert merge_blocks(four, merge_pair=lambda a, b: None) == ([], four)


def test_pairs_that_failed_are_not_tried_again():
    w = window(*CHAINS)
    four = [block(w, Run("run"), i) for i in range(4)]
    tried, refused = [], set()
    for _ in range(2):
        merge_blocks(four, refused, lambda a, b: tried.append((a, b)))
    assert len(tried) == 6


def test_the_other_direction_is_tried():
    w = window("a -1", "b -2")
    a, b = block(w, Pattern("p", "b a"), 0), block(w, Pattern("p", "b a"), 1)
    assert merge(a, b) is None
    assert merge_two(a, b).order == [1, 0]


def test_a_consumer_is_not_put_before_its_producer():
    w = window("a -1", "b 0")
    a, b = block(w, Run("run"), 0), block(w, Run("run"), 1)
    assert merge(b, a) is None
    assert merge(a, b).order == merge_two(b, a).order == [0, 1]


def test_a_freer_is_not_put_before_a_reader():
    w = window("a -1", "b -1", freed={0: [-1]})
    freer, reader = block(w, Run("run"), 0), block(w, Run("run"), 1)
    assert merge(freer, reader) is None
    assert merge_two(freer, reader).order == [1, 0]


def test_blocks_with_an_operation_between_them_are_not_merged():
    w = window("a -1", "b 0", "c 1")
    a, c = block(w, Run("run"), 0), block(w, Run("run"), 2)
    assert merge_two(a, c) is None
    assert merge(merge(a, block(w, Run("run"), 1)), c).order == [0, 1, 2]


def test_a_merge_gives_up_nothing_that_was_fused():
    w = window(*CHAINS)

    class Flat(Run):
        def value(self):
            return self.score

    a, b = block(w, Flat("flat", score=10), 0), block(w, Flat("flat", score=10), 1)
    assert merge_two(a, b) is None  # 20 apart, 10 together
    assert merge_two(block(w, Run("run"), 0), block(w, Run("run"), 1)).score == 2


def test_a_merge_that_is_open_but_no_longer_ready_is_refused():
    w = window(*CHAINS)

    class Even(Run):
        def ready(self):
            return self.covered % 2 == 0

    pair, third, fourth = (block(w, Even("even"), *i) for i in ((0, 1), (2,), (3,)))
    assert merge_two(pair, third) is None
    assert merge_two(third, fourth).order == [2, 3]


def test_a_merge_that_the_fuser_does_not_cover_is_refused():
    w = window(*CHAINS)
    a, b = block(w, Run("run", "a c"), 0), block(w, Run("run", "b"), 1)
    assert merge_two(a, b) is None


def test_a_merge_may_close_the_fuser_if_it_covers_both():
    w = window(*CHAINS)
    a, b = block(w, Pattern("p", "a b"), 0), block(w, Pattern("p", "b a"), 1)
    merged = merge_two(a, b)
    assert merged.order == [0, 1] and not merged.open and merged.score == 10


def test_an_operation_is_turned_down_without_closing_the_block():
    w = window("a -1", "x 0", "b 0")
    a = block(w, Pattern("p", "a b"), 0)
    assert not a.offer(1)
    assert a.open and a.order == [0] and len(a.fuser) == 1
    assert a.offer(2) and not a.open


def test_a_copy_shares_nothing():
    w = window(*CHAINS)
    a = block(w, Run("run"), 0)
    b = a.copy()
    b.offer(1)
    assert (a.order, len(a.fuser), a.members) == ([0], 1, 0b1)
    assert (b.order, len(b.fuser), b.members) == ([0, 1], 2, 0b11)


@pytest.mark.parametrize("count", [1, MAX_BLOCKS, 3 * MAX_BLOCKS])
def test_never_more_blocks_than_the_cap(count, monkeypatch):
    w = window(*[f"a {-1 - i}" for i in range(count)])
    search = BlockSearch(w, Pattern("p", "a b"), 0)
    most = []
    real = BlockSearch._offer

    def offer(self, block, index):
        most.append(len(self._blocks))
        return real(self, block, index)

    monkeypatch.setattr(BlockSearch, "_offer", offer)
    assert search.run() == []
    assert max(most) == min(count, MAX_BLOCKS)


def test_a_search_that_has_offered_enough_only_finishes():
    w = window("a -1", "b -2", "x 0", "a 2", "b 3")
    assert [s.positions for s in BlockSearch(w, Run("run", "a b"), 0).run()] == [(0, 1), (3, 4)]
    search = BlockSearch(w, Run("run", "a b"), 0)
    search._offers = 0
    assert [s.positions for s in search.run()] == [(0,), (1,), (3, 4)]
