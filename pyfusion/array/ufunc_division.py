# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`//` of floats in the calls of ufuncs that are not recorded, with the documented quotient.

NumPy's `floor_divide` and `divmod` may be off by one. These run the rest of the call (types,
shapes, `where`, `out`, `axis`) as NumPy does around the exact quotient.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..backends.division import GUARDS
from ..backends.half import is_bfloat16

__all__ = ["call"]

_exact = GUARDS["floor_divide"]
_PARTS: dict[np.ufunc, tuple[Callable[..., Any], ...]] = {
    np.floor_divide: (_exact,),
    np.divmod: (_exact, np.remainder),
}


def call(ufunc: np.ufunc, method: str, inputs: list[Any], options: dict[str, Any]) -> Any:
    """`ufunc.method(*inputs, **options)` of NumPy arrays and numbers."""
    run = _METHODS.get(method) if ufunc in _PARTS else None
    kind = None if run is None else _float_type(ufunc, method, inputs, options)
    if run is None or kind is None:
        return getattr(ufunc, method)(*inputs, **options)
    return run(ufunc, kind, inputs, options)


def _float_type(ufunc: np.ufunc, method: str, inputs: list, options: dict) -> np.dtype | None:
    """The type that NumPy would compute in, if it is one of floats; None for calls that it refuses,
    which are left to it to refuse."""
    if method in ("__call__", "outer"):
        weak = (int, float) if method == "__call__" else ()
        keys = [type(a) if type(a) in weak else np.asarray(a).dtype for a in inputs]
        outs = [None if out is None else out.dtype for out in options.get("out", ())]
    elif ufunc.nout > 1:
        return None
    elif method == "at":
        keys = [np.asarray(a).dtype for a in (inputs[0], inputs[-1])]
        outs = []  # NumPy converts back to any type
    else:
        keys, outs = [np.asarray(inputs[0]).dtype] * 2, []
    given = {key: options[key] for key in ("signature", "casting") if options.get(key)}
    if options.get("dtype") is not None:
        given["signature"] = (None, None) + (np.dtype(options["dtype"]),) * ufunc.nout
    try:
        kind = ufunc.resolve_dtypes((*keys, *(outs or [None] * ufunc.nout)), **given)[0]
    except (TypeError, ValueError):
        return None
    return kind if kind.kind == "f" or is_bfloat16(kind) else None


def _stored(result: Any, out: Any, options: dict[str, Any]) -> Any:
    """A result where `out` and `where` have it; elements that nothing selects are 0."""
    where = options.get("where", True)
    if out is None:
        if where is True:
            return result
        out = np.zeros(np.broadcast_shapes(result.shape, np.shape(where)), result.dtype)
    np.copyto(out, result, casting=options.get("casting") or "same_kind", where=where)
    return out


def _call(ufunc: np.ufunc, kind: np.dtype, inputs: list, options: dict) -> Any:
    x, y = (np.asarray(a).astype(kind) for a in inputs)
    results = [np.asarray(part(x, y)) for part in _PARTS[ufunc]]
    outs = options.get("out") or (None,) * len(results)
    stored = [_stored(r, out, options) for r, out in zip(results, outs, strict=True)]
    return stored[0] if len(stored) == 1 else tuple(stored)


def _outer(ufunc: np.ufunc, kind: np.dtype, inputs: list, options: dict) -> Any:
    x, y = map(np.asarray, inputs)
    return _call(ufunc, kind, [x.reshape(x.shape + (1,) * y.ndim), y], options)


def _stepwise(kind: np.dtype, kept: np.dtype) -> np.ufunc:
    """A ufunc of Python objects that divides in one type and rounds what it gives to another."""

    def floor_divide(x: Any, y: Any) -> Any:
        return _exact(kind.type(x), kind.type(y)).astype(kept)[()]

    return np.frompyfunc(floor_divide, 2, 1)


def _along(method: str) -> Callable[..., Any]:
    """`reduce`, `accumulate` and `reduceat`: one division after the other."""

    def run(ufunc: np.ufunc, kind: np.dtype, inputs: list, options: dict) -> Any:
        x = np.asarray(inputs[0]).astype(kind).astype(object)
        rest = {key: o for key, o in options.items() if key not in ("dtype", "out")}
        found = getattr(_stepwise(kind, kind), method)(x, *inputs[1:], **rest)
        (out,) = options.get("out") or (None,)
        return _stored(np.asarray(found).astype(kind), out, {})

    return run


def _at(ufunc: np.ufunc, kind: np.dtype, inputs: list, options: dict) -> None:
    x, indices, y = inputs
    elements = x.astype(object)
    _stepwise(kind, x.dtype).at(elements, indices, np.asarray(y).astype(object))
    x[...] = elements.astype(x.dtype)


_METHODS: dict[str, Callable[..., Any]] = {
    "__call__": _call,
    "outer": _outer,
    "reduce": _along("reduce"),
    "accumulate": _along("accumulate"),
    "reduceat": _along("reduceat"),
    "at": _at,
}
