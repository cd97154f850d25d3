# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads the outlined function into a program: steps over an environment of slots."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from mlir import ir

from ..errors import CompileError, InternalError
from ..ir.device import CPU, Device
from ..ir.value import Value
from ..runtime.insert import InsertStep
from ..runtime.library import (
    COL,
    ELEMENTWISE,
    IN_DENSE,
    IN_STRIDED,
    INOUT,
    OUT,
    OUT_STRIDED,
    PLACES,
    ROW,
    SCALAR,
    UNIFORM,
)
from ..runtime.memory import from_numpy
from ..runtime.steps import BackendStep, ConstantStep, KernelStep, Operand, Result
from ..runtime.views import ViewStep
from ..runtime.words import CODES
from .constants import constant
from .kernel_call import Call
from .kernel_shape import KernelShape, element_dtype


class Program:
    """Steps, the slots of the results, and a count of slots; `device` is where it runs."""

    def __init__(self, device: Device = CPU) -> None:
        self.device = device
        self.steps: list[Any] = []
        self.results: list[int] = []
        self.slots = 0
        self.kernels: list[str] = []


class Reader:
    """Walks `@main` once.

    Attributes:
        fuses_stores: kernels can write results to strided places.
    """

    fuses_stores = True

    def __init__(
        self,
        module: ir.Module,
        arguments: list,
        queue: list,
        entry: str,
        device: Device,
        step: Callable[..., KernelStep],
    ):
        """`step(name, native, spec, device, ...)` makes the launch of a native kernel."""
        self.queue = queue
        self._make_step = step
        self.program = Program(device)
        self.slot: dict[ir.Value, int] = {}
        self.dense: set[int] = set()
        self.calls: list[tuple[int, Call]] = []
        self.owner: dict[int, int] = {}  # of a view: the slot of what it is a view of
        self.inserts: dict[ir.Value, ir.Operation] = {}  # by the values that kernels write there
        functions = {}
        for op in module.body.operations:
            o = op.operation
            functions[ir.StringAttr(o.attributes["sym_name"]).value] = o
        self.functions = functions
        body = functions[entry].regions[0].blocks[0]
        for argument, value in zip(body.arguments, arguments, strict=True):
            slot = self._new(argument)
            if isinstance(value, Value) and value.strides is None:
                self.dense.add(slot)
        if self.fuses_stores:
            for op in body.operations:
                if "fused_store" in op.operation.attributes:
                    self.inserts[op.operation.operands[0]] = op.operation
        for op in body.operations:
            self._operation(op.operation)
        self.program.kernels = [name for name in functions if name != entry]

    def _new(self, value: ir.Value) -> int:
        slot = self.slot[value] = self.program.slots
        self.program.slots += 1
        return slot

    def _operation(self, o: ir.Operation) -> None:
        name = o.name
        steps = self.program.steps
        if name == "func.return":
            self.program.results = [self.slot[v] for v in o.operands]
        elif name == "func.call":
            callee = ir.FlatSymbolRefAttr(o.attributes["callee"]).value
            operands = [self.slot[v] for v in o.operands]
            types = [v.type for v in o.operands]
            results = [(self._new(r), ir.RankedTensorType(r.type)) for r in o.results]
            self.dense.update(slot for slot, _ in results)
            call = Call(callee, self.functions[callee], operands, types, results)
            for number, r in enumerate(o.results):
                if r in self.inserts:
                    call.stores[number] = self._insert(self.inserts[r], operands)
            self.calls.append((len(steps), call))
            steps.append(None)
        elif "fusion.record" in o.attributes:
            self._backend(o)
        elif name in ("fusion.matmul", "fusion.custom_call"):
            self._unrecorded(o)
        elif name == "fusion.insert_slice":
            if o.operands[0] not in self.inserts:
                self._insert(o, None)
        elif name == "fusion.constant":
            array = constant(o.attributes["value"])
            slot = self._new(o.result)
            self.dense.add(slot)
            device = self.program.device
            value = from_numpy(array) if device is CPU else device.runtime.upload(array)
            steps.append(ConstantStep(slot, value))
        elif name.startswith("fusion."):
            self._view(o, name.removeprefix("fusion."))
        else:
            raise InternalError(f"the outlined function holds an unexpected {name}")

    def _backend(self, o: ir.Operation) -> None:
        number = ir.IntegerAttr(o.attributes["fusion.record"]).value
        v = self.queue[number]
        op, args, attrs, dyn, _ = v.record
        slots = [self.slot[x] for x in o.operands]
        count = len(args)
        order = [n for n, a in enumerate(args) if hasattr(a, "slot")]
        order += [n for n, a in enumerate(args) if not hasattr(a, "slot")]
        if o.name != "fusion.custom_call":
            order = list(range(count))
        inputs = [0] * count
        for place, slot in zip(order, slots[:count], strict=True):
            inputs[place] = slot
        step = BackendStep(op, inputs, attrs, slots[count:], v.dtype, number)
        step.device = self.program.device
        step.target = self._new(o.result)
        self.program.steps.append(step)

    def _unrecorded(self, o: ir.Operation) -> None:
        """A call of the backend in IR that no block was the source of."""
        name = o.name.removeprefix("fusion.")
        if name == "custom_call":
            name = ir.StringAttr(o.attributes["callee"]).value
        dtype = element_dtype(ir.RankedTensorType(o.result.type).element_type)
        slots = [self.slot[x] for x in o.operands]
        step = BackendStep(backend_op(name), slots, None, [], dtype, -1)
        step.device = self.program.device
        step.target = self._new(o.result)
        self.program.steps.append(step)

    def _insert(self, o: ir.Operation, readers: list[int] | None) -> int:
        """Adds the step of an insertion, before the call of the kernel that writes it if `readers`,
        what that reads, are given. Returns the slot of the slice, or -1."""
        for v in list(o.operands)[1:]:
            if v not in self.slot:
                raise CompileError(
                    "outlined",
                    ["fused_store: fusion.insert_slice uses what comes after the kernel"],
                )
        base = self.slot[o.operands[1]]
        takes_over = "takes_over" in o.attributes
        target = self._new(o.result)
        self.dense.add(target)
        values = iter(list(o.operands)[2:])
        dyn: list[Any] = []
        for name in ("static_offsets", "static_sizes", "static_steps"):
            dyn += self._mixed(o.attributes[name], values)
        value = region = -1
        aliases = []
        if readers is None:
            value = self.slot[o.operands[0]]
        else:
            region = self.program.slots
            self.program.slots += 1
            owner = self.owner.get(base, base)
            if takes_over:
                found = dict.fromkeys(s for s in readers if self.owner.get(s, s) == owner)
                aliases = [(slot, slot not in self.dense) for slot in found]
        self.program.steps.append(InsertStep(value, base, target, region, dyn, takes_over, aliases))
        return region

    def _view(self, o: ir.Operation, name: str) -> None:
        source = self.slot[o.operands[0]]
        target = self._new(o.result)
        attrs: Any = ()
        dyn: list[Any] = []
        if name == "slice":
            values = iter(list(o.operands)[1:])
            for list_name in ("static_offsets", "static_sizes", "static_steps"):
                dyn += self._mixed(o.attributes[list_name], values)
        elif name in ("broadcast", "reshape"):
            dyn = self._mixed(o.attributes["static_shape"], iter(list(o.operands)[1:]))
        else:
            key = "permutation" if name == "transpose" else "axes"
            if key not in o.attributes:
                raise InternalError(f"the outlined function holds an unexpected fusion.{name}")
            attrs = tuple(ir.DenseI64ArrayAttr(o.attributes[key]))
        if source in self.dense and name in ("reshape", "expand_dims", "squeeze"):
            self.dense.add(target)
        self.owner[target] = self.owner.get(source, source)
        self.program.steps.append(ViewStep(name, source, target, attrs, dyn))

    def _mixed(self, attribute: Any, values: Any) -> list[Any]:
        dynamic = ir.ShapedType.get_dynamic_size()
        static = list(ir.DenseI64ArrayAttr(attribute))
        return [[self.slot[next(values)]] if e == dynamic else e for e in static]

    # -- kernels ---------------------------------------------------------------------------------

    def finish(self, shapes: dict[str, KernelShape], handle: Any) -> Program:
        """Fills in the launches; `handle(name, spec)` makes a native kernel."""
        for place, call in self.calls:
            self.program.steps[place] = self._kernel(call, shapes[call.name], handle)
        return self.program

    def _extent(self, call: Call, back: int, rank: int) -> Any:
        """Where the iteration's extent comes from, counted from the last dimension."""
        for slot, type_ in zip(call.operands, call.types, strict=True):
            if not isinstance(type_, ir.RankedTensorType):
                continue
            t = ir.RankedTensorType(type_)
            if back < t.rank and (t.is_dynamic_dim(t.rank - 1 - back)):
                return (slot, t.rank - 1 - back)
        argument = call.creation.get(back)
        if argument is not None and argument >= 0:
            return (call.operands[argument], None)
        return None

    def _iteration(self, call: Call) -> list[Any]:
        type_ = call.operand_type if call.kind == "reduction" else call.results[0][1]
        t = ir.RankedTensorType(type_)
        extents: list[Any] = []
        for d in range(t.rank):
            if not t.is_dynamic_dim(d):
                extents.append(t.get_dim_size(d))
                continue
            found = self._extent(call, t.rank - 1 - d, t.rank)
            if found is None:
                raise InternalError(f"no operand of {call.name} gives extent {d} of {t}")
            extents.append(found)
        return extents

    def _order(self, iteration: list) -> list[int]:
        """The iteration dimension of each launch dimension of an element-wise kernel."""
        return list(range(len(iteration)))

    def _operand(
        self, slot: int, type_: Any, flat: Any, iteration: list, order: list, access: str = ""
    ) -> Operand:
        """`flat` is the flat function's type, `order` the iteration dimension of each launch
        dimension, `access` what the flat function says of the operand."""
        if not isinstance(type_, ir.RankedTensorType):
            name = "index" if str(type_) == "index" else element_dtype(type_).name
            return Operand(SCALAR, slot, 8, code=CODES[name])
        t = ir.RankedTensorType(type_)
        item = element_dtype(t.element_type).itemsize
        if ir.RankedTensorType(flat).rank == 0:
            return Operand(UNIFORM, slot, item)
        lead = len(iteration) - t.rank
        full = lead == 0 and all(
            t.is_dynamic_dim(d) or t.get_dim_size(d) == iteration[d] for d in range(t.rank)
        )
        in_order = order == sorted(order)
        if self._is_dense(full and in_order and slot in self.dense, access, order):
            return Operand(IN_DENSE, slot, item)
        dims = []
        for d in order:
            own = d - lead
            if own < 0 or (not t.is_dynamic_dim(own) and t.get_dim_size(own) == 1):
                own = -1
            dims.append(own)
        return Operand(IN_STRIDED, slot, item, dims)

    def _is_dense(self, possible: bool, access: str, order: list) -> bool:
        """Whether an operand is addressed by the linear index; `possible`: it lies so."""
        return possible

    def _operand_spec(self, o: Operand) -> tuple:
        return (o.role, o.itemsize)

    def _about(self, call: Call) -> dict[str, Any]:
        return {"cost": cost(call.ops)}

    def _results(self, call: Call, extents: list) -> list[Result]:
        found = []
        for number, (slot, t) in enumerate(call.results):
            over = -1
            if call.takes_over is not None and call.takes_over[number] >= 0:
                over = call.operands[call.takes_over[number]]
            found.append(Result(slot, element_dtype(t.element_type), extents, over))
        return found

    def _kernel(self, call: Call, shape: KernelShape, handle: Any) -> KernelStep:
        iteration = self._iteration(call)
        if call.kind == "reduction":
            return self._reduction(call, shape, handle, iteration)
        order = self._order(iteration)
        extents = [iteration[d] for d in order]
        access = shape.range_access or [""] * len(call.operands)
        operands = []
        taken = [a for a in (call.takes_over or []) if a >= 0]
        for number, (slot, type_) in enumerate(zip(call.operands, call.types, strict=True)):
            flat_type = shape.range_types[number]
            o = self._operand(slot, type_, flat_type, iteration, order, access[number])
            if number in taken:
                if o.role != IN_DENSE:
                    raise InternalError(f"{call.name} takes over an operand that is not dense")
                o.role = INOUT
            operands.append(o)
        results = []
        for number, r in enumerate(self._results(call, iteration)):
            if number in call.stores:
                place, item = call.stores[number], r.dtype.itemsize
                operands.append(Operand(OUT_STRIDED, place, item, list(range(len(order)))))
                continue
            results.append(r)
            if r.takes_over < 0:
                operands.append(Operand(OUT, r.slot, r.dtype.itemsize))
        flat = all(o.role not in (IN_STRIDED, OUT_STRIDED) for o in operands)
        rank = 1 if flat else len(order)
        spec = {
            "kind": ELEMENTWISE,
            "dims": (rank, 0, 0),
            "operands": [self._operand_spec(o) for o in operands],
            **self._about(call),
        }
        native = handle(call.name, spec)
        if len(order) == len(iteration):
            extents = iteration
        about = (extents, operands, results, flat, call.ops)
        step = self._make_step(call.name, native, spec, self.program.device, *about)
        step.checks = [(o, extents) for o in operands]
        return step

    def _reduction(self, call: Call, shape: KernelShape, handle: Any, iteration: list) -> Any:
        assert shape.permutation is not None and shape.dims is not None
        assert shape.range_args is not None and shape.finish_args is not None
        assert shape.accumulator is not None
        order = shape.permutation
        nk1, nr, nk2 = shape.dims
        access = shape.range_access or [""] * len(shape.range_args)
        ranges = [
            self._operand(
                call.operands[a], call.types[a], shape.range_types[n], iteration, order, access[n]
            )
            for n, a in enumerate(shape.range_args)
        ]
        rank = len(iteration)
        kept = [d for d in range(rank) if d not in call.axes]
        if call.keepdims:
            out = [1 if d in call.axes else iteration[d] for d in range(rank)]
            place = {d: d for d in range(rank)}
        else:
            out = [iteration[d] for d in kept]
            place = {d: n for n, d in enumerate(kept)}
        reduced = order[nk1 : nk1 + nr]
        outer = [place[d] for d in order if d not in reduced]
        access = shape.finish_access or [""] * len(shape.finish_args)
        finishes = [
            self._operand(
                call.operands[a], call.types[a], shape.finish_types[n], out, outer, access[n]
            )
            for n, a in enumerate(shape.finish_args)
        ]
        results = self._results(call, out)
        finishes += [Operand(OUT, r.slot, r.dtype.itemsize) for r in results]
        spec = {
            "kind": (ROW if shape.form == "row" else COL) + (PLACES if shape.places else 0),
            "dims": (nk1, nr, nk2),
            "operands": [self._operand_spec(o) for o in ranges],
            "finish_operands": [self._operand_spec(o) for o in finishes],
            "acc_itemsize": shape.accumulator.itemsize,
            **self._about(call),
        }
        native = handle(call.name, spec)
        extents = [iteration[d] for d in order]
        operands = ranges + finishes
        about = (extents, operands, results, False, call.ops)
        step = self._make_step(call.name, native, spec, self.program.device, *about)
        kept_extents = [out[d] for d in outer]
        step.checks = [(o, extents) for o in ranges] + [(o, kept_extents) for o in finishes]
        return step


def backend_op(name: str) -> Any:
    """The operation that a callee such as `numpy.sort` names."""
    from ..ir.table import OPS, custom_op, known_custom_op

    known = known_custom_op(name)
    if known is not None:
        return known
    short = name.removeprefix("numpy.")
    if short in OPS:
        return OPS[short]
    function = getattr(np, short, None)
    if not callable(function):
        raise CompileError("outlined", [f"the backend knows no {name!r}"])
    return custom_op(short, function)


def cost(ops: list[str]) -> int:
    from ..ir.table import OPS

    return sum(10 if name in OPS and OPS[name].cost == "math" else 1 for name in ops)
