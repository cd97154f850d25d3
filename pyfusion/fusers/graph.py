# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What must run before what: a graph over operations, or over groups of them.

Values are written once, so that there are two reasons for an order: a node reads what another one
produces, or it frees (overwrites) what another one reads. Nothing here recurses, and all but
`Reachability` takes time and memory in proportion to the operations and their operands.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from .protocols import OperationIr, TensorIr


class Node(NamedTuple):
    """One or more operations that run together.

    Attributes:
        produced: numbers of the values that it writes.
        read: numbers of the values that it reads and does not write itself.
        freed: numbers of the values that nothing may read once it has run.
        position: where it stands in program order: ties go to the lower one.
    """

    produced: frozenset[int]
    read: frozenset[int]
    freed: frozenset[int] = frozenset()
    position: int = 0


def nodes_of(
    operations: Iterable[OperationIr], freed: Mapping[int, Iterable[int]] | None = None
) -> list[Node]:
    """A node for each operation.

    Args:
        operations: in program order.
        freed: for the position of an operation, the values that it frees. The engine gives none:
            a block overwrites only what the reference counts show that nothing else reads.
    """
    freed = freed or {}
    return [
        Node(
            frozenset((op.output.id,)),
            frozenset([i.id for i in op.inputs if isinstance(i, TensorIr)]),
            frozenset(freed.get(position, ())),
            position,
        )
        for position, op in enumerate(operations)
    ]


def combine(nodes: Sequence[Node]) -> Node:
    """The nodes as one, which stands where the first of them stood."""
    produced = frozenset().union(*[n.produced for n in nodes])
    read = frozenset().union(*[n.read for n in nodes])
    freed = frozenset().union(*[n.freed for n in nodes])
    return Node(produced, read - produced, freed, min(n.position for n in nodes))


def predecessors(nodes: Sequence[Node]) -> list[set[int]]:
    """For each node, the indices of those that must run before it."""
    producer = {value: index for index, node in enumerate(nodes) for value in node.produced}
    readers: dict[int, list[int]] = {}
    if any(node.freed for node in nodes):
        for index, node in enumerate(nodes):
            for value in node.read:
                readers.setdefault(value, []).append(index)
    found = []
    for index, node in enumerate(nodes):
        before = {producer[value] for value in node.read if value in producer}
        for value in node.freed:
            if value in producer:
                before.add(producer[value])
            before.update(readers.get(value, ()))
        before.discard(index)
        found.append(before)
    return found


def _successors(before: Sequence[set[int]]) -> list[list[int]]:
    after: list[list[int]] = [[] for _ in before]
    for index, sources in enumerate(before):
        for source in sources:
            after[source].append(index)
    return after


def topological_order(nodes: Sequence[Node]) -> list[int] | None:
    """Indices in an order that respects every reason; of those that may come next, the lowest
    position comes first. None if there is a cycle."""
    return _sorted(nodes, predecessors(nodes))


def _sorted(nodes: Sequence[Node], before: Sequence[set[int]]) -> list[int] | None:
    missing = [len(sources) for sources in before]
    after = _successors(before)
    ready = [(nodes[i].position, i) for i, count in enumerate(missing) if count == 0]
    heapq.heapify(ready)
    order = []
    while ready:
        index = heapq.heappop(ready)[1]
        order.append(index)
        for reader in after[index]:
            missing[reader] -= 1
            if missing[reader] == 0:
                heapq.heappush(ready, (nodes[reader].position, reader))
    return order if len(order) == len(nodes) else None


def cycles(nodes: Sequence[Node]) -> list[list[int]]:
    """The sets of two or more nodes that all have to run before each other."""
    before = predecessors(nodes)
    number: dict[int, int] = {}  # when a node was first seen
    low: dict[int, int] = {}  # the earliest node that it reaches and that is still open
    open_nodes: list[int] = []
    is_open = [False] * len(nodes)
    found = []
    for root in range(len(nodes)):
        if root in number:
            continue
        work = [(root, iter(before[root]))]
        number[root] = low[root] = len(number)
        open_nodes.append(root)
        is_open[root] = True
        while work:
            index, rest = work[-1]
            for other in rest:
                if other not in number:
                    number[other] = low[other] = len(number)
                    open_nodes.append(other)
                    is_open[other] = True
                    work.append((other, iter(before[other])))
                    break
                if is_open[other]:
                    low[index] = min(low[index], number[other])
            else:
                work.pop()
                if work:
                    parent = work[-1][0]
                    low[parent] = min(low[parent], low[index])
                if low[index] == number[index]:
                    members: list[int] = []
                    while not members or members[-1] != index:
                        members.append(open_nodes.pop())
                        is_open[members[-1]] = False
                    if len(members) > 1:
                        found.append(sorted(members))
    return found


class Reachability:
    """Which nodes come before and after each one, over any number of others.

    A set of nodes is a Python int with a bit for each index: these take memory that grows with the
    square of the nodes, so this is for windows of a program.

    Attributes:
        ancestors, descendants: a set for each node, without the node unless it is in a cycle.
    """

    def __init__(self, nodes: Sequence[Node]):
        before = predecessors(nodes)
        after = _successors(before)
        order = _sorted(nodes, before)
        if order is None:
            # Any order does where it is repeated until nothing changes.
            self.ancestors = _fixpoint(before)
            self.descendants = _fixpoint(after)
        else:
            self.ancestors = _closure(before, order)
            self.descendants = _closure(after, order[::-1])

    def can_contract(self, members: int) -> bool:
        """Whether a set of nodes may run as one: no other node is both after and before it. The
        empty set may not."""
        before = after = 0
        for index in indices(members):
            before |= self.ancestors[index]
            after |= self.descendants[index]
        return members != 0 and before & after & ~members == 0


def indices(members: int) -> list[int]:
    """The indices of a set, in order.

    >>> indices(0b1011)
    [0, 1, 3]
    """
    found = []
    while members:
        low = members & -members
        found.append(low.bit_length() - 1)
        members ^= low
    return found


def as_set(members: Iterable[int]) -> int:
    """The set of some indices.

    >>> bin(as_set([0, 1, 3]))
    '0b1011'
    """
    found = 0
    for index in members:
        found |= 1 << index
    return found


def _closure(edges: Sequence[Iterable[int]], order: Sequence[int]) -> list[int]:
    found = [0] * len(edges)
    for index in order:
        reached = 0
        for other in edges[index]:
            reached |= found[other] | 1 << other
        found[index] = reached
    return found


def _fixpoint(edges: Sequence[Iterable[int]]) -> list[int]:
    found = [0] * len(edges)
    changed = True
    while changed:
        changed = False
        for index, others in enumerate(edges):
            reached = found[index]
            for other in others:
                reached |= found[other] | 1 << other
            if reached != found[index]:
                found[index] = reached
                changed = True
    return found


def is_valid_execution_order(nodes: Sequence[Node], order: Sequence[int]) -> bool:
    """Whether nodes may run in an order: each value is produced before it is read, and is not read
    or freed after it was freed. What no node of the order produces exists before it."""
    waiting: set[int] = set()
    for index in order:
        waiting |= nodes[index].produced
    dead: set[int] = set()
    for index in order:
        node = nodes[index]
        if not node.read.isdisjoint(waiting) or not node.read.isdisjoint(dead):
            return False
        waiting -= node.produced
        if not node.freed.isdisjoint(waiting) or not node.freed.isdisjoint(dead):
            return False
        dead |= node.freed
    return True
