# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NumPy's protocol of ufuncs: `np.exp(x)`, `np.float32(2) * x`, `ndarray + x`, `np.add.reduce(x)`
stay deferred, with `out=`, `where=`, `dtype=`, `signature=` and `casting=`.

Methods are in `ufunc_methods.py`, `out=` and `where=` in `ufunc_results.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import client
from ..dtypes import dtype_of
from ..ir.device import CPU
from ..ir.table import OPS, op_of_ufunc
from ..ir.value import device_of
from ..runtime.on_host import note_host
from . import ufunc_division
from .apply import apply
from .backend_call import device_in, from_result, to_numpy
from .core import Array, cast, wrap
from .creation import asarray
from .deferred import Rule, call_of, record_call, recorded
from .elementwise import where as select
from .linear import matmul
from .promote import broadcast
from .ufunc_results import into, store

__all__ = ["Options", "by_numpy", "called", "is_foreign"]

_BOTH = Rule(((0, "x1"), (1, "x2")))
_NUMBERS = (bool, int, float, complex)


def is_foreign(x: Any) -> bool:
    """Whether another class wants to handle the ufunc."""
    if isinstance(x, (Array, np.ndarray, np.generic)):
        return False
    other = getattr(type(x), "__array_ufunc__", np.ndarray.__array_ufunc__)
    return other is not np.ndarray.__array_ufunc__


class Options:
    """The options of a call, without those that say what holds anyway.

    Attributes:
        out: one for each result, None for those that are made; empty if there are none.
        where: a mask, or True.
        casting: NumPy's rule for operands and for `out`.
        more: all others.
    """

    __slots__ = ("out", "where", "casting", "more")

    def __init__(self, given: dict[str, Any]):
        given = {key: value for key, value in given.items() if value is not None or key == "axis"}
        self.out = given.pop("out", ())
        self.where = given.pop("where", True)
        self.casting = given.pop("casting", "same_kind")
        if given.get("order") in tuple("KACF"):
            del given["order"]  # how results lie in memory is ours to choose
        if given.get("subok") is True:
            del given["subok"]
        self.more = given

    def all(self) -> dict[str, Any]:
        """As NumPy takes them."""
        found = dict(self.more)
        if self.where is not True:
            found["where"] = self.where
        if self.casting != "same_kind":
            found["casting"] = self.casting
        return found


def called(ufunc: np.ufunc, inputs: tuple[Any, ...], options: Options) -> Any:
    """A plain call: recorded, and read if `out` is a NumPy array; what no operation does, NumPy
    runs at once."""
    operands: tuple[Any, ...] | None = inputs
    typed: dict[str, Any]
    typed = {key: options.more[key] for key in ("dtype", "signature", "sig") if key in options.more}
    wanted: tuple[Any, ...] = (None,) * ufunc.nout
    if set(options.more) - set(typed):
        operands = None
    elif typed or options.casting != "same_kind":
        operands, wanted = _typed(ufunc, inputs, typed, options.casting)
    results = None if operands is None else _recorded(ufunc, operands)
    if results is None:
        return by_numpy(ufunc, "__call__", inputs, options)
    for result, dtype in zip(results, wanted, strict=True):
        if dtype is not None and result.dtype is not dtype:
            return by_numpy(ufunc, "__call__", inputs, options)
    outs = options.out or (None,) * len(results)
    pairs = zip(results, outs, strict=True)
    found = [store(r, out, options.where, options.casting, ufunc.__name__) for r, out in pairs]
    return found[0] if len(found) == 1 else tuple(found)


# --- Types of a call ------------------------------------------------------------------------------


def _key(x: Any) -> Any:
    """What NumPy resolves a type from: a type, or the class of a Python number."""
    if isinstance(x, (Array, np.generic)):
        return np.dtype(x.dtype)
    return np.dtype(bool) if type(x) is bool else type(x)


def _signature(ufunc: np.ufunc, typed: dict[str, Any]) -> tuple[Any, ...] | None:
    given = typed.get("signature", typed.get("sig"))
    if given is None:
        if "dtype" not in typed:
            return None
        return (None,) * ufunc.nin + (np.dtype(typed["dtype"]),) * ufunc.nout
    if isinstance(given, str):
        if "->" not in given:
            return (None,) * ufunc.nin + (np.dtype(given),) * ufunc.nout
        given = given.replace("->", "")
    return tuple([None if one is None else np.dtype(one) for one in given])


def _typed(
    ufunc: np.ufunc, inputs: tuple, typed: dict[str, Any], casting: Any
) -> tuple[tuple[Any, ...] | None, tuple[Any, ...]]:
    """The operands in the types that NumPy would compute in, and the results' types; None where it
    refuses, which is left to it to say."""
    nothing = None, ()
    given = [x if isinstance(x, (Array, *_NUMBERS)) else asarray(x) for x in inputs]
    try:
        keys = (*map(_key, given), *[None] * ufunc.nout)
        found = ufunc.resolve_dtypes(keys, signature=_signature(ufunc, typed), casting=casting)
        dtypes = [dtype_of(d) for d in found]
    except (TypeError, ValueError):
        return nothing
    operands = []
    for x, dtype in zip(given, dtypes[: ufunc.nin], strict=True):
        if isinstance(x, Array):
            operands.append(wrap(cast(x._v, dtype)))
        else:
            operands.append(asarray(x, dtype))
    return tuple(operands), tuple(dtypes[ufunc.nin :])


# --- What runs a ufunc ----------------------------------------------------------------------------


def _divmod(*inputs: Any) -> list[Array]:
    inputs = tuple([asarray(x) if isinstance(x, np.ndarray) else x for x in inputs])
    return [apply(OPS[name], *inputs) for name in ("floor_divide", "remainder")]


def _modf(x: Any) -> list[Array] | None:
    """What is before the point, and what is after it, with the sign of the number."""
    x = asarray(x)
    dtype = x.dtype
    if dtype.kind != "f" or not dtype.compiled:
        return _opaque_parts(np.modf, x)
    whole = apply(OPS["trunc"], x)
    at_infinity = select(apply(OPS["less"], x, 0), dtype(-0.0), dtype(0))
    zero = select(apply(OPS["isinf"], x), at_infinity, apply(OPS["multiply"], x, 0))
    rest = apply(OPS["subtract"], x, whole)
    return [select(apply(OPS["equal"], x, whole), zero, rest), whole]


def _frexp(x: Any) -> list[Array] | None:
    return _opaque_parts(np.frexp, asarray(x))


def _first_of(ufunc: np.ufunc) -> Callable[[np.ndarray], Any]:
    def run(x: np.ndarray) -> Any:
        return ufunc(x)[0]

    run.__name__ = f"{ufunc.__name__}.0"
    return run


def _second_of(ufunc: np.ufunc) -> Callable[[np.ndarray], Any]:
    def run(x: np.ndarray) -> Any:
        return ufunc(x)[1]

    run.__name__ = f"{ufunc.__name__}.1"
    return run


_PARTS: dict[np.ufunc, tuple[Callable[..., Any], ...]] = {
    ufunc: (_first_of(ufunc), _second_of(ufunc)) for ufunc in (np.modf, np.frexp)
}


def _opaque_parts(ufunc: np.ufunc, x: Array) -> list[Array] | None:
    """Two results, each by a call of its own."""
    if device_of(x._v) is not CPU:
        return None
    parts = [recorded(part, Rule(((0, "x"),)), (x,), {}) for part in _PARTS[ufunc]]
    found = [part for part in parts if part is not None]
    return found if len(found) == len(parts) else None


_OWN: dict[np.ufunc, Callable[..., list[Array] | None]] = {
    np.divmod: _divmod,
    np.modf: _modf,
    np.frexp: _frexp,
    np.matmul: lambda *inputs: [matmul(*inputs)],
}


def _recorded(ufunc: np.ufunc, inputs: tuple[Any, ...]) -> list[Array] | None:
    """The results of a call that is recorded; None where none is."""
    own = _OWN.get(ufunc)
    if own is not None:
        return own(*inputs)
    op = op_of_ufunc(ufunc)
    if op is not None:
        return [apply(op, *inputs)]
    if ufunc.nout != 1 or device_in(list(inputs), ufunc.__name__) is not CPU:
        return None
    found = _opaque(ufunc, inputs) if ufunc.signature is None else None
    if ufunc.signature is not None and getattr(np, ufunc.__name__, None) is ufunc:
        found = recorded(ufunc, _BOTH, inputs, {})
    return None if found is None else [found]


def _opaque(ufunc: np.ufunc, inputs: tuple[Any, ...]) -> Array | None:
    """An element-wise ufunc of another library. One of Python's objects, which a user's function
    may be behind, runs at once."""
    given = [x if isinstance(x, (Array, np.generic, *_NUMBERS)) else asarray(x) for x in inputs]
    try:
        found = ufunc.resolve_dtypes((*map(_key, given), None))
        dtype = dtype_of(found[-1])
    except (TypeError, ValueError):
        return None
    call, arrays = call_of(given, {})
    shape = broadcast(ufunc.__name__, tuple([x.shape for x in arrays]))
    return record_call(ufunc, call, arrays, shape, dtype)


def by_numpy(ufunc: np.ufunc, method: str, inputs: tuple, options: Options) -> Any:
    """The call by NumPy, at once; an Array in `out` gets the result as its new version."""
    name = ufunc.__name__ if method == "__call__" else f"{ufunc.__name__}.{method}"
    device = device_in([inputs, options.out, options.more, options.where], ufunc.__name__)
    client.note_unfused(name)
    if device is not CPU:
        note_host(ufunc.__name__, "NumPy's options and methods of ufuncs are not compiled")

    def run(**more: Any) -> Any:
        given = {**to_numpy(options.all()), **more}
        with np.errstate(all="ignore"):
            return ufunc_division.call(ufunc, method, to_numpy(list(inputs)), given)

    if not options.out:
        return from_result(run(), device)
    return into(run, options.out, device, ufunc.__name__)
