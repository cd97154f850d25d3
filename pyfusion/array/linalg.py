# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Linear algebra: `numpy.linalg`, run by the backend; products of matrices are `linear.py`'s."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.linalg import LinAlgError

from .backend_call import delegate
from .core import Array
from .linear import matmul, matrix_transpose

_OWN = {"matmul": matmul, "matrix_transpose": matrix_transpose, "LinAlgError": LinAlgError}

__all__ = sorted({*np.linalg.__all__, *_OWN})


class EigResult(NamedTuple):
    """Of `eig`, fields as in the Array API."""

    eigenvalues: Array
    eigenvectors: Array


class EighResult(NamedTuple):
    """Of `eigh`."""

    eigenvalues: Array
    eigenvectors: Array


class QRResult(NamedTuple):
    """Of `qr`."""

    Q: Array
    R: Array


class SlogdetResult(NamedTuple):
    """Of `slogdet`."""

    sign: Array
    logabsdet: Array


class SVDResult(NamedTuple):
    """Of `svd`."""

    U: Array
    S: Array
    Vh: Array


_RESULTS: dict[str, Callable[..., Any]] = {
    "eig": EigResult,
    "eigh": EighResult,
    "qr": QRResult,
    "slogdet": SlogdetResult,
    "svd": SVDResult,
}


def _named(call: Callable[..., Any], result: Callable[..., Any]) -> Callable[..., Any]:
    """Gives the parts of a result their names, on each device the same type; those of a "raw" qr
    have none."""

    @functools.wraps(call)
    def function(*args: Any, **options: Any) -> Any:
        found = call(*args, **options)
        raw = "raw" in (*args[1:2], options.get("mode"))
        return found if raw or not isinstance(found, tuple) else result(*found)

    return function


for _name in __all__:
    if _name not in _OWN:
        _call = delegate(getattr(np.linalg, _name), _name)
        globals()[_name] = _named(_call, _RESULTS[_name]) if _name in _RESULTS else _call
