# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recording of random values: one operation each, whose key and draw are scalars of the plan.

What is computed from them are operations of the table, so that everything runs on every device and
fuses with what reads it.
"""

from __future__ import annotations

from math import prod
from typing import Any

from ..array.core import emit, ones_mask
from ..dtypes import DTYPES, DType, uint32, uint64
from ..ir.device import Device
from ..ir.table import OPS, OpInfo, composed_creation
from ..ir.value import Value
from ..passes.random_bodies import PREFIX, WIDE
from ..passes.random_values import VALUES

LINE = 1 << 32  # elements that have blocks of one number


def _made(name: str, wide: bool) -> OpInfo:
    def run(args: Any, shape: Any, dtype: DType) -> Any:
        from .on_numpy import random_values

        return random_values(VALUES[name], args, shape)

    whole = f"{PREFIX}{name}{WIDE if wide else ''}"
    return composed_creation(whole, run, uint64 if wide else uint32)


_OPS = {(name, wide): _made(name, wide) for name in VALUES for wide in (False, True)}


def numbers_of(name: str, shape: tuple[int, ...]) -> int:
    """How many draw numbers the blocks of a value of that shape take."""
    return VALUES[name].blocks * _lines(shape)


def _lines(shape: tuple[int, ...]) -> int:
    return max(1, -(-prod(shape) // LINE))


def draw(
    name: str,
    shape: tuple[int, ...],
    key: tuple[int, int],
    number: int,
    given: tuple[int, ...],
    device: Device,
) -> Value:
    """Records a random value.

    Args:
        key: the two words of the key.
        number: of the first draw; it and those that follow are less than 2^32.
        given: numbers of 32 bits that the value takes.
    """
    lines = _lines(shape)
    value = VALUES[name]
    numbers = [number + block * lines for block in range(value.blocks)]
    args = (*key, 0, 1, *numbers, *given)
    mask, dyn = ones_mask(shape), (prod(shape), *shape)
    return emit(_OPS[name, lines > 1], args, mask, dyn, shape, DTYPES[value.element], device)


def op(name: str, dtype: DType, *args: Any) -> Value:
    """Records an element-wise operation of the table; the shape is the first array's."""
    shape = next(a for a in args if a.__class__ is Value).shape
    return emit(OPS[name], args, None, (), shape, dtype)
