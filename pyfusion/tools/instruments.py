# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tools show of a running pipeline."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from .diagnostics import Diagnostic, is_whole, position
from .isolate import Note

if TYPE_CHECKING:
    from mlir import ir

__all__ = ["Dump", "Printer", "Teller", "Timer", "of_pass"]


class Teller:
    """Says which pass runs, in case that it stops the process."""

    def __init__(self, note: Note):
        self.note = note

    def before(self, name: str, module: ir.Module) -> None:
        self.note(name)

    def after(self, name: str, module: ir.Module, seconds: float) -> None:
        pass


def of_pass(found: list[Diagnostic], module: ir.Module | None, name: str) -> list[Diagnostic]:
    """Diagnostics of a pass: what is about the whole module names the pass, and shows no module."""
    if module is None or not name:
        return found
    from ..passes.mlir_options import known_options

    place = position(module.operation.location)
    return [
        replace(d, message=f"{name}: {d.message}{known_options(name)}")
        if d.kind == "error" and (d.line, d.column) == place
        else d
        for d in found
        if not is_whole(d, "builtin.module")
    ]


class Printer:
    """--print-ir-after-all: the IR after each pass, on stderr."""

    def __init__(self, generic: bool):
        self.generic = generic

    def before(self, name: str, module: ir.Module) -> None:
        pass

    def after(self, name: str, module: ir.Module, seconds: float) -> None:
        text = module.operation.get_asm(print_generic_op_form=self.generic)
        print(f"// -----// IR Dump After {name} //----- //\n{text}", file=sys.stderr, flush=True)


class Timer:
    """--timing: the time of each pass."""

    def __init__(self) -> None:
        self.times: list[tuple[str, float]] = []

    def before(self, name: str, module: ir.Module) -> None:
        pass

    def after(self, name: str, module: ir.Module, seconds: float) -> None:
        self.times.append((name, seconds))

    def text(self) -> str:
        total = sum(seconds for _, seconds in self.times)
        rows = [*self.times, ("total", total)]
        lines = [
            f"{seconds * 1e3:10.3f} ms  {100 * seconds / (total or 1):5.1f}%  {name}"
            for name, seconds in rows
        ]
        return "\n".join(["      time          of  pass", *lines])


class Dump:
    """--dump-dir: a numbered file for each pass or phase."""

    def __init__(self, folder: Path, chunk: int | None):
        self.folder = folder if chunk is None else folder / f"chunk{chunk}"
        self.folder.mkdir(parents=True, exist_ok=True)
        self.count = 0

    def before(self, name: str, module: ir.Module) -> None:
        pass

    def after(self, name: str, module: ir.Module, seconds: float) -> None:
        self.write(name, module)

    def write(self, name: str, module: ir.Module) -> None:
        """Writes the IR as `NUMBER-NAME.mlir`."""
        short = re.split(r"[({]", name)[0]
        path = self.folder / f"{self.count}-{short}.mlir"
        path.write_text(f"// {name}\n{module}\n")
        self.count += 1
