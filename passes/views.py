# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a view does to values that broadcast to its operand.

An element-wise operation commutes with a view if each of its operands is viewed as it reaches into
the operand of the view: an operand may have fewer dimensions, or extents of 1.
"""

from __future__ import annotations

from mlir import ir

from ..dialects import fusion
from .graph import DYNAMIC, Shape, shape_of

__all__ = ["Mixed", "View", "mixed", "view_of", "viewed_shape"]

# Static numbers and `index` values.
Mixed = list["int | ir.Value"]


def mixed(op: ir.Operation, attribute: str, first: int) -> Mixed:
    """One of an operation's lists of static and dynamic numbers; its operands start at `first`."""
    operands = iter(list(op.operands)[first:])
    return [next(operands) if n == DYNAMIC else n for n in op.attributes[attribute]]


def viewed_shape(op: ir.Operation, shape: Mixed) -> Mixed:
    """The extents that a view gives to an operand of some extents."""
    shape = list(shape)
    if op.name in ("fusion.broadcast", "fusion.reshape"):
        return mixed(op, "static_shape", 1)
    if op.name == "fusion.slice":
        first = 1 + list(op.attributes["static_offsets"]).count(DYNAMIC)
        return mixed(op, "static_sizes", first)
    if op.name == "fusion.transpose":
        return [shape[d] for d in op.attributes["permutation"]]
    axes = [] if op.name == "fusion.flip" else list(op.attributes["axes"])
    if op.name == "fusion.expand_dims":
        for axis in axes:
            shape.insert(axis, 1)
        return shape
    return [extent for d, extent in enumerate(shape) if d not in axes]


def _apart(numbers: Mixed) -> tuple[list[ir.Value], list[int]]:
    dynamic = [n for n in numbers if not isinstance(n, int)]
    return dynamic, [n if isinstance(n, int) else DYNAMIC for n in numbers]


class View:
    """A view operation, applied to values that broadcast to its operand."""

    def __init__(self, op: ir.Operation):
        self.op = op
        self.source = shape_of(op.operands[0]) or ()
        self.target = shape_of(op.results[0]) or ()

    def shape(self, shape: Shape) -> Shape:
        """The shape that a value of `shape` has after the view."""
        return shape

    def apply(self, value: ir.Value) -> ir.Value:
        """The value after the view; the value itself, if the view does not change it."""
        raise TypeError(f"{type(self).__name__} does not define apply()")


class DimsView(View):
    """transpose, expand_dims, squeeze: dimension i of the result is dims[i], or a new one."""

    def __init__(self, op: ir.Operation):
        super().__init__(op)
        rank = len(self.source)
        self.dims: list[int | None]
        if op.name == "fusion.transpose":
            self.dims = list(op.attributes["permutation"])
        elif op.name == "fusion.squeeze":
            gone = set(op.attributes["axes"])
            self.dims = [d for d in range(rank) if d not in gone]
        else:
            new = set(op.attributes["axes"])
            old = iter(range(rank))
            self.dims = [None if d in new else next(old) for d in range(rank + len(new))]

    def _mine(self, rank: int) -> list[int | None]:
        """`dims` for a value of a lower rank, without leading new dimensions."""
        lead = len(self.source) - rank
        if lead == 0:
            return self.dims
        mine = [d - lead if d is not None and d >= lead else None for d in self.dims]
        while mine and mine[0] is None:
            del mine[0]
        return mine

    def shape(self, shape: Shape) -> Shape:
        return tuple(1 if d is None else shape[d] for d in self._mine(len(shape)))

    def apply(self, value: ir.Value) -> ir.Value:
        rank = len(shape_of(value) or ())
        mine = self._mine(rank)
        kept = [d for d in mine if d is not None]
        gone = [d for d in range(rank) if d not in kept]
        if gone:
            value = fusion.squeeze(value, gone)
        permutation = [sorted(kept).index(d) for d in kept]
        if permutation != sorted(permutation):
            value = fusion.transpose(value, permutation)
        new = [i for i, d in enumerate(mine) if d is None]
        return fusion.expand_dims(value, new) if new else value


class FlipView(View):
    def apply(self, value: ir.Value) -> ir.Value:
        shape = shape_of(value) or ()
        lead = len(self.source) - len(shape)
        axes = [a - lead for a in self.op.attributes["axes"] if a >= lead and shape[a - lead] != 1]
        return fusion.flip(value, axes) if axes else value


class SliceView(View):
    """An extent of 1 that repeats stays; one that is the operand's own is sliced."""

    def __init__(self, op: ir.Operation):
        super().__init__(op)
        first = 1
        lists = []
        for name in ("static_offsets", "static_sizes", "static_steps"):
            lists.append(mixed(op, name, first))
            first += list(op.attributes[name]).count(DYNAMIC)
        self.offsets, self.sizes, self.steps = lists

    def _sliced(self, shape: Shape) -> list[int | None]:
        """For each dimension of a value the number of the slice; None: it stays whole."""
        lead = len(self.source) - len(shape)
        return [
            None if n == 1 and self.source[lead + i] != 1 else lead + i for i, n in enumerate(shape)
        ]

    def shape(self, shape: Shape) -> Shape:
        return tuple(1 if d is None else self.target[d] for d in self._sliced(shape))

    def apply(self, value: ir.Value) -> ir.Value:
        shape = shape_of(value) or ()
        sliced = self._sliced(shape)
        if all(d is None for d in sliced):
            return value
        offsets, static_offsets = _apart([0 if d is None else self.offsets[d] for d in sliced])
        sizes, static_sizes = _apart([1 if d is None else self.sizes[d] for d in sliced])
        steps, static_steps = _apart([1 if d is None else self.steps[d] for d in sliced])
        return fusion.SliceOp(
            ir.RankedTensorType.get(self.shape(shape), value.type.element_type),
            value,
            offsets,
            sizes,
            steps,
            static_offsets,
            static_sizes,
            static_steps,
        ).result


class ShapedView(View):
    """broadcast and reshape, of values of the operand's own shape."""

    def shape(self, shape: Shape) -> Shape:
        return self.target if shape == self.source else shape

    def apply(self, value: ir.Value) -> ir.Value:
        dynamic, static = _apart(mixed(self.op, "static_shape", 1))
        type_ = ir.RankedTensorType.get(self.target, value.type.element_type)
        make = fusion.BroadcastOp if self.op.name == "fusion.broadcast" else fusion.ReshapeOp
        return make(type_, value, dynamic, static).result


def view_of(op: ir.Operation) -> View:
    """The view that an operation is."""
    if op.name == "fusion.flip":
        return FlipView(op)
    if op.name == "fusion.slice":
        return SliceView(op)
    if op.name in ("fusion.broadcast", "fusion.reshape"):
        return ShapedView(op)
    return DimsView(op)
