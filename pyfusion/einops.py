# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lets einops take arrays of pyfusion; `import pyfusion.einops` is all that is needed.

    >>> import einops, pyfusion.einops
    >>> einops.rearrange(pf.zeros((2, 3)), "a b -> b a").shape
    (3, 2)

einops finds its backends among the subclasses of one class, by the type of the first array. All
that it does here is deferred. `einops.array_api` needs none of this, but has no `einsum`.

Raises:
    ImportError: einops is not installed.
"""

from __future__ import annotations

from typing import Any

from einops._backends import AbstractBackend

from .array.core import Array
from .array.creation import asarray, copy
from .array.dtype_functions import isdtype
from .array.joining import stack
from .array.manipulation import broadcast_to, concat, expand_dims, tile
from .array.ranges import arange
from .array.searching import einsum

__all__ = ["Backend"]


class Backend(AbstractBackend):
    """What einops asks of a library; `x.reshape`, `x.transpose` and reductions are methods."""

    framework_name = __package__

    def is_appropriate_type(self, tensor: Any) -> bool:
        return isinstance(tensor, Array)

    def from_numpy(self, x: Any) -> Array:
        return asarray(x)

    def to_numpy(self, x: Array) -> Any:
        return x.numpy()

    def arange(self, start: int, stop: int) -> Array:
        return arange(start, stop)

    def stack_on_zeroth_dimension(self, tensors: list) -> Array:
        return stack(tensors)

    def add_axis(self, x: Array, new_position: int) -> Array:
        return expand_dims(x, axis=new_position)

    def add_axes(self, x: Array, n_axes: int, pos2len: dict[int, int]) -> Array:
        """New dimensions by broadcasting, which is fused, where a tiling would be a copy."""
        for position in pos2len:
            x = expand_dims(x, axis=position)
        return copy(broadcast_to(x, [pos2len.get(i, n) for i, n in enumerate(x.shape)]))

    def tile(self, x: Array, repeats: tuple[int, ...]) -> Array:
        return tile(x, repeats)

    def concat(self, tensors: list, axis: int) -> Array:
        return concat(tensors, axis=axis)

    def is_float_type(self, x: Array) -> bool:
        return isdtype(x.dtype, "real floating")

    def einsum(self, pattern: str, *x: Array) -> Array:
        return einsum(pattern, *x)
