# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums over several devices or processes, by a function of the user's.

pyfusion runs in one process and knows no network. A program that has peers registers what brings
their arrays together, of MPI or NCCL say; without it every group has one member.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from ..array.backend_call import backend_call
from ..array.core import Array
from ..client import sync
from ..errors import DTypeError
from .checks import array, choice

__all__ = ["all_reduce", "register_collective", "sync_collectives"]

Reduce = Callable[[np.ndarray, str, tuple], np.ndarray]

_registered: list[_Registered] = []


class _Registered(AbstractContextManager):
    """What was registered; as a context manager it is taken out at the end of the block."""

    def __init__(self, reduce: Reduce, synchronize: Callable[[], None] | None):
        self.reduce = reduce
        self.synchronize = synchronize

    def __exit__(self, *about: Any) -> None:
        if self in _registered:
            _registered.remove(self)


def register_collective(
    reduce: Reduce, synchronize: Callable[[], None] | None = None
) -> AbstractContextManager:
    """Has `all_reduce` call a function; the one registered last counts.

    Args:
        reduce: `reduce(array, op, devices)` is given a read-only NumPy array, "sum" or "mean", and
            the tuple of devices, and returns an array of the same shape and type.
        synchronize: waits for what `reduce` runs in the background; called by `sync_collectives`.

    Returns:
        A context manager that takes it out again.

    Example:
        >>> import pyfusion as pf
        >>> twin = lambda x, op, devices: 2 * x if op == "sum" else x
        >>> with pf.nn.register_collective(twin):
        ...     pf.nn.all_reduce([1.0, 2.0], devices=(0, 1)).tolist()
        [2.0, 4.0]
    """
    if not callable(reduce):
        raise TypeError(f"a collective is a function, not {reduce!r:.60}")
    entry = _Registered(reduce, synchronize)
    _registered.append(entry)
    return entry


def _alone(x: np.ndarray, op: str, devices: tuple) -> np.ndarray:
    return x.copy()


def all_reduce(x: Any, /, op: str = "sum", *, devices: Any = ()) -> Array:
    """The sum or the mean of the arrays that all members of a group pass.

    It runs at once, whether or not the result is used: the others wait for it.

    Args:
        x: numbers, of the same shape and type everywhere.
        op: "sum" or "mean".
        devices: what names the members; without a registered function at most one.

    Raises:
        DTypeError: booleans; the mean of integers.
        ValueError: an unknown `op`, or several members and nothing that brings them together.
        Exception: what the registered function raises.
    """
    x = array(x)
    choice("all_reduce", "op", op, ("sum", "mean"))
    if x.dtype.kind == "b" or (op == "mean" and x.dtype.kind in "iu"):
        raise DTypeError(f"all_reduce: {x.dtype} has no {op}")
    members = tuple(devices)
    if not _registered and len(members) > 1:
        raise ValueError(
            f"all_reduce: {len(members)} devices, but nothing is registered that brings them "
            "together: see register_collective"
        )
    reduce = _registered[-1].reduce if _registered else _alone

    def all_reduce(given: np.ndarray) -> np.ndarray:
        found = np.asarray(reduce(given, op, members))
        if found.shape != given.shape or found.dtype != given.dtype:
            raise TypeError(
                f"all_reduce: the registered function gave {found.dtype}{list(found.shape)} for "
                f"{given.dtype}{list(given.shape)}"
            )
        return found

    return backend_call(all_reduce, x)


def sync_collectives() -> None:
    """Runs what is queued, and waits for the registered function. Raises what either raises."""
    sync()
    if _registered and _registered[-1].synchronize is not None:
        _registered[-1].synchronize()
