# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tools read and write: files of IR, text or bytecode; - is a standard stream."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mlir import ir

__all__ = [
    "ToolError",
    "add_version",
    "check_names",
    "file_name",
    "load_modules",
    "parse",
    "read",
    "shown",
    "write",
]

_BYTECODE = b"ML\xefR"


class ToolError(Exception):
    """Something to tell the user, with exit code 1.

    Attributes:
        plain: the message begins with a place in a file, not to be preceded by the tool's name.
    """

    def __init__(self, message: object, plain: bool = False):
        super().__init__(str(message))
        self.plain = plain

    def text(self, tool: str) -> str:
        """What to print."""
        return str(self) if self.plain else f"{tool}: error: {self}"


def file_name(text: str) -> str:
    """The type of an argument that names a file or a folder."""
    if not text:
        raise argparse.ArgumentTypeError("takes the name of a file, not ''")
    return text


def add_version(parser: argparse.ArgumentParser) -> None:
    """Adds --version: of the package, and of the wheel with MLIR."""
    from importlib.metadata import PackageNotFoundError, version

    from .. import __version__

    try:
        mlir = f", MLIR {version('xtc-mlir-python-bindings')}"
    except PackageNotFoundError:  # built from source
        mlir = ""
    parser.add_argument("--version", action="version", version=f"pyfusion {__version__}{mlir}")


def load_modules(sources: list[str]) -> None:
    """Imports what --load names: modules of passes and custom operations.

    Raises:
        ToolError: it cannot be imported, or a pass in it cannot be registered.
    """
    from ..passes import PipelineError, load_passes

    for source in sources:
        try:
            load_passes(source)
        except PipelineError as error:
            raise ToolError(error) from None
        except (Exception, SystemExit) as error:
            raise ToolError(f"--load={source}: {type(error).__name__}: {error}") from None


def shown(file: str, stream: str) -> str:
    """What to call a file."""
    return f"<{stream}>" if file == "-" else file


def read(file: str) -> str | bytes:
    """IR: text, or bytes if it is bytecode.

    Raises:
        ToolError: there is no such file, it cannot be read, or it is neither.
    """
    name = shown(file, "stdin")
    try:
        data = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as error:
        raise ToolError(f"{name}: {error.strerror or error}") from None
    if data.startswith(_BYTECODE):
        return data
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise ToolError(f"{name}: not UTF-8 at byte {error.start}, and not bytecode") from None


def parse(source: str | bytes, name: str, context: ir.Context) -> ir.Module:
    """The IR of a file called `name` as a module.

    Raises:
        ir.MLIRError: it is wrong.
        ToolError: it is bytecode that says what cannot be repeated.
    """
    from mlir import ir

    from .. import nn  # noqa: F401  (the bodies of its operations)

    try:
        return ir.Module.parse(source, context)
    except ir.MLIRError:
        raise
    except (RuntimeError, UnicodeDecodeError):  # of the bindings: a message that is no UTF-8
        raise ToolError(f"{name}: the bytecode is damaged") from None


def check_names(module: ir.Module, name: str) -> None:
    """ToolError: an operation of a module has a name that Python does not take."""
    for op in module.body.operations:
        try:
            if "sym_name" in op.attributes:
                str(op.attributes["sym_name"].value)
        except (RuntimeError, UnicodeDecodeError):
            wrong = op.attributes["sym_name"]
            raise ToolError(
                f"{name}: the name of a {op.operation.name} is not UTF-8: {wrong}"
            ) from None


def write(file: str, data: bytes) -> None:
    """Writes a result.

    Raises:
        ToolError: it cannot be written.
        BrokenPipeError: nobody reads the standard output any more.
    """
    try:
        if file == "-":
            sys.stdout.flush()
            rest = memoryview(data)
            while rest:  # without a buffer, which would fail again at the end
                rest = rest[os.write(sys.stdout.fileno(), rest) :]
        else:
            Path(file).write_bytes(data)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise ToolError(f"{shown(file, 'stdout')}: {error.strerror or error}") from None
