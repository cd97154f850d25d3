# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How the operands of kernels are addressed on targets whose kernels do that themselves.

"scalar": an argument that is no array; "uniform": an array of one element; "dense": all elements in
the order of the loop; "inner" and "strided": by strides, "strided" where the last dimension of the
loop repeats an element.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir

from .graph import DYNAMIC, Shape, inside, is_single, shape_of
from .ranges import KEEP_ORDER

__all__ = ["access_of", "dense_values", "loop_dims", "note_access"]


def dense_values(func: ir.Operation) -> set[ir.Value]:
    """The values of a function of steps that lie in memory without gaps, in order."""
    found: set[ir.Value] = set()
    attributes = func.attributes.get("arg_attrs", None)
    for number, argument in enumerate(func.regions[0].blocks[0].arguments):
        own = attributes[number] if attributes is not None else {}
        if "fusion.strided" not in own:
            found.add(argument)
    for op in inside(func):  # what is met before its producer, in a loop of blocks, is not dense
        if op.name in ("func.call", "fusion.constant", "fusion.insert_slice"):
            found.update(op.results)
        elif op.name in KEEP_ORDER and op.operands[0] in found:
            found.add(op.results[0])
    return found


def loop_dims(shape: Sequence[int]) -> list[int]:
    """The dimensions that a loop over an iteration space has: those whose extent is not 1."""
    return [d for d, extent in enumerate(shape) if extent != 1]


def _own_dim(shape: Shape, rank: int, dim: int) -> int:
    """The dimension of an operand that follows one of the iteration space; -1: it is repeated."""
    own = dim - (rank - len(shape))
    return -1 if own < 0 or shape[own] == 1 else own


def access_of(
    shapes: Sequence[Shape | None],
    space: Sequence[int],
    order: Sequence[int],
    dense: Sequence[bool],
) -> list[str]:
    """The access of values of some shapes by a loop over the dimensions `order` of a space.

    A value of one element is "single" as long as the kernel is not flat, see `note_access`.
    """
    names = []
    in_order = list(order) == sorted(order)
    for shape, is_dense in zip(shapes, dense, strict=True):
        if shape is None:
            names.append("scalar")
        elif is_single(shape):
            names.append("single")
        elif is_dense and in_order and _full(shape, space):
            names.append("dense")
        else:
            inner = bool(order) and _own_dim(shape, len(space), order[-1]) >= 0
            names.append("inner" if inner else "strided")
    return names


def _full(shape: Shape, space: Sequence[int]) -> bool:
    return len(shape) == len(space) and all(
        own in (DYNAMIC, extent) for own, extent in zip(shape, space, strict=True)
    )


def note_access(func: ir.Operation, names: Sequence[str], single: str) -> None:
    """Writes the access of the leading arguments of a flat function on it.

    One element is "uniform"; where it is the whole tile of a kernel it has the access `single`.
    """
    arguments = list(func.regions[0].blocks[0].arguments)
    found = []
    for argument, name in zip(arguments[-len(names) :] if names else (), names, strict=True):
        if name == "single":
            name = single if shape_of(argument) else "uniform"
        found.append(ir.StringAttr.get(name, func.context))
    func.attributes["fusion.access"] = ir.ArrayAttr.get(found, func.context)
