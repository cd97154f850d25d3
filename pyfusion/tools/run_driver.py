# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What pyfusion-run does in its child process."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from mlir import ir

from ..compile.context import context
from ..compile.driver import Compilation
from ..compile.kernel_shape import element_dtype
from ..dtypes import DTYPES
from ..errors import PyfusionError
from ..ir.value import Value
from ..native import shape_of
from ..passes import PipelineError
from ..passes.registry import suggestion
from ..runtime.insert import InsertStep
from ..runtime.library import IN_DENSE, IN_STRIDED, INOUT, OUT_STRIDED
from ..runtime.memory import from_numpy, to_numpy
from ..runtime.steps import KernelStep
from ..runtime.views import ViewStep
from .diagnostics import of_error, rendered
from .files import ToolError, check_names, parse, read, shown, write
from .isolate import Note

__all__ = ["RunError", "run"]


class RunError(ToolError):
    """A mistake in the file or in the arguments."""


def run(
    file: str,
    entry: str,
    arguments: list[str],
    output: str | None,
    note: Note = lambda text: None,
) -> None:
    """Compiles `entry`, calls it and prints or writes the results.

    Raises:
        ToolError: the file, the function or an argument is not what it should be.
    """
    name = shown(file, "stdin")
    source = read(file)
    with context() as active, ir.Location.unknown():
        note(f"{name}, which it reads")
        try:
            module = parse(source, name, active)
            check_names(module, name)
        except ir.MLIRError as error:
            lines = source.split("\n") if isinstance(source, str) else []
            text = "\n".join(rendered(d, name, lines) for d in of_error(error))
            raise ToolError(text, plain=True) from None
        note(f"@{entry}")
        compilation = Compilation(None)
        compilation.module = module
        try:
            values = _values(_function(module, entry), arguments)
            for phase in ("merged", "outlined"):
                compilation.run(phase)
            program, engine = compilation.build(values, [], entry)
            env = [*values, *[None] * (program.slots - len(values))]
            for step in program.steps:
                _check(step, env)
                step.run(env)
        except (ir.MLIRError, PipelineError, PyfusionError, MemoryError, ValueError) as error:
            raise RunError(str(error)) from None
        for number, slot in enumerate(program.results):
            v = env[slot]
            _report(to_numpy(v) if isinstance(v, Value) else np.asarray(v), number, output)
        del engine


def _report(result: np.ndarray, number: int, output: str | None) -> None:
    if output is None:
        write("-", np.array2string(result, threshold=100).encode() + b"\n")
        return
    try:
        np.save(f"{output}{number}.npy", result)
    except OSError as error:
        raise RunError(str(error)) from None


def _function(module: ir.Module, entry: str) -> Any:
    for op in module.body.operations:
        o = op.operation
        if o.name == "func.func" and ir.StringAttr(o.attributes["sym_name"]).value == entry:
            if not o.regions[0].blocks:
                raise RunError(f"@{entry} has no body")
            _refuse_calls(o)
            return o
    names = [
        ir.StringAttr(o.operation.attributes["sym_name"]).value
        for o in module.body.operations
        if o.operation.name == "func.func" and o.operation.regions[0].blocks
    ]
    there = f"; there are @{', @'.join(names)}" if names else ""
    raise RunError(f"there is no function @{entry}{suggestion(entry, names)}{there}")


def _refuse_calls(function: Any) -> None:
    for op in function.regions[0].blocks[0].operations:
        if op.operation.name in ("func.call", "func.call_indirect"):
            raise RunError(f"the function calls another one: {op.operation}")


def _values(function: Any, texts: list[str]) -> list[Any]:
    types = [a.type for a in function.regions[0].blocks[0].arguments]
    if len(types) != len(texts):
        wanted = ", ".join(map(str, types))
        raise RunError(f"the function takes ({wanted}): {len(types)} arguments, not {len(texts)}")
    return [_value(n, t, text) for n, (t, text) in enumerate(zip(types, texts, strict=True))]


def _value(number: int, type_: Any, text: str) -> Any:
    if not isinstance(type_, ir.RankedTensorType):
        return _scalar(number, type_, text)
    try:
        array = np.load(text, allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise RunError(f"argument {number}: {text}: {error}") from None
    if not isinstance(array, np.ndarray):
        raise RunError(f"argument {number}: {text} holds several arrays; give one .npy file")
    dtype = element_dtype(type_.element_type)
    extents = [
        None if type_.is_dynamic_dim(d) else type_.get_dim_size(d) for d in range(type_.rank)
    ]
    fits = len(extents) == array.ndim and all(
        e is None or e == d for e, d in zip(extents, array.shape, strict=True)
    )
    if not fits or array.dtype != dtype.numpy:
        raise RunError(f"argument {number}: {type_} does not take {array.dtype}{array.shape}")
    for extent, d in zip(extents, array.shape, strict=True):
        if extent is None and d == 1:
            raise RunError(
                f"argument {number}: an extent of 1 must be static in {type_}, to broadcast"
            )
    return from_numpy(array)


def _scalar(number: int, type_: Any, text: str) -> Any:
    dtype = DTYPES["int64"] if str(type_) == "index" else element_dtype(type_)
    try:
        if dtype.kind == "b":
            return {"0": False, "false": False, "1": True, "true": True}[text.lower()]
        value = dtype.type({"f": float, "c": complex}.get(dtype.kind, int)(text))
    except KeyError:
        raise RunError(f"argument {number}: {type_} takes true or false, not {text!r}") from None
    except (ValueError, OverflowError) as error:
        raise RunError(f"argument {number}: {type_}: {error}") from None
    return value.item()


def _check(step: Any, env: list[Any]) -> None:
    """What the IR takes for granted of extents: nobody has checked it for IR from a file."""
    if isinstance(step, KernelStep):
        for o, extents in step.checks:
            v = env[o.slot]
            if o.role in (IN_DENSE, IN_STRIDED, INOUT, OUT_STRIDED):
                _check_operand(step.name, v, o.dims, shape_of(env, extents))
    elif isinstance(step, InsertStep):
        dyn = [d if isinstance(d, int) else env[d[0]] for d in step.dyn]
        _check_view("slice", env[step.base].shape, dyn)
        rank = len(env[step.base].shape)
        if step.value >= 0 and env[step.value].shape != tuple(dyn[rank : 2 * rank]):
            raise RunError(
                f"insert_slice: a value of shape {env[step.value].shape} for {dyn[rank : 2 * rank]}"
            )
    elif isinstance(step, ViewStep):
        dyn = [d if isinstance(d, int) else env[d[0]] for d in step.dyn]
        _check_view(step.op, env[step.source].shape, dyn)


def _check_operand(name: str, v: Value, dims: Any, extents: tuple[int, ...]) -> None:
    if dims is None:
        same = v.shape == extents
    else:
        same = all(d < 0 or v.shape[d] == e for d, e in zip(dims, extents, strict=True))
    if not same:
        raise RunError(f"{name}: an operand of shape {v.shape} meets extents {extents}")


def _check_view(op: str, shape: tuple[int, ...], dyn: list[int]) -> None:
    if any(d < 0 for d in dyn) and op != "slice":
        raise RunError(f"{op}: a negative extent in {dyn}")
    if op == "reshape":
        if prod(dyn) != prod(shape):
            raise RunError(f"reshape: {shape} has not the elements of {tuple(dyn)}")
    elif op == "broadcast":
        for extent, target in zip(shape, dyn[len(dyn) - len(shape) :], strict=True):
            if extent not in (1, target):
                raise RunError(f"broadcast: {shape} does not broadcast to {tuple(dyn)}")
    elif op == "slice":
        rank = len(shape)
        for extent, start, size, step in zip(
            shape, dyn, dyn[rank : 2 * rank], dyn[2 * rank :], strict=False
        ):
            last = start + (size - 1) * step
            if size < 0 or step == 0 or (size and not (0 <= start < extent and 0 <= last < extent)):
                raise RunError(
                    f"slice: {size} elements from {start} by {step} leave an extent of {extent}"
                )
