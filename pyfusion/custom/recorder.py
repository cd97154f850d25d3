# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records a function of `fusion` operations, as `ir_text` describes it, on arguments.

Every extent is known here, so that what the dialect takes for granted is checked: that extents
which meet are equal, that views stay inside.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from .. import client
from ..array import linear
from ..array.core import emit, ones_mask, wrap
from ..array.promote import broadcast, check_size
from ..dtypes import DTYPES
from ..errors import ShapeError
from ..ir.device import Device
from ..ir.table import OPS
from ..ir.value import Value

Shape = tuple[int, ...]


class Recorder:
    """One call of a function."""

    def __init__(self, name: str, function: dict[str, Any], arguments: list[Any], device: Device):
        self.name = name
        self.function = function
        self.device = device
        self.values = list(arguments)
        # The extents that the types say, None where they are dynamic.
        self.extents = [p[2] if p[0] == "tensor" else None for p in function["parameters"]]

    def run(self) -> list[Value]:
        """The values of the results. Raises ShapeError, ValueError."""
        for operation in self.function["operations"]:
            name = operation["op"]
            record = _RECORD[name]
            value = record(
                self, operation, *[self.values[n] for n in operation.get("operands", ())]
            )
            declared = operation["extents"]
            if any(e not in (None, d) for e, d in zip(declared, value.shape, strict=True)):
                raise self.wrong(operation, f"gives {value.shape}, and its type says {declared}")
            self.values.append(value)
            self.extents.append(declared)
        return [self.values[n] for n in self.function["results"]]

    def wrong(self, operation: dict[str, Any], why: str) -> ShapeError:
        return ShapeError(f"{self.name}: fusion.{operation['op']} {why}")

    def emit(
        self, operation: dict[str, Any], args: tuple, attrs: Any, dyn: Shape, shape: Shape
    ) -> Value:
        check_size(self.name, shape)
        op = OPS[operation["op"]]
        device = None if any(isinstance(a, Value) for a in args) else self.device
        return emit(op, args, attrs, dyn, shape, DTYPES[operation["dtype"]], device)

    def bounds(self, operation: dict[str, Any]) -> list[Shape]:
        return [
            tuple([self.values[b[0]] if isinstance(b, list) else b for b in each])
            for each in operation["bounds"]
        ]

    def elementwise(self, operation: dict[str, Any], *args: Value) -> Value:
        """Extents are equal where no type says that one is 1."""
        shape = broadcast(self.name, tuple([a.shape for a in args]))
        for number, a in zip(operation["operands"], args, strict=True):
            declared = self.extents[number]
            offset = len(shape) - len(a.shape)
            for d, extent in enumerate(a.shape):
                if declared[d] != 1 and extent != shape[offset + d]:
                    raise self.wrong(
                        operation,
                        f"meets extents {extent} and {shape[offset + d]}: only an extent whose "
                        "type says 1 is repeated",
                    )
        return self.emit(operation, args, None, (), shape)

    def contraction(self, operation: dict[str, Any], a: Value, b: Value) -> Value:
        return linear.matmul(wrap(a), wrap(b))._v

    def reduction(self, operation: dict[str, Any], x: Value) -> Value:
        axes, keepdims = tuple(operation["axes"]), operation["keepdims"]
        if operation["op"] in ("max", "min", "argmax", "argmin") and any(
            x.shape[axis] == 0 for axis in axes
        ):
            raise ValueError(f"{self.name}: fusion.{operation['op']} of no elements")
        shape = tuple(
            [1 if d in axes else e for d, e in enumerate(x.shape) if keepdims or d not in axes]
        )
        return self.emit(operation, (x,), (axes, keepdims), (), shape)

    def transpose(self, operation: dict[str, Any], x: Value) -> Value:
        axes = tuple(operation["axes"])
        return self.emit(operation, (x,), axes, (), tuple([x.shape[axis] for axis in axes]))

    def flip(self, operation: dict[str, Any], x: Value) -> Value:
        return self.emit(operation, (x,), tuple(operation["axes"]), (), x.shape)

    def expand_dims(self, operation: dict[str, Any], x: Value) -> Value:
        axes = tuple(operation["axes"])
        rest = iter(x.shape)
        count = len(x.shape) + len(axes)
        shape = tuple([1 if d in axes else next(rest) for d in range(count)])
        return self.emit(operation, (x,), axes, (), shape)

    def squeeze(self, operation: dict[str, Any], x: Value) -> Value:
        axes = tuple(operation["axes"])
        if any(x.shape[axis] != 1 for axis in axes):
            raise self.wrong(operation, f"of axes {axes} of {x.shape}, which are not 1")
        shape = tuple([e for d, e in enumerate(x.shape) if d not in axes])
        return self.emit(operation, (x,), axes, (), shape)

    def slice(self, operation: dict[str, Any], x: Value) -> Value:
        sizes, bounds = self._slice(operation, x)
        return self.emit(operation, (x,), ones_mask(sizes), bounds, sizes)

    def insert_slice(self, operation: dict[str, Any], value: Value, base: Value) -> Value:
        sizes, bounds = self._slice(operation, base)
        if value.shape != sizes:
            raise self.wrong(operation, f"of {value.shape} to a slice of {sizes}")
        return self.emit(operation, (value, base), ones_mask(sizes), bounds, base.shape)

    def _slice(self, operation: dict[str, Any], x: Value) -> tuple[Shape, Shape]:
        """The sizes of a slice, and all its bounds."""
        offsets, sizes, steps = self.bounds(operation)
        for extent, offset, size, step in zip(x.shape, offsets, sizes, steps, strict=True):
            last = offset + (size - 1) * step
            if size < 0 or step == 0 or (size and not min(offset, last) >= 0):
                raise self.wrong(operation, f"takes {size} elements from {offset} by {step}")
            if size and max(offset, last) >= extent:
                raise self.wrong(
                    operation, f"takes {size} elements from {offset} by {step} of {extent}"
                )
        return sizes, (*offsets, *sizes, *steps)

    def _shape(self, operation: dict[str, Any]) -> Shape:
        (shape,) = self.bounds(operation)
        if any(d < 0 for d in shape):
            raise self.wrong(operation, f"has a negative extent in {shape}")
        return shape

    def broadcast(self, operation: dict[str, Any], x: Value) -> Value:
        shape = self._shape(operation)
        tail = shape[len(shape) - len(x.shape) :]
        if any(e not in (1, t) for e, t in zip(x.shape, tail, strict=True)):
            raise self.wrong(operation, f"of {x.shape} to {shape}")
        return self.emit(operation, (x,), ones_mask(shape), shape, shape)

    def reshape(self, operation: dict[str, Any], x: Value) -> Value:
        shape = self._shape(operation)
        if prod(shape) != prod(x.shape):
            raise self.wrong(operation, f"of {x.shape} to {shape}, which has other elements")
        return self.emit(operation, (x,), ones_mask(shape), shape, shape)

    def full(self, operation: dict[str, Any], number: Any) -> Value:
        shape = self._shape(operation)
        return self.emit(operation, (number,), ones_mask(shape), shape, shape)

    def iota(self, operation: dict[str, Any], start: Any, step: Any) -> Value:
        shape = self._shape(operation)
        return self.emit(operation, (start, step), ones_mask(shape), shape, shape)

    def constant(self, operation: dict[str, Any]) -> Value:
        """Data of the text: on each device once."""
        kept = operation.setdefault("kept", {})
        found = kept.get(self.device)
        if found is None:
            dtype = DTYPES[operation["dtype"]].numpy
            data = np.frombuffer(bytes.fromhex(operation["data"]), dtype)
            array = data.reshape(operation["extents"])
            found = kept[self.device] = client.from_numpy(array, device=self.device)
        return found


# Views, updates and creations have a method each, the others one for their kind.
_RECORD: dict[str, Callable[..., Value]] = {
    name: getattr(Recorder, name if op.kind in ("view", "update", "creation") else op.kind)
    for name, op in OPS.items()
    if op.kind not in ("region", "opaque")
}
