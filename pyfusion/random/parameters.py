# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arguments of distributions: shapes, types, and parameters that are numbers or arrays."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ..array.apply import apply
from ..array.core import Array, cast, wrap
from ..array.creation import asarray, place, shape_of
from ..array.promote import broadcast, check_size
from ..dtypes import DType, as_dtype, float32, float64, uint32
from ..errors import DTypeError, ShapeError
from ..ir.device import Device
from ..ir.table import OPS
from ..ir.value import Value, device_of
from .record import op

Parameter = Any  # a float, or a Value of the type asked for


def float_type(name: str, given: Any) -> DType:
    """The type of the elements. Raises DTypeError for one that is not of floats."""
    dtype = as_dtype(given)
    if dtype.kind != "f":
        raise DTypeError(f"{name}: dtype is a float type, as float32, not {dtype.name}")
    return dtype


def wide(dtype: DType) -> DType:
    """The type to compute in: float32 for the types of 16 bits."""
    return float32 if dtype.itemsize == 2 else dtype


def number(name: str, what: str, given: Any) -> float:
    """A parameter that is a number. Raises TypeError."""
    try:
        if isinstance(given, (str, bytes)):
            raise TypeError("text")
        return float(given)
    except TypeError:
        kind = type(given).__name__
        raise TypeError(f"{name}: {what} is a number or an array, not {kind}") from None


def integer(name: str, what: str, given: Any) -> int:
    """An argument that is an int. Raises TypeError."""
    try:
        return operator.index(given)
    except TypeError:
        raise TypeError(f"{name}: {what} is an int, not {given!r:.100}") from None


def entropy(seed: Any) -> Any:
    """A seed as `SeedSequence` takes it. Raises TypeError, ValueError."""
    if seed is None:
        return None
    if isinstance(seed, (list, tuple, np.ndarray)):
        return [entropy(s) for s in seed]
    number = integer("seed", "seed", seed)
    if number < 0:
        raise ValueError(f"seed: a seed is not negative: {number}")
    return number


class Parameters:
    """What a distribution was asked for.

    Attributes:
        shape: of the result.
        device: where it is made.
        values: the parameters: numbers, and arrays of the type.
    """

    def __init__(self, name: str, size: Any, device: Any, dtype: DType, **given: Any):
        goal = None if device is None else place(device)
        home = next((x.device for x in given.values() if isinstance(x, Array)), device)
        self.values: list[Parameter] = []
        arrays: list[Value] = []
        for what, item in given.items():
            if isinstance(item, (Array, np.ndarray, list, tuple)):
                x = item if isinstance(item, Array) else asarray(item, device=home)
                if x.dtype.kind not in "biuf":
                    raise DTypeError(f"{name}: {what} is an array of {x.dtype.name}")
                self.values.append(cast(x._v, dtype))
                arrays.append(self.values[-1])
            else:
                self.values.append(number(name, what, item))
        shapes = tuple([v.shape for v in arrays])
        if size is None:
            self.shape = broadcast(name, shapes) if shapes else ()
        else:
            self.shape = shape_of(size)
            if shapes and broadcast(name, (self.shape, *shapes)) != self.shape:
                listed = " and ".join(map(str, shapes))
                raise ShapeError(f"{name}: size {self.shape} is not that of parameters of {listed}")
        check_size(name, self.shape)
        self.device: Device = goal or (device_of(arrays[0]) if arrays else place(None))


def check(name: str, what: str, value: Parameter, low: float, high: float) -> None:
    """Raises ValueError for a number outside of a range, NaN too; arrays are not looked at."""
    if value.__class__ is float and not low <= value <= high:
        if high == float("inf"):
            raise ValueError(f"{name}: {what} is {value}, and has to be at least {low:g}")
        raise ValueError(f"{name}: {what} is {value}, and has to be from {low:g} to {high:g}")


def difference(x: Parameter, y: Parameter) -> Parameter:
    """x - y of parameters."""
    if x.__class__ is float and y.__class__ is float:
        return x - y
    given = [wrap(v) if v.__class__ is Value else v for v in (x, y)]
    return apply(OPS["subtract"], *given)._v


def check_range(low: float, high: float, dtype: DType) -> None:
    """Raises for what is no range of a uniform distribution."""
    if low > high:
        raise ValueError(f"uniform: low {low} is greater than high {high}")
    with np.errstate(over="ignore"):
        sizes = np.array([low, high, high - low]).astype(wide(dtype).numpy).astype(dtype.numpy)
    if not np.isfinite(sizes.astype(np.float64)).all():
        raise OverflowError(f"uniform: {dtype.name} does not hold a range from {low} to {high}")


def threshold(chance: Any) -> Any:
    """The probability in units of 2^-31, as an int or an array of uint32."""
    if chance.__class__ is float:
        return round(chance * 2.0**31)
    scaled = op("round", float64, op("multiply", float64, chance, 2.0**31))
    return cast(op("clamp", float64, scaled, 0.0, 2.0**31), uint32)
