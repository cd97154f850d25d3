# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations of your own, deferred and fused with the others.

There are three kinds of body:

    @pf.custom.op(shape=lambda x, y: x.shape[:1], dtype=lambda x, y: x.dtype)
    def closest(x, y):  # NumPy arrays: runs on the backend, between the kernels
        return scipy.spatial.cKDTree(y).query(x)[0]

    @pf.custom.op(fused=True)
    def silu(x):  # pyfusion's functions: fuses with what comes before and after
        return x / (1 + pf.exp(-x))

    relu6 = pf.custom.from_ir('''
        func.func @relu6(%x: tensor<?xf32>, %six: f32) -> tensor<?xf32> { ... }
    ''')  # operations of the dialect: fuses likewise

The first kind may have a lowering as well, a function that gives the operation's IR: see
`BackendOp.lowering`. A module that makes operations can be given to `pyfusion-opt --load`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, overload

from .fused import FusedOp
from .ir_op import IrOp, from_ir
from .ops import BackendOp, CustomOp
from .structure import TensorSpec

__all__ = ["BackendOp", "CustomOp", "FusedOp", "IrOp", "TensorSpec", "from_ir", "op"]


@overload
def op(body: Callable[..., Any], /) -> BackendOp: ...


@overload
def op(
    *,
    shape: Any = None,
    dtype: Any = None,
    results: Callable[..., Any] | None = None,
    fused: bool = False,
    name: str | None = None,
) -> Callable[[Callable[..., Any]], Any]: ...


def op(
    body: Callable[..., Any] | None = None,
    /,
    *,
    shape: Any = None,
    dtype: Any = None,
    results: Callable[..., Any] | None = None,
    fused: bool = False,
    name: str | None = None,
) -> Any:
    """Decorator: makes a function an operation.

    Arguments may be nested tuples, lists and dicts of arrays. NumPy arrays among them become
    arrays. Python numbers are arguments of the compiled program, not part of it: other numbers
    compile nothing anew. Everything else has to be hashable, and is part of it: the body is given
    what this call was given, and a lowering what an equal argument that prints alike was.

    Args:
        shape: the rule of the result's shape: a tuple, or a function of the arguments, in which a
            `TensorSpec` with `shape` and `dtype` stands for each array. A list of shapes is that of
            several results, which the call returns as a tuple. By default the arguments' shapes are
            broadcast, as of an element-wise operation.
        dtype: the rule of its element type: a type, or a function of the arguments, or lists. By
            default the type that the arguments have in common.
        results: in place of the two, a function that gives a `TensorSpec`, or tuples, lists and
            dicts of them; the call returns arrays in the same structure.
        fused: the body is made of pyfusion's functions, and called at once with arrays, to record
            them. Without it the body is called with read-only NumPy arrays when its turn has come;
            it must not write to what it has returned, nor use arrays of pyfusion that are pending.
        name: what IR calls the operation behind `custom.`; the function's name by default.

    A rule's exception is raised at the call. A wrong result (shape, type, number of results) of a
    fused body is an error at the call, else at the read, as what the body itself raises. SystemExit
    and the like, raised by a body that is not fused, are raised on once, by the read that runs it.

    Raises:
        ValueError: the name is another operation's. The same function may be defined again,
            and each definition keeps its own body.
        TypeError: both `results` and one of the other rules are given; or the body is no function,
            or one that returns no result when it is called, as a generator function.

    Example:
        >>> import numpy as np, pyfusion as pf
        >>> @pf.custom.op(shape=lambda x, n: (n,), dtype=pf.int64)
        ... def histogram(x, n):
        ...     return np.histogram(x, bins=n)[0]
        >>> histogram(pf.asarray([1.0, 2.0, 2.5, 9.0]), 4).tolist()
        [3, 0, 0, 1]
    """
    if not isinstance(fused, bool):
        raise TypeError(f"op: fused is a bool, not {fused!r:.100}")
    kind = FusedOp if fused else BackendOp

    def made(function: Callable[..., Any]) -> CustomOp:
        return kind(function, name, shape, dtype, results)

    return made if body is None else made(body)
