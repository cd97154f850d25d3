# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Merging: two blocks become one where the fuser covers both, and no worse."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .blocks import Block

Merge = Callable[["Block", "Block"], "Block | None"]


def merge(a: Block, b: Block) -> Block | None:
    """A new block with the operations of `a`, then those of `b`, if it may and should be made.

    It may if nothing in `a` needs what `b` makes, and no operation outside has to run between
    them. It should if its fuser covers or may still cover all of it, and its score is not less
    than those of the two together: a merge never gives up what was fused before it. The two are
    left as they are.
    """
    if not a.can_append(b.members, b.before, b.after):
        return None
    apart = a.score + b.score
    if not a.open:
        return None
    merged = a.copy()
    for index in b.order:
        if not merged.open or not merged.offer(index):
            return None  # it covers less than both
    score = merged.score
    if merged.open:
        return merged if score >= apart else None
    covers = len(merged.fuser) == len(merged.order)
    return merged if covers and score >= apart and score > 0 else None


def merge_two(a: Block, b: Block) -> Block | None:
    """The two as one, in this order or in the other."""
    return merge(a, b) or merge(b, a)


def merge_blocks(
    blocks: list[Block], refused: set[tuple] | None = None, merge_pair: Merge = merge_two
) -> tuple[list[Block], list[Block]]:
    """Merges as many of some blocks as it can.

    Args:
        blocks: in order; they are left as they are.
        refused: pairs that need no other try; those that fail now are added.
        merge_pair: what makes one block of two, or None.

    Returns:
        Those that were made by merging, and those of the given ones that are still alone. All
        became one if there is one of the former and none of the latter.
    """
    entries = [(block, False) for block in blocks]
    refused = set() if refused is None else refused
    pair = _next_pair(entries, refused)
    while pair is not None:
        a, b = pair
        found = merge_pair(entries[a][0], entries[b][0])
        if found is None:
            refused.add(_pair(entries[a][0], entries[b][0]))
        else:
            entries[a] = (found, True)
            del entries[b]
        pair = _next_pair(entries, refused)
    return (
        [block for block, merged in entries if merged],
        [block for block, merged in entries if not merged],
    )


def _next_pair(entries: list[tuple[Block, bool]], refused: set[tuple]) -> tuple[int, int] | None:
    """The nearest two that were not tried; their number is small, by the cap on blocks."""
    for distance in range(1, len(entries)):
        for a in range(len(entries) - distance):
            b = a + distance
            if _pair(entries[a][0], entries[b][0]) not in refused:
                return a, b
    return None


def _pair(a: Block, b: Block) -> tuple:
    """Two blocks as they are now: operations that come to one of them may change the answer."""
    return a.members, b.members
