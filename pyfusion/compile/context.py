# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The MLIR context that blocks are compiled in."""

from __future__ import annotations

import os
from typing import Any

# A context keeps every type, attribute and location that it ever made: replaced now and then.
_USES = 200

_context: Any = None
_uses = 0


def context() -> Any:
    """A context with the fusion dialect, used by one thread at a time.

    MLIR's thread pool is off in it: a context with one does not survive `fork`.
    """
    global _context, _uses
    if _context is None or _uses >= _USES:
        from ..dialects import load

        load()
        from mlir import ir

        _context = ir.Context()
        _context.enable_multithreading(False)
        _uses = 0
    _uses += 1
    return _context


def _forget() -> None:
    global _context
    _context = None


os.register_at_fork(after_in_child=_forget)
