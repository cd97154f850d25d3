# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""fusion-merge-reductions: each reduction becomes a kernel, with what surrounds it.

The kernel that computes the reduced operand joins, if nothing else reads the operand; so do kernels
that compute something of the result's shape from the result.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from mlir import ir

from .graph import (
    Graph,
    Node,
    Reach,
    Shape,
    agree,
    functions,
    is_single,
    order,
    shape_of,
    static_bytes,
)
from .kernels import body_of, build_kernel
from .ranges import range_of
from .registry import Pass, PassContext, Refusal, option

__all__ = ["MergeReductions"]


@dataclass(frozen=True)
class MergeReductions(Pass):
    """Merges reductions with the element-wise kernels before and after them."""

    name = "fusion-merge-reductions"
    max_ops: int = option(512, "Operations that a kernel may hold.")
    max_operands: int = option(200, "Inputs and results that a kernel may have.")

    def run(self, module: ir.Module, context: PassContext) -> None:
        for func in functions(module):
            for block in func.regions[0]:
                graph = Graph(block)
                if any(node.kind == "reduction" for node in graph.nodes):
                    _Merger(self, context, graph).run()


@dataclass
class _Kernel:
    """A reduction, the kernel before it and those after it."""

    reduction: Node
    producer: Node | None = None
    consumers: list[Node] = field(default_factory=list)

    @property
    def parts(self) -> list[Node]:
        before = [] if self.producer is None else [self.producer]
        return [*before, self.reduction, *self.consumers]


class _Merger:
    def __init__(self, options: MergeReductions, context: PassContext, graph: Graph):
        self.options = options
        self.context = context
        self.nodes = graph.nodes
        self.maker = graph.maker
        self.reach = Reach()
        for node in self.nodes:
            self.reach.add(node.preds)
        self.taken: set[int] = set()  # element-wise kernels that are part of a reduction's

    def run(self) -> None:
        kernels = []
        for node in self.nodes:
            if node.kind == "reduction":
                kernel = _Kernel(node)
                self._add_producer(kernel)
                self._add_consumers(kernel)
                kernels.append(kernel)
        self._build(kernels)

    def _refuse(self, producer: Node, consumer: Node, reason: str) -> None:
        self.context.refusals.append(
            Refusal(
                _ends_in(producer),
                _begins_with(consumer),
                reason,
                consumer.op.location,
                static_bytes(producer.results[0]),
            )
        )

    # What joins

    def _add_producer(self, kernel: _Kernel) -> None:
        reduction = kernel.reduction
        made_by = self.maker.get(reduction.operands[0])
        if made_by is None:
            return
        node = self.nodes[made_by]
        if node.kind == "reduction":
            self._refuse(node, reduction, "a kernel holds one reduction")
        elif _is_elementwise(node):
            reason = self._producer_obstacle(node, kernel)
            if reason:
                self._refuse(node, reduction, reason)
                return
            kernel.producer = node
            self.taken.add(node.index)
            self.reach.merge(node.index, reduction.index)

    def _producer_obstacle(self, node: Node, kernel: _Kernel) -> str:
        if node.index in self.taken:
            return "a kernel holds one reduction"
        if any(user != kernel.reduction.index for user, _, _ in node.uses):
            return "its value is read elsewhere too, so it is written"
        if _makes_range(node):
            return "a range is made in an element-wise kernel only"
        if not _carries(node):
            return "no operand gives the loop its shape"
        return self._limit(kernel, node)

    def _add_consumers(self, kernel: _Kernel) -> None:
        reduction = kernel.reduction
        for user in sorted({user for user, _, _ in reduction.uses}):
            node = self.nodes[user]
            if not _is_elementwise(node) or user in self.taken:
                continue
            reason = self._consumer_obstacle(node, kernel)
            if reason:
                self._refuse(reduction, node, reason)
                continue
            kernel.consumers.append(node)
            self.taken.add(user)
            self.reach.merge(reduction.index, user)

    def _consumer_obstacle(self, node: Node, kernel: _Kernel) -> str:
        shape = shape_of(kernel.reduction.results[0]) or ()
        if not agree(shape, shape_of(node.results[0]) or ()):
            return "its result has another shape"
        values = [*node.operands, *(v for op in body_of(node.op)[1] for v in op.results)]
        if not all(_fits(value, shape) for value in values):
            return "an operand has another shape"
        if _makes_range(node):
            return "a range is made in an element-wise kernel only"
        through = self.reach.detour(kernel.reduction.index, node.index, node.preds)
        if through is not None:
            return f"it is read through {self._via(through)} too"
        return self._limit(kernel, node)

    def _via(self, index: int) -> str:
        node = self.nodes[index]
        return "another kernel" if node.name == "fusion.fused" else node.name

    def _limit(self, kernel: _Kernel, more: Node) -> str:
        parts = [*kernel.parts, more]
        size = sum(_size(node) for node in parts)
        if size > self.options.max_ops:
            return f"more than {self.options.max_ops} operations (max-ops)"
        inside = {result for node in parts for result in node.results}
        operands = {v for node in parts for v in node.operands if v not in inside}
        if len(operands) + len(inside) > self.options.max_operands:
            return f"more than {self.options.max_operands} operands (max-operands)"
        return ""

    # The operations themselves

    def _build(self, kernels: list[_Kernel]) -> None:
        units: list[_Kernel | Node] = [*kernels]
        unit_of = {node.index: u for u, kernel in enumerate(kernels) for node in kernel.parts}
        for node in self.nodes[:-1]:
            if node.index not in unit_of:
                unit_of[node.index] = len(units)
                units.append(node)
        preds, keys = [], []
        for u, unit in enumerate(units):
            parts = [unit] if isinstance(unit, Node) else unit.parts
            preds.append({unit_of[p] for node in parts for p in node.preds} - {u})
            keys.append(max(node.index for node in parts))
        end = self.nodes[-1].op
        for u in order(preds, keys):
            unit = units[u]
            if isinstance(unit, Node):
                unit.op.move_before(end)
            else:
                _fuse(unit, ir.InsertionPoint(end))


def _fuse(kernel: _Kernel, point: ir.InsertionPoint) -> None:
    moved: list[ir.Operation] = []
    alias: dict[ir.Value, ir.Value] = {}
    for node in kernel.parts:
        if node is kernel.reduction:
            moved.append(node.op)
            continue
        block, ops, terminator = body_of(node.op)
        moved += ops
        alias.update(zip(block.arguments, node.op.operands, strict=True))
        alias.update(zip(node.results, terminator.operands, strict=True))
    inside = {node.index for node in kernel.consumers}
    total = kernel.reduction.results[0]
    total_uses = [use for use in kernel.reduction.uses if use[0] not in inside]
    rest = [result for node in kernel.consumers for result in node.results]
    outputs = [total, *rest] if total_uses or not rest else rest
    last = kernel.parts[-1].op
    fused = build_kernel("reduction", moved, outputs, point, last.location, alias=alias)
    results = list(fused.results)
    if outputs[0] is total:
        for _, user, number in total_uses:
            user.operands[number] = results[0]
        del results[0]
    for old, new in zip(rest, results, strict=True):
        old.replace_all_uses_with(new)
    for node in kernel.parts:
        if node is not kernel.reduction:
            node.op.erase()


def _is_elementwise(node: Node) -> bool:
    return node.name == "fusion.fused" and node.op.attributes["kind"].value == "elementwise"


def _size(node: Node) -> int:
    return 1 if node.kind == "reduction" else len(body_of(node.op)[1])


def _makes_range(node: Node) -> bool:
    return any(op.name == "fusion.iota" for op in body_of(node.op)[1]) or any(
        map(range_of, node.operands)
    )


def _begins_with(node: Node) -> str:
    """What to call a kernel that reads a value."""
    return node.name if node.kind == "reduction" else body_of(node.op)[1][0].name


def _ends_in(node: Node) -> str:
    return node.name if node.kind == "reduction" else body_of(node.op)[1][-1].name


def _fits(value: ir.Value, shape: Shape) -> bool:
    mine = shape_of(value)
    return mine is None or is_single(mine) or agree(mine, shape)


def _carries(node: Node) -> bool:
    """Whether the kernel's result is as large as it is because of an input."""
    block, ops, terminator = body_of(node.op)
    single = is_single(shape_of(node.results[0]) or ())
    carried = {
        a
        for a in block.arguments
        if (s := shape_of(a)) is not None and (single or not is_single(s))
    }
    for op in ops:
        if any(v in carried for v in op.operands):
            carried.update(op.results)
    return all(v in carried for v in terminator.operands)
