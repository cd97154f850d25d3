# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An order for what was found: where groups need each other first, the least of them is given up.

Each strategy runs as a whole. Two that are legal by themselves may still need each other first;
then only one of the two is cut up into single operations, and the rest stays fused.
"""

from __future__ import annotations

from collections.abc import Sequence

from .blocks import Strategy
from .graph import Node, combine, cycles, is_valid_execution_order, topological_order


def repair(
    strategies: Sequence[Strategy], nodes: Sequence[Node]
) -> tuple[list[Strategy], list[Strategy]]:
    """Takes out strategies until the others can be ordered.

    Of the strategies in a cycle, unfused ones go first, then the one with the lowest score; of
    those with the same score, the later one.

    Args:
        strategies: of disjoint operations.
        nodes: of all operations.

    Returns:
        Those that stay, in the order given, and those to be cut up.
    """
    kept: list[Strategy] = []
    dropped: list[Strategy] = []
    for strategy in strategies:
        legal = is_valid_execution_order(nodes, strategy.positions)
        (kept if legal else dropped).append(strategy)
    while True:
        units = _with_singles(kept, nodes)
        victims = set()
        for members in cycles([combine([nodes[p] for p in unit.positions]) for unit in units]):
            groups = [i for i in members if len(units[i].positions) > 1]
            victims.add(min(groups, key=lambda i: (units[i].fuser is not None, units[i].score, -i)))
        if not victims:
            return kept, dropped
        dropped += [units[i] for i in sorted(victims)]
        kept = [unit for i, unit in enumerate(kept) if i not in victims]


def _with_singles(strategies: Sequence[Strategy], nodes: Sequence[Node]) -> list[Strategy]:
    """The strategies, then an unfused one for each operation that is in none."""
    covered = {p for strategy in strategies for p in strategy.positions}
    return [*strategies, *[Strategy((p,)) for p in range(len(nodes)) if p not in covered]]


def ordered(strategies: Sequence[Strategy], nodes: Sequence[Node]) -> list[Strategy]:
    """All operations in a legal order: the strategies that can stay, and single operations.

    Returns:
        Strategies whose positions, one after the other, are a permutation of all positions.
    """
    kept, _ = repair(strategies, nodes)
    units = _with_singles(kept, nodes)
    order = topological_order([combine([nodes[p] for p in unit.positions]) for unit in units])
    assert order is not None, "the nodes themselves are in a cycle"
    return [units[i] for i in order]
