# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws what a function's operations were fused to, as SVG.

    graph.save(f, [x, y], "fused.svg")

    python examples/graph.py fused.svg      # the picture in the README

The picture is read from the IR after merging: a box for each kernel with its operations in it, and
outside them the views, the calls of the backend, the inputs and the results.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

from layout import Layout, Point

import pyfusion as pf

BACKEND = {"fusion.matmul", "fusion.custom_call"}
HIDDEN = {"fusion.full", "fusion.constant", "fusion.yield"}
FILL = {
    "input": "#ffffff",
    "result": "#ffffff",
    "view": "#eceff1",
    "backend": "#ffe0b2",
    "op": "#ffffff",
    "reduction": "#fff3c4",
}
LINE, KERNEL_FILL, KERNEL_LINE, MARGIN, HEADER = "#546e7a", "#e3f2fd", "#1976d2", 14.0, 24.0


@dataclass
class Node:
    """A box; a kernel's has nodes in it. `ports` are where edges of a kernel start and end."""

    label: str
    kind: str
    inner: Graph | None = None

    @property
    def size(self) -> tuple[float, float]:
        if self.inner is not None:
            layout = self.inner.layout
            width = max(layout.width, 6.6 * len(self.label)) + 2 * MARGIN
            return width, layout.height + HEADER
        if self.kind == "port":
            return 6, 0
        return 6.6 * len(self.label) + 16, 22


@dataclass
class Graph:
    """Nodes, and edges between (node, port) pairs; a port is a node inside a kernel, or None."""

    nodes: list[Node] = field(default_factory=list)
    edges: list[tuple[int, int | None, int, int | None]] = field(default_factory=list)
    first: list[int] = field(default_factory=list)
    last: list[int] = field(default_factory=list)
    _layout: Layout | None = None

    def add(self, node: Node) -> int:
        self.nodes.append(node)
        return len(self.nodes) - 1

    @property
    def layout(self) -> Layout:
        if self._layout is None:
            self._layout = Layout(
                [node.size for node in self.nodes],
                [(a, b) for a, _, b, _ in self.edges],
                self.first,
                self.last,
            )
        return self._layout


# -- from the IR -----------------------------------------------------------------------------------


def read(text: str) -> Graph:
    """The graph of `@main` of a module after merging."""
    from mlir import ir

    from pyfusion.dialects import load

    load()
    with ir.Context():
        module = ir.Module.parse(text)
        for op in module.body.operations:
            if ir.StringAttr(op.operation.attributes["sym_name"]).value == "main":
                return _main(op.operation.regions[0].blocks[0], ir)
    raise ValueError("the module has no @main")


def _short(type_: Any) -> str:
    return str(type_).removeprefix("tensor<").removesuffix(">").replace("x", " x ")


def _main(block: Any, ir: Any) -> Graph:
    graph = Graph()
    made: dict[Any, tuple[int, int | None]] = {}
    arrays = [a for a in block.arguments if isinstance(a.type, ir.RankedTensorType)]
    for argument in arrays:
        made[argument] = graph.add(Node(f"input {_short(argument.type)}", "input")), None
    kernels = 0
    for op in block.operations:
        o = op.operation
        if o.name == "fusion.fused":
            inner, ports_in, ports_out = _kernel(o, ir)
            kind = ir.StringAttr(o.attributes["kind"]).value
            count = sum(n.kind in ("op", "reduction") for n in inner.nodes)
            plural = "" if count == 1 else "s"
            label = f"kernel {kernels}: {kind}, {count} operation{plural}"
            place = graph.add(Node(label, "kernel", inner))
            kernels += 1
            for value, port in zip(o.operands, ports_in, strict=True):
                if value in made and port is not None:
                    graph.edges.append((*made[value], place, port))
            for value, port in zip(o.results, ports_out, strict=True):
                made[value] = place, port
        elif o.name == "func.return":
            for value in o.operands:
                label = f"result {_short(value.type)}"
                if value in made:
                    graph.edges.append((*made[value], graph.add(Node(label, "result")), None))
        elif o.name.startswith("fusion.") and o.name not in HIDDEN:
            kind = "backend" if o.name in BACKEND else "view"
            place = graph.add(Node(_label(o, ir), kind))
            for value in o.operands:
                if value in made:
                    graph.edges.append((*made[value], place, None))
            for value in o.results:
                made[value] = place, None
    return graph


def _label(o: Any, ir: Any) -> str:
    if o.name == "fusion.custom_call":
        return ir.StringAttr(o.attributes["callee"]).value
    return o.name.removeprefix("fusion.")


def _kernel(o: Any, ir: Any) -> tuple[Graph, list[int | None], list[int]]:
    """The inside of a kernel: its graph, and the nodes that its inputs and results enter and leave
    at. Scalars are left out."""
    graph = Graph()
    made: dict[Any, int] = {}
    block = o.regions[0].blocks[0]
    ports_in: list[int | None] = []
    for argument in block.arguments:
        if isinstance(argument.type, ir.RankedTensorType):
            made[argument] = graph.add(Node("", "port"))
            graph.first.append(made[argument])
            ports_in.append(made[argument])
        else:
            ports_in.append(None)
    ports_out = []
    for op in block.operations:
        inner = op.operation
        if inner.name == "fusion.yield":
            for value in inner.operands:
                port = graph.add(Node("", "port"))
                if value in made:
                    graph.edges.append((made[value], None, port, None))
                graph.last.append(port)
                ports_out.append(port)
        elif inner.name not in HIDDEN:
            kind = "reduction" if "axes" in inner.attributes else "op"
            place = graph.add(Node(_label(inner, ir), kind))
            for value in inner.operands:
                if value in made:
                    graph.edges.append((made[value], None, place, None))
            made[inner.results[0]] = place
    return graph, ports_in, ports_out


# -- to SVG ----------------------------------------------------------------------------------------


def svg(graph: Graph) -> str:
    """The picture."""
    layout = graph.layout
    width, height = layout.width + 2 * MARGIN, layout.height + 2 * MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}" '
        'font-family="Helvetica, Arial, sans-serif" font-size="12">',
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" '
        'markerHeight="6" orient="auto">'
        f'<path d="M0 0 L8 4 L0 8 z" fill="{LINE}"/></marker></defs>',
        f'<rect width="{width:.0f}" height="{height:.0f}" fill="#ffffff"/>',
    ]
    _draw(graph, (MARGIN, MARGIN), parts)
    return "\n".join([*parts, "</svg>"]) + "\n"


def _draw(graph: Graph, origin: Point, parts: list[str]) -> None:
    """Boxes of kernels, then edges, then the other nodes, then what is in the kernels."""
    layout = graph.layout

    def corner(place: int) -> Point:
        x, y = layout.centre[place]
        width, height = graph.nodes[place].size
        return origin[0] + x - width / 2, origin[1] + y - height / 2

    def inside(place: int) -> Point:
        inner = graph.nodes[place].inner
        assert inner is not None
        x, y = corner(place)
        return x + (graph.nodes[place].size[0] - inner.layout.width) / 2, y + HEADER

    def end(place: int, port: int | None, leaving: bool) -> Point:
        node = graph.nodes[place]
        x, y = corner(place)
        width, height = node.size
        if node.inner is not None and port is not None:
            return inside(place)[0] + node.inner.layout.centre[port][0], y + leaving * height
        return x + width / 2, y + leaving * height

    for place, node in enumerate(graph.nodes):
        if node.inner is not None:
            parts.append(_box(node.label, corner(place), node.size, KERNEL_FILL, KERNEL_LINE))
    for a, port_a, b, port_b in graph.edges:
        middle = [(origin[0] + x, origin[1] + y) for x, y in layout.routes[a, b]]
        tip = graph.nodes[b].kind != "port"
        parts.append(_curve([end(a, port_a, True), *middle, end(b, port_b, False)], tip))
    for place, node in enumerate(graph.nodes):
        if node.inner is not None:
            _draw(node.inner, inside(place), parts)
        elif node.kind != "port":
            parts.append(_box(node.label, corner(place), node.size, FILL[node.kind], LINE))


def _box(label: str, corner: Point, size: tuple[float, float], fill: str, line: str) -> str:
    (x, y), (width, height) = corner, size
    kernel = line == KERNEL_LINE
    text_y = y + (16 if kernel else height / 2 + 4)
    weight = ' font-weight="bold"' if kernel else ""
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="6" '
        f'fill="{fill}" stroke="{line}"/>'
        f'<text x="{x + width / 2:.1f}" y="{text_y:.1f}" text-anchor="middle"{weight}>'
        f"{escape(label)}</text>"
    )


def _curve(points: Sequence[Point], tip: bool) -> str:
    (x, y), *rest = points
    path = f"M{x:.1f} {y:.1f}"
    for nx, ny in rest:
        half = (y + ny) / 2
        path += f" C{x:.1f} {half:.1f} {nx:.1f} {half:.1f} {nx:.1f} {ny:.1f}"
        x, y = nx, ny
    marker = ' marker-end="url(#tip)"' if tip else ""
    return f'<path d="{path}" fill="none" stroke="{LINE}"{marker}/>'


def save(function: Callable[..., Any], arrays: Sequence[pf.Array], path: str | Path) -> None:
    """Writes the picture of what `function(*arrays)` would run."""
    text = pf.lower(function, *arrays).as_text("merged")
    Path(path).write_text(svg(read(text)))


if __name__ == "__main__":
    from first import energy

    if len(sys.argv) != 2:
        sys.exit("usage: python examples/graph.py FILE.svg")
    square = pf.zeros((64, 64), dtype=pf.float32)
    save(energy, [square, square + 1], sys.argv[1])
