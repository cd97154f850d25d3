# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command line of pyfusion-opt."""

from __future__ import annotations

import argparse
import dataclasses
import inspect
from typing import NoReturn

from ..passes import Pipeline, PipelineError, parse_pipeline, pass_class, pass_names, phases
from ..passes.registry import suggestion
from .files import add_version, file_name

__all__ = ["Arguments", "pipelines"]


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise PipelineError(message)


def _parser() -> _Parser:
    parser = _Parser(
        prog="pyfusion-opt",
        description="Runs passes on a file of MLIR. Each pass is a flag too: --cse, "
        "--fusion-merge-elementwise=max-ops=8; flags run in the order in which they are given.",
        allow_abbrev=False,
    )
    add_version(parser)
    add = parser.add_argument
    add(
        "input",
        nargs="?",
        default="-",
        type=file_name,
        metavar="FILE",
        help="text or bytecode; - is stdin",
    )
    add(
        "-o", dest="output", default="-", type=file_name, metavar="FILE", help="the result (stdout)"
    )
    add("--pass-pipeline", default="", metavar="TEXT", help="'builtin.module(cse,...)'")
    add(
        "--target",
        metavar="TARGET",
        help="run the whole pipeline of cpu, cuda[:sm_90] or rocm[:gfx942]",
    )
    add("--start-after", metavar="PHASE", help="the phase of the target's pipeline FILE comes from")
    add("--stop-after", metavar="PHASE", help="the last phase of the target's pipeline to run")
    add("--load", action="append", default=[], metavar="MODULE", help="a module or .py of passes")
    add("--list-passes", action="store_true", help="print the Python passes and their options")
    add("--split-input-file", action="store_true", help="work on each part between // -----")
    add("--verify-diagnostics", action="store_true", help="check // expected-error {{...}}")
    add("--verify-each", type=_boolean, default=True, metavar="BOOL", help="after each pass: true")
    add("--print-ir-after-all", action="store_true", help="print the IR after each pass")
    add("--print-refusals", action="store_true", help="say what was not merged, and why")
    add("--timing", action="store_true", help="print the time of each pass")
    add(
        "--dump-dir",
        type=file_name,
        metavar="DIR",
        help="write a file after each pass, or phase of a target",
    )
    add("--emit-bytecode", action="store_true", help="write bytecode")
    add("--mlir-print-op-generic", action="store_true", help="print the generic form")
    add("--mlir-print-debuginfo", action="store_true", help="print locations")
    add("--allow-unregistered-dialect", action="store_true", help="parse unknown operations")
    return parser


def _boolean(text: str) -> bool:
    if text.lower() in ("1", "true"):
        return True
    if text.lower() in ("0", "false"):
        return False
    raise argparse.ArgumentTypeError(f"takes true or false, not {text!r}")


class Arguments:
    """The parsed command line; `flags` are those of passes, name and options."""

    input: str
    output: str
    pass_pipeline: str
    target: str | None
    start_after: str | None
    stop_after: str | None
    load: list[str]
    list_passes: bool
    split_input_file: bool
    verify_diagnostics: bool
    verify_each: bool
    print_ir_after_all: bool
    print_refusals: bool
    timing: bool
    dump_dir: str | None
    emit_bytecode: bool
    mlir_print_op_generic: bool
    mlir_print_debuginfo: bool
    allow_unregistered_dialect: bool

    def __init__(self, argv: list[str]):
        parser = _parser()
        own = {o for action in parser._actions for o in action.option_strings}
        rest: list[str] = []
        self.flags: list[tuple[str, str]] = []
        for word in argv:
            flag, _, value = word.partition("=")
            if flag.startswith("--") and flag != "--" and flag not in own:
                self.flags.append((flag[2:], value))
            else:
                rest.append(word)
        parser.parse_args(rest, namespace=self)
        self.options = own
        ways = [self.pass_pipeline != "", self.target is not None, bool(self.flags)]
        if sum(ways) > 1:
            raise PipelineError("give --pass-pipeline, --target or flags of passes, not several")
        for flag in ("start_after", "stop_after"):
            if getattr(self, flag) is not None and self.target is None:
                raise PipelineError(f"--{flag.replace('_', '-')} needs --target")

    def passes_text(self) -> str:
        """What --list-passes prints."""
        lines = []
        for name in pass_names():
            cls = pass_class(name)
            summary = (inspect.getdoc(cls) or "").split("\n")[0]
            lines.append(f"--{name}\n    {summary}")
            for field in dataclasses.fields(cls):  # type: ignore[arg-type]
                option = f"{field.name.replace('_', '-')}={field.default}".lower()
                lines.append(f"      {option}: {field.metadata.get('doc', '')}")
        return "\n".join(lines)


def pipelines(arguments: Arguments) -> list[tuple[str, Pipeline]]:
    """What to run, in steps with names; MLIR has to be loaded."""
    if arguments.target is not None:
        return _phases(arguments)
    if arguments.pass_pipeline:
        return [("", parse_pipeline(arguments.pass_pipeline))]
    return [("", Pipeline(_flag(name, value, arguments) for name, value in arguments.flags))]


def _phases(arguments: Arguments) -> list[tuple[str, Pipeline]]:
    assert arguments.target is not None
    known = phases(arguments.target, cubin="cubin" in (arguments.start_after, arguments.stop_after))
    names = [phase.name for phase in known]
    start, stop = arguments.start_after, arguments.stop_after
    stop = names[-1] if stop is None else stop
    for name in (start, stop):
        if name is not None and name not in names:
            raise PipelineError(
                f"no phase {name!r}{suggestion(name, names)}; the phases are {', '.join(names)}"
            )
    first, end = 0 if start is None else names.index(start) + 1, names.index(stop) + 1
    if first >= end:
        raise PipelineError(f"no phase after {start} and up to {stop}")
    return [(phase.name, Pipeline(phase.passes)) for phase in known[first:end]]


def _flag(name: str, value: str, arguments: Arguments) -> str:
    """The element of a pipeline that the flag of a pass stands for."""
    element = f"{name}{{{value}}}" if value else name
    if name in pass_names():
        return element
    from mlir.passmanager import PassManager

    from ..passes.mlir_options import explained, mlir_names

    messages = []
    for text in (element, f"func.func({element})", f"gpu.module({element})"):
        try:
            PassManager.parse(f"builtin.module({text})")
            return text
        except ValueError as error:
            if "does not refer to a registered pass" in str(error):
                break
            messages.append(explained(str(error)))
    else:
        raise PipelineError(messages[0])
    known = [*arguments.options, *(f"--{n}" for n in [*pass_names(), *mlir_names()])]
    raise PipelineError(f"unknown flag --{name}{suggestion('--' + name, known)}")
