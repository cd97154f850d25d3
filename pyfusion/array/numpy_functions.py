# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NumPy's protocol of functions: `np.where(x > 0, x, 0)` is what `pf.where` gives.

`kind_of` says of each function what becomes of it; docs/protocols.md lists them:

- *own*: a function of pyfusion with the same arguments, deferred (`numpy_own.py`);
- *recorded*: run by the backend when its turn comes (`deferred_rules.py`);
- *at once*: run by the backend at the call, what the array waits for first;
- *question*: answered with what NumPy answers, no array: `np.shape(x)`, `np.allclose(x, y)`;
- *like*: makes an array, and is given ours as `like=`;
- *refused*: writes into its argument, or is for types that pyfusion does not have.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..ir.value import device_of
from . import ranges
from .backend_call import adopt, backend_call, device_in, mapped, to_numpy
from .core import Array, cast
from .creation import array, asarray, full, ones, zeros
from .deferred_rules import RULES
from .numpy_own import OWN, ByNumpy, Row
from .views import replace

__all__ = ["KINDS", "array_function", "kind_of", "name_of"]

KINDS = ("own", "recorded", "at once", "question", "like", "refused")

# Answered by shape and type alone.
_OF_TYPES = frozenset(
    ["shape", "ndim", "size", "result_type", "can_cast", "common_type", "iscomplexobj", "isrealobj"]
)
# Answered with elements.
_OF_ELEMENTS = frozenset(
    [
        "allclose",
        "array_equal",
        "array_equiv",
        "array2string",
        "array_repr",
        "array_str",
        "save",
        "savetxt",
        "savez",
        "savez_compressed",
        "einsum_path",
        "may_share_memory",
        "shares_memory",
        "min_scalar_type",
    ]
)

_WRITES = (
    "writes into its argument; pyfusion.where(mask, value, x) makes the new array, and NumPy's "
    "function writes into numpy.array(x)"
)
_DATES = "is for dates and times, which pyfusion has no type for"
_FIELDS = "is for structured types, which pyfusion does not have"
_TEXT = "is for strings, which pyfusion has no type for"
_MODULES = {"lib.recfunctions": _FIELDS, "char": _TEXT, "strings": _TEXT}
_REFUSED = {
    **dict.fromkeys(["fill_diagonal", "place", "put", "put_along_axis", "putmask"], _WRITES),
    **dict.fromkeys(["busday_count", "busday_offset", "datetime_as_string", "is_busday"], _DATES),
}

_DTYPE = "dtype -order device"
_LIKE: dict[str, Callable[..., Any] | None] = {
    "zeros": Row("zeros", f"shape | {_DTYPE}", zeros),
    "ones": Row("ones", f"shape | {_DTYPE}", ones),
    "empty": Row("empty", f"shape | {_DTYPE}", zeros),
    "full": Row("full", f"shape fill_value | {_DTYPE}", full),
    "identity": Row("identity", "n | dtype device", ranges.identity),
    "eye": Row("eye", "N M | k dtype -order device", ranges.eye),
    "array": Row("array", "object dtype | copy -order -subok ndmin -ndmax device", array),
    **{
        name: Row(name, "a dtype | -order device copy", asarray)
        for name in ("asarray", "asanyarray", "ascontiguousarray", "asfortranarray")
    },
    # Made by NumPy.
    **dict.fromkeys(
        [
            "arange",
            "frombuffer",
            "fromfile",
            "fromfunction",
            "fromiter",
            "fromstring",
            "genfromtxt",
            "loadtxt",
            "require",
            "tri",
        ]
    ),
}


@functools.cache
def name_of(function: Any) -> str:
    """A function's name in NumPy: `mean`, `linalg.det`."""
    module = function.__module__.removeprefix("numpy").removeprefix(".")
    return f"{module}.{function.__name__}" if module else function.__name__


@functools.cache
def kind_of(function: Any) -> str:
    """What becomes of one of NumPy's functions: one of `KINDS`."""
    name = name_of(function)
    if _refusal(name):
        return "refused"
    if name in _LIKE:
        return "like"
    if name in OWN:
        return "own"
    if name in _OF_TYPES or name in _OF_ELEMENTS:
        return "question"
    return "recorded" if function in RULES else "at once"


def _refusal(name: str) -> str:
    return _REFUSED.get(name) or _MODULES.get(name.rpartition(".")[0], "")


def array_function(self: Array, function: Any, types: Any, args: tuple, kwargs: dict) -> Any:
    """`__array_function__`: a call of NumPy's with one of our arrays among its arguments.

    Raises:
        TypeError: the function is refused; the message says what works.
        Exception: what NumPy raises.
    """
    foreign = any(not issubclass(t, (Array, np.ndarray)) for t in types)
    if foreign or function.__module__.partition(".")[0] != "numpy":
        return NotImplemented
    name, kind = name_of(function), kind_of(function)
    args = tuple([_plain(a) for a in args])
    if kind == "refused":
        return _refused(function, name, args, kwargs)
    if kind == "own":
        try:
            return OWN[name](*args, **kwargs)
        except ByNumpy:
            return _by_numpy(function, args, kwargs)
    if kind == "like":
        return _like(self, function, name, args, kwargs)
    if kind == "question":
        return _answered(function, name, args, kwargs)
    return _by_numpy(function, args, kwargs)


def _plain(given: Any) -> Any:
    """Sequences of classes that NumPy would walk through, and come back here for each array."""
    if isinstance(given, (str, bytes, np.ndarray, Array, range)) or type(given) in (list, tuple):
        return given
    return list(given) if isinstance(given, Sequence) else given


def _refused(function: Any, name: str, args: tuple, kwargs: dict) -> Any:
    """A function that writes still writes into NumPy's arrays, with elements of ours."""
    why = _refusal(name)
    target = args[0] if args else next(iter(kwargs.values()), None)
    if why is _WRITES and isinstance(target, np.ndarray):
        return function(*to_numpy(args), **to_numpy(kwargs))
    raise TypeError(f"numpy.{name} of a pyfusion.Array {why}")


def _answered(function: Any, name: str, args: tuple, kwargs: dict) -> Any:
    if name not in _OF_TYPES:
        return function(*to_numpy(list(args)), **to_numpy(kwargs))

    def typed(x: Array) -> Any:
        if name in ("result_type", "can_cast"):
            return x.dtype.numpy
        return np.broadcast_to(np.empty((), x.dtype.numpy), x.shape)

    return function(*mapped(list(args), typed), **mapped(kwargs, typed))


def _like(self: Array, function: Any, name: str, args: tuple, kwargs: dict) -> Array:
    """An array on the device of the one given as `like=`."""
    device = kwargs.pop("device", None) or self.device
    make = _LIKE[name]
    if make is not None:
        return make(*args, **kwargs, device=device)
    return asarray(function(*to_numpy(list(args)), **to_numpy(kwargs)), device=device)


@functools.cache
def _signature(function: Any) -> inspect.Signature | None:
    try:
        return inspect.signature(function)
    except ValueError:  # of functions in C, none of which takes `out`
        return None


def _by_numpy(function: Any, args: tuple, kwargs: dict) -> Any:
    """By the backend; into `out=` at once."""
    kwargs = {key: value for key, value in kwargs.items() if value is not np._NoValue}
    signature = _signature(function)
    if signature is not None and "out" in signature.parameters:
        bound = signature.bind(*args, **kwargs)
        out = bound.arguments.pop("out", None)
        bound.arguments.pop("overwrite_input", None)  # a hint; we never overwrite
        if out is not None or len(args) > 1:
            args, kwargs = _rest(signature, bound.arguments)
        if out is not None:
            return _into(function, args, kwargs, out)
    kwargs.pop("overwrite_input", None)
    return backend_call(function, *args, **kwargs)


def _rest(signature: inspect.Signature, given: dict[str, Any]) -> tuple[tuple, dict[str, Any]]:
    """Arguments without `out`: by position up to the first that is missing, then by name."""
    args: list[Any] = []
    named: dict[str, Any] = {}
    gap = False
    for name, parameter in signature.parameters.items():
        if name not in given:
            gap = True
        elif parameter.kind is parameter.VAR_POSITIONAL:
            args += given[name]
        elif parameter.kind is parameter.VAR_KEYWORD:
            named.update(given[name])
        elif gap or parameter.kind is parameter.KEYWORD_ONLY:
            named[name] = given[name]
        else:
            args.append(given[name])
    return tuple(args), named


def _into(function: Any, args: tuple, kwargs: dict, out: Any) -> Any:
    """NumPy's call with memory for the result, which it checks; an Array gets it as its version."""
    device_in([args, kwargs, out], function.__name__)  # raises for several
    target = out[0] if isinstance(out, tuple) else out
    memory = np.array(to_numpy(target)) if isinstance(target, Array) else target
    with np.errstate(all="ignore"):
        function(*to_numpy(list(args)), **to_numpy(kwargs), out=memory)
    if isinstance(target, Array):
        value = adopt(memory, device_of(target._v))._v
        replace(target, cast(value, target.dtype), function.__name__)
    return target
