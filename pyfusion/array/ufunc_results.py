# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where results of ufuncs go: `out=` and `where=`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import client
from ..dtypes import bool_, dtype_of
from ..errors import DTypeError, ShapeError
from ..ir.device import Device
from .backend_call import adopt, from_result
from .core import Array, cast
from .creation import asarray
from .elementwise import where as select
from .manipulation import broadcast_to
from .promote import broadcast
from .views import replace

__all__ = ["into", "store"]


def store(result: Array, out: Any, where: Any, casting: Any, name: str) -> Any:
    """A result in `out` where the mask holds, or as it is. Without `out`, elements that the mask
    leaves out are 0, where NumPy's are whatever was in memory.

    Raises:
        ShapeError: `out` has another shape.
        DTypeError: the result's type does not convert to that of `out`, or the mask is not of
            booleans.
    """
    mask = None if where is True else _mask(where, name)
    if out is None:
        if mask is None:
            return result
        return select(mask, result, np.zeros((), result.dtype.numpy)[()])
    ours = isinstance(out, Array)
    dtype = out.dtype if ours else dtype_of(out.dtype)
    if not np.can_cast(result.dtype.numpy, dtype.numpy, casting):
        raise DTypeError(
            f"Cannot cast ufunc '{name}' output from {result.dtype.numpy!r} to {dtype.numpy!r} "
            f"with casting rule {casting!r}"
        )
    shapes = (result.shape, out.shape) if mask is None else (result.shape, out.shape, mask.shape)
    shape = broadcast(name, shapes)
    if shape != out.shape:
        raise ShapeError(
            f"{name}: non-broadcastable output operand with shape {out.shape} doesn't match the "
            f"broadcast shape {shape}"
        )
    if not ours:
        keep = True if mask is None else np.asarray(mask)
        np.copyto(out, np.asarray(result), casting="unsafe", where=keep)
        return out
    value = cast(result._v, dtype)
    if value.shape != out.shape or mask is not None:
        whole = asarray(result, dtype)
        whole = whole if whole.shape == out.shape else broadcast_to(whole, out.shape)
        value = (whole if mask is None else select(mask, whole, out))._v
    replace(out, value, name)
    return out


def _mask(where: Any, name: str) -> Array:
    mask = asarray(where)
    if mask.dtype is not bool_:
        raise DTypeError(f"{name}: where= is of bool, not {mask.dtype}; compare it with 0")
    return mask


def into(run: Callable[..., Any], outs: tuple, device: Device, name: str) -> Any:
    """`run(out=...)` with memory for each result that NumPy checks and writes."""
    memory = tuple([np.array(client.read(o._v)) if isinstance(o, Array) else o for o in outs])
    result = run(out=memory)
    results = result if isinstance(result, tuple) else (result,)
    written = []
    for out, filled, found in zip(outs, memory, results, strict=True):
        if isinstance(out, Array):
            replace(out, cast(adopt(filled, device)._v, out._v.dtype), name)
            written.append(out)
        else:
            written.append(from_result(found, device) if out is None else out)
    return tuple(written) if isinstance(result, tuple) else written[0]
