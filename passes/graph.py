# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the merge passes know about a block: its operations as a graph, and reachability in it."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable, Iterator, Sequence
from heapq import heapify, heappop, heappush

from mlir import ir

from ..dialects import find

__all__ = [
    "DYNAMIC",
    "Graph",
    "Node",
    "Reach",
    "agree",
    "cost_of",
    "functions",
    "has_argument_attribute",
    "inside",
    "is_single",
    "kind_of",
    "order",
    "shape_of",
    "static_bytes",
]

DYNAMIC: int = ir.ShapedType.get_dynamic_size()

Shape = tuple[int, ...]


@functools.cache
def _table() -> dict[str, tuple[str, str]]:
    rows = json.loads(find("ops.json").read_text())["ops"]
    return {f"fusion.{name}": (row["kind"], row["cost"]) for name, row in rows.items()}


def kind_of(name: str) -> str:
    """elementwise, view, creation, ...; empty for an operation of another dialect."""
    return _table().get(name, ("", ""))[0]


def cost_of(name: str) -> str:
    """cheap or math."""
    return _table().get(name, ("", ""))[1]


def shape_of(value: ir.Value) -> Shape | None:
    """Extents, DYNAMIC where not static; None: not a ranked tensor."""
    type_ = value.type
    return tuple(type_.shape) if isinstance(type_, ir.RankedTensorType) else None


def is_single(shape: Shape) -> bool:
    """Whether the type says that there is exactly one element."""
    return all(extent == 1 for extent in shape)


def agree(a: Shape, b: Shape) -> bool:
    """Whether two shapes that an element-wise operation ties are the same: `?` is any but 1."""
    if a == b:
        return True
    return len(a) == len(b) and all(
        m == n or (DYNAMIC in (m, n) and 1 not in (m, n)) for m, n in zip(a, b, strict=True)
    )


def static_bytes(value: ir.Value) -> int | None:
    """Size of a tensor in memory (a bool takes a byte); None: not static."""
    shape = shape_of(value)
    if shape is None or DYNAMIC in shape:
        return None
    element = value.type.element_type
    size = (element.width + 7) // 8
    for extent in shape:
        size *= extent
    return size


def functions(module: ir.Module) -> Iterator[ir.Operation]:
    """The functions with a body that are not kernels."""
    for op in list(module.body.operations):
        op = op.operation
        if op.name != "func.func" or not op.regions[0].blocks:
            continue
        if "fusion.kernel" not in op.attributes and "fusion.finish" not in op.attributes:
            yield op


def has_argument_attribute(argument: ir.BlockArgument, name: str) -> bool:
    """Whether an argument of a function has the attribute; false for other blocks' arguments."""
    attributes = argument.owner.owner.operation.attributes
    return "arg_attrs" in attributes and name in attributes["arg_attrs"][argument.arg_number]


class Node:
    """An operation of the block.

    `preds` are the positions of the operations that it uses, each once; `uses` has
    `(position of the user, user, operand number)`.
    """

    __slots__ = ("index", "kind", "name", "op", "operands", "preds", "results", "uses")

    def __init__(self, index: int, op: ir.Operation):
        self.index = index
        self.op = op
        self.name: str = op.name
        self.kind = kind_of(self.name)
        self.operands: list[ir.Value] = list(op.operands)
        self.results: list[ir.Value] = list(op.results)
        self.preds: list[int] = []
        self.uses: list[tuple[int, ir.Operation, int]] = []


class Graph:
    """The operations of a block, and who makes each value."""

    def __init__(self, block: ir.Block):
        self.block = block
        self.nodes: list[Node] = []
        self.maker: dict[ir.Value, int] = {}
        for index, op in enumerate(block.operations):
            node = Node(index, op.operation)
            self.nodes.append(node)
            seen: set[int] = set()
            self._use(node, node.op, node.operands, seen)
            if node.op.regions and node.name != "fusion.fused":  # may capture
                for inner in inside(node.op):
                    self._use(node, inner, list(inner.operands), seen)
            node.preds = list(seen)
            for result in node.results:
                self.maker[result] = index

    def _use(
        self, node: Node, op: ir.Operation, operands: Sequence[ir.Value], seen: set[int]
    ) -> None:
        for number, operand in enumerate(operands):
            made_by = self.maker.get(operand)
            if made_by is not None:
                seen.add(made_by)
                self.nodes[made_by].uses.append((node.index, op, number))


def inside(op: ir.Operation) -> Iterator[ir.Operation]:
    """The operations in the regions of one, and in theirs."""
    todo = [op]
    while todo:
        for region in todo.pop().regions:
            for block in region:
                for inner in block.operations:
                    yield inner.operation
                    todo.append(inner.operation)


class Reach:
    """Which nodes lie above which, while nodes are contracted to one.

    Nodes are numbered in an order in which producers come first. Sets of nodes are big integers.
    """

    def __init__(self) -> None:
        self._parent: list[int] = []
        self._members: list[int] = []
        self._above: list[int] = []
        self._below: list[list[int]] = []

    def add(self, preds: Iterable[int]) -> int:
        """The next node."""
        node = len(self._parent)
        above = 0
        for pred in preds:
            root = self.find(pred)
            above |= self._above[root] | self._members[root]
            self._below[root].append(node)
        self._parent.append(node)
        self._members.append(1 << node)
        self._above.append(above)
        self._below.append([])
        return node

    def find(self, node: int) -> int:
        """The node that stands for what `node` was contracted to."""
        parent = self._parent
        while parent[node] != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    def detour(self, a: int, b: int, preds_of_b: Iterable[int]) -> int | None:
        """A predecessor of b through which a path leads from a to b, if there is one."""
        root_a, root_b = self.find(a), self.find(b)
        members = self._members[root_a]
        for pred in preds_of_b:
            root = self.find(pred)
            if root not in (root_a, root_b) and members & self._above[root]:
                return pred
        return None

    def merge(self, a: int, b: int) -> int:
        """Contracts a and b, which no path through a third node may connect."""
        a, b = self.find(a), self.find(b)
        if a == b:
            return a
        if len(self._below[a]) < len(self._below[b]):
            a, b = b, a
        self._parent[b] = a
        members = self._members[a] = self._members[a] | self._members[b]
        above = self._above[a] = (self._above[a] | self._above[b]) & ~members
        below = self._below[a] + self._below[b] if self._below[b] else self._below[a]
        self._below[a] = [n for n in below if self.find(n) != a]
        self._below[b] = []
        todo = [(n, above | members) for n in self._below[a]]
        while todo:
            node, more = todo.pop()
            root = self.find(node)
            if more & ~self._above[root] & ~self._members[root]:
                self._above[root] |= more & ~self._members[root]
                more = self._above[root] | self._members[root]
                todo.extend((n, more) for n in self._below[root])
        return a


def order(preds: Sequence[Iterable[int]], keys: Sequence[int]) -> list[int]:
    """A topological order of nodes 0..n-1; of those that may come next the smallest key first."""
    waiting = [0] * len(preds)
    users: list[list[int]] = [[] for _ in preds]
    for node, above in enumerate(preds):
        for pred in set(above):
            users[pred].append(node)
            waiting[node] += 1
    ready = [(keys[node], node) for node, count in enumerate(waiting) if count == 0]
    heapify(ready)
    result = []
    while ready:
        _, node = heappop(ready)
        result.append(node)
        for user in users[node]:
            waiting[user] -= 1
            if waiting[user] == 0:
                heappush(ready, (keys[user], user))
    if len(result) != len(preds):
        raise AssertionError("kernels depend on each other in a circle")
    return result
