# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Diagnostics of MLIR as text, and against the expectations written in the input.

`// expected-error@+1 {{text}}` says that the next line has an error whose message contains the
text; also -warning, -remark and -note, @-N, @above, @below, @unknown, and -error-re, where what is
in inner {{}} is a regular expression.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mlir import ir

__all__ = ["Diagnostic", "from_mlir", "is_whole", "mismatches", "of_error", "position", "rendered"]


@dataclass(frozen=True)
class Diagnostic:
    """A message about a place in the input; line 0: the place is not known."""

    kind: str  # error, warning, remark or note
    message: str
    line: int = 0
    column: int = 0


def position(location: ir.Location) -> tuple[int, int]:
    """Line and column of a location; zeros, if it is not one of a file."""
    for _ in range(100):
        if location.is_a_file():
            return location.start_line, location.start_col
        if location.is_a_name():
            location = location.child_loc
        elif location.is_a_callsite():
            location = location.callee
        elif location.is_a_fused() and location.locations:
            location = location.locations[0]
        else:
            break
    return 0, 0


def from_mlir(diagnostic: Any) -> Iterator[Diagnostic]:
    """A diagnostic of the bindings and its notes."""
    kind = diagnostic.severity.name.lower()
    try:
        message = diagnostic.message
    except (RuntimeError, UnicodeDecodeError):  # of damaged bytecode
        message = "a message that is not UTF-8"
    yield Diagnostic(kind, message, *position(diagnostic.location))
    for note in diagnostic.notes:
        yield from from_mlir(note)


def of_error(error: ir.MLIRError) -> list[Diagnostic]:
    """The diagnostics that an exception carries; its own text if there are none."""
    found = [d for one in error.error_diagnostics for d in from_mlir(one)]
    return found or [Diagnostic("error", str(error).strip())]


def rendered(diagnostic: Diagnostic, name: str, lines: list[str]) -> str:
    """`FILE:LINE:COLUMN: error: message` and the line and a mark under the column."""
    head = f"{diagnostic.kind}: {_short(diagnostic.message)}"
    if not 0 < diagnostic.line <= len(lines) or diagnostic.message.startswith(_WHOLE_OPERATION):
        return f"{name}: {head}"
    line = lines[diagnostic.line - 1].rstrip("\r")
    text = line if len(line) <= _MOST_COLUMNS else line[:_MOST_COLUMNS] + "..."
    if not diagnostic.column:
        return f"{name}:{diagnostic.line}: {head}\n{text}"
    mark = "\n" + " " * (diagnostic.column - 1) + "^" if diagnostic.column <= len(text) + 1 else ""
    return f"{name}:{diagnostic.line}:{diagnostic.column}: {head}\n{text}{mark}"


# A note that MLIR adds to an error about an operation; it shows the operation's new state.
_WHOLE_OPERATION = "see current operation"

_MOST_LINES = 10  # of an operation with regions
_MOST_COLUMNS = 200  # of a line of the input


def is_whole(diagnostic: Diagnostic, name: str) -> bool:
    """Whether it is MLIR's note that shows a whole operation of that name."""
    text = diagnostic.message
    return text.startswith(_WHOLE_OPERATION) and text.partition(":")[2].lstrip()[1:].startswith(
        name
    )


def _short(message: str) -> str:
    lines = message.split("\n")
    if not message.startswith(_WHOLE_OPERATION) or len(lines) <= _MOST_LINES:
        return message
    return "\n".join([*lines[:_MOST_LINES], f"... ({len(lines) - _MOST_LINES} more lines)"])


_EXPECTED = re.compile(
    r"expected-(?P<kind>error|warning|remark|note)(?P<re>-re)?\s*"
    r"(?:@(?P<place>[+-]\d+|above|below|unknown))?\s*\{\{(?P<text>.*)\}\}"
)


# What is meant to be one.
_ATTEMPT = re.compile(r"//\s*expected-\w+")


@dataclass(frozen=True)
class _Expectation:
    kind: str
    text: str
    line: int  # 0: unknown
    stated: int  # line of the expectation itself
    regex: bool

    def fits(self, found: Diagnostic) -> bool:
        if found.kind != self.kind or found.line != self.line:
            return False
        if not self.regex:
            return self.text in found.message
        return re.search(self.pattern(), found.message) is not None

    def pattern(self) -> str:
        """The regular expression that a text with such in braces is."""
        parts = re.split(r"\{\{(.*?)\}\}", self.text)
        return "".join(p if i % 2 else re.escape(p) for i, p in enumerate(parts))


def _unreadable(lines: list[str]) -> Iterator[Diagnostic]:
    """An error for each line that is meant to state an expectation and does not."""
    for number, line in enumerate(lines, 1):
        if _ATTEMPT.search(line) and not _EXPECTED.search(line):
            yield Diagnostic(
                "error",
                "an expectation is written expected-error@+1 {{text}}; also -warning, -remark, "
                "-note, -error-re, and @-N, @above, @below, @unknown",
                number,
            )


def _expectations(lines: list[str]) -> list[_Expectation]:
    stated = {n: m for n, line in enumerate(lines, 1) if (m := _EXPECTED.search(line))}
    result = []
    for n, match in stated.items():
        place = match["place"] or "+0"
        if place == "unknown":
            line = 0
        elif place in ("above", "below"):
            step = -1 if place == "above" else 1
            line = n + step
            while line in stated:
                line += step
        else:
            line = n + int(place)
        result.append(_Expectation(match["kind"], match["text"], line, n, bool(match["re"])))
    return result


def mismatches(found: Iterable[Diagnostic], lines: list[str]) -> Iterator[Diagnostic]:
    """An error for each diagnostic that was not expected and each expected one that is missing."""
    yield from _unreadable(lines)
    open_ = []
    for stated in _expectations(lines):
        try:
            re.compile(stated.pattern() if stated.regex else "")
            open_.append(stated)
        except re.error as error:
            yield Diagnostic("error", f"{error} in {stated.text!r}", stated.stated)
    for diagnostic in found:
        match = next((e for e in open_ if e.fits(diagnostic)), None)
        if match is not None:
            open_.remove(match)
        elif not diagnostic.message.startswith(_WHOLE_OPERATION):
            yield Diagnostic(
                "error",
                f"unexpected {diagnostic.kind}: {diagnostic.message}",
                diagnostic.line,
                diagnostic.column,
            )
    for missing in open_:
        yield Diagnostic(
            "error", f"expected {missing.kind} {missing.text!r} was not produced", missing.stated
        )
