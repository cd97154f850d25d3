# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A block: the operations of one flush, renumbered so that repeated code gives an equal key.

The key holds the precision, the device (itself: another one may come to have its name), operations,
element types, static attributes, how values are connected, the layout class of each leaf, which
results survive and which leaves die here. Extents and scalars are not in it, except that an extent
is 1 or not; so two extents that happen to agree make no new plan.

The work is done in `pyfusion/native/block.cpp`, as a whole: no interrupt can come amid it and leave
numbers behind. What survives and what dies it tells by reference counts.
"""

from __future__ import annotations

from .. import native
from ..config import config
from ..ir.value import Value
from ..native import Block, close_block, needed, unclosed

__all__ = ["Block", "close_block", "needed", "open_block", "unclosed"]


def open_block(queue: list[Value]) -> Block:
    """Numbers the values of a queue; `close_block` must follow.

    Raises:
        TypeError: what was recorded is no operation on operands.
        RuntimeError: it reads what is neither in the queue nor exists.
    """
    return native.open_block(queue, config.precision, queue[0].stream.device)
