# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fusers that are wrong: refused where they are given, and named where they fail."""

from __future__ import annotations

from typing import Any

from ..errors import FuserError, message
from .mlir_fuser import MlirFuser
from .protocols import OperationFuser

_METHODS = ("fuse", "finish", "reset", "status", "properties", "clone", "__len__")


def check(fuser: Any) -> None:
    """Raises TypeError for what is no `OperationFuser`, saying what it lacks."""
    missing = [name for name in _METHODS if not callable(getattr(fuser, name, None))]
    if missing or isinstance(fuser, type):
        what = f"it has no {', '.join(missing)}" if missing else "it is a class: give an instance"
        raise TypeError(f"{fuser!r} is not an OperationFuser: {what}")
    if not isinstance(getattr(fuser, "name", None), str):
        raise TypeError(f"{fuser!r} is not an OperationFuser: its name is no str")
    kinds = getattr(fuser, "devices", ())
    if not isinstance(kinds, (tuple, list, set, frozenset)) or not all(
        isinstance(kind, str) for kind in kinds
    ):
        raise TypeError(
            f"the fuser {fuser.name!r}: devices is {kinds!r:.100}, not a tuple of kinds of device, "
            "such as ('cpu',)"
        )


class asked:  # noqa: N801  used as a function
    """`with asked(fuser, what):` names the fuser in what is raised while it is asked something; the
    compiler's own errors name what they are about."""

    def __init__(self, fuser: OperationFuser, what: str):
        self._fuser = fuser
        self._what = what

    def __enter__(self) -> None: ...

    def __exit__(self, kind: Any, error: BaseException | None, place: Any) -> None:
        fuser = self._fuser
        if not isinstance(error, Exception) or isinstance(error, FuserError):
            return
        if not isinstance(fuser, MlirFuser):
            text = f"fuser {fuser.name!r}: {self._what}: {type(error).__name__}: {message(error)}"
            raise FuserError(text, fuser) from error


def finished(fuser: OperationFuser, clone: OperationFuser, block: Any) -> Any:
    """The executable that a clone of a fuser makes, with what the engine reads of it.

    Raises:
        FuserError: `finish` raised, or gave no `Optimization`.
        CompileError: the block did not compile.
    """
    with asked(fuser, "finish"):
        found = clone.finish(block)
    if isinstance(fuser, MlirFuser):
        return found
    kind = type(found).__name__
    if isinstance(found, type) or not callable(getattr(found, "execute", None)):
        what = f"the class {found.__name__}" if isinstance(found, type) else kind
        raise FuserError(
            f"fuser {fuser.name!r}: finish gave {what}, not an Optimization, which has execute, "
            "name, describe, started, consumed and culprit",
            fuser,
        )
    try:
        found.started = found.consumed = False
        found.culprit = None
        if not hasattr(found, "name"):
            found.name = fuser.name
        if not hasattr(found, "describe"):
            found.describe = lambda: fuser.name
        size = getattr(found, "nbytes", 0)
    except Exception as error:
        raise FuserError(
            f"fuser {fuser.name!r}: finish gave {kind}, whose attributes started, consumed and "
            f"culprit cannot be set: {type(error).__name__}: {message(error)}",
            fuser,
        ) from error
    if not isinstance(size, int) or size < 0:
        raise FuserError(
            f"fuser {fuser.name!r}: the nbytes of what finish gave is {size!r:.100}, not a number "
            "of bytes, an int",
            fuser,
        )
    return found
