# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plans in a file: the lowered code of compiled blocks, and what their steps do.

The key of a saved plan has no number of this process in it, and the target in place of the device,
so that a plan made on one GPU serves all of its kind. What is read of a file is a Python literal
and MLIR bytecode; the latter becomes machine code that is run, so load only what you trust.
"""

from __future__ import annotations

import ast
import hashlib
import zipfile
from typing import Any

import numpy as np

from ..dtypes import DTYPES
from ..ir.device import CPU
from ..ir.value import Value
from ..runtime.memory import from_numpy, to_numpy
from ..runtime.statistics import statistics
from ..runtime.steps import BackendStep, ConstantStep, KernelStep, Operand, Result
from ..runtime.views import ViewStep

# Of what is written here, and of the lowered code: change it when either changes.
FORMAT = "pyfusion plans 1"

_loaded: dict[str, tuple[str, bytes]] = {}


def stable_key(block: Any) -> str:
    """What decides the code of a block, the same in every process."""
    ops = []
    for v in block.queue:
        op, args, attrs, dyn, _ = v.record
        slots = [a.slot if isinstance(a, Value) else "scalar" for a in args]
        ops.append((op.kind, op.name, v.dtype.name, _mask(v), slots, attrs, len(dyn)))
    leaves = [(leaf.dtype.name, leaf.strides is None, _mask(leaf)) for leaf in block.leaves]
    text = repr(
        (FORMAT, block.device.target, block.device is CPU, block.precision, ops, leaves)
        + (list(block.survivors), list(block.dying))
    )
    return hashlib.sha256(text.encode()).hexdigest()


def _mask(v: Value) -> tuple[bool, ...]:
    return tuple([d == 1 for d in v.shape])


# --- Steps as literals ----------------------------------------------------------------------------


def describe(program: Any, block: Any, variants: dict[str, Any], refusals: list[str]) -> str:
    """A program as the text of a Python literal."""
    return repr(
        {
            "slots": program.slots,
            "results": program.results,
            "steps": [_describe_step(step) for step in program.steps],
            "variants": variants,
            "refusals": refusals,
        }
    )


def _describe_step(step: Any) -> tuple:
    if isinstance(step, KernelStep):
        operands = [(o.role, o.slot, o.itemsize, o.dims, o.code) for o in step.operands]
        results = [(r.slot, r.dtype.name, r.extents, r.takes_over) for r in step.results]
        return (
            "kernel",
            step.name,
            step.spec,
            step.extents,
            operands,
            results,
            step.flat,
            step.ops,
        )
    if isinstance(step, BackendStep):
        return ("backend", step.number, step.args, step.dyn, step.dtype.name, step.target)
    if isinstance(step, ConstantStep):
        v = step.value
        array = to_numpy(v) if v.buffer.device is CPU else v.buffer.device.runtime.download(v)
        return ("constant", step.target, v.dtype.name, v.shape, array.tobytes())
    return ("view", step.op, step.source, step.target, step.attrs, step.dyn)


def _restore(known: dict[str, Any], block: Any, engine: Any) -> Any:
    from .makers import maker
    from .program import Program

    device = block.device
    make = maker(device.kind)
    program = Program(device)
    program.slots = known["slots"]
    program.results = known["results"]
    for kind, *rest in known["steps"]:
        step: Any
        if kind == "kernel":
            name, spec, extents, given, made, flat, ops = rest
            native = make.kernel(engine, device, name, spec, known["variants"])
            operands = [
                Operand(role, slot, item, dims, code) for role, slot, item, dims, code in given
            ]
            results = [Result(s, DTYPES[dtype], e, over) for s, dtype, e, over in made]
            about = (extents, operands, results, flat, ops)
            step = make.step(name, native, spec, device, *about)
        elif kind == "backend":
            number, args, dyn, dtype, target = rest
            op, _, attrs, _, _ = block.queue[number].record
            step = BackendStep(op, args, attrs, dyn, DTYPES[dtype], number)
            step.device = device
            step.target = target
        elif kind == "constant":
            target, dtype, shape, data = rest
            array = np.frombuffer(data, DTYPES[dtype].numpy).reshape(shape)
            value = from_numpy(array) if device is CPU else device.runtime.upload(array)
            step = ConstantStep(target, value)
        else:
            step = ViewStep(*rest)
        program.steps.append(step)
    return program


# --- Files ----------------------------------------------------------------------------------------


def find(block: Any) -> Any:
    """The compiled block of a loaded plan, or None."""
    if not _loaded:
        return None
    key = stable_key(block)
    known = _loaded.get(key)
    if known is None:
        return None
    from mlir import ir

    from .compiled import CompiledBlock
    from .context import context
    from .makers import maker

    text, code = known
    about = ast.literal_eval(text)
    engine = None
    if code:
        with context(), ir.Location.unknown():
            engine = maker(block.device.kind).engine(ir.Module.parse(code))
    compiled = CompiledBlock(_restore(about, block, engine), block, engine, about["refusals"])
    compiled.saved = (key, text, code)
    statistics.loaded += 1
    return compiled


def write(path: Any, compiled: list[Any]) -> int:
    """Writes the compiled blocks that were kept; gives their number."""
    kept = {block.saved[0]: block.saved for block in compiled if block.saved is not None}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("format", FORMAT)
        for key, text, code in kept.values():
            file.writestr(f"{key}.plan", text)
            file.writestr(f"{key}.mlirbc", code)
    return len(kept)


def read(path: Any) -> int:
    """Reads plans for later blocks; gives their number.

    Raises:
        ValueError: the file holds no plans, or those of another version.
    """
    try:
        with zipfile.ZipFile(path) as file:
            found = file.read("format").decode()
            if found != FORMAT:
                raise ValueError(f"{path}: {found!r}, this version reads {FORMAT!r}")
            names = [n.removesuffix(".plan") for n in file.namelist() if n.endswith(".plan")]
            plans = {n: (file.read(f"{n}.plan").decode(), file.read(f"{n}.mlirbc")) for n in names}
    except (zipfile.BadZipFile, KeyError) as error:
        raise ValueError(f"{path} holds no plans: {error}") from None
    _loaded.update(plans)
    return len(plans)
