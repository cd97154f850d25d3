# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""pyfusion: NumPy-style arrays whose operations are deferred, fused and compiled through MLIR.

    >>> import pyfusion as pf
    >>> x = pf.asarray([1.0, 2.0, 3.0], dtype=pf.float32)
    >>> float((x * 2 + 1).sum())
    15.0

Operations are recorded; a read (`float`, `numpy.asarray`, `print`) runs what was recorded as few
kernels as it can. `pyfusion.testing.inspect()` counts them, `pyfusion.explain` and
`pyfusion.lower` show them.
"""

from __future__ import annotations

from .startup import one_line_in_tools

with one_line_in_tools():
    from . import array as _array
    from .array import *  # noqa: F403
    from .client import flush, load_plans, save_plans, sync
    from .config import config
    from .errors import (
        CompileError,
        DeviceError,
        DTypeError,
        ExecutionError,
        FallbackWarning,
        HostWarning,
        IndexOutOfBoundsError,
        InternalError,
        OutOfMemoryError,
        PyfusionError,
        ShapeError,
    )

__version__ = "0.1.0"

_LAZY = {
    "Fusion": "fusion",
    "custom": "custom",
    "explain": "inspection",
    "lower": "inspection",
    "nn": "nn",
    "observer": "observer",
    "random": "random",
    "testing": "testing",
}

__all__ = [  # noqa: F405
    *_array.__all__,
    "CompileError",
    "DTypeError",
    "DeviceError",
    "ExecutionError",
    "FallbackWarning",
    "Fusion",
    "HostWarning",
    "InternalError",
    "IndexOutOfBoundsError",
    "OutOfMemoryError",
    "PyfusionError",
    "ShapeError",
    "config",
    "custom",
    "explain",
    "flush",
    "load_plans",
    "lower",
    "nn",
    "observer",
    "random",
    "save_plans",
    "sync",
    "testing",
]


def __getattr__(name: str) -> object:
    """What is in `_LAZY` is loaded when it is first asked for."""
    where = _LAZY.get(name)
    if where is None:
        raise AttributeError(f"module 'pyfusion' has no attribute {name!r}")
    from importlib import import_module

    module = import_module(f".{where}", __name__)
    found = module if name == where else getattr(module, name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY})
