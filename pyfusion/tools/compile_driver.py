# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What pyfusion-compile does in its child process."""

from __future__ import annotations

import traceback
from typing import TYPE_CHECKING, Any

from ..errors import PyfusionError
from ..passes import (
    InputError,
    PassContext,
    Pipeline,
    PipelineError,
    Target,
    parse_target,
    phases,
)
from ..passes.registry import suggestion
from ..toolchains import host, rocm
from .diagnostics import Diagnostic, from_mlir, of_error, position, rendered
from .files import ToolError, check_names, parse, read, shown, write
from .instruments import Teller, of_pass
from .isolate import Note

if TYPE_CHECKING:
    from mlir import ir

__all__ = ["EMITS", "run"]

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


def run(
    file: str, target_text: str, emit: str, output: str, note: Note = lambda text: None
) -> None:
    """Compiles a file and writes the result.

    Raises:
        ToolError: a wrong target or kind of output, a file without kernels, a program that is
            missing, anything that a pass finds.
    """
    try:
        target = parse_target(target_text)
    except PipelineError as error:
        raise ToolError(error) from None
    _check_emit(target, emit)
    name = shown(file, "stdin")
    source = read(file)
    note(f"{name}, which it reads")
    write(output, _Compilation(source, name, target, emit, note).run())


def _check_emit(target: Target, emit: str) -> None:
    known = EMITS[target.name]
    if emit in known:
        return
    others = [name for name, emits in EMITS.items() if emit in emits]
    if others:
        hint = f"; --emit={emit} goes with --target={' or '.join(others)}"
    else:
        hint = suggestion(emit, known)
    raise ToolError(
        f"--emit={emit} makes no sense for --target={target.name}, which has {', '.join(known)}"
        f"{hint}"
    )


class _Compilation:
    """One file on its way to what is emitted."""

    def __init__(self, source: str | bytes, name: str, target: Target, emit: str, note: Note):
        self.source = source
        self.name = name
        self.target = target
        self.emit = emit
        self.note = note
        self.passes = PassContext()
        self.found: list[Diagnostic] = []

    def run(self) -> bytes:
        from ..dialects import load

        load()
        from mlir import ir

        context = ir.Context()
        context.enable_multithreading(False)
        handler = context.attach_diagnostic_handler(self._keep)
        module = None
        try:
            with context, ir.Location.unknown():
                module = parse(self.source, self.name, context)
                check_names(module, self.name)
                return self._lowered(module)
        except ir.MLIRError as error:
            if error.error_diagnostics or not self.found:
                self.found.extend(of_pass(of_error(error), module, self.passes.current))
        except InputError as error:
            self.found.append(Diagnostic("error", str(error), *position(error.location)))
        except (PipelineError, PyfusionError) as error:
            raise ToolError(error) from None
        except ToolError:
            raise
        except Exception as error:  # of a pass
            traceback.print_exc()
            raise ToolError(f"{self.passes.current}: {type(error).__name__}: {error}") from None
        finally:
            handler.detach()
        lines = self.source.split("\n") if isinstance(self.source, str) else []
        raise ToolError("\n".join(rendered(d, self.name, lines) for d in self.found), plain=True)

    def _keep(self, diagnostic: Any) -> bool:
        self.found.extend(from_mlir(diagnostic))
        return True

    def _lowered(self, module: ir.Module) -> bytes:
        from ..passes.gpu_binaries import ASSEMBLY, BINARY, llvm_ir, objects

        self._run_phases(module)
        emit, target = self.emit, self.target
        if target.name == "cpu" or emit == "obj":
            _export(module)
            text = llvm_ir(module.operation)
            if emit == "llvm":
                return text.encode()
            return host.assembly(text).encode() if emit == "asm" else host.object_file(text)

        text_wanted = emit in ("ptx", "asm")
        for op, found in objects(module):
            data: bytes = found.object
            if found.format != (ASSEMBLY if text_wanted else BINARY):
                raise InputError(f"the gpu.binary holds no {emit}", op.location)
            return data.rstrip(b"\0") if text_wanted else data
        for op in (o.operation for o in module.body.operations):
            if op.name == "gpu.module":
                text = llvm_ir(op, _TRIPLES[target.name])
                if emit == "llvm":
                    return text.encode()
                return rocm.assembly(text, target.chip, target.features).encode()
        raise ToolError(f"{self.name}: no kernel is left of it")

    def _run_phases(self, module: ir.Module) -> None:
        """Runs the phases up to the last one that is needed; not those that are behind the file."""
        from ..passes.phase_inputs import check_places, check_target, lowered_phase

        check_target(module, self.target)
        check_places(module)
        known = phases(self.target, cubin=self.emit == "cubin")
        names = [phase.name for phase in known]
        last = names.index(_LAST.get((self.target.name, self.emit), names[-1]))
        first = 0
        if start := lowered_phase(module, self.target):
            _check_modules(module)
            if start not in names or names.index(start) > last:
                raise ToolError(
                    f"{self.name} is of phase {start} already; --emit={self.emit} for "
                    f"{self.target.name} takes IR of phase {names[last]} or before"
                )
            first = names.index(start) + 1
        for phase in known[first : last + 1]:
            Pipeline(phase.passes).run(module, self.passes, instruments=[Teller(self.note)])
            if phase.name == "outlined":
                _check_kernels(module)
            elif phase.name == "gpu":
                _check_modules(module)
        self.note(f"--emit={self.emit}")


def _check_kernels(module: ir.Module) -> None:
    operations = [o.operation for o in module.body.operations]
    if not any(o.name == "gpu.module" or "fusion.kernel" in o.attributes for o in operations):
        raise ToolError("the file has no operation that becomes a kernel")


def _check_modules(module: ir.Module) -> None:
    found = [o.operation.name for o in module.body.operations]
    if found.count("gpu.module") + found.count("gpu.binary") > 1:
        raise ToolError("the file has several gpu.modules; a file of code is made of one")


def _export(module: ir.Module) -> None:
    """Lets LLVM keep the functions: those of kernels for the JIT may go if nothing calls them."""
    from mlir import ir

    for op in (o.operation for o in module.body.operations):
        if op.name == "llvm.func" and op.regions[0].blocks:
            op.attributes["linkage"] = ir.Attribute.parse("#llvm.linkage<external>")
