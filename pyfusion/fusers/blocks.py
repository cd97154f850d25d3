# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Blocks: operations that belong together, each offered to a clone of one fuser."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

from .graph import Node, Reachability
from .merging import merge_blocks
from .protocols import FuserStatus, OperationFuser, OperationIr

# Open blocks of one fuser: each further one costs every operation a look at what it touches.
# Programs rarely weave more independent chains than this.
MAX_BLOCKS = 8
# Operations offered to one fuser, for each operation of the window: patterns are short, and one
# that takes in long runs to give them up again must not make the search quadratic.
MAX_OFFERS = 16


class Strategy(NamedTuple):
    """How some operations run.

    Attributes:
        positions: of the operations, in the order in which they run.
        fuser: what covers them; None: each is run by the backend.
        score: the fuser's.
        rank: the fuser's place among those that compete.
    """

    positions: tuple[int, ...]
    fuser: OperationFuser | None = None
    score: int = 0
    rank: int = 0


class Window:
    """The operations that a search looks at together, with what must run before what."""

    def __init__(
        self, operations: Sequence[OperationIr], nodes: Sequence[Node], positions: Sequence[int]
    ):
        self.positions = positions
        self.operations = [operations[p] for p in positions]
        chosen = [nodes[p] for p in positions]
        self.values = [node.produced | node.read for node in chosen]
        reach = Reachability(chosen)
        self.ancestors = reach.ancestors
        self.descendants = reach.descendants


class Block:
    """A clone of a fuser and the operations that it was offered, all of which could run as one.

    Attributes:
        order: their indices in the window, in the order of the offers.
        members: the same as a set; `before` and `after` are what comes before and after any.
        values: numbers of the values that they touch.
    """

    __slots__ = ("window", "fuser", "order", "members", "before", "after", "values")

    def __init__(self, window: Window, fuser: OperationFuser):
        self.window = window
        self.fuser = fuser
        self.order: list[int] = []
        self.members = self.before = self.after = 0
        self.values: set[int] = set()

    @property
    def first(self) -> int:
        return min(self.order)

    @property
    def open(self) -> bool:
        return self.fuser.status() is not FuserStatus.CLOSED

    @property
    def score(self) -> int:
        """What running it fused is worth: 0 if it cannot be."""
        properties = self.fuser.properties()
        return properties.score if properties.ready and len(self.fuser) else 0

    def can_append(self, members: int, before: int, after: int) -> bool:
        """Whether operations may run after those of the block and as one with them.

        Args:
            members, before, after: of the operations, as for a block.
        """
        if self.before & members:
            return False  # they would have to run earlier
        inside = self.members | members
        return (self.before | before) & (self.after | after) & ~inside == 0

    def offer(self, index: int) -> bool:
        """Offers an operation to the fuser. One that would only close it is turned down: it is left
        out, and the block waits for others."""
        fuser = self.fuser
        if self.order:
            fuser = fuser.clone()
        fuser.fuse(self.window.operations[index])
        if self.order and fuser.status() is FuserStatus.CLOSED and len(fuser) <= len(self.fuser):
            return False
        self.fuser = fuser
        self.order.append(index)
        self.members |= 1 << index
        self.before |= self.window.ancestors[index]
        self.after |= self.window.descendants[index]
        self.values |= self.window.values[index]
        return True

    def copy(self) -> Block:
        other = Block(self.window, self.fuser.clone())
        other.order = list(self.order)
        other.members, other.before, other.after = self.members, self.before, self.after
        other.values = set(self.values)
        return other


class BlockSearch:
    """Finds what one fuser can cover in a window.

    An operation goes to a block that touches one of its values; blocks that it would connect are
    merged if nothing is lost by it. It begins a block of its own if it touches none, or if for
    each of them the fuser turns it down or another operation has to run in between. A block whose
    fuser closes is done: what is covered is a strategy, and the others are looked at again,
    without the first one if nothing is covered.
    """

    def __init__(self, window: Window, fuser: OperationFuser, rank: int):
        self._window = window
        self._fuser = fuser
        self._rank = rank
        self._blocks: list[Block] = []
        self._waiting: deque[int] = deque(range(len(window.operations)))
        self._offers = 64 + MAX_OFFERS * len(window.operations)
        self._found: list[Strategy] = []
        self._refused: set[tuple] = set()  # what could not be merged

    def run(self) -> list[Strategy]:
        """The strategies; they share no operation, but two may each need the other one first."""
        while self._waiting or self._blocks:
            while self._waiting:
                self._register(self._waiting.popleft())
            self._merge(sorted(self._blocks, key=lambda block: block.first))
            for block in list(self._blocks):
                self._retire(block)
        return self._found

    def _register(self, index: int) -> None:
        window = self._window
        values = window.values[index]
        touching = [block for block in self._blocks if not values.isdisjoint(block.values)]
        if len(touching) > 1:
            touching = self._merge(touching)
        before, after = window.ancestors[index], window.descendants[index]
        # First those that make what it reads, the latest before the others.
        for block in sorted(
            touching, key=lambda b: (b.members & before).bit_length(), reverse=True
        ):
            if block.can_append(1 << index, before, after) and self._offer(block, index):
                return
        self._offer(self._new_block(), index)

    def _new_block(self) -> Block:
        if len(self._blocks) >= MAX_BLOCKS:
            self._merge(list(self._blocks))
            if len(self._blocks) >= MAX_BLOCKS:
                self._retire(min(self._blocks, key=lambda block: block.first))
        fuser = self._fuser.clone()
        fuser.reset()
        block = Block(self._window, fuser)
        self._blocks.append(block)
        return block

    def _merge(self, blocks: list[Block]) -> list[Block]:
        """Merges some of the blocks as far as it goes; gives what they became and is open."""
        if self._offers <= 0:
            return blocks
        tried = len(self._refused)
        merged, alone = merge_blocks(blocks, self._refused)
        longest = max([len(block.order) for block in merged + alone], default=0)
        self._offers -= longest * (len(self._refused) - tried + len(merged))
        self._blocks = [b for b in self._blocks if b not in blocks] + merged + alone
        for block in merged:
            if not block.open:
                self._retire(block)
        return [block for block in merged + alone if block.open]

    def _offer(self, block: Block, index: int) -> bool:
        self._offers -= 1
        taken = block.offer(index)
        if not block.open:
            self._retire(block)
        return taken

    def _retire(self, block: Block) -> None:
        """Takes what the block's fuser covers; the rest of it is looked at again."""
        self._blocks.remove(block)
        covered = len(block.fuser) if block.score > 0 else 0
        if covered:
            positions = tuple([self._window.positions[i] for i in block.order[:covered]])
            self._found.append(Strategy(positions, self._fuser, block.score, self._rank))
        if self._offers > 0:
            self._waiting.extendleft(sorted(block.order[covered or 1 :], reverse=True))
