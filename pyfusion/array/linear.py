# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of arrays as matrices, and the transposes of matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..dtypes import bool_
from ..errors import ShapeError
from ..ir.table import OPS, custom_op
from . import views
from .apply import apply
from .backend_call import delegate
from .core import Array, cast, emit, wrap
from .creation import asarray
from .promote import broadcast, rule

__all__ = ["dot", "inner", "kron", "matmul", "matrix_transpose", "outer", "tensordot", "vecdot"]

_MATMUL = OPS["matmul"]


def _matmul_shape(a: tuple[int, ...], b: tuple[int, ...], names: str) -> tuple[int, ...]:
    for shape, which in ((a, "first"), (b, "second")):
        if not shape:
            raise ShapeError(
                f"matmul: the {which} operand is 0-d, but needs a dimension; {a} and {b} of {names}"
            )
    inner_a, inner_b = a[-1], b[-2] if len(b) > 1 else b[0]
    if inner_a != inner_b:
        raise ShapeError(
            f"matmul: Input operand 1 has a mismatch in its core dimension 0: shapes {a} and {b} "
            f"of {names}, {inner_b} is different from {inner_a}"
        )
    batch = broadcast("matmul", (a[:-2], b[:-2]))
    rows = a[-2:-1] if len(a) > 1 else ()
    columns = b[-1:] if len(b) > 1 else ()
    return (*batch, *rows, *columns)


def matmul(x1: Any, x2: Any, /) -> Array:
    """The matrix product of the last two dimensions; leading ones are batches and broadcast."""
    a, b = (asarray(x)._v for x in (x1, x2))
    inputs, out = rule(_MATMUL, (a.dtype, b.dtype))
    shape = _matmul_shape(a.shape, b.shape, f"{a.dtype} and {b.dtype}")
    args = (cast(a, inputs[0]), cast(b, inputs[1]))
    # The dialect's matmul is one of numbers; NumPy's of booleans is an "or" of "and"s.
    op = custom_op("matmul_bool", np.matmul) if out is bool_ else _MATMUL
    return wrap(emit(op, args, None, (), shape, out))


def matrix_transpose(x: Any, /) -> Array:
    """A view with the last two dimensions swapped."""
    x = asarray(x)
    rank = x.ndim
    if rank < 2:
        raise ValueError(f"matrix_transpose: needs 2 dimensions, but the shape is {x.shape}")
    return views.transpose(x, (*range(rank - 2), rank - 1, rank - 2))


def dot(a: Any, b: Any, /) -> Array:
    """NumPy's `dot`: a matrix product for up to two dimensions."""
    x, y = asarray(a), asarray(b)
    if x.ndim == 0 or y.ndim == 0:
        return apply(OPS["multiply"], x, y)
    if y.ndim <= 2:
        return matmul(x, y)
    return _dot(x, y)


def outer(a: Any, b: Any, /) -> Array:
    """The products of each element of `a` with each of `b`: of shape `(a.size, b.size)`."""
    x, y = (views.reshape(v, (v.size,)) for v in map(asarray, (a, b)))
    return apply(OPS["multiply"], views.expand_dims(x, (1,)), y)


_dot = delegate(np.dot)
inner = delegate(np.inner)
kron = delegate(np.kron)
tensordot = delegate(np.tensordot)
vecdot = delegate(np.vecdot)
