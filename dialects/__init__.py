# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The fusion dialect: its declarations, its C++ library and its Python classes.

Importing this package does not import MLIR. `load()` does, and makes the dialect known to every
`mlir.ir.Context` made afterwards; `from pyfusion.dialects import fusion` calls it.
"""

from __future__ import annotations

import functools
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

if __name__ != "pyfusion.dialects":
    raise ImportError(
        f"{__name__} is pyfusion.dialects under a second name, which would register its operations "
        "twice: import pyfusion.dialects, with the repository's root on the path"
    )

from ..config import config

if TYPE_CHECKING:
    import ctypes

__all__ = ["find", "load"]

_lock = threading.Lock()

# What the build made lies in a development build's folder, or beside the sources; in an editable
# install the package has two folders of its own.
if config.native_dir:
    __path__.insert(0, config.native_dir)


def folders() -> list[Path]:
    """Where to look for what the build made: the folder that the flag names, and no other then."""
    return [Path(config.native_dir)] if config.native_dir else [Path(p) for p in __path__]


def find(name: str) -> Path:
    """The file of that name which the build made. ImportError: there is none."""
    for folder in folders():
        if (path := folder / name).is_file():
            return path
    raise ImportError(
        f"{name} not found in {', '.join(map(str, folders()))}; set PYFUSION_NATIVE_DIR to the "
        "folder it was built in"
    )


def library_file() -> Path:
    """The dialect's library. ImportError: there is none."""
    return find(f"libPyFusionDialect.{'dylib' if sys.platform == 'darwin' else 'so'}")


def load() -> ctypes.CDLL:
    """Registers the dialect and its passes with MLIR, once; gives the library.

    Contexts made before the first call do not know the dialect.
    """
    with _lock:
        return _load()


@functools.cache
def _load() -> ctypes.CDLL:
    import ctypes

    # These load the library of the bindings, which the dialect's links to.
    from mlir._mlir_libs import _mlir, get_dialect_registry

    library = ctypes.CDLL(str(library_file()))

    class Registry(ctypes.Structure):  # MlirDialectRegistry, by value
        _fields_ = [("ptr", ctypes.c_void_p)]

    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    capsule = get_dialect_registry()._CAPIPtr
    library.pyfusionRegisterDialects.argtypes = (Registry,)
    library.pyfusionRegisterDialects.restype = None
    library.pyfusionRegisterDialects(
        Registry(pointer(capsule, b"mlir.ir.DialectRegistry._CAPIPtr"))
    )
    library.pyfusionRegisterPasses.argtypes = ()
    library.pyfusionRegisterPasses.restype = None
    library.pyfusionRegisterPasses()
    # Operations that MLIR meets get the classes in fusion.py of this package.
    _mlir.globals.append_dialect_search_prefix(__name__)
    return library
