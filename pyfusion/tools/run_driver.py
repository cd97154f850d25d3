# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What pyfusion-run does in its child process."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from mlir import ir

from ..compile.context import context
from ..compile.driver import Compilation
from ..compile.kernel_shape import element_dtype
from ..errors import PyfusionError
from ..ir.value import Value
from ..passes import PipelineError
from ..runtime.memory import from_numpy, to_numpy

__all__ = ["RunError", "run"]


class RunError(Exception):
    """A mistake in the file or in the arguments."""


def run(file: str, entry: str, arguments: list[str], output: str | None) -> None:
    """Compiles `entry`, calls it and prints or writes the results.

    Raises:
        RunError: the file, the function or an argument is not what it should be.
    """
    text = _read(file)
    with context(), ir.Location.unknown():
        try:
            module = ir.Module.parse(text)
        except ir.MLIRError as error:
            raise RunError(str(error)) from None
        values = _values(_function(module, entry), arguments)
        compilation = Compilation(None)
        compilation.module = module
        try:
            for phase in ("merged", "outlined"):
                compilation.run(phase)
            program, engine = compilation.build(values, [], entry)
            env = [*values, *[None] * (program.slots - len(values))]
            for step in program.steps:
                _check(step, env)
                step.run(env)
        except (ir.MLIRError, PipelineError, PyfusionError, MemoryError, ValueError) as error:
            raise RunError(str(error)) from None
        results = [to_numpy(env[slot]) for slot in program.results]
        for number, result in enumerate(results):
            if output is None:
                print(np.array2string(result, threshold=100))
            else:
                np.save(f"{output}{number}.npy", result)
        del engine


def _read(file: str) -> str:
    try:
        if file == "-":
            return sys.stdin.read()
        with open(file, encoding="utf-8") as stream:
            return stream.read()
    except (OSError, UnicodeDecodeError) as error:
        raise RunError(f"{file}: {error}") from None


def _function(module: ir.Module, entry: str) -> Any:
    for op in module.body.operations:
        o = op.operation
        if o.name == "func.func" and ir.StringAttr(o.attributes["sym_name"]).value == entry:
            if not o.regions[0].blocks:
                raise RunError(f"@{entry} has no body")
            return o
    raise RunError(f"there is no function @{entry}")


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
    except (OSError, ValueError) as error:
        raise RunError(f"argument {number}: {text}: {error}") from None
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
    name = "int64" if str(type_) == "index" else element_dtype(type_).name
    try:
        value = np.dtype(name).type(float(text) if name.startswith("float") else int(text))
    except (ValueError, OverflowError) as error:
        raise RunError(f"argument {number}: {type_}: {error}") from None
    return value.item()


def _check(step: Any, env: list[Any]) -> None:
    """Extents that the IR takes to be equal: nobody has checked them for IR from a file."""
    operands = getattr(step, "operands", None)
    if operands is None:
        return
    extents = step.shape(env, step.extents)
    for o in operands:
        v = env[o.slot]
        if not isinstance(v, Value) or o.role > 1:
            continue
        dims = o.dims if o.dims is not None else range(len(v.shape))
        seen = [extents[n] if d < 0 else v.shape[d] for n, d in enumerate(dims)]
        if tuple(seen) != extents[: len(seen)] and len(seen) == len(extents):
            raise RunError(f"{step.name}: an operand of shape {v.shape} meets extents {extents}")
