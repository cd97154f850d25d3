# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The IR of a body of pyfusion's functions, in place of a call that stands in a file of IR.

The body is recorded on stand-ins for the operands, of two sizes. What it records depends on their
element types, ranks and extents of 1 alone, unless it asks for an extent: such a body is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from mlir import ir

from ..array import Array
from ..array.core import wrap
from ..compile.emit import emit, scalar_dtypes
from ..compile.kernel_shape import element_dtype
from ..ir.value import Value
from ..passes import InputError
from ..runtime.memory import from_numpy
from ..stream.trace import drop, trace

# Of stand-ins where the type says ?, one after the other: what differs depends on the extents.
_EXTENTS = (3, 5)

Refuse = Callable[[str], InputError]


def inline(name: str, body: Callable[..., Any], call: ir.Operation) -> list[ir.Value]:
    """The values of the results of a call of `body`; the insertion point is set.

    Raises:
        InputError: the body cannot become IR for these operands.
    """

    def refuse(why: str) -> InputError:
        return InputError(f"{name} {why}", call.location)

    block, alive, _ = _recorded(body, call, _EXTENTS[0], refuse)
    first = _about(block)
    del alive
    drop(block)
    block, alive, given = _recorded(body, call, _EXTENTS[1], refuse)
    try:
        if block.dyn or _about(block) != first:
            raise refuse("has a body in Python that asks for extents, which IR does not give it")
        operands = {id(v): operand for v, operand in zip(given, call.operands, strict=True)}
        made = _clone(block, operands, refuse)
        return [made[id(v)] if id(v) in made else operands[id(v)] for v in _values(alive[0])]
    finally:
        del alive
        drop(block)


def _recorded(
    body: Callable[..., Any], call: ir.Operation, extent: int, refuse: Refuse
) -> tuple[Any, Any, list[Value]]:
    """The block of the body on stand-ins, what keeps its results, and the stand-ins."""
    given = []
    for operand in call.operands:
        made = _stand_in(operand.type, extent)
        if made is None:
            raise refuse("has a body in Python, which takes tensors of extents 1 and ? alone in IR")
        given.append(made)
    try:
        return *trace(body, tuple([wrap(v) for v in given]), {}, _values), given
    except Exception as error:
        raise refuse(f"cannot be recorded: {type(error).__name__}: {error}") from error


def _about(block: Any) -> tuple[Any, ...]:
    """What decides the IR of a block."""
    return (block.key, [(type(number), repr(number)) for number in block.scalars])


def _values(result: Any) -> list[Value]:
    """The values of the arrays that a body returned, in order."""
    if isinstance(result, Array):
        return [result._v]
    if not isinstance(result, (tuple, list, dict)):
        raise TypeError(f"its body gave {result!r:.100}, not an array")
    items = result.values() if isinstance(result, dict) else result
    return [v for item in items for v in _values(item)]


def _stand_in(type_: ir.Type, extent: int) -> Value | None:
    if not isinstance(type_, ir.RankedTensorType):
        return None
    static = [type_.get_dim_size(d) for d in range(type_.rank) if not type_.is_dynamic_dim(d)]
    if any(e != 1 for e in static):
        return None
    shape = [extent if type_.is_dynamic_dim(d) else 1 for d in range(type_.rank)]
    return from_numpy(np.ones(shape, element_dtype(type_.element_type).numpy))


def _clone(block: Any, operands: dict[int, ir.Value], refuse: Refuse) -> dict[int, ir.Value]:
    """Copies the block's operations; gives the values of those that it returns."""
    module = emit(block)  # kept: its operations do not keep it
    main = module.body.operations[0].operation.regions[0].blocks[0]
    values: dict[ir.Value, ir.Value] = {}
    numbers: dict[ir.Value, ir.Attribute] = {}
    count = len(block.leaves)
    for leaf, argument in zip(block.leaves, list(main.arguments)[:count], strict=True):
        if id(leaf) not in operands:
            raise refuse("has a body in Python that uses an array from outside")
        values[argument] = operands[id(leaf)]
    scalars = zip(block.scalars, scalar_dtypes(block), list(main.arguments)[count:], strict=True)
    for number, dtype, argument in scalars:
        rounded = np.full((), number, dtype.numpy).item()
        numbers[argument] = _attribute(rounded, argument.type)
    for op in main.operations:
        o = op.operation
        if o.name == "func.return":
            order = [values[v] for v in o.operands]
            pairs = zip(block.survivors, order, strict=True)
            return {id(block.queue[number]): value for number, value in pairs}
        if o.name == "fusion.full" and o.operands[0] in numbers:
            kind = o.result.type
            splat = ir.DenseElementsAttr.get_splat(kind, numbers[o.operands[0]])
            copy = ir.Operation.create(
                "fusion.constant", results=[kind], attributes={"value": splat}
            )
        else:
            if any(v in numbers for v in o.operands):
                raise refuse(f"has a body in Python whose {o.name} takes a number")
            copy = o.clone()
            for place, operand in enumerate(o.operands):
                copy.operands[place] = values[operand]
        values.update(zip(o.results, copy.results, strict=True))
    return {}


def _attribute(number: Any, type_: ir.Type) -> ir.Attribute:
    if isinstance(type_, ir.FloatType):
        return ir.FloatAttr.get(type_, float(number))
    return ir.IntegerAttr.get(type_, int(number))
