# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""fusion-merge-elementwise: element-wise operations become kernels of one iteration shape each.

An operation joins the kernels of its producers where their shapes are the same and no path leads
from the kernel out and back to the operation. What has fewer elements joins the kernel that reads
it, where computing it again for each element is cheap. Scalars, splat constants and ranges are
copied to each kernel that reads them; a range of several dimensions is an input, see ranges.py.
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
    cost_of,
    functions,
    is_single,
    order,
    shape_of,
    static_bytes,
)
from .kernels import build_kernel, erase_if_unused, replace_uses
from .ranges import is_in_kernels, range_of
from .registry import Pass, PassContext, Refusal, option

__all__ = ["MergeElementwise"]


@dataclass(frozen=True)
class MergeElementwise(Pass):
    """Merges element-wise operations into kernels: chains, trees, diamonds, several results."""

    name = "fusion-merge-elementwise"
    max_ops: int = option(512, "Operations that a kernel may hold.")
    max_operands: int = option(200, "Inputs and results that a kernel may have.")

    def run(self, module: ir.Module, context: PassContext) -> None:
        for func in functions(module):
            for block in func.regions[0]:
                merger = _Merger(self, context, Graph(block))
                merger.group()
                merger.absorb()
                merger.build()


@dataclass
class _Kernel:
    """Operations of one iteration shape.

    Attributes:
        root: number of the kernel in `_Merger.reach`.
        inputs: values that the members read and do not make.
        escaping: number of members that something else than an element-wise operation reads.
        guests: operations of fewer elements, of kernels that became a part of this one.
        homes: the kernels that this one became a part of; only itself, if it stays.
    """

    root: int
    shape: Shape
    members: list[int]
    inputs: set[ir.Value]
    escaping: int
    guests: list[int] = field(default_factory=list)
    homes: set[int] = field(default_factory=set)


class _Merger:
    def __init__(self, options: MergeElementwise, context: PassContext, graph: Graph):
        self.options = options
        self.context = context
        self.graph = graph
        self.nodes = graph.nodes
        self.reach = Reach()
        self.kernels: dict[int, _Kernel] = {}  # by root, see kernel_of
        # Creations that are copied to their element-wise users.
        self.copied: dict[int, list[int]] = {}
        self.preds: list[list[int]] = []
        self.moved: set[int] = set()

    def kernel_of(self, index: int) -> _Kernel | None:
        return self.kernels.get(self.reach.find(index))

    # Operations of the same shape.

    def group(self) -> None:
        """Puts each element-wise operation into a kernel, producers first."""
        for node in self.nodes:
            copied = [p for p in node.preds if self._copies(self.nodes[p], node)]
            self.copied[node.index] = copied
            above = [p for p in node.preds if p not in copied]
            for p in copied:
                above += self.preds[p]
            self.preds.append(above)
            self.reach.add(above)
            if node.kind == "elementwise" or self._stands_alone(node):
                self._place(node)

    def _stands_alone(self, node: Node) -> bool:
        """Whether the operation is a creation that needs a kernel of its own."""
        if node.name == "fusion.iota" and is_in_kernels(node.results[0]):
            return False
        return node.name in ("fusion.full", "fusion.iota") and any(
            not self._copies(node, self.nodes[user]) for user, _, _ in node.uses
        )

    def _copies(self, node: Node, user: Node) -> bool:
        """Whether the user's kernel gets its own copy of a creation."""
        if user.kind != "elementwise" or node.kind != "creation":
            return False
        if node.name == "fusion.iota":
            shape = shape_of(user.results[0])
            return shape is not None and len(shape) == 1 and agree(shape, self._shape(node))
        if node.name == "fusion.constant":
            value = node.op.attributes["value"]
            return (
                isinstance(value, ir.DenseElementsAttr) and value.is_splat and self._carried(user)
            )
        return True

    def _carried(self, user: Node) -> bool:
        """Whether an operand that is no constant gives the operation its shape."""
        shape = self._shape(user)
        for value in user.operands:
            made_by = self.graph.maker.get(value)
            constant = made_by is not None and self.nodes[made_by].name == "fusion.constant"
            if not constant and agree(shape, shape_of(value) or ()):
                return True
        return False

    def _shape(self, node: Node) -> Shape:
        shape = shape_of(node.results[0])
        assert shape is not None
        return shape

    def _place(self, node: Node) -> None:
        """Makes a kernel of the operation, and one of it and what it reads where that is right."""
        index, above = node.index, self.preds[node.index]
        escaping = any(self.nodes[user].kind != "elementwise" for user, _, _ in node.uses)
        kernel = _Kernel(index, self._shape(node), [index], self._inputs(node), int(escaping))
        joining = []
        for pred in above:
            other = self.kernel_of(pred)
            if other is None or not agree(kernel.shape, other.shape):
                continue
            # Asked for all before the first joins: a path between two of them is a detour too.
            through = self.reach.detour(pred, index, above)
            if through is None:
                joining.append(pred)
            else:
                via = "another kernel" if self.kernel_of(through) else self.nodes[through].name
                self._refuse(pred, node, f"it is read through {via} too")
        for pred in joining:
            kernel = self._join(kernel, pred, node)
        self.kernels[kernel.root] = kernel

    def _inputs(self, node: Node) -> set[ir.Value]:
        inputs = set()
        for value in node.operands:
            made_by = self.graph.maker.get(value)
            if made_by is not None and made_by in self.copied[node.index]:
                inputs.update(self.nodes[made_by].operands)
            else:
                inputs.add(value)
        return inputs

    def _join(self, kernel: _Kernel, pred: int, node: Node) -> _Kernel:
        """The kernel that ends in `node` and that of `pred` as one; unless it were too large."""
        other = self.kernel_of(pred)
        if other is None:  # joined through another value
            return kernel
        inside = {
            value
            for value in node.operands
            if (made_by := self.graph.maker.get(value)) is not None
            and self.reach.find(made_by) == other.root
        }
        if not self._fits(kernel, other, inside, pred, node):
            return kernel
        del self.kernels[other.root]
        large, small = sorted((kernel, other), key=lambda k: -len(k.members))
        large.members += small.members
        large.inputs |= small.inputs
        large.inputs -= inside
        large.shape = tuple(map(max, kernel.shape, other.shape))  # DYNAMIC is the least
        large.escaping += small.escaping
        large.root = self.reach.merge(kernel.root, other.root)
        return large

    def _fits(
        self, kernel: _Kernel, other: _Kernel, inside: set[ir.Value], pred: int, node: Node
    ) -> bool:
        most = self.options.max_ops
        if len(kernel.members) + len(other.members) > most:
            self._refuse(pred, node, f"more than {most} operations (max-ops)")
            return False
        most = self.options.max_operands - kernel.escaping - other.escaping
        if len(kernel.inputs) + len(other.inputs) > most and (
            len((kernel.inputs | other.inputs) - inside) > most
        ):
            self._refuse(
                pred, node, f"more than {self.options.max_operands} operands (max-operands)"
            )
            return False
        return True

    def _refuse(self, pred: int, node: Node, reason: str) -> None:
        producer = self.nodes[pred]
        self.context.refusals.append(
            Refusal(
                producer.name,
                node.name,
                reason,
                node.op.location,
                static_bytes(producer.results[0]),
            )
        )

    # Operations of fewer elements.

    def absorb(self) -> None:
        """Lets kernels of fewer elements become a part of those that read them."""
        for kernel in reversed(self._ordered()):  # readers first
            if isinstance(kernel, Node):
                continue
            homes = self._readers(kernel)
            kernel.homes = homes or {kernel.root}
            for root in homes:
                home = self.kernels[root]
                home.guests += kernel.members + kernel.guests
                home.inputs |= kernel.inputs

    def _readers(self, kernel: _Kernel) -> set[int]:
        """The kernels that the given one becomes a part of: none if it stays."""
        members = set(kernel.members)
        uses = [
            (i, user) for i in kernel.members for user, _, _ in self.nodes[i].uses
            if user not in members and not self._copies(self.nodes[i], self.nodes[user])
        ]  # fmt: skip
        readers: set[int] = set()
        larger = None  # a use by a kernel of more elements
        for i, user in uses:
            reader = self.kernel_of(user)
            if reader is not None:
                readers |= reader.homes
                if not agree(kernel.shape, reader.shape):
                    larger = larger or (i, self.nodes[user])
        if larger is None or any(self._ends_reduction(i, kernel) for i in kernel.members):
            return set()
        reason = self._stays(kernel, uses, readers)
        if reason:
            self._refuse(*larger, reason)
            return set()
        return readers

    def _ends_reduction(self, index: int, kernel: _Kernel) -> bool:
        """Whether the operation can follow a reduction in the reduction's kernel."""
        return any(
            self.nodes[p].kind == "reduction" and agree(self._shape(self.nodes[p]), kernel.shape)
            for p in self.preds[index]
        )

    def _stays(self, kernel: _Kernel, uses: list[tuple[int, int]], readers: set[int]) -> str:
        """Why a kernel cannot become a part of its readers; empty if it can."""
        single = is_single(kernel.shape)
        if any(self.kernel_of(user) is None for _, user in uses):
            return "its value is needed outside of kernels too"
        if any(agree(kernel.shape, self.kernels[r].shape) for r in readers):
            return "a kernel of the same shape reads it too"
        made = [j for i in kernel.members + kernel.guests for j in (i, *self.copied[i])]
        ranges = [
            v for v in kernel.inputs if (chain := range_of(v)) and is_in_kernels(*chain[0].results)
        ]
        if ranges or any(self.nodes[i].name == "fusion.iota" for i in made):
            return "a range is made in a kernel of its own shape only"
        if not single:
            if len(readers) > 1:
                return "several kernels read it"
            for i in kernel.members + kernel.guests:
                if cost_of(self.nodes[i].name) == "math" and not is_single(
                    self._shape(self.nodes[i])
                ):
                    return f"{self.nodes[i].name} is too costly to compute for each element"
        for r in readers:
            home = self.kernels[r]
            size = len(home.members) + len(home.guests) + len(kernel.members) + len(kernel.guests)
            if size > self.options.max_ops:
                return f"more than {self.options.max_ops} operations (max-ops)"
            if len(home.inputs | kernel.inputs) + home.escaping > self.options.max_operands:
                return f"more than {self.options.max_operands} operands (max-operands)"
        return ""

    # The operations themselves.

    def build(self) -> None:
        """Makes the kernels and puts the block in an order in which they can run."""
        end = self.nodes[-1].op
        for unit in self._ordered():
            if isinstance(unit, Node):
                unit.op.move_before(end)
            else:
                self._fuse(unit, ir.InsertionPoint(end))
        for node in reversed(self.nodes):
            kernel = self.kernel_of(node.index)
            if node.kind == "creation" or (kernel is not None and node.index not in self.moved):
                erase_if_unused(node.op)

    def _ordered(self) -> list[_Kernel | Node]:
        """The kernels that stay and the other operations, producers first."""
        units: list[_Kernel | Node] = [
            k for k in self.kernels.values() if not k.homes or k.root in k.homes
        ]
        unit_of = {i: u for u, k in enumerate(units) for i in k.members}  # type: ignore[union-attr]
        for node in self.nodes[:-1]:
            if self.kernel_of(node.index) is None:
                unit_of[node.index] = len(units)
                units.append(node)
        preds, keys = [], []
        for u, unit in enumerate(units):
            parts = [unit.index] if isinstance(unit, Node) else unit.members + unit.guests
            above = {unit_of[p] for i in parts for p in self.preds[i] if p in unit_of}
            preds.append(above - {u})
            keys.append(max(parts if isinstance(unit, Node) else unit.members))
        return [units[u] for u in order(preds, keys)]

    def _fuse(self, kernel: _Kernel, point: ir.InsertionPoint) -> None:
        parts = set(kernel.members + kernel.guests)
        for i in tuple(parts):
            parts.update(self.copied[i])
        outputs, outside = [], []
        needed = set()
        for i in sorted(kernel.members):
            node = self.nodes[i]
            uses = [
                use for use in node.uses
                if use[0] not in parts and not self._copies(node, self.nodes[use[0]])
            ]  # fmt: skip
            if uses:
                outputs.append(node.results[0])
                outside.append(uses)
                needed.add(i)
        if not outputs:  # dead
            return
        todo = list(needed)
        while todo:
            more = parts.intersection(self.nodes[todo.pop()].preds) - needed
            needed |= more
            todo += more
        body = [self.nodes[i] for i in sorted(needed)]
        cloned = {n.results[0] for n in body if self._is_cloned(n)}
        last = self.nodes[max(kernel.members)].op
        fused = build_kernel(
            "elementwise", [n.op for n in body], outputs, point, last.location, cloned=cloned
        )
        self.moved.update(n.index for n in body if not self._is_cloned(n))
        for result, uses in zip(fused.results, outside, strict=True):
            replace_uses(uses, result)

    def _is_cloned(self, node: Node) -> bool:
        """Whether kernels get copies of the operation: it may be a part of several."""
        kernel = self.kernel_of(node.index)
        return node.kind == "creation" or (kernel is not None and len(kernel.homes) > 1)
