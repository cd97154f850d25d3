# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ranges of several dimensions: views of `fusion.iota` that keep the order of the elements.

Kernels have the position of each element, whatever their shape, and so make such a range
themselves. In `fusion.fused`, which holds no views, it is an input that is not in memory: the view
of an iota that stands outside. fusion-outline-kernels moves both into the kernel's function.
"""

from __future__ import annotations

from mlir import ir

from .graph import agree, kind_of, shape_of
from .views import Mixed, mixed, viewed_shape

__all__ = ["KEEP_ORDER", "extents_of", "is_in_kernels", "range_of"]

# The views whose elements are in the order of their operand's.
KEEP_ORDER = ("fusion.reshape", "fusion.expand_dims", "fusion.squeeze")


def range_of(value: ir.Value) -> list[ir.Operation]:
    """The iota and the views of it that a value is made by; empty if it is no range."""
    chain: list[ir.Operation] = []
    while not isinstance(value.owner, ir.Block):
        op = value.owner.operation
        chain.append(op)
        if op.name == "fusion.iota":
            return chain[::-1]
        if op.name not in KEEP_ORDER:
            break
        value = op.operands[0]
    return []


def extents_of(chain: list[ir.Operation]) -> Mixed:
    """The extents of a range."""
    iota, *views = chain
    extents = mixed(iota, "static_shape", 2)
    for view in views:
        extents = viewed_shape(view, extents)
    return extents


def is_in_kernels(value: ir.Value) -> bool:
    """Whether all that read a value of views of an iota are element-wise operations of its shape,
    directly or by way of more such views."""
    shape = shape_of(value)
    for use in value.uses:
        user = use.owner.operation
        if user.name in KEEP_ORDER:
            if not is_in_kernels(user.results[0]):
                return False
        elif kind_of(user.name) != "elementwise" or not agree(
            shape or (), shape_of(user.results[0]) or ()
        ):
            return False
    return True
