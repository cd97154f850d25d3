# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pipelines as text: `builtin.module(canonicalize,fusion-merge-elementwise{max-ops=8})`.

The syntax is MLIR's. Only the elements at the level of the module are told apart here: which of
them are Python passes. What is nested, and all of MLIR's own passes, MLIR reads.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from .registry import PipelineError

__all__ = ["elements", "pass_options", "split", "strip_anchor"]

_CLOSING = {"(": ")", "{": "}", "[": "]"}


def split(text: str, separators: str) -> Iterator[str]:
    """Parts between separators that are outside brackets and quotes."""
    start = 0
    stack: list[str] = []
    quote = ""
    for i, c in enumerate(text):
        if quote:
            quote = "" if c == quote else quote
        elif c in "\"'":
            quote = c
        elif c in _CLOSING:
            stack.append(_CLOSING[c])
        elif c in ")}]":
            if not stack or stack.pop() != c:
                raise PipelineError(f"unbalanced {c!r} at column {i + 1} of {text!r}")
        elif c in separators and not stack:
            yield text[start:i]
            start = i + 1
    if quote or stack:
        raise PipelineError(f"missing {quote or stack[-1]!r} at the end of {text!r}")
    yield text[start:]


def strip_anchor(text: str) -> str:
    """What stands inside `builtin.module(...)`; text without an anchor as it is."""
    text = text.strip()
    rest = text.removeprefix("builtin.module").lstrip()
    if rest == text or not rest.startswith("("):
        return text
    if not rest.endswith(")"):
        raise PipelineError(f"missing ')' at the end of {text!r}")
    return rest[1:-1]


def elements(text: str) -> list[tuple[str, str]]:
    """`(name, whole text)` of each element at the level of the module."""
    inner = strip_anchor(text)
    if not inner.strip():
        return []
    found = []
    for part in split(inner, ","):
        part = part.strip()
        name = part
        for i, c in enumerate(part):
            if c in "({":
                name = part[:i].rstrip()
                break
        if not name:
            raise PipelineError(f"a pass is missing in {text!r}")
        found.append((name, part))
    return found


def pass_options(text: str) -> dict[str, str]:
    """The options in `name{a=1 b}`; an option without a value is `""`."""
    start = text.find("{")
    if start < 0:
        if "(" in text:
            raise PipelineError(f"{text[: text.find('(')]} takes no nested pipeline")
        return {}
    if not text.endswith("}"):
        raise PipelineError(f"missing '}}' at the end of {text!r}")
    return read_options(text[start + 1 : -1])


def read_options(text: str) -> dict[str, str]:
    """The options in `a=1 b`."""
    options = {}
    for item in split(text, " \n\t"):
        if item:
            key, _, value = item.partition("=")
            options[key] = value.strip("\"'")
    return options


def join(parts: Iterable[str]) -> str:
    """A pipeline on a module."""
    return f"builtin.module({','.join(parts)})"
