# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""fusion-hoist-views: a view of a computed value becomes views of what it is computed from.

Views of arrays in memory are free, views between element-wise operations keep them apart: so
`view(f(a, b))` becomes `f(view(a), view(b))`, if nothing else reads the value of f. A value that is
read both as it is and through a view (`e + e.T`) is written once and read twice.
"""

from __future__ import annotations

from dataclasses import dataclass

from mlir import ir

from .graph import (
    DYNAMIC,
    Graph,
    cost_of,
    functions,
    has_argument_attribute,
    kind_of,
    shape_of,
    static_bytes,
)
from .registry import Pass, PassContext, Refusal, option
from .views import View, view_of

__all__ = ["HoistViews"]


@dataclass(frozen=True)
class HoistViews(Pass):
    """Moves views above the element-wise operations whose values only they read."""

    name = "fusion-hoist-views"
    max_recompute: int = option(
        8, "Operations (all cheap) that may be computed again for each repetition of a broadcast."
    )

    def run(self, module: ir.Module, context: PassContext) -> None:
        for func in functions(module):
            for block in func.regions[0]:
                hoister = _Hoister(self, context, block)
                for op in hoister.views:  # in order: the outer of two finds the inner one moved
                    hoister.hoist(op)


class _Hoister:
    def __init__(self, options: HoistViews, context: PassContext, block: ir.Block):
        self.options = options
        self.context = context
        graph = Graph(block)
        # By result: the hash of an operation changes with its operands.
        self.position = {n.results[0]: n.index for n in graph.nodes if n.kind == "elementwise"}
        self.views = _worthwhile(graph)

    def hoist(self, op: ir.Operation) -> None:
        tree = self._tree(op)
        if not tree:
            return
        view = view_of(op)
        reason = self._obstacle(view, tree)
        if reason:
            value = op.operands[0]
            self.context.refusals.append(
                Refusal(
                    value.owner.operation.name,
                    op.name,
                    reason,
                    op.location,
                    static_bytes(value),
                )
            )
            return
        wanted = _broadcasts if op.name == "fusion.broadcast" else _all
        moved = {result for inner in tree for result in inner.results}
        viewed: dict[ir.Value, ir.Value] = {}
        for inner in sorted(tree, key=lambda o: self.position[o.results[0]]):
            operands = list(inner.operands)
            for number in wanted(view, operands, moved):
                value = operands[number]
                if value not in viewed:
                    with op.location, ir.InsertionPoint(op):
                        viewed[value] = view.apply(value)
                inner.operands[number] = viewed[value]
            inner.move_before(op)
            for result in inner.results:
                shape = view.shape(shape_of(result) or ())
                result.set_type(ir.RankedTensorType.get(shape, result.type.element_type))
        op.results[0].replace_all_uses_with(op.operands[0])
        op.erase()

    def _tree(self, op: ir.Operation) -> list[ir.Operation]:
        """The element-wise operations whose values only the view reads, through each other."""
        alike = op.name in ("fusion.broadcast", "fusion.reshape")
        source = shape_of(op.operands[0])
        tree: list[ir.Operation] = []
        reads: dict[ir.Value, int] = {}
        values = [op.operands[0]]
        while values:
            value = values.pop()
            if value not in self.position or (alike and shape_of(value) != source):
                continue
            reads[value] = reads.get(value, 0) + 1
            if reads[value] == sum(1 for _ in value.uses):
                maker = value.owner.operation
                tree.append(maker)
                values.extend(maker.operands)
        return tree

    def _obstacle(self, view: View, tree: list[ir.Operation]) -> str:
        """Why the view stays where it is; empty if it can move."""
        if view.op.name == "fusion.broadcast":
            for op in tree:
                if cost_of(op.name) == "math":
                    return f"{op.name} is too costly to compute for each repetition"
            if len(tree) > self.options.max_recompute:
                return (
                    f"more than {self.options.max_recompute} operations would be computed for "
                    "each repetition (max-recompute)"
                )
        elif view.op.name == "fusion.reshape":
            inside = {result for op in tree for result in op.results}
            for op in tree:
                for value in op.operands:
                    shape = shape_of(value)
                    if value in inside or (shape == () and view.source != ()):
                        continue
                    if shape != view.source:
                        return "an operand has another shape"
                    if not _is_contiguous(value):
                        return "an operand is not contiguous"
        return ""


def _worthwhile(graph: Graph) -> list[ir.Operation]:
    """The views that a kernel reads, that drop elements, or of what is inserted."""
    read: set[int] = set()
    for node in reversed(graph.nodes):
        if node.kind == "view" and (
            node.name == "fusion.slice"
            or any(
                user in read or graph.nodes[user].kind in ("elementwise", "reduction", "update")
                for user, _, _ in node.uses
            )
        ):
            read.add(node.index)
    return [graph.nodes[i].op for i in sorted(read)]


def _all(view: View, operands: list[ir.Value], moved: set[ir.Value]) -> list[int]:
    """The operands to view: those that are not part of the tree."""
    outside = [i for i, v in enumerate(operands) if v not in moved]
    if view.op.name == "fusion.reshape" and view.source != ():
        return [i for i in outside if shape_of(operands[i]) != ()]
    return outside


def _broadcasts(view: View, operands: list[ir.Value], moved: set[ir.Value]) -> list[int]:
    """The operands to repeat: whose extents may differ, and one at least, to give the shape."""
    wanted = []
    for i, value in enumerate(operands):
        shape = shape_of(value) or ()
        lead = len(view.target) - len(shape)
        aligned = zip(shape, view.target[lead:], strict=True)
        fits = all(m == 1 or (m == n != DYNAMIC) for m, n in aligned)
        if value not in moved and not fits:
            wanted.append(i)
    if not wanted and not any(v in moved for v in operands):
        wanted = [next((i for i, v in enumerate(operands) if shape_of(v) == view.source), 0)]
    return wanted


def _is_contiguous(value: ir.Value) -> bool:
    """Whether the run time holds the value in row-major order without gaps."""
    owner = value.owner
    if isinstance(owner, ir.Block):
        return not has_argument_attribute(value, "fusion.strided")
    name = owner.operation.name
    return kind_of(name) in ("elementwise", "creation", "reduction", "region") or (
        name == "fusion.reshape" and _is_contiguous(owner.operation.operands[0])
    )
