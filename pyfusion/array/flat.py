# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`x.flat`: the elements of an array by one index, whatever its dimensions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from . import creation, indexing, manipulation, writes
from .core import Array, wrap


class Flat:
    """The elements in the order of rows; reads give copies, writes change the array.

    >>> x = pf.zeros((2, 2))
    >>> x.flat[::3] = 1
    >>> x.tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """

    __slots__ = ("base",)

    def __init__(self, base: Array) -> None:
        self.base = base

    def __len__(self) -> int:
        return self.base.size

    def __iter__(self) -> Iterator[Array]:
        return iter(self.copy())

    def __getitem__(self, key: Any) -> Array:
        """An integer, a slice, Ellipsis, or an array of integers or of bool.

        Raises:
            IndexError: as for one dimension.
        """
        return wrap(indexing.getitem(self.copy(), key)._v)

    def __setitem__(self, key: Any, value: Any) -> None:
        """Values of another number than the elements are repeated or left out, as NumPy does.

        Raises:
            IndexError: as for one dimension.
            ValueError: no values, or several for one element.
        """
        flat = self.copy()
        values = manipulation.ravel(creation.asarray(value, device=self.base.device))
        if values.size != 1:
            wanted = indexing.getitem(flat, key)
            if not values.size or not wanted.ndim:
                raise ValueError(f"flat: {values.size} values for {wanted.size} elements")
            places = np.arange(wanted.size) % values.size
            values = manipulation.reshape(indexing.take(values, places), wanted.shape)
        else:
            values = manipulation.reshape(values, ())
        writes.setitem(flat, key, values)
        writes.setitem(self.base, ..., manipulation.reshape(flat, self.base.shape))

    def copy(self) -> Array:
        """The elements as an array of one dimension."""
        return wrap(manipulation.ravel(self.base)._v)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(np.asarray(self.copy(), dtype), copy=copy)


def flat(self: Array) -> Flat:
    """The elements by one index, in the order of rows; assignment writes them, see `Flat`."""
    return Flat(self)


def set_flat(self: Array, value: Any) -> None:
    Flat(self)[...] = value
