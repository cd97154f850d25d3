# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Streams of deferred operations, and the plans that run them.

Each thread records on streams of its own, one for each device. `with pyfusion.stream():` records
on others, as another thread would; the module can be called for that, and type checkers, which do
not know it, take `pyfusion.stream.scope()`. `operations` lists all that can be recorded.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING

from ..config import config
from .stream import Scope, Stream, current, record, scope

if TYPE_CHECKING:
    from .catalogue import Operation as Operation
    from .catalogue import operations as operations

__all__ = ["Operation", "Scope", "Stream", "current", "operations", "record", "scope"]


def __getattr__(name: str) -> object:
    """`operations` and `Operation` are loaded when they are first asked for."""
    if name not in ("operations", "Operation"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import catalogue

    found = globals()[name] = getattr(catalogue, name)
    return found


class _Module(ModuleType):
    def __call__(self) -> Scope:
        return scope()


sys.modules[__name__].__class__ = _Module


def _trace(on: bool) -> None:
    from .spans import switch

    switch(on)


config.on_change("tracing", _trace)
if config.tracing:
    _trace(True)
