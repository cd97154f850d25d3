# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What pyfusion-compile does in its child process."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import PyfusionError
from ..passes import PassContext, Pipeline, PipelineError, Target, parse_target, phases
from ..passes.registry import suggestion
from ..toolchains import host, rocm
from .diagnostics import Diagnostic, from_mlir, rendered

if TYPE_CHECKING:
    from mlir import ir

__all__ = ["EMITS", "Failure", "run"]

EMITS = {
    "cpu": ("asm", "llvm", "obj"),
    "cuda": ("ptx", "cubin", "asm", "llvm", "obj"),
    "rocm": ("hsaco", "asm", "llvm", "obj"),
}

# The last phase to run for what is emitted; without one, all.
_LAST = {
    ("cuda", "ptx"): "ptx",
    ("cuda", "asm"): "ptx",
    ("cuda", "cubin"): "cubin",
    ("cuda", "llvm"): "nvvm",
    ("rocm", "hsaco"): "hsaco",
    ("rocm", "asm"): "rocdl",
    ("rocm", "llvm"): "rocdl",
}

_TRIPLES = {"cuda": "nvptx64-nvidia-cuda", "rocm": rocm.TRIPLE}


class Failure(Exception):
    """Lines to tell the user, with exit code 1."""


def _wrong(message: object) -> Failure:
    return Failure(f"pyfusion-compile: error: {message}")


def run(file: str, target_text: str, emit: str, output: str) -> None:
    """Compiles a file and writes the result.

    Raises:
        Failure: a wrong target or kind of output, a file without kernels, a program that is
            missing, anything that a pass finds.
    """
    try:
        target = parse_target(target_text)
    except PipelineError as error:
        raise _wrong(error) from None
    _check_emit(target, emit)
    name = "<stdin>" if file == "-" else file
    try:
        data = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as error:
        raise _wrong(f"{file}: {error.strerror or error}") from None
    result = _compiled(data, name, target, emit)
    try:
        if output == "-":
            sys.stdout.buffer.write(result)
        else:
            Path(output).write_bytes(result)
    except OSError as error:
        raise _wrong(f"{output}: {error.strerror or error}") from None


def _check_emit(target: Target, emit: str) -> None:
    known = EMITS[target.name]
    if emit in known:
        return
    others = [name for name, emits in EMITS.items() if emit in emits]
    if others:
        hint = f"; --emit={emit} goes with --target={' or '.join(others)}"
    else:
        hint = suggestion(emit, known)
    raise _wrong(
        f"--emit={emit} makes no sense for --target={target.name}, which has {', '.join(known)}"
        f"{hint}"
    )


def _compiled(data: bytes, name: str, target: Target, emit: str) -> bytes:
    """The output for a file's contents."""
    from ..dialects import load

    load()
    from mlir import ir

    found: list[Diagnostic] = []

    def keep(diagnostic: Any) -> bool:
        found.extend(from_mlir(diagnostic))
        return True

    context = ir.Context()
    context.enable_multithreading(False)
    handler = context.attach_diagnostic_handler(keep)
    try:
        with context, ir.Location.unknown():
            module = ir.Module.parse(data, context)
            return _lowered(module, target, emit)
    except ir.MLIRError as error:
        for diagnostic in error.error_diagnostics:
            found.extend(from_mlir(diagnostic))
        if not found:
            raise _wrong(str(error).strip()) from None
        lines = data.decode(errors="replace").split("\n")
        raise Failure("\n".join(rendered(d, name, lines) for d in found)) from None
    except (PipelineError, PyfusionError) as error:
        raise _wrong(error) from None
    finally:
        handler.detach()


def _lowered(module: ir.Module, target: Target, emit: str) -> bytes:
    from ..passes.gpu_binaries import llvm_ir, objects

    _run_phases(module, target, emit)
    if target.name == "cpu" or emit == "obj":
        _export(module)
        text = llvm_ir(module.operation)
        if emit == "llvm":
            return text.encode()
        return host.assembly(text).encode() if emit == "asm" else host.object_file(text)

    for _, found in objects(module):
        data: bytes = found.object
        return data.rstrip(b"\0") if emit in ("ptx", "asm") else data
    for op in (o.operation for o in module.body.operations):
        if op.name == "gpu.module":
            text = llvm_ir(op, _TRIPLES[target.name])
            if emit == "llvm":
                return text.encode()
            return rocm.assembly(text, target.chip, target.features).encode()
    raise AssertionError("the kernels are gone")


def _run_phases(module: ir.Module, target: Target, emit: str) -> None:
    """Runs the phases up to the last one that is needed."""
    passes = PassContext()
    for phase in phases(target, cubin=emit == "cubin"):
        Pipeline(phase.passes).run(module, passes)
        if phase.name == "outlined":
            _check_kernels(module)
        elif phase.name == "gpu":
            _check_modules(module)
        if phase.name == _LAST.get((target.name, emit)):
            break


def _check_kernels(module: ir.Module) -> None:
    operations = [o.operation for o in module.body.operations]
    if not any(o.name == "gpu.module" or "fusion.kernel" in o.attributes for o in operations):
        raise _wrong("the file has no operation that becomes a kernel")


def _check_modules(module: ir.Module) -> None:
    if [o.operation.name for o in module.body.operations].count("gpu.module") > 1:
        raise _wrong("the file has several gpu.modules; a file of code is made of one")


def _export(module: ir.Module) -> None:
    """Lets LLVM keep the functions: those of kernels for the JIT may go if nothing calls them."""
    from mlir import ir

    for op in (o.operation for o in module.body.operations):
        if op.name == "llvm.func" and op.regions[0].blocks:
            op.attributes["linkage"] = ir.Attribute.parse("#llvm.linkage<external>")
