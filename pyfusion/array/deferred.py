# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NumPy's functions recorded, to be run by the backend when their turn comes.

A function can be recorded if the shape and the type of its one result follow from its arguments
without elements, and if no element makes it raise. `deferred_rules.py` says which functions those
are. The type, and what is wrong with a call, is asked of NumPy: it runs the call on a *model*,
arrays of ones of the same ranks and types whose extents are small. Extents up to 3 are their own,
the others become 4, 5, ... in their order: equal ones stay equal, different ones different, and
none grows. What fails on the model is left to the call at once, which raises what NumPy raises.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from ..backends.numpy_backend import GUARDED
from ..dtypes import DType, dtype_of
from ..ir.table import OPS, OpInfo
from ..ir.value import Value
from .core import Array, emit, ones_mask, wrap

__all__ = ["Rule", "call_of", "recorded"]

_LARGEST_MODEL = 20_000  # elements
_OWN_EXTENTS = 3  # a model has extents up to this one as they are
_STATIC = (
    *(type(None), bool, int, float, complex, str, np.generic),
    *(np.dtype, DType, type, slice, type(Ellipsis), type(np._NoValue)),
)


class Rule(NamedTuple):
    """What is known of a function.

    Attributes:
        arrays: its parameters that are arrays, by position and name.
        sequence: the first parameter is a sequence of arrays instead.
        shape: gives the result's shape for the call's arguments, None if this call cannot be
            recorded. Without it each extent of the result is one of an operand.
        model: gives the arguments of the call on the model where those of the call do not do.
        check: whether a call of these arguments can be recorded.
    """

    arrays: tuple[tuple[int, str], ...] = ((0, "a"),)
    sequence: bool = False
    shape: Callable[..., tuple[int, ...] | None] | None = None
    model: Callable[..., tuple[tuple, dict[str, Any]]] | None = None
    check: Callable[..., bool] | None = None


class _Slot:
    """The place of an operand in the arguments of a call."""

    __slots__ = ("number",)

    def __init__(self, number: int):
        self.number = number


class Call:
    """The arguments of one call, with places for its arrays: an operand that no key holds."""

    __slots__ = ("args", "options")

    def __init__(self, args: Any, options: dict[str, Any]):
        self.args = args
        self.options = options

    def __repr__(self) -> str:
        return "<call>"

    def run(self, function: Callable[..., Any], arrays: list[np.ndarray]) -> Any:
        options = {key: _filled(value, arrays) for key, value in self.options.items()}
        return function(*_filled(self.args, arrays), **options)


# These are no closures: one that calls itself is a cycle, and would hold the arrays until it is
# collected.
def _filled(given: Any, arrays: list[np.ndarray]) -> Any:
    if given.__class__ is _Slot:
        return arrays[given.number]
    if given.__class__ in (list, tuple):
        return given.__class__([_filled(g, arrays) for g in given])
    return given


def _placed(given: Any, arrays: list[Array]) -> Any:
    if isinstance(given, Array):
        arrays.append(given)
        return _Slot(len(arrays) - 1)
    if given.__class__ in (list, tuple):
        return given.__class__([_placed(g, arrays) for g in given])
    if isinstance(given, np.ndarray):
        from .creation import asarray

        try:
            copied = asarray(given)  # it may be written to before the call runs
        except TypeError:
            raise _Unknown from None
        return _placed(copied, arrays)
    if not isinstance(given, _STATIC):
        raise _Unknown
    return given


_ops: dict[Any, OpInfo] = {}


def name_of(function: Any) -> str:
    """What a function is called in reports: `linalg.norm`, `add.reduce`, `sort`."""
    owner = getattr(function, "__self__", None)
    if isinstance(owner, np.ufunc):
        return f"{owner.__name__}.{function.__name__}"
    return function.__name__


def op_for(function: Any) -> OpInfo:
    """The opaque operation that runs a function."""
    owner = getattr(function, "__self__", None)
    key = (owner, function.__name__) if isinstance(owner, np.ufunc) else function
    op = _ops.get(key)
    if op is None:
        name = name_of(function)
        clear = name not in OPS and name not in GUARDED  # those names have a meaning of their own
        op = OpInfo(name if clear else f"numpy.{name}", "opaque", "math", "")

        def run(*operands: Any, result: Any = None) -> np.ndarray:
            *arrays, call = operands
            found = np.asarray(call.run(function, arrays))
            # Memory of an operand may be used again when the operand dies.
            shared = any(np.may_share_memory(found, array) for array in arrays)
            return found.copy() if shared or not found.flags.aligned else found

        op.oracle = run
        op = _ops.setdefault(key, op)
    return op


class _Unknown(Exception):
    """The call cannot be recorded."""


def call_of(args: Any, options: dict[str, Any]) -> tuple[Call, list[Array]]:
    """A call with its arrays taken out. Raises `_Unknown` for an argument that is neither an array
    nor static."""
    arrays: list[Array] = []
    placed = _placed(tuple(args), arrays)
    return Call(placed, {key: _placed(o, arrays) for key, o in options.items()}), arrays


def _extents(shapes: Iterable[tuple[int, ...]]) -> dict[int, int]:
    """The extent in the model for each one that occurs."""
    found: dict[int, int] = {1: 1}  # which results have where no operand does
    for extent in sorted({extent for shape in shapes for extent in shape}):
        large = sum(1 for known in found if known > _OWN_EXTENTS)
        found[extent] = extent if extent <= _OWN_EXTENTS else _OWN_EXTENTS + 1 + large
    return found


def _of_model(
    function: Callable[..., Any], call: Call, arrays: list[Array]
) -> tuple[tuple[int, ...] | None, DType]:
    """Shape and type of the result by NumPy on a model; the shape with the extents of the call,
    None if one of them is none of an operand. Raises `_Unknown`."""
    small = _extents([x._v.shape for x in arrays])
    shapes = [tuple([small[d] for d in x._v.shape]) for x in arrays]
    if max(map(math.prod, shapes), default=0) > _LARGEST_MODEL:
        raise _Unknown
    models = [np.ones(s, x._v.dtype.numpy) for s, x in zip(shapes, arrays, strict=True)]
    try:
        with np.errstate(all="ignore"):
            found = call.run(function, models)
        if not isinstance(found, (np.ndarray, np.generic)):
            raise _Unknown
        dtype = dtype_of(found.dtype)
    except _Unknown:
        raise
    except Exception:  # the call at once says what is wrong
        raise _Unknown from None
    large = {value: extent for extent, value in small.items()}
    shape = tuple([large.get(extent, -1) for extent in found.shape])
    return (None if -1 in shape else shape), dtype


def _arrays_of(rule: Rule, args: tuple, options: dict[str, Any]) -> tuple[tuple, dict[str, Any]]:
    """The arguments with those that are arrays made such."""
    from .creation import asarray

    def array(given: Any) -> Any:
        if isinstance(given, Array) or given is None or isinstance(given, np.generic):
            return given
        return given if type(given) in (bool, int, float, complex) else asarray(given)

    args, options = tuple(args), dict(options)
    if rule.sequence:
        if not args or args[0].__class__ not in (list, tuple):
            raise _Unknown
        args = ([array(a) for a in args[0]], *args[1:])
    for place, name in rule.arrays:
        if place < len(args):
            if not (rule.sequence and place == 0):
                args = (*args[:place], array(args[place]), *args[place + 1 :])
        elif name in options:
            options[name] = array(options[name])
    return args, options


def recorded(
    function: Callable[..., Any], rule: Rule, args: tuple, options: dict[str, Any]
) -> Array | None:
    """The result of a call of NumPy's function, deferred; None if it has to be made at once."""
    try:
        if rule.check is not None and not rule.check(*args, **options):
            return None
        args, options = _arrays_of(rule, args, options)
        call, arrays = call_of(args, options)
        if not arrays:
            return None
        if rule.shape is None:
            shape, dtype = _of_model(function, call, arrays)
        else:
            shape = rule.shape(*args, **options)
            if shape is None:
                return None
            probe, given = call, arrays
            if rule.model is not None:
                few, more = rule.model(*args, **options)
                probe, given = call_of(few, more)
            _, dtype = _of_model(function, probe, given)
    except (_Unknown, TypeError, ValueError, IndexError, OverflowError):
        return None  # what is wrong is said by the call at once
    return None if shape is None else record_call(function, call, arrays, shape, dtype)


def record_call(
    function: Callable[..., Any],
    call: Call,
    arrays: list[Array],
    shape: tuple[int, ...],
    dtype: DType,
) -> Array:
    """Records a call whose result has that shape and type."""
    values: list[Value] = [x._v for x in arrays]
    attrs = (("result", ones_mask(shape)),)
    return wrap(emit(op_for(function), (*values, call), attrs, (), shape, dtype))
