# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What MLIR says of passes and their options, in one line for whoever wrote them.

Its parser puts a part of it on the standard error, and its bindings list neither passes nor
options: a pass is asked to print itself.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from .registry import PipelineError, pass_names, suggestion
from .textual import read_options, split

__all__ = ["captured_stderr", "check_choices", "explained", "known_options", "mlir_names"]

# General passes; with those of the pipelines they are suggested for a mistyped name.
_GENERAL = ("canonicalize", "cse", "inline", "loop-invariant-code-motion", "sccp", "symbol-dce")

# A pass runs on a module, or on what is in one.
_ANCHORS = ("builtin.module({})", "builtin.module(func.func({}))", "builtin.module(gpu.module({}))")

_NO_PASS = re.compile(r"'([^']*)' does not refer to a registered pass[^\n]*")
_FAILED = re.compile(r"failed to add `([^`]+)` with options `(.*?)`(?: to inner pipeline)?$", re.M)
_NO_OPTION = re.compile(r"no such option (.+)")
_VALUE = re.compile(r"for the -{1,2}\S+ option: (.+?)!?$", re.M)


# Options whose values MLIR asserts, where it does not check them.
_CHOICES = {
    ("gpu-module-to-binary", "format"): (
        ("offloading", "llvm", "assembly", "isa", "binary", "bin", "fatbinary", "fatbin")
    ),
}
_WITH_OPTIONS = re.compile(r"([\w-]+)\s*{([^{}]*)}")


def check_choices(text: str) -> None:
    """PipelineError: an option in a pipeline of MLIR's passes has a value that stops MLIR."""
    for name, options in _WITH_OPTIONS.findall(text):
        for option, value in read_options(options).items():
            known = _CHOICES.get((name, option))
            if known is not None and value not in known:
                raise PipelineError(
                    f"{name}: {option} takes {', '.join(known[:-1])} or {known[-1]}, not "
                    f"{value!r}{suggestion(value, known)}"
                )


def mlir_names() -> list[str]:
    """MLIR's passes that somebody may mean: those of the targets' pipelines, and general ones."""
    from .pipeline import phases

    names = set(_GENERAL)
    for target in ("cpu", "cuda", "rocm"):
        for phase in phases(target):
            for text in filter(lambda p: isinstance(p, str), phase.passes):
                # Without options; the operation that passes run on is no name.
                names.update(re.findall(r"[\w-]+(?=[,)]|$)", re.sub(r"{[^}]*}", "", text)))
    return sorted(names.difference(pass_names()))


def explained(message: str) -> str:
    """What MLIR says of a pipeline that it cannot read; with the known options, if it is those."""
    if no_pass := _NO_PASS.search(message):
        return no_pass[0] + suggestion(no_pass[1], [*pass_names(), *mlir_names()])
    failed = _FAILED.search(message)
    name, text = (failed[1], failed[2]) if failed else ("", "")
    if not text:  # it is about something else, as where the pass is nested
        return message[: failed.start() if failed else None].strip().partition("\n")[0]
    options = dict(_options(name))
    if no_option := _NO_OPTION.search(message):
        key = no_option[1].strip()
        return f"{name} has no option {key!r}{suggestion(key, options)}{_listed(options)}"
    for item in split(text, " "):
        if item and (reason := _refused(name, item)):
            return f"{name}: {item.partition('=')[0]}: {reason}{_listed(options)}"
    return f"{name} does not take the options {text!r}{_listed(options)}"


def known_options(element: str) -> str:
    """`"; its options: ..."` for an element of a pipeline that is given some, or nothing."""
    name, brace, _ = element.partition("{")
    return _listed(dict(_options(name))) if brace and "(" not in name else ""


def _listed(options: dict[str, str]) -> str:
    return f"; its options: {', '.join(options.values())}" if options else ""


def _options(name: str) -> Iterator[tuple[str, str]]:
    """Name and default of each option; those that are empty lists MLIR does not print."""
    from mlir import ir
    from mlir.passmanager import PassManager

    for anchor in _ANCHORS:
        try:
            with ir.Context():
                text = str(PassManager.parse(anchor.format(name)))
        except ValueError:
            continue
        inner = text[text.find(name) + len(name) :]
        if inner.startswith("{"):
            for item in split(inner[1 : inner.rindex("}")], " "):
                if item:
                    yield item.partition("=")[0], item
        return


def _refused(name: str, item: str) -> str:
    """Why a pass does not take an option; empty if it does."""
    from mlir import ir
    from mlir.passmanager import PassManager

    reason = ""
    for anchor in _ANCHORS:
        with captured_stderr() as said:
            try:
                with ir.Context():
                    PassManager.parse(anchor.format(f"{name}{{{item}}}"))
                return ""
            except ValueError:
                pass
        if found := _VALUE.search(said[0]):
            reason = reason or found[1]
    return reason


@contextmanager
def captured_stderr() -> Iterator[list[str]]:
    """Gives a list that gets what the process writes to its standard error meanwhile."""
    said: list[str] = []
    before = os.dup(2)
    with tempfile.TemporaryFile() as file:
        os.dup2(file.fileno(), 2)
        try:
            yield said
        finally:
            os.dup2(before, 2)
            os.close(before)
            file.seek(0)
            said.append(file.read().decode(errors="replace"))
