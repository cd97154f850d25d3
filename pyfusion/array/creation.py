# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays from data and from nothing."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from .. import client
from ..dtypes import DType, as_dtype, bfloat16, dtype_of, float64
from ..errors import DTypeError
from ..ir.device import CPU, Device
from ..ir.value import device_of
from ..runtime import devices
from .apply import full_value
from .backend_call import adopt, to_numpy
from .core import Array, cast, wrap
from .promote import check_size, default_dtype, scalar

__all__ = [
    "array",
    "asarray",
    "copy",
    "empty",
    "empty_like",
    "from_dlpack",
    "from_numpy",
    "full",
    "full_like",
    "ones",
    "ones_like",
    "zeros",
    "zeros_like",
]


def place(device: Any) -> Device:
    """The device that an argument names; None is the default one.

    Raises:
        DeviceError: it does not exist, or what it needs is missing.
    """
    if device is None:
        return devices.default()
    return CPU if device == "cpu" else devices.find(device)


def shape_of(shape: Any) -> tuple[int, ...]:
    """A shape argument: an int or a sequence of ints, none negative."""
    found: tuple[int, ...]
    if isinstance(shape, bool):
        raise TypeError(f"a shape is an int or a sequence of ints, not {shape!r}")
    try:
        found = (operator.index(shape),)
    except TypeError:
        try:
            found = tuple(map(operator.index, shape))
        except TypeError:
            raise TypeError(f"a shape is an int or a sequence of ints, not {shape!r}") from None
    if any(d < 0 for d in found):
        raise ValueError(f"negative dimensions are not allowed: shape {found}")
    return found


def asarray(
    obj: Any, /, dtype: Any = None, *, device: Any = None, copy: bool | None = None
) -> Array:
    """An array with the elements of `obj`.

    Args:
        obj: an `Array` (returned as it is), a NumPy array, a number, nested sequences, or anything
            that exports its data.
        dtype: element type; NumPy's choice by default.
        device: where the elements go; an array that has a device keeps it by default.
        copy: NumPy arrays are copied unless it is False, which pins the array: it must not be
            written to any more, and ValueError is raised if it cannot be used in place. Memory
            of a GPU is used in place unless it is True, and must not be written to any more.

    Raises:
        DeviceError: the device does not exist, or what it needs is missing.
    """
    target = None if dtype is None else as_dtype(dtype)
    if copy is not None and copy.__class__ is not bool:
        copy = _flag_of_copy(copy)
    cls = obj.__class__
    if cls is Array:
        if device is not None:
            goal = place(device)
            if device_of(obj._v) is not goal:
                if copy is False:
                    raise ValueError(
                        f"asarray: {obj.device} to {goal} needs a copy, but copy=False"
                    )
                return asarray(wrap(client.transfer(obj._v, goal)), target)
        if target is None or obj._v.dtype is target:
            return wrap(obj._v) if copy else obj
        if copy is False:
            raise ValueError(f"asarray: {obj.dtype} to {target} needs a copy, but copy=False")
        return wrap(cast(obj._v, target))
    if cls in (bool, int, float, complex):
        if copy is False:
            raise ValueError("asarray: a Python number has no memory to share, but copy=False")
        if target is None:
            target = default_dtype(obj)
        if cls is complex and target.kind != "c":
            raise TypeError(f"asarray: a complex number does not convert to {target}")
        return wrap(full_value(obj, (), target, place(device)))
    return _from_object(obj, target, copy, device)


def _flag_of_copy(copy: Any) -> bool:
    if isinstance(copy, str):
        raise ValueError(f"asarray: copy is True, False or None, not {copy!r}")
    return bool(copy)


def _from_object(obj: Any, target: DType | None, copy: bool | None, device: Any) -> Array:
    if not isinstance(obj, (np.ndarray, list, tuple)):
        from .interop import import_gpu, is_gpu_memory

        if is_gpu_memory(obj):
            return asarray(import_gpu(obj, copy), target, device=device, copy=copy)
    goal = place(device)
    if isinstance(obj, np.ndarray):
        return _from_ndarray(obj, target, copy, goal)
    if isinstance(obj, (list, tuple)):
        if copy is False:
            raise ValueError("asarray: a sequence has no memory to share, but copy=False")
        if target is bfloat16:
            return _bfloat16(to_numpy(obj), goal)
        found = np.asarray(to_numpy(obj), None if target is None else target.numpy)
        _check_objects(found, obj)
        return adopt(found, goal)
    exports = hasattr(obj, "__dlpack__")
    if exports and not hasattr(obj, "__array__"):
        return asarray(from_dlpack(obj, device=goal.name, copy=copy), target)
    try:
        found = np.asarray(obj)
    except (TypeError, ValueError, BufferError, RuntimeError):
        if not exports:
            raise
        # What a library cannot give NumPy it may export, as PyTorch does bfloat16.
        return asarray(from_dlpack(obj, device=goal.name, copy=copy), target)
    _check_objects(found, obj)
    return _from_ndarray(found, target, copy, goal)


def _bfloat16(obj: Any, device: Device) -> Array:
    """From a sequence, each number rounded once: NumPy would round to another type first."""
    found = np.asarray(obj)
    if found.dtype.kind == "c":
        raise TypeError("asarray: complex numbers do not convert to bfloat16")
    if found.dtype.kind == "O":  # integers beyond 64 bits, perhaps
        numbers = [scalar(x, bfloat16) if type(x) in (bool, int, float) else x for x in found.flat]
        found = np.array(numbers).reshape(found.shape)
    _check_objects(found, obj)
    return wrap(cast(adopt(found, device)._v, bfloat16))


def _from_ndarray(obj: np.ndarray, target: DType | None, copy: Any, device: Device) -> Array:
    found = dtype_of(obj.dtype)
    if copy is False and device is not CPU:
        raise ValueError(f"asarray: an array of the host needs a copy to {device}, but copy=False")
    if target is None or found is target:
        return wrap(client.from_numpy(obj, copy is not False, device))
    if copy is False:
        raise ValueError(f"asarray: {found} to {target} needs a copy, but copy=False")
    return wrap(cast(client.from_numpy(obj, device=device), target))


def _check_objects(found: np.ndarray, obj: Any) -> None:
    """Raises for what only an array of Python objects could hold."""
    if found.dtype != object:
        return
    for element in found.flat:
        if type(element) is int:
            default_dtype(element)
        elif not isinstance(element, (int, float, complex)):
            raise DTypeError(f"asarray: {type(obj).__name__} with an element {element!r}")
    raise OverflowError("asarray: integers that no integer type holds together")


def array(
    obj: Any,
    /,
    dtype: Any = None,
    *,
    copy: bool | None = True,
    ndmin: int = 0,
    device: Any = None,
) -> Array:
    """As `asarray`, but copies an `Array` too."""
    x = asarray(obj, dtype, device=device, copy=copy)
    if x.ndim < ndmin:
        from .manipulation import reshape

        x = wrap(reshape(x, (1,) * (ndmin - x.ndim) + x.shape)._v)
    return x


def from_numpy(x: np.ndarray, /, *, copy: bool = True) -> Array:
    """An array with the elements of a NumPy array; `copy=False` pins it."""
    if not isinstance(x, np.ndarray):
        raise TypeError(f"from_numpy takes a NumPy array, not {type(x).__name__}")
    return _from_ndarray(x, None, copy, devices.default())


def from_dlpack(x: Any, /, *, device: Any = None, copy: bool | None = None) -> Array:
    """An array with the elements of one that speaks DLPack.

    Memory of the host is copied unless `copy=False`, that of a GPU used in place unless
    `copy=True`. It stays on its device by default.
    """
    from .interop import import_gpu, is_gpu_memory

    if is_gpu_memory(x):
        return asarray(import_gpu(x, copy), device=device, copy=copy)
    try:
        found = np.from_dlpack(x)
    except (TypeError, ValueError, BufferError, RuntimeError):
        if "bfloat16" not in str(getattr(x, "dtype", "")) or not hasattr(x, "view"):
            raise
        from .interop import bits_of

        found = np.from_dlpack(bits_of(x)).view(bfloat16.numpy)
    return _from_ndarray(found, None, copy, CPU if device is None else place(device))


def copy(x: Any, /) -> Array:
    """An array of its own with the same elements."""
    return asarray(x, copy=True)


# --- From nothing ---------------------------------------------------------------------------------


def _number(value: Any, target: DType | None) -> tuple[Any, DType] | None:
    """A fill value as a Python number and the array's type, or None if it is an array."""
    if isinstance(value, np.generic):
        found = dtype_of(value.dtype) if target is None else target
        value = value.item()
    elif type(value) in (bool, int, float, complex):
        found = default_dtype(value) if target is None else target
    else:
        return None
    return value, found


def full(shape: Any, fill_value: Any, dtype: Any = None, *, device: Any = None) -> Array:
    """An array with one value everywhere."""
    goal = place(device)
    shape = shape_of(shape)
    target = None if dtype is None else as_dtype(dtype)
    number = _number(fill_value, target)
    if number is None:
        from .elementwise import astype
        from .manipulation import broadcast_to

        filled = broadcast_to(asarray(fill_value, device=device), shape)
        return wrap((filled if target is None else astype(filled, target))._v)
    value, found = number
    if found.kind in "iu" and isinstance(value, float):
        if not math.isfinite(value):
            raise (OverflowError if math.isinf(value) else ValueError)(
                f"full: cannot convert {value} to {found}"
            )
        value = int(value)
    if isinstance(value, complex) and found.kind != "c":
        raise TypeError(f"full: a complex number does not convert to {found}")
    check_size("full", shape)
    return wrap(full_value(value, shape, found, goal))


def zeros(shape: Any, dtype: Any = None, *, device: Any = None) -> Array:
    """Zeros; float64 by default."""
    return full(shape, 0, float64 if dtype is None else dtype, device=device)


def ones(shape: Any, dtype: Any = None, *, device: Any = None) -> Array:
    """Ones; float64 by default."""
    return full(shape, 1, float64 if dtype is None else dtype, device=device)


def empty(shape: Any, dtype: Any = None, *, device: Any = None) -> Array:
    """Zeros: an array nobody wrote to could not be immutable."""
    return zeros(shape, dtype, device=device)


def _like(x: Any, value: Any, dtype: Any, shape: Any, device: Any) -> Array:
    x = asarray(x)
    wanted = x.shape if shape is None else shape
    return full(
        wanted,
        value,
        x.dtype if dtype is None else dtype,
        device=x.device if device is None else device,
    )


def zeros_like(x: Any, /, dtype: Any = None, *, shape: Any = None, device: Any = None) -> Array:
    """Zeros of the shape and type of an array."""
    return _like(x, 0, dtype, shape, device)


def ones_like(x: Any, /, dtype: Any = None, *, shape: Any = None, device: Any = None) -> Array:
    """Ones of the shape and type of an array."""
    return _like(x, 1, dtype, shape, device)


def empty_like(x: Any, /, dtype: Any = None, *, shape: Any = None, device: Any = None) -> Array:
    """Zeros of the shape and type of an array."""
    return _like(x, 0, dtype, shape, device)


def full_like(
    x: Any, /, fill_value: Any, dtype: Any = None, *, shape: Any = None, device: Any = None
) -> Array:
    """One value everywhere, with the shape and type of an array."""
    return _like(x, fill_value, dtype, shape, device)
