# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exceptions of pyfusion.

A mistake in a call raises the class that NumPy raises (`ValueError`, `TypeError`, `IndexError`,
`OverflowError`, `numpy.exceptions.AxisError`), where it is made. The classes here are for what can
only be known later.
"""

from __future__ import annotations

import sys


class PyfusionError(Exception):
    """Base class of the errors that only pyfusion raises."""


class ShapeError(PyfusionError, ValueError):
    """Operands of shapes that do not go together."""


class DTypeError(PyfusionError, TypeError):
    """Operands of element types that an operation does not take."""


class DeviceError(PyfusionError, ValueError):
    """A device that cannot be used, or operands on different ones."""


class ExecutionError(PyfusionError, RuntimeError):
    """A unit of work failed while it ran; raised when one of its results is read.

    Attributes:
        site: `"file:line"` of the call that recorded the operation, or `None`.
    """

    def __init__(self, message: str, site: str | None = None):
        super().__init__(f"{message} (recorded at {site})" if site else message)
        self.site = site


class OutOfMemoryError(ExecutionError, MemoryError):
    """No memory for a result; raised when it is read."""


def failure(what: str, error: BaseException, site: str | None = None) -> ExecutionError:
    """The error of a unit of work as one that names it, with the first as its cause."""
    kind = OutOfMemoryError if isinstance(error, MemoryError) else ExecutionError
    found = kind(f"{what}: {type(error).__name__}: {error}", site)
    found.__cause__ = error
    return found


class CompileError(PyfusionError, RuntimeError):
    """A block did not compile.

    Attributes:
        stage: name of the pass or phase that failed.
        diagnostics: the compiler's messages, one string each.
        dump_path: file with a self-contained reproducer, or `None`.
    """

    def __init__(self, stage: str, diagnostics: list[str], dump_path: str | None = None):
        text = "; ".join(diagnostics) or "no diagnostic"
        super().__init__(f"{stage}: {text}")
        self.stage = stage
        self.diagnostics = diagnostics
        self.dump_path = dump_path


class InternalError(PyfusionError, RuntimeError):
    """A state that should not exist: please report it."""


class FallbackWarning(RuntimeWarning):
    """A block was run by the backend, because it did not compile or launch."""


class HostWarning(RuntimeWarning):
    """An operation on arrays of a GPU was run by NumPy on the host, with copies there and back.

    Given once in a process for each operation.
    """


def level_of_the_user() -> int:
    """The `stacklevel` that makes the caller's warning point at the first line outside the
    package."""
    package = __name__.partition(".")[0]
    level = 2
    frame = sys._getframe(2)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(package):
        frame = frame.f_back
        level += 1
    return level
