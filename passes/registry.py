# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Passes by name.

The own passes are listed by the stem of their file and imported on first use. A module of a user's
adds more:

    @register_pass
    @dataclass(frozen=True)
    class CountOps(Pass):
        \"\"\"Prints the number of operations.\"\"\"

        name = "count-ops"
        twice: bool = option(False, "Count each operation twice.")

        def run(self, module, context):
            ...
"""

from __future__ import annotations

import dataclasses
import importlib
import importlib.util
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

if TYPE_CHECKING:
    from mlir import ir

__all__ = [
    "InputError",
    "Pass",
    "PassContext",
    "PipelineError",
    "Refusal",
    "create_pass",
    "load_passes",
    "option",
    "pass_class",
    "pass_names",
    "register_pass",
    "suggestion",
]

# The files of this package that hold a pass, in the order in which they usually run.
_STEMS = (
    "inline_custom",
    "canonicalize",
    "hoist_views",
    "merge_elementwise",
    "merge_reductions",
    "plan_buffers",
    "outline_kernels",
    "flatten_kernels",
    "widen_loops",
    "rocdl_to_hsaco",
    "drop_timings",
    "ptx_to_cubin",
    "forbid_unwinding",
)


class PipelineError(ValueError):
    """A textual pipeline that cannot be read, an unknown pass, a wrong option."""


class InputError(PipelineError):
    """IR that a pass or a target does not take.

    Attributes:
        location: of the operation that it does not take.
    """

    def __init__(self, message: str, location: ir.Location):
        super().__init__(message)
        self.location = location


@dataclass(frozen=True)
class Refusal:
    """Two neighbours that stay in two kernels.

    Attributes:
        producer, consumer: names of the two operations.
        reason: why they stay apart.
        location: of the consumer.
        bytes: size of the value between them, which has to go through memory; None: not static.
    """

    producer: str
    consumer: str
    reason: str
    location: ir.Location
    bytes: int | None = None

    @property
    def message(self) -> str:
        size = "" if self.bytes is None else f" ({self.bytes} bytes)"
        return f"{self.producer} is not merged with {self.consumer}: {self.reason}{size}"


@dataclass
class PassContext:
    """What the passes of one run tell their caller.

    Attributes:
        refusals: the merges that were not made.
        current: name of the pass that runs, or ran last: the one to blame for an exception.
    """

    refusals: list[Refusal] = field(default_factory=list)
    current: str = ""


def option(default: Any, doc: str) -> Any:
    """A field of a pass that is an option of that type, with a line on what it does."""
    return field(default=default, metadata={"doc": doc})


class Pass:
    """Base class of the passes; subclasses are frozen dataclasses whose fields are options.

    `run` changes the module in place. It may raise anything: no MLIR code is on the stack.
    """

    name: ClassVar[str]

    def run(self, module: ir.Module, context: PassContext) -> None:
        raise TypeError(f"{type(self).__name__} does not define run()")

    def __str__(self) -> str:
        """As in a textual pipeline, with the options that are not at their default."""
        fields = dataclasses.fields(self)  # type: ignore[arg-type]
        options = [
            f"{f.name.replace('_', '-')}={_written(getattr(self, f.name))}"
            for f in fields
            if getattr(self, f.name) != f.default
        ]
        return self.name + (f"{{{' '.join(options)}}}" if options else "")


_PassClass = TypeVar("_PassClass", bound=type[Pass])


def _own(stem: str) -> Callable[[], type[Pass]]:
    class_name = "".join(part.capitalize() for part in stem.split("_"))
    return lambda: getattr(importlib.import_module(f"{__package__}.{stem}"), class_name)


_thunks: dict[str, Callable[[], type[Pass]]] = {
    "fusion-" + stem.replace("_", "-"): _own(stem) for stem in _STEMS
}


def register_pass(cls: _PassClass) -> _PassClass:
    """Class decorator: makes a pass known under its `name`."""
    name = getattr(cls, "name", None)
    if not isinstance(name, str) or not name.replace("-", "").replace("_", "").isalnum():
        raise PipelineError(f"{cls.__name__} needs a `name` of letters, digits and dashes")
    if not dataclasses.is_dataclass(cls):
        raise PipelineError(f"{cls.__name__} must be a dataclass: its fields are its options")
    for field_ in dataclasses.fields(cls):
        if type(field_.default) not in (bool, int, float, str):
            raise PipelineError(
                f"{cls.__name__}.{field_.name} needs a default that is a bool, int, float or str: "
                "it is an option"
            )
    if name in _thunks:
        raise PipelineError(f"there is a pass {name!r} already")
    _thunks[name] = lambda: cls
    return cls


def pass_names() -> list[str]:
    """The names of the Python passes."""
    return list(_thunks)


def pass_class(name: str) -> type[Pass]:
    """The class of a pass."""
    thunk = _thunks.get(name)
    if thunk is None:
        raise PipelineError(f"no pass {name!r}{suggestion(name, _thunks)}")
    return thunk()


def suggestion(name: str, known: Any) -> str:
    """`"; did you mean ...?"`, or nothing."""
    close = get_close_matches(name, known, 1) or get_close_matches(name.lower(), known, 1)
    return f"; did you mean {close[0]!r}?" if close else ""


def _written(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _read(text: str, kind: type, what: str) -> Any:
    if kind is bool:
        if text in ("true", "1", ""):
            return True
        if text in ("false", "0"):
            return False
        raise PipelineError(f"{what} takes true or false, not {text!r}")
    try:
        value = kind(text)
    except ValueError:
        raise PipelineError(f"{what} takes {kind.__name__}, not {text!r}") from None
    if kind is int and value < 0:
        raise PipelineError(f"{what} takes a number of at least 0, not {text}")
    return value


def create_pass(name: str, options: Mapping[str, str] | None = None) -> Pass:
    """An instance of a pass, from options as written in a pipeline (`max-ops` for `max_ops`)."""
    cls = pass_class(name)
    fields = {f.name.replace("_", "-"): f for f in dataclasses.fields(cls)}  # type: ignore[arg-type]
    values = {}
    for key, text in (options or {}).items():
        if key not in fields:
            hint = f"; its options: {', '.join(fields)}" if fields else ""
            raise PipelineError(f"{name} has no option {key!r}{suggestion(key, fields)}{hint}")
        values[fields[key].name] = _read(text, type(fields[key].default), f"{name}: {key}")
    return cls(**values)


def load_passes(source: str) -> None:
    """Imports a module, by dotted name or path of a `.py` file, that registers passes."""
    if not source.endswith(".py"):
        importlib.import_module(source)
        return
    path = Path(source).resolve()
    name = f"pyfusion_loaded_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None or not path.is_file():
        raise ImportError(f"no Python file {source!r}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
