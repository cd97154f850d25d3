# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exceptions of pyfusion.

A mistake in a call raises the class that NumPy raises (`ValueError`, `TypeError`, `IndexError`,
`OverflowError`, `numpy.exceptions.AxisError`), where it is made. The classes here are for what can
only be known later.
"""

from __future__ import annotations

import sys
from types import FunctionType
from typing import Any, TypeVar


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

    A unit is an operation run by itself, or a block that runs as a whole. What depends on a failed
    result is not run, and its results have the same error with a depth of one more.

    Each read raises an error of its own. What the results keep has no traceback, so that it keeps
    no frame and no array alive.

    Attributes:
        site: `"file:line"` of the call that recorded the operation, or `None`.
        depth: 0 for the results of the unit that failed, 1 for those of a unit that was skipped
            because it reads one of them, and so on.
        frames: where the unit raised, `(file, line, function)`, the outermost first.
    """

    site: str | None
    depth: int
    frames: tuple[tuple[str, int, str], ...]

    def __init__(self, message: str, site: str | None = None):
        super().__init__(f"{message} (recorded at {site})" if site else message)
        self.site = site
        self.depth = 0
        self.frames = ()

    @property
    def cause(self) -> BaseException | None:
        """What the unit raised, without its traceback; the same object at every depth. None where
        nothing was raised, a copy where it was raised on as well."""
        return self.__cause__

    def again(self) -> ExecutionError:
        """The error for one more reader."""
        return _twin(self, self.__cause__)

    def spoiled(self) -> ExecutionError:
        """The error of what depends on results that have this one."""
        found = self.again()
        found.depth += 1
        return found


class OutOfMemoryError(ExecutionError, MemoryError):
    """No memory for a result; raised when it is read."""


class IndexOutOfBoundsError(ExecutionError, IndexError):
    """An index that was known only at run time is out of bounds; raised when a result is read."""


class BodyStopped(Exception):
    """The body of a custom operation has raised what is no `Exception`, such as SystemExit.

    It is raised in place of that where the operation comes to be run again.

    Attributes:
        error: what the body raised, without its traceback.
    """

    def __init__(self, error: BaseException):
        super().__init__(f"{type(error).__name__}: {message(error)}")
        self.error = error


# Failures that can also be caught as what Python has for them.
_KINDS = ((MemoryError, OutOfMemoryError), (IndexError, IndexOutOfBoundsError))


def failure(what: str, error: BaseException, site: str | None = None) -> ExecutionError:
    """The error of a unit of work as one that names it, with the first as its cause.

    An `ExecutionError` names what failed already.
    """
    kind = next((k for base, k in _KINDS if isinstance(error, base)), ExecutionError)
    if not isinstance(error, ExecutionError):
        found = kind(f"{what}: {type(error).__name__}: {message(error)}", site)
    elif error.site is None:
        found = kind(str(error), site)
    else:
        found = kind(str(error))
        found.site = error.site
    found.frames = frames_of(error)
    found.__cause__ = error
    return found


def retell(error: BaseException, text: str) -> None:
    """Gives an error another text, where its text is its only argument."""
    own = (type(error).__str__, type(error).__init__)
    if len(error.args) == 1 and not any(isinstance(method, FunctionType) for method in own):
        _set(error, "args", (text,))


def message(error: BaseException) -> str:
    """What an error says; it may be of a class whose `__str__` raises."""
    try:
        return str(error)
    except Exception as other:
        return f"<no message: __str__ raised {type(other).__name__}>"


def frames_of(error: BaseException) -> tuple[tuple[str, int, str], ...]:
    """Where it was raised: file, line and function, the outermost first."""
    found = []
    place = BaseException.__dict__["__traceback__"].__get__(error)
    while place is not None:
        code = place.tb_frame.f_code
        found.append((code.co_filename, place.tb_lineno, code.co_name))
        place = place.tb_next
    return tuple(found)


_E = TypeVar("_E", bound=BaseException)
_LINKS = 8  # of a chain of causes


# A class may have its own `__setattr__`, as frozen data classes do, or names of its own.


def _cause(error: BaseException) -> BaseException | None:
    return BaseException.__dict__["__cause__"].__get__(error)


def _set(error: BaseException, name: str, value: Any) -> None:
    BaseException.__dict__[name].__set__(error, value)


def _twin(error: _E, cause: BaseException | None) -> _E:
    cls = type(error)
    found = cls.__new__(cls, *error.args)
    if not isinstance(cls.__init__, FunctionType):  # of C, where it fills fields from the arguments
        found.__init__(*error.args)  # type: ignore[misc]
    _set(found, "args", error.args)
    found.__dict__.update(error.__dict__)
    _set(found, "__cause__", cause)
    return found


def forget_frames(error: BaseException) -> BaseException:
    """Takes the traceback from an error and from what it was raised from; returns it."""
    one: BaseException | None = error
    for _ in range(_LINKS):
        if one is None:
            break
        _set(one, "__traceback__", None)
        _set(one, "__context__", None)
        one = _cause(one)
    return error


def without_frames(error: BaseException) -> BaseException:
    """A copy of an error, and of what it was raised from, without tracebacks."""
    chain = [error]
    while len(chain) < _LINKS:
        cause = _cause(chain[-1])
        if cause is None:
            break
        chain.append(cause)
    found: BaseException | None = None
    for one in reversed(chain):
        try:
            found = _twin(one, found)
        except Exception:  # a class that cannot be made from its arguments
            found = _twin(RuntimeError(f"{type(one).__name__}: {message(one)}"), found)
    assert found is not None
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


class FuserError(PyfusionError, RuntimeError):
    """A fuser of the user's raised, or gave what the engine cannot use; it is left out.

    Attributes:
        fuser: the one that was registered.
    """

    def __init__(self, text: str, fuser: Any = None):
        super().__init__(text)
        self.fuser = fuser


class InsideFlushError(PyfusionError, RuntimeError):
    """An array was read, or a stream flushed, inside of a flush or an ordered function."""


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
