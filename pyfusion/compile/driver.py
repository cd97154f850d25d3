# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Drives a block from records to a compiled block, phase by phase."""

from __future__ import annotations

import io
import itertools
import os
import tempfile
import warnings
from pathlib import Path
from typing import Any

from ..config import config
from ..errors import CompileError, message
from ..ir.device import CPU
from ..runtime.statistics import statistics
from ..tracing import span
from .context import context
from .makers import maker

_numbers = itertools.count()


class Compilation:
    """One block on its way through the phases.

    Attributes:
        texts: IR after each phase that was kept, by the phase's name.
        refusals: why neighbours were not merged.
    """

    def __init__(self, block: Any, keep: bool = False):
        self.block = block
        self.keep = keep or bool(config.dump_dir) or config.debug >= 4
        self.texts: dict[str, str] = {}
        self.refusals: list[Any] = []
        self.module: Any = None
        self.shapes: dict[str, Any] = {}
        self.variants: dict[str, dict[str, Any]] = {}  # of GPU kernels
        self.code = b""  # the lowered module, where plans are kept
        self.device = CPU if block is None else block.device
        self._phase = "fusion"

    def emit(self) -> None:
        """The block as `fusion` operations."""
        from .emit import emit

        with span("compile.fusion"):
            self.module = emit(self.block)
        self._note("fusion")

    def run(self, phase: str) -> None:
        """Runs a phase's passes."""
        from ..passes import PassContext

        self._phase = phase
        passes = PassContext()
        try:
            with span(f"compile.{phase}"):
                self._phases()[phase].run(self.module, passes)
        except BaseException:
            self._phase = f"{phase}: {passes.current}"
            raise
        self.refusals += passes.refusals
        self._note(phase)

    def _note(self, phase: str) -> None:
        if self.keep:
            self.texts[phase] = str(self.module)

    def to_outlined(self) -> None:
        """Merges and outlines the kernels."""
        self.emit()
        for phase in ("merged", "outlined"):
            self.run(phase)

    def _phases(self) -> dict[str, Any]:
        return maker(self.device.kind).phases(self.device)

    def to_llvm(self) -> None:
        """Lowers the kernels for the device, `@main` having been read."""
        for phase, pipeline in list(self._phases().items())[3:]:
            self.run(phase)
            text = str(pipeline)
            if "fusion-flatten-kernels" in text:
                self.shapes = _kernel_shapes(self.module)
            if "convert-linalg-to-gpu" in text:
                from .gpu import variants_of

                self.variants = variants_of(self.module)

    def compile(self) -> Any:
        """The block as an optimization."""
        from .compiled import CompiledBlock

        self.to_outlined()
        program, engine = self.build(arguments_of(self.block), self.block.queue)
        refusals = [r.message for r in self.refusals]
        compiled = CompiledBlock(program, self.block, engine, refusals)
        if config.keep_plans:
            from .saved import describe, stable_key

            compiled.saved = (
                stable_key(self.block),
                describe(program, self.block, self.variants, refusals),
                self.code,
            )
        return compiled

    def build(self, arguments: list[Any], queue: list[Any], entry: str = "main") -> tuple[Any, Any]:
        """The outlined module as a program, and the owner of its machine code.

        Args:
            arguments: what `entry` is called with; their layouts are built into the program.
            queue: the block's pending values; empty for IR that no block was the source of.
        """
        device = self.device
        make = maker(device.kind)
        reader = make.reader(self.module, arguments, queue, entry, device)
        engine = None
        if reader.program.kernels:
            self.to_llvm()
            self._phase = "jit"
            if config.keep_plans:
                code = io.BytesIO()
                self.module.operation.write_bytecode(code)
                self.code = code.getvalue()
            with span("compile.jit"):
                engine = make.engine(self.module)
        self.module = None

        def handle(name: str, spec: dict[str, Any]) -> Any:
            return make.kernel(engine, device, name, spec, self.variants)

        return reader.finish(self.shapes, handle), engine

    def dump(self, folder: str | Path) -> Path:
        """Writes the IR of the phases kept so far; gives the block's folder."""
        place = Path(folder) / f"{os.getpid()}-block{next(_numbers):04}"
        place.mkdir(parents=True, exist_ok=True)
        for number, (phase, text) in enumerate(self.texts.items()):
            (place / f"{number}-{phase}.mlir").write_text(text)
        return place


def arguments_of(block: Any) -> list[Any]:
    """What a block's function is called with."""
    return [*block.leaves, *block.scalars, *block.dyn]


def _kernel_shapes(module: Any) -> dict[str, Any]:
    from mlir import ir

    from .kernel_shape import KernelShape

    functions = {
        ir.StringAttr(op.operation.attributes["sym_name"]).value: op.operation
        for op in module.body.operations
    }
    return {
        name: KernelShape(func, functions.get(f"{name}_finish"))
        for name, func in functions.items()
        if "fusion.kernel" in func.attributes
    }


def compile_block(block: Any) -> Any:
    """Compiles a block for its device, or finds it among the loaded plans.

    Raises:
        CompileError: with the phase, the diagnostics and the path of a reproducer.
    """
    from . import saved

    known = saved.find(block)
    if known is not None:
        return known
    statistics.compiles += 1
    from mlir import ir

    with context(), ir.Location.unknown():
        compilation = Compilation(block)
        try:
            with span("compile", operations=len(block.queue), device=block.device.name):
                compiled = compilation.compile()
        except CompileError as error:
            error.dump_path = _reproducer(compilation)
            raise
        except Exception as error:
            raise CompileError(
                compilation._phase,
                [f"{type(error).__name__}: {message(error)}"],
                _reproducer(compilation),
            ) from error
        finally:
            compilation.module = None
    if config.dump_dir:
        try:
            compilation.dump(config.dump_dir)
        except OSError as error:
            warnings.warn(f"PYFUSION_DUMP_DIR: {error}", RuntimeWarning, stacklevel=2)
    if config.debug >= 4:
        import sys

        for phase, text in compilation.texts.items():
            if phase == "outlined" or config.debug >= 5:
                print(f"// pyfusion: {phase}\n{text}", file=sys.stderr)
    return compiled


def _reproducer(compilation: Compilation) -> str | None:
    """A file with the block's IR and the command that runs the same passes on it."""
    from .emit import emit

    try:
        text = compilation.texts.get("fusion") or str(emit(compilation.block))
        with tempfile.NamedTemporaryFile(
            "w", prefix="pyfusion-", suffix=".mlir", delete=False
        ) as file:
            target = compilation.device.target
            file.write(f"// pyfusion-opt --target={target} --stop-after=llvm THIS_FILE\n")
            file.write(text)
        return file.name
    except Exception:  # it is an extra: the failure itself must come through
        return None
