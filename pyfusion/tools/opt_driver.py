# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What pyfusion-opt does, in the child process."""

from __future__ import annotations

import re
import sys
import traceback
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from ..errors import CompileError
from ..passes import InputError, PassContext, Pipeline, PipelineError
from ..passes.mlir_options import captured_stderr
from .diagnostics import Diagnostic, from_mlir, mismatches, of_error, position, rendered
from .files import ToolError, check_names, load_modules, parse, read, shown, write
from .instruments import Dump, Printer, Teller, Timer, of_pass
from .isolate import Note
from .opt_arguments import Arguments, pipelines

if TYPE_CHECKING:
    from mlir import ir

__all__ = ["run"]


def run(argv: list[str], note: Note) -> int:
    """Runs the tool on a command line; gives the exit code."""
    try:
        arguments = Arguments(argv)
        if arguments.list_passes:
            write("-", arguments.passes_text().encode() + b"\n")
            return 0
        load_modules(arguments.load)
        return _run(arguments, note)
    except (PipelineError, ToolError) as error:
        print(f"pyfusion-opt: error: {error}", file=sys.stderr)
        return 1


def _run(arguments: Arguments, note: Note) -> int:
    source = read(arguments.input)
    from ..dialects import load

    load()
    from mlir import ir

    chunks = _chunks(source, arguments)
    with ir.Context() as context:
        context.enable_multithreading(False)
        context.allow_unregistered_dialects = arguments.allow_unregistered_dialect
        with captured_stderr() as said:  # errors repeat what MLIR says there
            steps = pipelines(arguments)
            for _, pipeline in steps:
                pipeline.check(context)
        sys.stderr.write("".join(said))
        runs = [_Run(arguments, context, steps, note, n, chunk) for n, chunk in enumerate(chunks)]
        good = [one.run() for one in runs]
    outputs = [one.output for one in runs if one.output is not None]
    if outputs:
        if arguments.emit_bytecode and len(outputs) > 1:
            raise ToolError("--emit-bytecode writes one module, and the parts of the file are more")
        write(arguments.output, b"// -----\n".join(outputs))
    return 0 if all(good) else 1


def _chunks(text: str | bytes, arguments: Arguments) -> list[str | bytes]:
    """The parts between lines `// -----`, each behind as many line ends as there are before it."""
    if isinstance(text, bytes) or not arguments.split_input_file:
        return [text]
    chunks: list[str | bytes] = []
    start = 0
    for end in [*(m for m in re.finditer(r"^// -----.*$", text, re.M)), None]:
        stop = len(text) if end is None else end.start()
        chunks.append("\n" * text.count("\n", 0, start) + text[start:stop])
        start = stop if end is None else end.end()
    return chunks


class _Run:
    """One chunk of the input on its way through the passes."""

    def __init__(
        self,
        arguments: Arguments,
        context: ir.Context,
        steps: list[tuple[str, Pipeline]],
        note: Note,
        number: int,
        source: str | bytes,
    ):
        self.arguments = arguments
        self.context = context
        self.steps = steps
        self.note = note
        self.name = shown(arguments.input, "stdin")
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
        module = None
        try:
            self.note(f"{self.name}, which it reads")
            module = parse(self.source, self.name, self.context)
            with self.context, ir.Location.unknown():
                self._run_passes(module, passes)
                self.note(f"the output of {self.name}")
                self.output = self._printed(module)
        except ir.MLIRError as error:
            if error.error_diagnostics or not any(d.kind == "error" for d in self.found):
                self.found.extend(of_pass(of_error(error), module, passes.current))
            return False
        except InputError as error:
            self.found.append(Diagnostic("error", str(error), *position(error.location)))
            return False
        except ToolError:
            raise
        except (CompileError, PipelineError) as error:  # what has an explanation
            self.found.append(Diagnostic("error", str(error)))
            return False
        except BrokenPipeError:
            raise
        except OSError as error:  # of --dump-dir
            where = f"{error.filename}: " if error.filename else ""
            raise ToolError(f"{where}{error.strerror or error}") from None
        except Exception as error:
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
        instruments: list[Any] = [Teller(self.note)]
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
            if arguments.target is None:
                dump.write("input", module)
                instruments.append(dump)
        if arguments.target is not None:
            check_names(module, self.name)
            _check_input(module, arguments)
        try:
            for phase, pipeline in self.steps:
                pipeline.run(module, passes, verify=arguments.verify_each, instruments=instruments)
                if dump and arguments.target is not None:
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


def _check_input(module: ir.Module, arguments: Arguments) -> None:
    from ..passes import parse_target
    from ..passes.phase_inputs import check_phase, check_target

    assert arguments.target is not None
    target = parse_target(arguments.target)
    check_target(module, target)
    check_phase(module, target, arguments.start_after)
