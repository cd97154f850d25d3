# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A block as one function of `fusion` operations.

Arguments: the leaves, then the scalars, then view bounds and extents. Extents are 1 or dynamic,
so that one module serves every size.
"""

from __future__ import annotations

from typing import Any

from mlir import ir

from ..dtypes import DType, computed_in
from ..ir.value import Value, site_text

_DYNAMIC = ir.ShapedType.get_dynamic_size()


class Emitter:
    """Builds the function; the context is entered by the caller."""

    def __init__(self, block: Any):
        self.block = block
        self.i64 = ir.IntegerType.get_signless(64)
        self.index = ir.IndexType.get()
        self.elements: dict[int, ir.Type] = {}
        self.values: list[ir.Value] = []
        self.leaves: list[ir.Value] = []
        self.sites: dict[Any, ir.Location] = {}
        self.unknown = ir.Location.unknown()

    def element(self, dtype: DType) -> ir.Type:
        found = self.elements.get(dtype.code)
        if found is None:
            found = self.elements[dtype.code] = ir.Type.parse(dtype.mlir)
        return found

    def tensor(self, shape: tuple[int, ...], dtype: DType) -> ir.Type:
        dims = [1 if d == 1 else _DYNAMIC for d in shape]
        return ir.RankedTensorType.get(dims, self.element(dtype), loc=self.unknown)

    def location(self, site: Any) -> ir.Location:
        text = site_text(site)
        if text is None:
            return self.unknown
        found = self.sites.get(text)
        if found is None:
            file, _, line = text.rpartition(":")
            found = self.sites[text] = ir.Location.file(file, int(line), 0)
        return found

    def emit(self) -> ir.Module:
        """The module with `@main`; results are the block's survivors in order."""
        block = self.block
        scalars = scalar_dtypes(block)
        types = [self.tensor(leaf.shape, leaf.dtype) for leaf in block.leaves]
        types += [self.element(dtype) for dtype in scalars]
        types += [self.index] * len(block.dyn)
        module = ir.Module.create(loc=self.unknown)
        if block.precision != "strict":
            precision = ir.StringAttr.get(block.precision)
            module.operation.attributes["fusion.precision"] = precision
        with ir.InsertionPoint(module.body), self.unknown:
            main = ir.Operation.create(
                "func.func",
                regions=1,
                attributes={
                    "sym_name": ir.StringAttr.get("main"),
                    "function_type": ir.TypeAttr.get(ir.FunctionType.get(types, [])),
                    "arg_attrs": ir.ArrayAttr.get(self._argument_attributes(len(types))),
                },
            )
        body = main.regions[0].blocks.append(*types, arg_locs=[self.unknown] * len(types))
        arguments = list(body.arguments)
        count = len(block.leaves)
        self.leaves = arguments[:count]
        self.scalars = iter(arguments[count : count + len(scalars)])
        self.dyn = iter(arguments[count + len(scalars) :])
        with ir.InsertionPoint(body):
            for number, v in enumerate(block.queue):
                with self.location(v.record[4]) as loc:
                    self.values.append(self._operation(number, v, loc))
            results = [self.values[number] for number in block.survivors]
            with self.unknown:
                ir.Operation.create("func.return", operands=results)
        main.attributes["function_type"] = ir.TypeAttr.get(
            ir.FunctionType.get(types, [r.type for r in results])
        )
        return module

    def _argument_attributes(self, count: int) -> list[ir.Attribute]:
        found = []
        unit = ir.UnitAttr.get()
        dying = set(self.block.dying)
        for number, leaf in enumerate(self.block.leaves):
            named = {}
            if number in dying:
                named["fusion.dies"] = unit
            if leaf.strides is not None:
                named["fusion.strided"] = unit
            found.append(ir.DictAttr.get(named))
        found += [ir.DictAttr.get({})] * (count - len(found))
        return found

    def _operand(self, a: Any, dtype: DType) -> ir.Value:
        if isinstance(a, Value):
            return self.values[a.slot] if a.slot >= 0 else self.leaves[-2 - a.slot]
        scalar = next(self.scalars)
        return ir.Operation.create(
            "fusion.full",
            results=[ir.RankedTensorType.get([], self.element(dtype))],
            operands=[scalar],
            attributes={"static_shape": ir.DenseI64ArrayAttr.get([])},
        ).result

    def _operation(self, number: int, v: Value, loc: ir.Location) -> ir.Value:
        op, args, attrs, dyn, _ = v.record
        result = self.tensor(v.shape, v.dtype)
        build = _BUILDERS.get(op.kind)
        if op.name in _SPECIAL:
            build = _SPECIAL[op.name]
        if build is None or not compilable(v):
            return self._custom_call(number, v, result)
        name, operands, attributes = build(self, v, args, attrs, dyn, result)
        if op.kind == "contraction":
            attributes["fusion.record"] = ir.IntegerAttr.get(self.i64, number)
        return ir.Operation.create(
            name, results=[result], operands=operands, attributes=attributes
        ).result

    def _custom_call(self, number: int, v: Value, result: ir.Type) -> ir.Value:
        op, args, attrs, dyn, _ = v.record
        operands = [
            self._operand(a, dtype)
            for a, dtype in zip(args, operand_dtypes(v), strict=True)
            if isinstance(a, Value)
        ]
        for a in args:
            if not isinstance(a, Value):
                operands.append(next(self.scalars))
        operands += [next(self.dyn) for _ in dyn]
        attributes = {
            "callee": ir.StringAttr.get(op.callee),
            "fusion.record": ir.IntegerAttr.get(self.i64, number),
        }
        if op.is_custom and (options := attrs[0][1].options()):
            texts = {key: ir.StringAttr.get(text) for key, text in options.items()}
            attributes["options"] = ir.DictAttr.get(texts)
        return ir.Operation.create(
            "fusion.custom_call", results=[result], operands=operands, attributes=attributes
        ).result

    def mixed(self, static: list[int], dyn: Any = None) -> tuple[list[ir.Value], ir.Attribute]:
        """One of MLIR's mixed lists: values taken in turn where `static` is dynamic, else ints."""
        values = []
        for extent in static:
            value = next(self.dyn)
            if extent == _DYNAMIC:
                values.append(value)
        return values, ir.DenseI64ArrayAttr.get(static)


def compilable(v: Value) -> bool:
    """Whether the compiler knows the operation on these element types."""
    op, args, *_ = v.record
    if op.kind == "opaque" or not v.dtype.compiled:
        return False
    return all(a.dtype.compiled for a in args if isinstance(a, Value))


def operand_dtypes(v: Value) -> list[DType]:
    """The element type of each operand, scalars among them."""
    op, args, *_ = v.record
    if op.name == "select":
        condition = args[0].dtype if isinstance(args[0], Value) else None
        return [condition, v.dtype, v.dtype]
    typed = op.scalars or next((a.dtype for a in args if isinstance(a, Value)), v.dtype)
    if op.kind == "composite":
        typed = computed_in(typed)
    return [a.dtype if isinstance(a, Value) else typed for a in args]


def scalar_dtypes(block: Any) -> list[DType]:
    """The element type of each scalar of the block, in order of use."""
    found = []
    for v in block.queue:
        for a, dtype in zip(v.record[1], operand_dtypes(v), strict=True):
            if not isinstance(a, Value):
                found.append(dtype)
    return found


def _elementwise(e: Emitter, v: Value, args: Any, attrs: Any, dyn: Any, result: ir.Type) -> Any:
    operands = [e._operand(a, d) for a, d in zip(args, operand_dtypes(v), strict=True)]
    return f"fusion.{v.record[0].name}", operands, {}


def _composite(e: Emitter, v: Value, args: Any, attrs: Any, dyn: Any, result: ir.Type) -> Any:
    """A call that fusion-inline-custom replaces."""
    arrays = [a for a in args if isinstance(a, Value)]
    operands = [e._operand(a, a.dtype) for a in arrays]
    operands += [next(e.scalars) for _ in range(len(args) - len(arrays))]
    attributes: dict[str, ir.Attribute] = {"callee": ir.StringAttr.get(v.record[0].callee)}
    if attrs:
        texts = {key: ir.StringAttr.get(repr(item)) for key, item in attrs}
        attributes["options"] = ir.DictAttr.get(texts)
    return "fusion.custom_call", operands, attributes


def _axes_view(e: Emitter, v: Value, args: Any, attrs: Any, dyn: Any, result: ir.Type) -> Any:
    name = v.record[0].name
    key = "permutation" if name == "transpose" else "axes"
    return (
        f"fusion.{name}",
        [e._operand(args[0], v.dtype)],
        {key: ir.DenseI64ArrayAttr.get(list(attrs))},
    )


def _slice(e: Emitter, v: Value, args: Any, attrs: Any, dyn: Any, result: ir.Type) -> Any:
    operands, attributes = _bounds(e, len(v.shape), attrs, [e._operand(args[0], v.dtype)])
    return "fusion.slice", operands, attributes


def _bounds(e: Emitter, rank: int, attrs: Any, tensors: list) -> Any:
    """The operands and attributes of an operation with offsets, sizes and steps."""
    offsets, static_offsets = e.mixed([_DYNAMIC] * rank)
    sizes, static_sizes = e.mixed([1 if one else _DYNAMIC for one in attrs])
    steps, static_steps = e.mixed([_DYNAMIC] * rank)
    segments = [1] * len(tensors) + [len(offsets), len(sizes), len(steps)]
    return [*tensors, *offsets, *sizes, *steps], {
        "static_offsets": static_offsets,
        "static_sizes": static_sizes,
        "static_steps": static_steps,
        "operandSegmentSizes": ir.DenseI32ArrayAttr.get(segments),
    }


def _insert_slice(e: Emitter, v: Value, args: Any, attrs: Any, dyn: Any, result: ir.Type) -> Any:
    operands = [e._operand(a, v.dtype) for a in args]
    bounds, attributes = _bounds(e, len(v.shape), attrs, operands)
    return "fusion.insert_slice", bounds, attributes


def _shaped(e: Emitter, v: Value, args: Any, attrs: Any, dyn: Any, result: ir.Type) -> Any:
    """broadcast and reshape, and the creations full and iota: operands, then the shape."""
    op = v.record[0]
    if op.kind == "view":
        operands = [e._operand(args[0], v.dtype)]
    else:
        operands = [next(e.scalars) for _ in args]
    shape, static = e.mixed([1 if one else _DYNAMIC for one in attrs])
    return f"fusion.{op.name}", [*operands, *shape], {"static_shape": static}


def _reduction(e: Emitter, v: Value, args: Any, attrs: Any, dyn: Any, result: ir.Type) -> Any:
    axes, keepdims = attrs
    attributes: dict[str, ir.Attribute] = {"axes": ir.DenseI64ArrayAttr.get(list(axes))}
    if keepdims:
        attributes["keepdims"] = ir.UnitAttr.get()
    dtype = args[0].dtype
    return f"fusion.{v.record[0].name}", [e._operand(args[0], dtype)], attributes


_BUILDERS = {
    "elementwise": _elementwise,
    "contraction": _elementwise,
    "reduction": _reduction,
    "composite": _composite,
    "view": _axes_view,
}
_SPECIAL = {
    "slice": _slice,
    "insert_slice": _insert_slice,
    "broadcast": _shaped,
    "reshape": _shaped,
    "full": _shaped,
    "iota": _shaped,
}


def emit(block: Any) -> ir.Module:
    """The block's module, in the `fusion` phase."""
    return Emitter(block).emit()
