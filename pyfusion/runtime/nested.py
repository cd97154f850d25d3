# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arguments and results of a call, nested in lists and tuples."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..ir.value import Value


def arguments(given: Any, convert: Callable[[Value], Any]) -> Any:
    """An argument with its values converted; subclasses of lists and tuples are left alone."""
    if isinstance(given, Value):
        return convert(given)
    cls = type(given)
    if cls is list or cls is tuple:
        return cls([arguments(item, convert) for item in given])
    return given


def results(given: Any, convert: Callable[[Any], Any]) -> Any:
    """What a call gave, with all that is no list or tuple converted; named tuples stay such."""
    if isinstance(given, tuple):
        parts = [results(item, convert) for item in given]
        return type(given)(*parts) if hasattr(given, "_fields") else tuple(parts)
    if isinstance(given, list):
        return [results(item, convert) for item in given]
    return convert(given)
