# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations that the backend runs between kernels, when their turn has come."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from ..array.core import Array, emit, ones_mask, wrap
from ..array.promote import check_size
from ..dtypes import DTYPES, DType
from ..ir.table import custom_op
from .checks import Shape

__all__ = ["DEFERRED", "Deferred"]

# Every one of them, by name.
DEFERRED: dict[str, Deferred] = {}


class Deferred:
    """One operation that the backend runs.

    Attributes:
        name: what messages and reports call it.
    """

    def __init__(self, name: str, run: Callable[..., np.ndarray]):
        """`run` is given NumPy arrays, and the static arguments by name; floats of 16 bits come as
        float32, and its result is rounded to the recorded type."""
        self.name = name

        @wraps(run)
        def on_numpy(*arrays: np.ndarray, ones: Any, to: str, **options: Any) -> np.ndarray:
            return _as_recorded(run(*[_wide(a) for a in arrays], **options), to)

        on_numpy.__name__ = name
        self.op = custom_op(name, on_numpy)
        DEFERRED[name] = self

    def __call__(self, *operands: Array, shape: Shape, dtype: DType, **options: Any) -> Array:
        """Records a call.

        Args:
            shape, dtype: of the result.
            options: static arguments, part of the program's key.
        """
        check_size(self.name, shape)
        # Which extents are 1 is part of the IR, and so has to be part of the key.
        options.update(ones=ones_mask(shape), to=dtype.name)
        attrs = tuple(sorted(options.items()))
        values = tuple([x._v for x in operands])
        return wrap(emit(self.op, values, attrs, (), shape, dtype))


def _wide(a: Any) -> Any:
    if a.dtype.itemsize == 2 and a.dtype.kind not in "iu":
        return a.astype(np.float32)
    return a


def _as_recorded(found: Any, name: str) -> np.ndarray:
    return np.asarray(found).astype(DTYPES[name].numpy, copy=False)
