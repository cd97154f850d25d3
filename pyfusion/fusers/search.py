# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The search: which fuser runs which operations of a block.

It goes in rounds. Each fuser, on its own, proposes what it can cover; where proposals meet, the
score decides. One that covers much, as the compiler's does, gives way on some of its operations
to one that scores more on just these, and what is left of it is searched again in the next round,
together with everything that nobody covers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from .blocks import BlockSearch, Strategy, Window
from .faults import asked
from .graph import Node, combine, nodes_of, predecessors, topological_order
from .protocols import FuserStatus, OperationFuser, OperationIr
from .repair import ordered, repair

# Operations that blocks are looked for in at a time: the sets in `Reachability` grow with the
# square. A fuser that covers everything is not bound by it.
WINDOW = 1024
# Rounds in which a proposal may take operations from another one; each finds fewer.
ROUNDS = 16


def search(
    operations: Sequence[OperationIr],
    fusers: Sequence[OperationFuser],
    freed: Mapping[int, Iterable[int]] | None = None,
) -> list[Strategy]:
    """Covers operations with fusers.

    Args:
        operations: in program order, numbered by their outputs' ids.
        fusers: in order; where scores are equal, the earlier one wins. They are not changed.
        freed: see `graph.nodes_of`.

    Returns:
        Strategies in the order in which they run; their positions, one after the other, are a
        permutation of all positions. Those without a fuser are single operations.
    """
    nodes = nodes_of(operations, freed)
    fixed: list[Strategy] = []
    holes = list(range(len(operations)))
    rounds = 0
    while holes:
        proposals: list[Strategy] = []
        for level in _levels(nodes, fixed, holes):
            for rank, fuser in enumerate(fusers):
                proposals += _propose(operations, nodes, level, fuser, rank)
        rounds += 1
        taken = compete(operations, proposals, cut=rounds < ROUNDS)
        if not taken:
            break
        fixed, _ = repair([*fixed, *taken], nodes)  # cycles are inside a level
        covered = {p for strategy in fixed for p in strategy.positions}
        holes = [p for p in holes if p not in covered]
    return ordered(fixed, nodes)


def _levels(
    nodes: Sequence[Node], fixed: Sequence[Strategy], holes: Sequence[int]
) -> list[list[int]]:
    """The holes by how many fixed strategies have to run before them, one after another.

    What runs between two operations of a level is of the level too, so that a level may run as
    one whatever the strategies are. Of the levels that are legal for an operation, that of its
    first reader is taken: its result need not be kept for another level.
    """
    if not fixed:
        return [list(holes)]
    units = [*fixed, *[Strategy((p,)) for p in holes]]
    graph = [combine([nodes[p] for p in unit.positions]) for unit in units]
    order = topological_order(graph)
    assert order is not None, "repaired strategies are in a cycle"
    before = predecessors(graph)
    depth = [0] * len(units)
    for index in order:
        depth[index] = max(
            (depth[source] + (source < len(fixed)) for source in before[index]), default=0
        )
    latest: list[int | None] = [None] * len(units)
    levels: dict[int, list[int]] = {}
    for index in reversed(order):
        if index >= len(fixed):
            reader = latest[index]
            if reader is not None:
                depth[index] = reader
            levels.setdefault(depth[index], []).append(units[index].positions[0])
        for source in before[index]:
            known = latest[source]
            latest[source] = depth[index] if known is None else min(known, depth[index])
    return [sorted(levels[level]) for level in sorted(levels)]


def _propose(
    operations: Sequence[OperationIr],
    nodes: Sequence[Node],
    level: Sequence[int],
    fuser: OperationFuser,
    rank: int,
) -> list[Strategy]:
    """What one fuser can cover of a level. Raises FuserError."""
    score = value(operations, level, fuser)
    if score > 0:
        return [Strategy(tuple(level), fuser, score, rank)]
    found = []
    for start in range(0, len(level), WINDOW):
        window = Window(operations, nodes, level[start : start + WINDOW])
        with asked(fuser, "the search"):
            found += BlockSearch(window, fuser, rank).run()
    return found


def value(
    operations: Sequence[OperationIr], positions: Sequence[int], fuser: OperationFuser
) -> int:
    """The score of a fuser on just these operations, in this order; 0 if it does not cover all.

    Raises:
        FuserError: the fuser raised, or its score is no number.
    """
    with asked(fuser, "the search"):
        clone = fuser.clone()
        clone.reset()
        for position in positions:
            if clone.status() is FuserStatus.CLOSED:
                return 0
            clone.fuse(operations[position])
        properties = clone.properties()
        covers = properties.ready and len(clone) == len(positions)
        return max(properties.score, 0) if covers else 0


def compete(
    operations: Sequence[OperationIr], proposals: Iterable[Strategy], cut: bool = True
) -> list[Strategy]:
    """Decides where proposals meet; gives the winners that are whole.

    The highest score comes first. A later proposal takes operations from an earlier one only if it
    scores more than the earlier one's fuser does on the same operations, or as much and its fuser
    is the earlier one; if that fuser cannot cover just these, its whole score counts.

    Args:
        cut: False lets no proposal take operations from another one.
    """
    taken: list[Strategy] = []
    whole: list[bool] = []
    owner: dict[int, int] = {}
    for proposal in sorted(proposals, key=lambda s: (-s.score, s.rank, s.positions)):
        shared: dict[int, list[int]] = {}
        for position in proposal.positions:
            if position in owner:
                shared.setdefault(owner[position], []).append(position)
        if shared:
            if not cut:
                continue
            loss = sum(_loss(operations, taken[i], lost) for i, lost in shared.items())
            first = all(proposal.rank < taken[i].rank for i in shared)
            if proposal.score < loss or (proposal.score == loss and not first):
                continue
            for i in shared:
                whole[i] = False
        for position in proposal.positions:
            owner[position] = len(taken)
        taken.append(proposal)
        whole.append(True)
    return [strategy for strategy, is_whole in zip(taken, whole, strict=True) if is_whole]


def _loss(operations: Sequence[OperationIr], strategy: Strategy, lost: Sequence[int]) -> int:
    if len(lost) == len(strategy.positions):
        return strategy.score
    assert strategy.fuser is not None
    inside = set(lost)
    order = [p for p in strategy.positions if p in inside]
    alone = value(operations, order, strategy.fuser)
    return min(alone, strategy.score) if alone > 0 else strategy.score
