# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""fusion-inline-custom: calls of custom operations that have a body of IR become that body.

`pyfusion.custom` puts the bodies in, and random_bodies.py those of random numbers; a
module that `pyfusion-opt --load` imports may register operations so. A call that has no body stays
what the backend runs.
"""

from __future__ import annotations

from dataclasses import dataclass

from mlir import ir

from . import random_bodies  # noqa: F401  (those are bodies too)
from .graph import functions
from .inline_bodies import body_of, none_known
from .registry import InputError, Pass, PassContext

__all__ = ["InlineCustom"]


@dataclass(frozen=True)
class InlineCustom(Pass):
    """Replaces calls of custom operations by their bodies."""

    name = "fusion-inline-custom"

    def run(self, module: ir.Module, context: PassContext) -> None:
        if none_known():
            return
        for func in functions(module):
            for block in func.regions[0]:
                for op in list(block.operations):
                    if op.operation.name == "fusion.custom_call":
                        _inline(op.operation)


def _inline(op: ir.Operation) -> None:
    callee = ir.StringAttr(op.attributes["callee"]).value
    body = body_of(callee, "fusion.record" in op.attributes)
    if body is None or any(_is_complex(v.type) for v in (*op.operands, *op.results)):
        return
    with ir.InsertionPoint(op), op.location:
        found = body(op)
    if found is None:
        return
    wanted = [r.type for r in op.results]
    types = [getattr(v, "type", None) for v in found]
    if types != wanted:
        raise InputError(
            f"the body of {callee} gives ({', '.join(map(str, types))}), "
            f"where the call has ({', '.join(map(str, wanted))})",
            op.location,
        )
    for result, value in zip(op.results, found, strict=True):
        result.replace_all_uses_with(value)
    op.erase()


def _is_complex(type_: ir.Type) -> bool:
    """Whether a type is one that only the backend computes with."""
    if isinstance(type_, ir.RankedTensorType):
        type_ = type_.element_type
    return isinstance(type_, ir.ComplexType)
