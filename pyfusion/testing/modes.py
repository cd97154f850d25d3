# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`assert_same_everywhere`: one function run in every mode."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import client
from ..array import Array
from ..array.core import wrap
from ..config import config
from ..inspection import explain
from ..ir.device import CPU, Device
from ..ir.value import device_of, reach
from ..runtime import devices
from .compare import close, difference, equal_bits, leaves

MODES = ("fused", "single", "backend")


def assert_same_everywhere(
    f: Callable[..., Any],
    /,
    *args: Any,
    ulp: int = 4,
    rtol: float = 0.0,
    atol: float = 0.0,
    **kwargs: Any,
) -> None:
    """Checks that `f(*args, **kwargs)` gives the same results in each mode.

    The function is called in the modes `fused`, `single` and `backend`, each time with new copies
    of the arrays, so that it may change them in place. Fused and single mode must agree bit for bit
    (signs of zeros count, NaNs are equal). The backend must give the same structure, shapes and
    types, equal integers and bools, and floats within one of the tolerances; zeros of either sign
    are equal there.

    Args:
        f: a function of arrays. It may read them (`float(x)`), which ends the fusing there.
        args, kwargs: what it is called with, nested lists, tuples and dicts included. NumPy arrays
            are passed as arrays of pyfusion. Copies keep the layout: a transposed argument stays
            so. An array given twice is one array in the copies as well.
        ulp: how many floats of the result's type may lie between the compiled result and the
            backend's. The default, 4, is room for two or three elementary functions in a row:
            errors add up, and subtraction magnifies them.
        rtol, atol: floats pass too if they differ by at most `atol + rtol * abs(backend)`. Sums
            need it, which the backend adds up in another order: their error is relative to the sum
            of the magnitudes, so `atol=1e-6 * np.abs(x).sum()` suits a float32 sum of `x`.

    Raises:
        AssertionError: a difference; the message says between which modes, in which result, at
            which index, the two values, their distance, and the kernels of the program.
        CompileError: a block did not compile (it would fall back to the backend otherwise).

    The mode is a flag of the process: other threads must not record meanwhile.

    Example:
        >>> import pyfusion as pf
        >>> def spread(x):
        ...     return {"mean": x.mean(), "norm": pf.tanh(x - x.max())}
        >>> pf.testing.assert_same_everywhere(spread, pf.linspace(-1, 1, 9), atol=1e-15)
    """
    client.sync()
    found = {}
    for mode in MODES:
        with config.scope(mode=mode, strict=True):
            found[mode] = _results(f, args, kwargs)
    tolerances = (ulp, rtol, atol)
    problem = _compare(found, "single", None) or _compare(found, "backend", tolerances)
    if problem is not None:
        raise AssertionError(f"{problem}\n{_kernels(f, args, kwargs)}")


def _results(f: Callable[..., Any], args: tuple, kwargs: dict) -> list[tuple[str, Any]]:
    copies = _copies((args, kwargs), {})
    result = f(*copies[0], **copies[1])
    del copies  # nobody holds the arguments when the results are read: buffers may be taken over
    return [(path, _plain(leaf)) for path, leaf in leaves(result)]


def _plain(leaf: Any) -> Any:
    return np.asarray(leaf) if isinstance(leaf, (Array, np.generic)) else leaf


def _copies(item: Any, memo: dict[int, Any]) -> Any:
    if isinstance(item, (Array, np.ndarray)):
        if id(item) not in memo:
            device = device_of(item._v) if isinstance(item, Array) else devices.default()
            memo[id(item)] = _copy(np.asarray(item), device)
        return memo[id(item)]
    if type(item) in (list, tuple):
        return type(item)([_copies(i, memo) for i in item])
    if type(item) is dict:
        return {key: _copies(value, memo) for key, value in item.items()}
    return item


def _copy(x: np.ndarray, device: Device) -> Array:
    """A new array with the same elements and strides (where they are whole elements)."""
    steps = x.strides
    odd = not x.dtype.isnative or any(s % x.itemsize for s in steps)
    if odd or x.flags.c_contiguous or x.size == 0 or device is not CPU:
        return wrap(client.from_numpy(x, device=device))
    low, high = reach(x.shape, steps)
    memory = np.empty((high - low) // x.itemsize + 1, x.dtype)
    view = np.ndarray(x.shape, x.dtype, memory, -low, steps)
    view[...] = x
    return wrap(client.from_numpy(view, copy=False))


def _compare(found: dict[str, Any], mode: str, tolerances: tuple | None) -> str | None:
    """What the results of a mode differ in from those of fused mode, as text."""
    for (path, x), (other_path, y) in zip(found["fused"], found[mode], strict=False):
        where = f"{path} of fused mode and of {mode} mode differ"
        if path != other_path or type(x) is not type(y):
            return f"{where}: {other_path} is {y!r}, not {x!r}"
        if not isinstance(x, (np.ndarray, float, complex)):
            if x != y:
                return f"{where}: {x!r} is not {y!r}"
            continue
        x, y = np.asarray(x), np.asarray(y)
        if x.shape != y.shape or x.dtype != y.dtype:
            return f"{where}: {x.dtype}{list(x.shape)} is not {y.dtype}{list(y.shape)}"
        same = equal_bits(x, y) if tolerances is None else close(x, y, *tolerances)
        if not same.all():
            return f"{where} {difference(x, y, same)}"
    if len(found["fused"]) != len(found[mode]):  # a container that differs was named above
        return f"fused mode and {mode} mode give {found['fused']!r} and {found[mode]!r}"
    return None


def _kernels(f: Callable[..., Any], args: tuple, kwargs: dict) -> str:
    try:
        with config.scope(mode="fused"):
            shown = explain(f, *_copies(args, {}), **_copies(kwargs, {}))
        return f"kernels in fused mode:\n{shown}"
    except Exception as error:
        return f"kernels in fused mode: not shown ({error})"
