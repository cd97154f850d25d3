# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The IR of a composite's body, in place of a call."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np
from mlir import ir

from ..compile.emit import Emitter
from ..compile.kernel_shape import element_dtype
from ..dtypes import DType
from ..ir.value import Value
from ..passes import InputError
from ..runtime.memory import from_numpy
from ..stream.trace import forget, recorded

_EXTENT = 2  # of stand-ins where the type says ?


class _Inliner(Emitter):
    """Emits what a body records where the insertion point is; its numbers are constants."""

    def __init__(self) -> None:
        super().__init__(None)
        self.made: dict[int, ir.Value] = {}

    def _operand(self, a: Any, dtype: DType) -> ir.Value:
        if isinstance(a, Value):
            return self.made[id(a)]
        kind = ir.RankedTensorType.get([], self.element(dtype))
        splat = ir.DenseElementsAttr.get(np.full((), a, dtype.numpy), type=kind)
        return ir.Operation.create(
            "fusion.constant", results=[kind], attributes={"value": splat}
        ).result


def inline(composite: Any, call: ir.Operation) -> list[ir.Value]:
    """The value of a call's result; the insertion point is set.

    Raises:
        InputError: the operands or options are none that the composite takes.
    """
    e = _Inliner()
    values: list[Value] = []
    numbers: list[Value] = []
    for operand in call.operands:
        if isinstance(operand.type, ir.RankedTensorType):
            v = _stand_in(composite.name, call, ir.RankedTensorType(operand.type))
            values.append(v)
        else:
            v = from_numpy(np.ones((), element_dtype(operand.type).numpy))
            numbers.append(v)
            operand = _zero_rank(operand)
        e.made[id(v)] = operand
    try:
        queue, result = recorded(composite.expanded, values, numbers, _options(call))
    except Exception as error:
        raise InputError(
            f"nn.{composite.name} takes no such operands: {type(error).__name__}: {error}",
            call.location,
        ) from error
    try:
        for number, v in enumerate(queue):
            e.made[id(v)] = e._operation(number, v, call.location)
        return [e.made[id(result)]]
    finally:
        forget(queue)


def _options(call: ir.Operation) -> dict[str, Any]:
    if "options" not in call.attributes:
        return {}
    texts = ir.DictAttr(call.attributes["options"])
    return {named.name: ast.literal_eval(ir.StringAttr(named.attr).value) for named in texts}


def _stand_in(name: str, call: ir.Operation, type_: ir.RankedTensorType) -> Value:
    static = [type_.get_dim_size(d) for d in range(type_.rank) if not type_.is_dynamic_dim(d)]
    if any(extent != 1 for extent in static):
        raise InputError(f"nn.{name} takes tensors of extents 1 and ? alone in IR", call.location)
    shape = [_EXTENT if type_.is_dynamic_dim(d) else 1 for d in range(type_.rank)]
    return from_numpy(np.ones(shape, element_dtype(type_.element_type).numpy))


def _zero_rank(operand: ir.Value) -> ir.Value:
    return ir.Operation.create(
        "fusion.full",
        results=[ir.RankedTensorType.get([], operand.type)],
        operands=[operand],
        attributes={"static_shape": ir.DenseI64ArrayAttr.get([])},
    ).result
