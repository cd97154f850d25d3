# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""OpenTelemetry spans of what the engine does, while the flag `tracing` is set.

    pf.config.tracing = True    # or PYFUSION_TRACING=1

needs the package `opentelemetry-api`; where the spans go is what the program's tracer provider
says (`opentelemetry.trace.set_tracer_provider`), before or after the flag is set. The spans are
children of the current one of the thread that reads:

    pyfusion.block              a block, from its plan to its results
      pyfusion.record           from its first operation to the flush
      pyfusion.plan             the lookup of its plan, and what has to be made of it
        pyfusion.compile        with a span for each phase, as pyfusion.compile.merged
      pyfusion.run              its steps
        pyfusion.launch         a kernel, or a call of the backend

A launch on a GPU ends when the kernel is on the stream, not when it has run.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

from .errors import message

__all__ = ["span", "start"]

# OpenTelemetry's tracer while tracing is on. Asked for before each call of this module that a
# program without tracing would pay for.
tracer: Any = None

_nothing: AbstractContextManager[Any] = nullcontext()


def start() -> None:
    """Makes the spans go to OpenTelemetry.

    Raises:
        ImportError: `opentelemetry-api` is not installed.
    """
    global tracer
    try:
        from opentelemetry import trace
    except ImportError as error:
        raise ImportError(
            "the flag tracing needs OpenTelemetry: pip install opentelemetry-api"
        ) from error
    tracer = trace.get_tracer("pyfusion", _version())


def _version() -> str | None:
    """Of this package; it may be asked for while the package is being imported."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("pyfusion")
    except PackageNotFoundError:  # a source tree on the path
        return None


def stop() -> None:
    """Ends it."""
    global tracer
    tracer = None


def span(name: str, **attributes: Any) -> AbstractContextManager[Any]:
    """A context manager: the current span meanwhile, `pyfusion.` and the name; or nothing.

    Its exception is recorded in the span.
    """
    if tracer is None:
        return _nothing
    from opentelemetry import trace

    named = {f"pyfusion.{key}": value for key, value in attributes.items()}
    made = tracer.start_span(f"pyfusion.{name}", attributes=named)
    return trace.use_span(made, end_on_exit=True)


def past(name: str, start_time: int, **attributes: Any) -> None:
    """A span that began at a time (nanoseconds since the epoch) and ends now."""
    named = {f"pyfusion.{key}": value for key, value in attributes.items()}
    tracer.start_span(f"pyfusion.{name}", start_time=start_time, attributes=named).end()


def failed(current: Any, error: BaseException) -> None:
    """Marks a span as failed by an error that nobody raised through it."""
    from opentelemetry.trace import Status, StatusCode

    try:
        current.record_exception(error)
    except Exception:  # of a class whose `__str__` raises
        current.add_event("exception", {"exception.type": type(error).__name__})
    current.set_status(Status(StatusCode.ERROR, f"{type(error).__name__}: {message(error)}"))
