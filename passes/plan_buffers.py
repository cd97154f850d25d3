# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""fusion-plan-buffers: results of element-wise kernels take over the buffers of inputs that die.

An input may be overwritten if nothing reads it later, neither itself nor through a view, and if the
kernel reads it only at the index that it writes. The plan is the attribute `takes_over` of
`fusion.fused`. That of `fusion.insert_slice` says the same of its base; its `fused_store`, that the
kernel that makes the value writes it to its place.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import dataclass

from mlir import ir

from .graph import Graph, Node, functions, has_argument_attribute
from .registry import Pass, PassContext

__all__ = ["PlanBuffers"]

_INSERT = "fusion.insert_slice"
_MAKERS = ("fusion.fused", _INSERT)  # what makes memory of its own
_PLAIN = ("fusion.reshape", "fusion.expand_dims", "fusion.squeeze")


@dataclass(frozen=True)
class PlanBuffers(Pass):
    """Says which input's buffer each result of an element-wise kernel overwrites."""

    name = "fusion-plan-buffers"

    def run(self, module: ir.Module, context: PassContext) -> None:
        for func in functions(module):
            for block in func.regions[0]:
                _plan(Graph(block), _dying(block))


def _dying(block: ir.Block) -> set[ir.Value]:
    """The arguments that the caller gives up, and whose memory is dense."""
    return {
        argument
        for argument in block.arguments
        if has_argument_attribute(argument, "fusion.dies")
        and not has_argument_attribute(argument, "fusion.strided")
    }


def _plan(graph: Graph, dying: set[ir.Value]) -> None:
    base = _bases(graph)
    plain = _bases(graph, _PLAIN)
    last: dict[ir.Value, int] = {}  # position of the last use of a value or of a view of it
    pinned: set[ir.Value] = set()  # what a backend may give back under another name
    for node in graph.nodes:
        for value in node.operands:
            value = base.get(value, value)
            last[value] = node.index
            if node.kind in ("opaque", "contraction"):
                pinned.add(value)
    end = len(graph.nodes) - 1

    def is_free(value: ir.Value, node: Node) -> bool:
        if value in pinned or last[value] != node.index:
            return False
        # What is inserted may be a view of the base: the run time copies it where they overlap.
        if node.name != _INSERT and sum(base.get(v, v) == value for v in node.operands) > 1:
            return False
        made_by = graph.maker.get(value)
        if made_by is None:
            return value in dying
        return graph.nodes[made_by].name in _MAKERS and last[value] != end

    for node in graph.nodes:
        if node.name == _INSERT:
            _plan_insertion(graph, node, base, plain, is_free)
    stored = {node.operands[0] for node in graph.nodes if _has(node, "fused_store")}

    for node in graph.nodes:
        if node.name != "fusion.fused" or node.op.attributes["kind"].value != "elementwise":
            continue
        takes_over = []
        free = [i for i, v in enumerate(node.operands) if v not in base and is_free(v, node)]
        for result in node.results:
            same = (i for i in free if node.operands[i].type == result.type)
            chosen = -1 if result in stored else next(same, -1)
            takes_over.append(chosen)
            if chosen >= 0:
                free.remove(chosen)
        if any(i >= 0 for i in takes_over):
            node.op.attributes["takes_over"] = ir.DenseI64ArrayAttr.get(takes_over, node.op.context)


def _plan_insertion(
    graph: Graph,
    node: Node,
    base: dict[ir.Value, ir.Value],
    plain: dict[ir.Value, ir.Value],
    is_free: Callable[[ir.Value, Node], bool],
) -> None:
    value, whole = node.operands[0], node.operands[1]
    owner = plain.get(whole, whole)  # a view of it that is dense as it is
    unit = ir.UnitAttr.get(node.op.context)
    takes_over = owner not in base and is_free(owner, node)
    if takes_over:
        node.op.attributes["takes_over"] = unit
    made_by = graph.maker.get(value)
    if made_by is None or sum(1 for _ in value.uses) != 1:
        return
    kernel = graph.nodes[made_by]
    if kernel.name != "fusion.fused" or kernel.op.attributes["kind"].value != "elementwise":
        return
    if graph.maker.get(whole, -1) > kernel.index:
        return
    if takes_over:
        owner = base.get(whole, whole)
        if whole in kernel.operands or owner in kernel.operands:
            return
        between = graph.nodes[kernel.index + 1 : node.index]
        if any(base.get(v, v) == owner for n in between for v in n.operands if n.kind != "view"):
            return
    node.op.attributes["fused_store"] = unit


def _has(node: Node, name: str) -> bool:
    return node.name == _INSERT and name in node.op.attributes


def _bases(graph: Graph, names: Container[str] | None = None) -> dict[ir.Value, ir.Value]:
    """For each result of a view (or of those alone) the value that owns the memory."""
    base: dict[ir.Value, ir.Value] = {}
    for node in graph.nodes:
        if node.kind == "view" and (names is None or node.name in names):
            source = node.operands[0]
            base[node.results[0]] = base.get(source, source)
    return base
