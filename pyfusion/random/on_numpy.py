# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random values by NumPy, where nothing is compiled."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from ..backends.numpy_backend import NumpyBackend
from ..dtypes import DTYPES, dtype_of
from ..ir.table import OPS
from ..passes.random_values import RandomValue
from ..passes.threefry import threefry

_CHUNK = 1 << 15  # elements at a time, so that the words stay in the cache
_BACKEND = NumpyBackend()


class _Chunk:
    """See `random_values.Arithmetic` and `threefry.Arithmetic`: arrays of NumPy's."""

    def __init__(self, value: RandomValue, args: list[Any], first: int, stop: int):
        self._key = np.uint32(args[0]), np.uint32(args[1])
        self._numbers = args[4 : 4 + value.blocks]
        self._given = args[4 + value.blocks :]
        position = np.arange(first, stop, dtype=np.uint64)
        self._low = position.astype(np.uint32)
        self._high = (position >> np.uint64(32)).astype(np.uint32)

    def block(self, number: int) -> tuple[Any, Any]:
        counter = self._low, np.uint32(self._numbers[number]) + self._high
        return threefry(self, self._key, counter)

    def given(self, number: int) -> Any:
        return np.asarray(np.uint32(self._given[number]))

    def op(self, name: str, x: Any, y: Any = None) -> Any:
        operands = [x] if y is None else [x, y]
        typed = next(v for v in operands if isinstance(v, (np.ndarray, np.generic))).dtype
        dtype = DTYPES["bool"] if name == "less" else dtype_of(typed)
        return _BACKEND.execute(OPS[name], operands, None, (), None, dtype)

    def cast(self, x: Any, element: str) -> Any:
        return _BACKEND.execute(OPS["cast"], [x], None, (), None, DTYPES[element])

    def add(self, x: Any, y: Any) -> Any:
        return x + y

    def xor(self, x: Any, y: Any) -> Any:
        return x ^ y

    def rotate(self, x: Any, bits: int) -> Any:
        return (x << np.uint32(bits)) | (x >> np.uint32(32 - bits))

    def constant(self, number: int) -> Any:
        return np.uint32(number)


def random_values(value: RandomValue, args: list[Any], shape: tuple[int, ...]) -> np.ndarray:
    """What a call of `passes.random_bodies` with these numbers gives."""
    found = np.empty(prod(shape), DTYPES[value.element].numpy)
    with np.errstate(all="ignore"):
        for first in range(0, found.size, _CHUNK):
            stop = min(first + _CHUNK, found.size)
            found[first:stop] = value.body(_Chunk(value, args, first, stop))
    return found.reshape(shape)
