# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What an optimization of the user's reads and writes: NumPy arrays for the values of a block."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..ir.device import CPU
from ..ir.value import take
from .protocols import FuserBlock


def _block(name: str, block: Any) -> FuserBlock:
    if not hasattr(block, "queue"):
        raise TypeError(f"{name} takes the block that execute is given, not {type(block).__name__}")
    return block


def inputs(block: FuserBlock) -> list[np.ndarray]:
    """The arrays that a block reads, in order of first use; read-only.

    That of a `TensorIr` whose `id` is negative is `inputs(block)[-1 - id]`. On the CPU they are
    the memory itself, from a GPU they are copies.

    Args:
        block: what `Optimization.execute` is given. TypeError: it is something else.
    """
    from ..runtime.memory import to_numpy

    device = _block("inputs", block).device
    if device is CPU:
        return [to_numpy(leaf) for leaf in block.leaves]
    return [device.runtime.download(leaf) for leaf in block.leaves]


def write(block: FuserBlock, number: int, array: Any) -> None:
    """Gives an operation of a block its result.

    Args:
        block: what `Optimization.execute` is given.
        number: of the operation; those in `block.survivors` must be written, others may be.
        array: of the shape and element type that were recorded. On the CPU its memory is taken
            over without a copy where its layout allows it, so it must not be written to afterwards;
            it may be a view of an input.

    Raises:
        TypeError: `block` is no block, or `number` no int.
        IndexError: the block has no operation of that number.
        ValueError: another shape or element type.
    """
    from ..runtime.memory import host_order, placed

    queue = _block("write", block).queue
    if isinstance(number, bool) or not isinstance(number, (int, np.integer)):
        raise TypeError(f"write takes the number of an operation, an int, not {number!r:.100}")
    if not 0 <= number < len(queue):
        raise IndexError(
            f"operation {number} was written, of a block of {len(queue)}; results are needed of "
            f"{', '.join(map(str, block.survivors))}"
        )
    v = queue[number]
    array = host_order(array)
    if array.shape != v.shape or array.dtype != v.dtype.numpy:
        raise ValueError(
            f"{v.record[0].name}, operation {number}: {array.dtype}{list(array.shape)} was written "
            f"where {v.dtype.name}{list(v.shape)} was recorded"
        )
    if block.device is not CPU:
        take(v, block.device.runtime.upload(array))
        return
    take(v, placed(array, v.dtype))
