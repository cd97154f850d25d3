# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `fusion.custom_call "pyfusion.random_unit_float32"` and its like are in other operations.

The operands of a call are the key (two words), 0, 1, the number of each block, the numbers that the
value is given, and, of type index, the number of elements and the extents. The blocks of element i
have the counters i and the block's number; in a call whose name ends in `_wide`, for more than 2^32
elements, the upper half of i is added to the latter. The numbers are ui32, of a wide call ui64.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .inline_bodies import bodies
from .random_values import VALUES, RandomValue
from .threefry import threefry

if TYPE_CHECKING:
    from mlir import ir

__all__ = ["PREFIX", "WIDE"]

PREFIX = "random_"  # of the names of the operations, before those of the values
WIDE = "_wide"

_MLIR = {
    **{f"uint{width}": f"ui{width}" for width in (32, 64)},
    **{"float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64"},
}


class _Call:
    """See `random_values.Arithmetic` and `threefry.Arithmetic`: values of IR in place of a call."""

    def __init__(self, call: ir.Operation, value: RandomValue, wide: bool):
        from mlir import ir

        from ..dialects import fusion

        self._ir, self._fusion = ir, fusion
        self._type = call.results[0].type
        self._wide = wide
        operands = list(call.operands)
        counts = (2, 2, value.blocks, value.given, 1, self._type.rank)
        parts = [operands[sum(counts[:n]) : sum(counts[: n + 1])] for n in range(len(counts))]
        self._key, self._range, self._numbers, self._given, (self._total,), self._extents = parts

    def _full(self, scalar: ir.Value, shape: Sequence[int] = ()) -> ir.Value:
        type_ = self._ir.RankedTensorType.get(list(shape), scalar.type)
        return self._fusion.full(type_, scalar, [], list(shape))

    def _word(self, scalar: ir.Value) -> ir.Value:
        return self.cast(self._full(scalar), "uint32")

    def _constant(self, number: float, element: ir.Type) -> ir.Value:
        ir = self._ir
        is_float = isinstance(element, ir.FloatType)
        one = (ir.FloatAttr if is_float else ir.IntegerAttr).get(element, number)
        type_ = ir.RankedTensorType.get([], element)
        return self._fusion.ConstantOp(ir.DenseElementsAttr.get_splat(type_, one)).result

    # -- Values ----------------------------------------------------------------------------------

    def op(self, name: str, x: Any, y: Any = None) -> ir.Value:
        operands = [x] if y is None else [x, y]
        element = next(v for v in operands if not isinstance(v, (int, float))).type.element_type
        given = [self._constant(v, element) if isinstance(v, (int, float)) else v for v in operands]
        return getattr(self._fusion, name)(*given)

    def cast(self, x: ir.Value, element: str) -> ir.Value:
        ir = self._ir
        type_ = ir.RankedTensorType.get(x.type.shape, ir.Type.parse(_MLIR[element]))
        return x if x.type == type_ else self._fusion.cast(type_, x)

    def given(self, number: int) -> ir.Value:
        return self._word(self._given[number])

    def block(self, number: int) -> tuple[ir.Value, ir.Value]:
        key = self._word(self._key[0]), self._word(self._key[1])
        counter = self._word(self._numbers[number])
        position = self._position()
        if self._wide:
            upper = self.op("bitwise_right_shift", position, 32)
            counter = self.add(counter, self.cast(upper, "uint32"))
        return threefry(self, key, (self.cast(position, "uint32"), counter))

    def _position(self) -> ir.Value:
        """The row-major number of each element, of the result's shape."""
        ir = self._ir
        start, step = self._range
        shape = list(self._type.shape)
        if all(n == 1 for n in shape):
            return self._full(start, shape)
        dynamic = [e for d, e in enumerate(self._extents) if self._type.is_dynamic_dim(d)]
        whole = ir.RankedTensorType.get(shape, start.type)
        if len(shape) == 1:
            return self._fusion.IotaOp(whole, start, step, dynamic, shape).result
        extent = [ir.ShapedType.get_dynamic_size()]
        line = ir.RankedTensorType.get(extent, start.type)
        found = self._fusion.IotaOp(line, start, step, [self._total], extent).result
        return self._fusion.ReshapeOp(whole, found, dynamic, shape).result

    # -- Words -----------------------------------------------------------------------------------

    def add(self, x: ir.Value, y: ir.Value) -> ir.Value:
        return self.op("add", x, y)

    def xor(self, x: ir.Value, y: ir.Value) -> ir.Value:
        return self.op("bitwise_xor", x, y)

    def rotate(self, x: ir.Value, bits: int) -> ir.Value:
        upper = self.op("bitwise_left_shift", x, bits)
        return self.op("bitwise_or", upper, self.op("bitwise_right_shift", x, 32 - bits))

    def constant(self, number: int) -> ir.Value:
        return self._constant(number, self._ir.Type.parse("ui32"))


def _check(call: ir.Operation, value: RandomValue, wide: bool) -> None:
    """Raises InputError for operands or a result that the call cannot have."""
    from mlir import ir

    from .registry import InputError

    numbers = 4 + value.blocks + value.given
    number = "ui64" if wide else "ui32"
    result = call.results[0].type if len(call.results) == 1 else None
    rank = result.rank if isinstance(result, ir.RankedTensorType) else 0
    wanted = [number] * numbers + ["index"] * (1 + rank)
    found = [str(v.type) for v in call.operands]
    element = getattr(result, "element_type", None)
    if found != wanted or str(element) != _MLIR[value.element]:
        callee = ir.StringAttr(call.attributes["callee"]).value
        raise InputError(
            f"{callee} takes {numbers} numbers of {number}, "
            f"the number of elements and the extents, and gives one tensor of "
            f"{_MLIR[value.element]}",
            call.location,
        )


def _add_bodies() -> None:
    def body(call: ir.Operation, value: RandomValue, wide: bool) -> list[ir.Value]:
        _check(call, value, wide)
        return [value.body(_Call(call, value, wide))]

    for name, value in VALUES.items():
        for wide, end in ((False, ""), (True, WIDE)):
            bodies[f"pyfusion.{PREFIX}{name}{end}"] = (
                lambda call, value=value, wide=wide: body(call, value, wide)  # type: ignore[misc]
            )


_add_bodies()
