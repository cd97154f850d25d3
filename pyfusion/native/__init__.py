# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What every flush does, in C++: an extension module on CPython's stable ABI.

Values and their memory, the numbering of a block and its key, launches, and NumPy's views of
memory. The types have their docstrings there; the parts of the package that they belong to export
them. What these functions do happens as a whole: an interrupt comes before or after.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

from ..config import config

_VERSION = 1  # of what the module exports; module.cpp says the same
_FILE = "_core.abi3.so"


def _folders() -> list[Path]:
    """Where the module may lie: the folder that the flag names, and no other then."""
    if config.native_dir:
        return [Path(config.native_dir), Path(config.native_dir, "pyfusion", "native")]
    return [Path(p) for p in __path__]


def _load() -> None:
    """Imports the module ImportError: it is not there, or of another version."""
    path = next((p for folder in _folders() if (p := folder / _FILE).is_file()), None)
    if path is None:
        raise ImportError(
            f"{_FILE} not found in {', '.join(map(str, _folders()))}: pyfusion needs its extension "
            "module; install it anew, or set PYFUSION_NATIVE_DIR to the folder it was built in"
        )
    name = f"{__name__}._core"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    if module.VERSION != _VERSION:
        raise ImportError(f"{path} has version {module.VERSION}, this package needs {_VERSION}")
    sys.modules[name] = module


_load()

from ._core import (  # noqa: E402
    Block,
    Buffer,
    Coded,
    Launch,
    Value,
    allocate,
    bind,
    close_block,
    concrete,
    connect,
    contiguous_strides,
    forget,
    needed,
    open_block,
    scalar_word,
    shape_of,
    unclosed,
    view,
)

__all__ = [
    "Block",
    "Buffer",
    "Coded",
    "Launch",
    "Value",
    "allocate",
    "bind",
    "close_block",
    "concrete",
    "connect",
    "contiguous_strides",
    "forget",
    "needed",
    "open_block",
    "scalar_word",
    "shape_of",
    "unclosed",
    "view",
]
