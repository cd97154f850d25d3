# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of neural networks: activations, norms, convolutions, pools, attention and so on.

Activations and norms are one operation each until they are compiled, and fuse with what is before
and after them. What slides windows, scatters or sorts is deferred too, and run by the backend
between kernels. docs/operations.md lists all of them.
"""

from __future__ import annotations

from types import FunctionType
from typing import Any

from . import (
    activations,
    collectives,
    convolution,
    deform,
    gathering,
    layers,
    losses,
    norms,
    ordering,
    pooling,
    quantization,
    resize,
    windows,
)

_FAMILIES: tuple[Any, ...] = (
    activations,
    collectives,
    convolution,
    deform,
    gathering,
    layers,
    losses,
    norms,
    ordering,
    pooling,
    quantization,
    resize,
    windows,
)

_names = {name: getattr(family, name) for family in _FAMILIES for name in family.__all__}
globals().update(_names)
for _found in _names.values():
    if isinstance(_found, FunctionType):
        _found.__module__ = __name__  # so that they say where they are found

__all__ = sorted(_names)
