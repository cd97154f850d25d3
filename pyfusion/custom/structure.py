# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arguments and results as nested tuples, lists and dicts: taken apart and put together again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from ..array import Array
from ..array.creation import asarray
from ..array.promote import check_size
from ..dtypes import DType, as_dtype
from ..ir.value import Value

_NUMBERS = (bool, int, float, complex)

# Nodes of a tree: what stands at a place of a structure.
_ARRAY = ("array",)
_SCALAR = ("scalar",)


class TensorSpec(NamedTuple):
    """An array as a rule sees it: shape and element type, no elements."""

    shape: tuple[int, ...]
    dtype: DType


class Flat(NamedTuple):
    """Arguments taken apart.

    Attributes:
        arrays: their values, in order.
        scalars: Python numbers, in order.
        tree: how they were nested, and everything that is neither; hashable.
    """

    arrays: list[Value]
    scalars: list[Any]
    tree: Any


def flatten(name: str, given: Any) -> Flat:
    """Takes a structure apart.

    Raises:
        TypeError: something in it is no array, number, tuple, list or dict, and is not hashable.
        ValueError: it is nested deeper than Python recurses, or holds itself.
    """
    flat = Flat([], [], None)
    try:
        return flat._replace(tree=_tree(name, given, flat))
    except RecursionError:
        raise ValueError(
            f"{name}: the arguments are nested too deeply, or hold themselves"
        ) from None


def _tree(name: str, given: Any, flat: Flat) -> Any:
    cls = type(given)
    if cls is Array or isinstance(given, np.ndarray):
        try:
            flat.arrays.append(asarray(given)._v)
        except TypeError as error:
            raise TypeError(f"{name}: an argument: {error}") from None
        return _ARRAY
    if isinstance(given, np.generic) and type(given.item()) in _NUMBERS:
        given = given.item()
        cls = type(given)
    if cls in _NUMBERS:
        flat.scalars.append(given)
        return _SCALAR
    if cls is dict:
        keys = tuple(given)
        return ("dict", keys, tuple([_tree(name, given[key], flat) for key in keys]))
    if isinstance(given, (tuple, list)):
        if cls not in (tuple, list) and not hasattr(given, "_make"):
            raise TypeError(f"{name}: takes tuples, lists, dicts and named tuples, not {cls}")
        return ("sequence", cls, tuple([_tree(name, item, flat) for item in given]))
    if isinstance(given, Value):
        raise TypeError(f"{name}: takes arrays, not the values of a client: those go to register")
    try:
        hash(given)
    except TypeError:
        raise TypeError(
            f"{name}: an argument of {cls.__name__} is no array, number, tuple, list or dict, and "
            "it is not hashable, so that it cannot tell one compiled program from another"
        ) from None
    return ("static", cls, given)


def rebuild(tree: Any, arrays: Iterator[Any], scalars: Iterator[Any]) -> Any:
    """The structure of a tree, with these for its arrays and numbers."""
    kind = tree[0]
    if kind == "array":
        return next(arrays)
    if kind == "scalar":
        return next(scalars)
    if kind == "static":
        return tree[2]
    items = [rebuild(item, arrays, scalars) for item in tree[2]]
    if kind == "dict":
        return dict(zip(tree[1], items, strict=True))
    cls = tree[1]
    return cls._make(items) if hasattr(cls, "_make") else cls(items)


def specs_of(name: str, given: Any) -> tuple[list[TensorSpec], Any]:
    """The specs in what a rule gave for the results, and their tree.

    Raises:
        TypeError: it holds something else.
    """
    found: list[TensorSpec] = []

    def leaf(item: Any) -> Any:
        if isinstance(item, TensorSpec):
            found.append(spec(name, item.shape, item.dtype))
            return _ARRAY
        return None

    tree = _structure(given, leaf)
    if tree is None or not found:
        raise TypeError(
            f"{name}: the rule of the results gave {given!r:.100}, not a TensorSpec, or tuples, "
            "lists and dicts of them"
        )
    return found, tree


def _structure(given: Any, leaf: Callable[[Any], Any]) -> Any:
    """The tree of a structure of results; None where a leaf is wrong."""
    at = leaf(given)
    if at is not None:
        return at
    if type(given) is dict:
        items = tuple([_structure(item, leaf) for item in given.values()])
        return None if None in items else ("dict", tuple(given), items)
    if isinstance(given, (tuple, list)):
        items = tuple([_structure(item, leaf) for item in given])
        return None if None in items else ("sequence", type(given), items)
    return None


def results_of(prefix: str, tree: Any, given: Any) -> list[Any]:
    """The results that a body returned, in the order of a tree; a list may stand for a tuple.

    Args:
        prefix: of messages.

    Raises:
        TypeError: there are others, or they are nested in another way.
    """
    found: list[Any] = []
    _match(prefix, tree, given, found, "the result")
    return found


def _match(prefix: str, tree: Any, given: Any, found: list[Any], where: str) -> None:
    kind = tree[0]
    if kind == "array":
        if isinstance(given, (tuple, list, dict)) or given is None:
            what = "None" if given is None else f"a {type(given).__name__} of {len(given)}"
            raise TypeError(f"{prefix}{where} is {what}, where the rule says one array")
        found.append(given)
        return
    wanted = f"{len(tree[2])} results"
    if kind == "dict":
        if not isinstance(given, dict) or set(given) != set(tree[1]):
            keys = sorted(map(str, given)) if isinstance(given, dict) else type(given).__name__
            raise TypeError(f"{prefix}{where} is {keys}, where the rule says a dict of {tree[1]}")
        for key, item in zip(tree[1], tree[2], strict=True):
            _match(prefix, item, given[key], found, f"{where}[{key!r}]")
        return
    if not isinstance(given, (tuple, list)):
        raise TypeError(f"{prefix}{where} is one {type(given).__name__}, but has to be {wanted}")
    if len(given) != len(tree[2]):
        raise TypeError(f"{prefix}{where} is {len(given)} results, but has to be {wanted}")
    for number, (item, one) in enumerate(zip(tree[2], given, strict=True)):
        _match(prefix, item, one, found, f"{where}[{number}]")


def arrays_in(result: Any, array: Callable[[Any], Any]) -> Any:
    """What a body returned, with `array` called for each thing that is no tuple, list or dict."""
    if isinstance(result, dict):
        return {key: arrays_in(item, array) for key, item in result.items()}
    if isinstance(result, (tuple, list)):
        items = [arrays_in(item, array) for item in result]
        cls = type(result)
        return cls._make(items) if hasattr(cls, "_make") else cls(items)
    return array(result)


def spec(name: str, shape: Any, dtype: Any) -> TensorSpec:
    """A spec of what a rule gave.

    Raises:
        TypeError: the shape is no tuple of ints, or the type names none.
        ValueError: a negative extent, more elements than memory can hold, or more dimensions than
            an array has.
    """
    if not isinstance(shape, (tuple, list)) or any(
        isinstance(d, bool) or not isinstance(d, (int, np.integer)) for d in shape
    ):
        raise TypeError(f"{name}: the rule gave the shape {shape!r:.100}, not a tuple of ints")
    extents = tuple(map(int, shape))
    if any(d < 0 for d in extents):
        raise ValueError(f"{name}: the rule gave the shape {extents}, with a negative extent")
    check_size(f"{name}: the rule's shape", extents)
    try:
        return TensorSpec(extents, as_dtype(dtype))
    except TypeError as error:
        raise TypeError(f"{name}: the rule gave the type {dtype!r:.100}: {error}") from None
