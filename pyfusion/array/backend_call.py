# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of the backend: all that no operation of the table does.

Recorded where `deferred_rules.py` knows the result, and run at once elsewhere: where its shape or
count depends on values, or a value makes it raise.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import client
from ..backends.protocols import NotOnDevice
from ..errors import DeviceError, ExecutionError, failure
from ..ir.device import CPU, Device
from ..ir.value import Value, device_of
from ..runtime import devices, nested
from ..runtime.on_host import note_host
from .core import Array, wrap
from .deferred import Rule, recorded

# What NumPy raises for a call that is wrong, or for values (LinAlgError and AxisError are
# ValueErrors), and what names a failed operation already.
_AS_THEY_ARE = (ValueError, TypeError, IndexError, OverflowError, ExecutionError)
_NUMBERS = (bool, int, float, complex, np.generic)


def mapped(given: Any, convert: Callable[[Array], Any]) -> Any:
    """The structure with its arrays converted, inside of lists, tuples, dicts and slices too."""
    cls = given.__class__
    if cls is Array:
        return convert(given)
    if cls is list or cls is tuple:
        return cls([mapped(g, convert) for g in given])
    if cls is dict:
        return {key: mapped(g, convert) for key, g in given.items()}
    if cls is slice:
        return slice(*[mapped(g, convert) for g in (given.start, given.stop, given.step)])
    return given


def to_numpy(given: Any) -> Any:
    """Arrays become read-only NumPy arrays, inside of lists, tuples and dicts as well."""
    return mapped(given, lambda x: client.read(x._v))


def device_in(given: Any, name: str) -> Device:
    """The device of the arrays in a structure; the default one if there is none.

    Raises:
        DeviceError: they are on different devices.
    """
    found: list[Device] = []
    mapped(given, lambda x: found.append(device_of(x._v)))
    for device in found:
        if device is not found[0]:
            raise DeviceError(
                f"{name}: arrays on {found[0]} and {device}; bring them to one device"
            )
    return found[0] if found else devices.default()


def from_result(result: Any, device: Device = CPU) -> Any:
    """What a backend returned: arrays and numbers become arrays, inside of tuples and lists as
    well."""

    def array(item: Any) -> Any:
        if isinstance(item, Value):
            return wrap(item)
        if isinstance(item, np.ndarray):
            return adopt(item, device)
        return adopt(np.asarray(item), device) if isinstance(item, _NUMBERS) else item

    return nested.results(result, array)


def adopt(array: np.ndarray, device: Device = CPU) -> Array:
    """An array over memory that nobody else writes to, without a copy where its layout allows; on
    another device with one."""
    if type(array) is not np.ndarray:
        array = np.asarray(array)
    if device is not CPU:
        return wrap(client.from_numpy(array, device=device))
    item = array.dtype.itemsize
    usable = array.dtype.isnative and array.flags.aligned
    if usable and item and all(s % item == 0 for s in array.strides):
        return wrap(client.from_numpy(array, copy=False))
    return wrap(client.from_numpy(array))


@functools.cache
def _rules() -> dict[Any, Rule]:
    from .deferred_rules import RULES  # which needs functions that call the backend

    return RULES


def backend_call(run: Callable[..., Any], *args: Any, **options: Any) -> Any:
    """`run(*args, **options)` by the backend, counted as not fused: deferred where the result is
    known, as `deferred.recorded` says, else at once. A GPU's library is always called at once: it
    queues its work itself.

    What a GPU's backend does not run is run by NumPy on the host, and the result copied back: a
    `HostWarning` says so.

    Raises:
        ExecutionError, OutOfMemoryError: the backend's library failed.
        Exception: as NumPy's function.
    """
    name = run.__name__
    device = device_in([args, options], name)
    if device is CPU and (rule := _rules().get(run)) is not None:
        found = recorded(run, rule, args, options)
        if found is not None:
            return found
    client.note_unfused(name)
    if device is not CPU:
        given = mapped([args, options], lambda x: client.realize(x._v))
        try:
            return from_result(device.runtime.call(run, list(given[0]), given[1]), device)
        except NotOnDevice as error:
            note_host(name, str(error))
        except _AS_THEY_ARE:
            raise
        except Exception as error:  # of the library, its device or its driver
            raise failure(f"{name} on {device}", error) from error
    args = to_numpy(args)
    options = to_numpy(options)
    with np.errstate(all="ignore"):
        result = run(*args, **options)
    return from_result(result, device)


def delegate(run: Callable[..., Any], name: str = "") -> Callable[..., Any]:
    """A function that calls NumPy's of the same arguments by the backend."""

    def function(*args: Any, **options: Any) -> Any:
        return backend_call(run, *args, **options)

    function.__name__ = function.__qualname__ = name or run.__name__
    function.__doc__ = f"`{run.__module__}.{run.__name__}`, run by the backend."
    return function
