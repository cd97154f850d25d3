# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NumPy's ufunc protocol: `np.exp(x)`, `np.float32(2) * x` and `ndarray + x` stay deferred."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from .. import client
from ..ir.device import CPU
from ..ir.table import op_of_ufunc
from ..runtime.on_host import note_host
from .apply import apply
from .backend_call import adopt, device_in, from_result, to_numpy
from .core import Array, cast
from .linear import matmul
from .operators import assign
from .views import replace

_OWN: dict[np.ufunc, Any] = {np.matmul: matmul}


def _foreign(x: Any) -> bool:
    """Whether another class wants to handle the ufunc."""
    if isinstance(x, (Array, np.ndarray, np.generic)):
        return False
    other = getattr(type(x), "__array_ufunc__", np.ndarray.__array_ufunc__)
    return other is not np.ndarray.__array_ufunc__


def array_ufunc(self: Array, ufunc: np.ufunc, method: str, /, *inputs: Any, **options: Any) -> Any:
    """`__array_ufunc__`. A plain call is recorded; anything else NumPy runs at once."""
    outs = options.pop("out", ())
    if any(map(_foreign, (*inputs, *outs))):
        return NotImplemented
    if method == "__call__":
        options = {key: value for key, value in options.items() if not _default(key, value)}
        op = op_of_ufunc(ufunc)
        if op is not None and not options:
            run = _OWN.get(ufunc) or partial(apply, op)
            if not outs:
                return run(*inputs)
            if len(outs) == 1 and outs[0].__class__ is Array:
                assign(outs[0], run(*inputs), ufunc.__name__)
                return outs[0]
    if method == "at" and inputs[0].__class__ is Array:
        raise TypeError(f"{ufunc.__name__}.at writes to an Array; use pyfusion.where")
    return _by_numpy(ufunc, method, inputs, outs, options)


def _default(key: str, value: Any) -> bool:
    """Whether an option says what holds anyway."""
    if key in ("where", "subok"):
        return value is True
    return value is None or (key, value) in (("casting", "same_kind"), ("order", "K"))


def _by_numpy(ufunc: np.ufunc, method: str, inputs: tuple, outs: tuple, options: dict) -> Any:
    """The call by NumPy; an Array in `out` gets the result as its new version."""
    device = device_in([inputs, outs, options], ufunc.__name__)
    client.note_unfused(f"{ufunc.__name__}" + ("" if method == "__call__" else f".{method}"))
    if device is not CPU:
        note_host(ufunc.__name__, device.runtime.backend.name)
    given = tuple(
        [np.array(client.read(out._v)) if out.__class__ is Array else out for out in outs]
    )
    options = to_numpy(options)
    if given:
        options["out"] = given
    with np.errstate(all="ignore"):
        result = getattr(ufunc, method)(*to_numpy(inputs), **options)
    if not outs:
        return from_result(result, device)
    results = result if isinstance(result, tuple) else (result,)
    written = []
    for out, memory, found in zip(outs, given, results, strict=True):
        if out.__class__ is Array:
            replace(out, cast(adopt(memory, device)._v, out._v.dtype), ufunc.__name__)
            written.append(out)
        else:
            written.append(from_result(found, device) if out is None else out)
    return tuple(written) if isinstance(result, tuple) else written[0]
