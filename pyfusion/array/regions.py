# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writing through views: what a view shows, put back into what it is a view of.

Every view operation has an inverse: of those that lose no element it is another view, of a slice
the operation `insert_slice`. Operations between two reshapes are one strided region of what comes
before them, so a chain of slices costs one insertion.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..ir.table import OPS, OpInfo
from ..ir.value import Value, device_of
from .core import emit, ones_mask

_FULL = OPS["full"]
_INSERT = OPS["insert_slice"]
_SLICE = OPS["slice"]
_RESHAPE = OPS["reshape"]

# One view operation: the operation, attributes, bounds, and the shape that it gives.
Op = tuple[OpInfo, Any, tuple[int, ...], tuple[int, ...]]


def put(root: Value, path: Sequence[Op], new: Value) -> Value:
    """The root with other elements where the views of a path lead.

    Args:
        root: what the first operation of the path views.
        path: view operations, none of them a broadcast.
        new: of the root's type and of the shape that the last operation gives.
    """
    for number, (op, attrs, dyn, shape) in enumerate(path):
        if op is not _RESHAPE:
            continue
        # What comes before, the reshape, and what comes after it.
        before = path[:number]
        source = root
        for step in before:
            source = viewed(source, step)
        if shape != source.shape:
            whole = viewed(source, (op, attrs, dyn, shape))
            new = put(whole, path[number + 1 :], new)
            new = emit(op, (new,), ones_mask(source.shape), source.shape, source.shape, new.dtype)
        else:
            new = put(source, path[number + 1 :], new)
        return put(root, before, new)
    region = Region(root.shape)
    for op, attrs, dyn, _ in path:
        region.follow(op.name, attrs, dyn)
    return region.put(root, new)


def viewed(value: Value, step: Op) -> Value:
    """A value after one view operation."""
    op, attrs, dyn, shape = step
    return emit(op, (value,), attrs, dyn, shape, value.dtype)


class Region:
    """A strided region of a whole, dimensions permuted, left out or added.

    Attributes:
        offsets, steps, sizes: in each dimension of the whole.
        dims: for each dimension of the view that of the whole, or None: a new one of extent 1.
    """

    def __init__(self, shape: tuple[int, ...]):
        self.offsets = [0] * len(shape)
        self.steps = [1] * len(shape)
        self.sizes = list(shape)
        self.dims: list[int | None] = list(range(len(shape)))

    def follow(self, name: str, attrs: Any, dyn: tuple[int, ...]) -> None:
        """Goes on to a view of the region."""
        if name == "transpose":
            self.dims = [self.dims[d] for d in attrs]
        elif name == "expand_dims":
            for axis in attrs:
                self.dims.insert(axis, None)
        elif name == "squeeze":
            self.dims = [d for axis, d in enumerate(self.dims) if axis not in attrs]
        elif name == "flip":
            for axis in attrs:
                d = self.dims[axis]
                if d is not None and self.sizes[d]:
                    self.offsets[d] += (self.sizes[d] - 1) * self.steps[d]
                    self.steps[d] = -self.steps[d]
        elif name == "slice":
            rank = len(self.dims)
            for axis, d in enumerate(self.dims):
                if d is None:  # of extent 1: what is left is 1, or nothing, which no one writes to
                    continue
                self.offsets[d] += dyn[axis] * self.steps[d]
                self.sizes[d] = dyn[rank + axis]
                self.steps[d] *= dyn[2 * rank + axis]
        else:
            raise AssertionError(f"{name} has no inverse")

    def put(self, whole: Value, new: Value) -> Value:
        """The whole with other elements in the region; `new` has elements."""
        if new.record is not None and new.record[0] is _FULL:  # one number everywhere: no views
            shape = tuple(self.sizes)
            about = (new.record[1], ones_mask(shape), shape, shape, new.dtype)
            return self._inserted(whole, emit(_FULL, *about, device_of(whole)))
        return self._inserted(whole, self._turned(new))

    def _turned(self, new: Value) -> Value:
        """What the view shows, with the dimensions of the whole."""
        dtype = new.dtype
        dims = list(self.dims)
        added = tuple([axis for axis, d in enumerate(dims) if d is None])
        if added:
            shape = tuple([n for axis, n in enumerate(new.shape) if dims[axis] is not None])
            new = emit(OPS["squeeze"], (new,), added, (), shape, dtype)
        kept = [d for d in dims if d is not None]
        perm = tuple([kept.index(d) for d in sorted(kept)])
        if perm != tuple(range(len(perm))):
            shape = tuple([new.shape[axis] for axis in perm])
            new = emit(OPS["transpose"], (new,), perm, (), shape, dtype)
        left_out = tuple([d for d in range(len(self.sizes)) if d not in kept])
        if left_out:
            new = emit(OPS["expand_dims"], (new,), left_out, (), tuple(self.sizes), dtype)
        return new

    def _inserted(self, whole: Value, new: Value) -> Value:
        dtype, sizes = whole.dtype, tuple(self.sizes)
        if sizes == whole.shape:  # all of it; steps are 1 or -1
            flipped = tuple([d for d, step in enumerate(self.steps) if step < 0 and sizes[d] > 1])
            return emit(OPS["flip"], (new,), flipped, (), sizes, dtype) if flipped else new
        bounds = (*self.offsets, *sizes, *self.steps)
        return emit(_INSERT, (new, whole), ones_mask(sizes), bounds, whole.shape, dtype)
