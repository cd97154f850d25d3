# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Views: cells that in NumPy would share memory with the cell they were made from.

The cells that share memory form a family: a root and the views made of it, directly or through
other views. Each view knows the operations that lead from the root to it. When the root gets a new
version, the views that are still referenced are derived again. A view keeps neither the root nor
other views alive, so that a temporary stays a temporary.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from weakref import ref

import numpy as np

from ..dtypes import bool_
from ..ir.table import OPS, OpInfo
from ..ir.value import Value, device_of
from .apply import full_value
from .core import Array, emit, ones_mask, wrap
from .promote import check_rank
from .regions import Op, put, viewed

_TRANSPOSE = OPS["transpose"]
_EXPAND_DIMS = OPS["expand_dims"]
_SQUEEZE = OPS["squeeze"]
_FLIP = OPS["flip"]
_SLICE = OPS["slice"]
_BROADCAST = OPS["broadcast"]
_RESHAPE = OPS["reshape"]


class Step:
    """One view operation on the result of the step before it (None: on the root).

    `op` None makes a second cell of the same elements.
    """

    __slots__ = ("before", "op", "attrs", "dyn", "shape")

    def __init__(self, before: Step | None, op: OpInfo | None, attrs: Any, dyn: tuple, shape: Any):
        self.before = before
        self.op = op
        self.attrs = attrs
        self.dyn = dyn
        self.shape = shape

    @property
    def operation(self) -> Op:
        """The operation alone."""
        assert self.op is not None
        return (self.op, self.attrs, self.dyn, self.shape)

    def path(self) -> list[Step]:
        """The steps from the root to this one."""
        steps = []
        step: Step | None = self
        while step is not None:
            steps.append(step)
            step = step.before
        steps.reverse()
        return steps


class Family:
    """The root and its views, by weak references."""

    __slots__ = ("root", "root_shape", "views", "prune_at")

    def __init__(self, root: Array):
        self.root = ref(root)
        self.root_shape = root._v.shape
        self.views: list[ref[Array]] = []
        self.prune_at = 16

    def add(self, view: Array) -> None:
        self.views.append(ref(view))
        if len(self.views) >= self.prune_at:
            self.views = [r for r in self.views if r() is not None]
            self.prune_at = 2 * len(self.views) + 16

    def alive(self) -> list[Array]:
        return [view for view in [r() for r in self.views] if view is not None]


class ViewLink:
    """A view's place in its family."""

    __slots__ = ("family", "step")

    def __init__(self, family: Family, step: Step):
        self.family = family
        self.step = step


def derive(x: Array, op: OpInfo | None, attrs: Any, dyn: tuple, shape: tuple[int, ...]) -> Array:
    """A view of a cell, made by one view operation."""
    link = x._link
    before = None
    if link is None:
        family = x._link = Family(x)
    elif link.__class__ is ViewLink:
        family = link.family
        before = link.step
    else:
        family = link
    v = x._v
    view = wrap(v if op is None else emit(op, (v,), attrs, dyn, shape, v.dtype))
    view._link = ViewLink(family, Step(before, op, attrs, dyn, shape))
    family.add(view)
    return view


def replace(x: Array, value: Value, name: str) -> None:
    """Gives a cell a new version; the cells that share its memory in NumPy follow.

    Args:
        value: of the cell's shape and type.
        name: of the function that writes, for errors.

    Raises:
        ValueError: the cell is a broadcast view, read-only in NumPy.
    """
    link = x._link
    if link is None:
        x._v = value
    elif link.__class__ is ViewLink:
        write(x, (), value, name)
    else:
        _derive_again(link, value)
        x._v = value


def shows(view: Array, x: Array, more: Sequence[Op]) -> bool:
    """Whether a cell shows just what another cell shows after more view operations."""
    link, base = view._link, x._link
    if link.__class__ is not ViewLink:
        return False
    family = base.family if base.__class__ is ViewLink else base
    return link.family is family and _operations(view) == [*_operations(x), *more]


def _operations(x: Array) -> list[Op]:
    """The view operations that lead from the root to a cell."""
    link = x._link
    if link.__class__ is not ViewLink:
        return []
    return [step.operation for step in link.step.path() if step.op is not None]


def write(x: Array, more: Sequence[Op], value: Value, name: str) -> None:
    """Writes to what a cell shows after more view operations; the cells that share its memory
    follow.

    Args:
        more: view operations on the cell.
        value: of the shape that they give, and of the cell's type.
        name: of the function that writes, for errors.

    Raises:
        ValueError: there is a broadcast among the views, read-only in NumPy.
    """
    link = x._link
    view = link.__class__ is ViewLink
    path = _operations(x)
    if any(op is _BROADCAST for op, *_ in path):
        raise ValueError(f"{name}: assignment destination is read-only (a broadcast view)")
    if 0 in value.shape:
        return
    path += more
    family = link.family if view else link
    root = family.root() if view else x
    if root is not None:
        new = put(root._v, path, value)
        if family is not None:
            _derive_again(family, new)
        root._v = new
        return
    others = [cell for cell in family.alive() if cell is not x]
    if others:
        _write_below(others, family.root_shape, path, value)
    x._v = put(x._v, more, value)
    if not others:  # nobody shares its memory any more
        x._link = None


def _write_below(
    cells: list[Array], root_shape: tuple[int, ...], path: Sequence[Op], value: Value
) -> None:
    """Views whose root is gone: they show what was written where they overlap with it."""
    device = device_of(value)
    nothing = full_value(False, root_shape, bool_, device)
    written = put(nothing, path, full_value(True, value.shape, bool_, device))
    values = put(full_value(0, root_shape, value.dtype, device), path, value)
    for cell in cells:
        mask, new = written, values
        for step in _operations(cell):
            mask, new = viewed(mask, step), viewed(new, step)
        old = cell._v
        cell._v = emit(OPS["select"], (mask, new, old), None, (), old.shape, old.dtype)


def _derive_again(family: Family, value: Value) -> None:
    made: dict[Step, Value] = {}
    for view in family.alive():
        current = value
        for step in view._link.step.path():
            known = made.get(step)
            if known is None:
                if step.op is None:
                    known = current
                else:
                    known = emit(step.op, (current,), step.attrs, step.dyn, step.shape, value.dtype)
                made[step] = known
            current = known
        view._v = current


def alias(x: Array) -> Array:
    """A second cell over the same elements, as `x[...]` makes."""
    return derive(x, None, None, (), x._v.shape)


def transpose(x: Array, perm: tuple[int, ...]) -> Array:
    """Dimension `i` of the view is `perm[i]` of the array."""
    shape = x._v.shape
    if perm == tuple(range(len(shape))):
        return alias(x)
    return derive(x, _TRANSPOSE, perm, (), tuple([shape[p] for p in perm]))


def expand_dims(x: Array, axes: tuple[int, ...]) -> Array:
    """New extents of 1 at sorted axes of the result."""
    if not axes:
        return alias(x)
    shape = list(x._v.shape)
    check_rank("expand_dims", len(shape) + len(axes))
    for axis in axes:
        shape.insert(axis, 1)
    return derive(x, _EXPAND_DIMS, axes, (), tuple(shape))


def squeeze(x: Array, axes: tuple[int, ...]) -> Array:
    """Without the extents of 1 at sorted axes."""
    if not axes:
        return alias(x)
    shape = tuple([d for i, d in enumerate(x._v.shape) if i not in axes])
    return derive(x, _SQUEEZE, axes, (), shape)


def flip(x: Array, axes: tuple[int, ...]) -> Array:
    """Reversed along sorted axes."""
    if not axes:
        return alias(x)
    return derive(x, _FLIP, axes, (), x._v.shape)


def slice_(x: Array, offsets: list[int], sizes: list[int], steps: list[int]) -> Array:
    """Element `i` of the view is element `offset + i * step`; one of each for a dimension."""
    shape = tuple(sizes)
    return derive(x, _SLICE, ones_mask(shape), (*offsets, *sizes, *steps), shape)


def broadcast_to(x: Array, shape: tuple[int, ...]) -> Array:
    """Repeated to a shape that the array's shape broadcasts to; read-only even if equal to it."""
    return derive(x, _BROADCAST, ones_mask(shape), shape, shape)


def reshape(x: Array, shape: tuple[int, ...], copy: bool | None = None) -> Array:
    """The elements in another shape: a view where NumPy could make one, else a copy.

    Raises:
        ValueError: `copy=False`, and no view is possible.
    """
    v = x._v
    check_rank("reshape", len(shape))
    if not copy and _viewable(x, shape):
        if shape == v.shape:
            return alias(x)
        return derive(x, _RESHAPE, ones_mask(shape), shape, shape)
    if copy is False:
        raise ValueError(f"reshape: a view of shape {shape} of this array is not possible")
    if shape == v.shape:
        return wrap(v)
    return wrap(emit(_RESHAPE, (v,), ones_mask(shape), shape, shape, v.dtype))


def _viewable(x: Array, shape: tuple[int, ...]) -> bool:
    """Whether NumPy would view: asked of NumPy, with an array of the same strides."""
    if x._link.__class__ is not ViewLink or shape == x._v.shape:
        return True
    from ..backends.numpy_backend import view

    link = x._link
    strides = []
    stride = 1
    for extent in reversed(link.family.root_shape):
        strides.append(stride)
        stride *= max(extent, 1)
    memory = np.lib.stride_tricks.as_strided(
        np.empty(1, np.int8), link.family.root_shape, strides[::-1]
    )
    for step in link.step.path():
        if step.op is not None:
            memory = view(step.op.name, memory, step.attrs, step.dyn, step.shape)
    try:
        np.reshape(memory, shape, copy=False)
    except ValueError:
        return False
    return True
