# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the IR says of a kernel: element types, attributes, the flat functions."""

from __future__ import annotations

from typing import Any

from mlir import ir

from ..dtypes import DTYPES, DType
from ..errors import CompileError

_MLIR_NAMES: dict[str, DType] = {}


def element_dtype(type_: ir.Type) -> DType:
    """The dtype of an element type of the IR."""
    if not _MLIR_NAMES:
        for dtype in DTYPES.values():
            _MLIR_NAMES[dtype.mlir] = dtype
    try:
        return _MLIR_NAMES[str(type_)]
    except KeyError:
        raise CompileError("outlined", [f"no array has elements of type {type_}"]) from None


class KernelShape:
    """What the flat kernel functions say about one kernel; see `fusion-flatten-kernels`."""

    def __init__(self, range_func: Any, finish_func: Any):
        self.form = string_attribute(range_func, "fusion.form")
        self.dims = ints_attribute(range_func, "fusion.dims")
        self.permutation = ints_attribute(range_func, "fusion.permutation")
        self.range_args = ints_attribute(range_func, "fusion.range_args")
        self.finish_args = ints_attribute(range_func, "fusion.finish_args")
        self.range_types = _inputs(range_func)
        # How GPU kernels address their operands; empty for the CPU's, see `passes.access`.
        self.range_access = strings_attribute(range_func, "fusion.access")
        self.finish_access: list[str] = []
        self.accumulator: DType | None = None
        self.places = False  # also partial results that are places, of int64
        self.finish_types: list[ir.Type] = []
        if finish_func is not None:
            partials, *self.finish_types = _inputs(finish_func)
            self.accumulator = element_dtype(ir.RankedTensorType(partials).element_type)
            self.places = "fusion.places" in finish_func.attributes
            self.finish_access = strings_attribute(finish_func, "fusion.access")


def string_attribute(op: Any, name: str) -> str | None:
    return ir.StringAttr(op.attributes[name]).value if name in op.attributes else None


def strings_attribute(op: Any, name: str) -> list[str]:
    if name not in op.attributes:
        return []
    return [ir.StringAttr(a).value for a in ir.ArrayAttr(op.attributes[name])]


def ints_attribute(op: Any, name: str) -> list[int] | None:
    return list(ir.DenseI64ArrayAttr(op.attributes[name])) if name in op.attributes else None


def _function_type(op: Any) -> ir.FunctionType:
    return ir.FunctionType(ir.TypeAttr(op.attributes["function_type"]).value)


def _inputs(op: Any) -> list[ir.Type]:
    return list(_function_type(op).inputs)
