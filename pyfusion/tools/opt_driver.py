# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What pyfusion-opt does, in the child process."""

from __future__ import annotations

import re
import sys
import traceback
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from ..errors import CompileError
from ..passes import InputError, PassContext, Pipeline, PipelineError, load_passes
from .diagnostics import Diagnostic, from_mlir, mismatches, position, rendered
from .opt_arguments import Arguments, pipelines
from .opt_instruments import Dump, Printer, Timer

if TYPE_CHECKING:
    from mlir import ir

__all__ = ["run"]

_BYTECODE = b"ML\xefR"


class _Failure(Exception):
    """Something to tell the user, with exit code 1."""


def run(argv: list[str]) -> int:
    """Runs the tool on a command line; gives the exit code."""
    try:
        arguments = Arguments(argv)
        if arguments.list_passes:
            print(arguments.passes_text())
            return 0
        for source in arguments.load:
            try:
                load_passes(source)
            except PipelineError:
                raise
            except Exception as error:
                raise _Failure(f"--load={source}: {type(error).__name__}: {error}") from None
        return _run(arguments)
    except (PipelineError, _Failure) as error:
        print(f"pyfusion-opt: error: {error}", file=sys.stderr)
        return 1


def _run(arguments: Arguments) -> int:
    data = _read(arguments.input)
    from ..dialects import load

    load()
    from mlir import ir

    name = "<stdin>" if arguments.input == "-" else arguments.input
    chunks: list[Any] = (
        [data] if data.startswith(_BYTECODE) else _chunks(_decoded(data, name), arguments)
    )
    with ir.Context() as context:
        context.enable_multithreading(False)
        context.allow_unregistered_dialects = arguments.allow_unregistered_dialect
        steps = pipelines(arguments)
        for _, pipeline in steps:
            pipeline.check(context)
        runs = [_Run(arguments, context, steps, name, n, chunk) for n, chunk in enumerate(chunks)]
        good = [one.run() for one in runs]
    outputs = [one.output for one in runs if one.output is not None]
    if outputs:
        _write(arguments, outputs)
    return 0 if all(good) else 1


def _read(path: str) -> bytes:
    try:
        return sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    except OSError as error:
        raise _Failure(f"{path}: {error.strerror or error}") from None


def _decoded(data: bytes, name: str) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise _Failure(f"{name}: not UTF-8 at byte {error.start}, and not bytecode") from None


def _chunks(text: str, arguments: Arguments) -> list[str]:
    """The parts between lines `// -----`, each behind as many line ends as there are before it."""
    if not arguments.split_input_file:
        return [text]
    chunks, start = [], 0
    for end in [*(m for m in re.finditer(r"^// -----.*$", text, re.M)), None]:
        stop = len(text) if end is None else end.start()
        chunks.append("\n" * text.count("\n", 0, start) + text[start:stop])
        start = stop if end is None else end.end()
    return chunks


def _write(arguments: Arguments, outputs: list[bytes]) -> None:
    separator = b"" if arguments.emit_bytecode else b"// -----\n"
    data = separator.join(outputs)
    if arguments.output == "-":
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        return
    try:
        Path(arguments.output).write_bytes(data)
    except OSError as error:
        raise _Failure(f"{arguments.output}: {error.strerror or error}") from None


class _Run:
    """One chunk of the input on its way through the passes."""

    def __init__(
        self,
        arguments: Arguments,
        context: ir.Context,
        steps: list[tuple[str, Pipeline]],
        name: str,
        number: int,
        source: str | bytes,
    ):
        self.arguments = arguments
        self.context = context
        self.steps = steps
        self.name = name
        self.number = number
        self.source = source
        self.lines = source.split("\n") if isinstance(source, str) else []
        self.found: list[Diagnostic] = []
        self.output: bytes | None = None

    def run(self) -> bool:
        """Whether all went well; with --verify-diagnostics, as expected."""
        handler = self.context.attach_diagnostic_handler(self._keep)
        try:
            done = self._process()
        finally:
            handler.detach()
        wrong = self.found
        done = done and not any(d.kind == "error" for d in wrong)
        if self.arguments.verify_diagnostics:
            wrong = list(mismatches(self.found, self.lines))
            done = not wrong
        for diagnostic in wrong:
            print(rendered(diagnostic, self.name, self.lines), file=sys.stderr)
        return done

    def _keep(self, diagnostic: Any) -> bool:
        self.found.extend(from_mlir(diagnostic))
        return True

    def _process(self) -> bool:
        from mlir import ir

        passes = PassContext()
        try:
            module = ir.Module.parse(self.source, self.context)
            with self.context, ir.Location.unknown():
                self._run_passes(module, passes)
                self.output = self._printed(module)
        except ir.MLIRError as error:
            for diagnostic in error.error_diagnostics:
                self.found.extend(from_mlir(diagnostic))
            if not error.error_diagnostics and not any(d.kind == "error" for d in self.found):
                self.found.append(Diagnostic("error", str(error).strip()))
            return False
        except _Failure:
            raise
        except InputError as error:
            self.found.append(Diagnostic("error", str(error), *position(error.location)))
            return False
        except (CompileError, PipelineError) as error:  # what a pass has an explanation for
            self.found.append(Diagnostic("error", str(error)))
            return False
        except Exception as error:
            if isinstance(error, OSError):
                raise _Failure(str(error)) from None
            traceback.print_exc()
            message = f"{passes.current or 'input'}: {type(error).__name__}: {error}"
            self.found.append(Diagnostic("error", message))
            return False
        finally:
            if self.arguments.print_refusals:
                self.found.extend(
                    Diagnostic("remark", r.message, *position(r.location)) for r in passes.refusals
                )
        return True

    def _run_passes(self, module: ir.Module, passes: PassContext) -> None:
        arguments = self.arguments
        instruments: list[Any] = []
        if arguments.print_ir_after_all:
            instruments.append(Printer(arguments.mlir_print_op_generic))
        timer = Timer() if arguments.timing else None
        if timer:
            instruments.append(timer)
        dump = None
        if arguments.dump_dir:
            dump = Dump(
                Path(arguments.dump_dir), self.number if arguments.split_input_file else None
            )
            if not arguments.target:
                dump.write("input", module)
                instruments.append(dump)
        try:
            for phase, pipeline in self.steps:
                pipeline.run(module, passes, verify=arguments.verify_each, instruments=instruments)
                if dump and arguments.target:
                    dump.write(phase, module)
        finally:
            if timer:
                print(timer.text(), file=sys.stderr)

    def _printed(self, module: ir.Module) -> bytes:
        op = module.operation
        if self.arguments.emit_bytecode:
            import io

            stream: IO[bytes] = io.BytesIO()
            op.write_bytecode(stream)
            return stream.getvalue()  # type: ignore[attr-defined]
        text = op.get_asm(
            print_generic_op_form=self.arguments.mlir_print_op_generic,
            enable_debug_info=self.arguments.mlir_print_debuginfo,
        )
        return text.rstrip("\n").encode() + b"\n"
