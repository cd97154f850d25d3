# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NumPy's ufunc protocol: `np.exp(x)`, `np.float32(2) * x` and `ndarray + x` stay deferred."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import client
from ..ir.device import CPU
from ..ir.table import OPS, op_of_ufunc
from ..runtime.on_host import note_host
from . import ufunc_division
from .apply import apply
from .backend_call import adopt, device_in, from_result, to_numpy
from .core import Array, cast
from .creation import asarray
from .linear import matmul
from .operators import finish
from .views import replace

_OWN: dict[np.ufunc, Any] = {np.matmul: matmul}


def _foreign(x: Any) -> bool:
    """Whether another class wants to handle the ufunc."""
    if isinstance(x, (Array, np.ndarray, np.generic)):
        return False
    other = getattr(type(x), "__array_ufunc__", np.ndarray.__array_ufunc__)
    return other is not np.ndarray.__array_ufunc__


def array_ufunc(self: Array, ufunc: np.ufunc, method: str, /, *inputs: Any, **options: Any) -> Any:
    """`__array_ufunc__`. A plain call is recorded, and read if `out` is a NumPy array; anything
    else NumPy runs at once."""
    outs = options.pop("out", ())
    if any(map(_foreign, (*inputs, *outs))):
        return NotImplemented
    if method == "__call__":
        options = {key: value for key, value in options.items() if not _default(key, value)}
        if not options:
            results = _recorded(ufunc, inputs)
            if results:
                name = ufunc.__name__
                outs = outs or (None,) * len(results)
                found = [finish(r, out, name) for r, out in zip(results, outs, strict=True)]
                return found[0] if len(found) == 1 else tuple(found)
    if method == "at" and inputs[0].__class__ is Array:
        raise TypeError(f"{ufunc.__name__}.at writes to an Array; use pyfusion.where")
    return _by_numpy(ufunc, method, inputs, outs, options)


def _recorded(ufunc: np.ufunc, inputs: tuple[Any, ...]) -> list[Array]:
    """The results of a call that operations of the table run; empty if none do."""
    if ufunc is np.divmod:
        inputs = tuple([asarray(x) if isinstance(x, np.ndarray) else x for x in inputs])
        return [apply(OPS[name], *inputs) for name in ("floor_divide", "remainder")]
    own = _OWN.get(ufunc)
    if own is not None:
        return [own(*inputs)]
    op = op_of_ufunc(ufunc)
    return [] if op is None else [apply(op, *inputs)]


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
        note_host(ufunc.__name__, "NumPy's options and methods of ufuncs are not compiled")
    given = tuple(
        [np.array(client.read(out._v)) if out.__class__ is Array else out for out in outs]
    )
    options = to_numpy(options)
    if given:
        options["out"] = given
    with np.errstate(all="ignore"):
        result = ufunc_division.call(ufunc, method, to_numpy(inputs), options)
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
