# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A block: the operations of one flush, renumbered so that repeated code gives an equal key.

The key holds the precision, the device (itself: another one may come to have its name), operations,
element types, static attributes, how values are connected, the layout class of each leaf, which
results survive and which leaves die here. Extents and scalars are not in it, except that an extent
is 1 or not; so two extents that happen to agree make no new plan.
"""

from __future__ import annotations

import sys
from typing import Any

from ..config import config
from ..ir.device import CPU, Device
from ..ir.value import Value

_count = sys.getrefcount
_SCALAR = -1
_NONE: Any = None


class Block:
    """Operations in program order with what they need from outside.

    Attributes:
        queue: the pending values; `queue[i].slot == i` while the block is open.
        leaves: concrete values that the block reads, in order of first use.
        scalars: Python scalars in order of use.
        dyn: view bounds and extents, in order of use.
        survivors: numbers of the results that something outside the block refers to.
        precision: the flag's value, read once.
        device: where the block runs.
        dying: numbers of the leaves whose buffer nothing outside the block refers to.
        key: hashable; equal for blocks that the same plan runs.
    """

    __slots__ = (
        "queue",
        "leaves",
        "scalars",
        "dyn",
        "survivors",
        "dying",
        "key",
        "failed",
        "precision",
        "device",
    )

    queue: list[Value]
    leaves: list[Value]
    scalars: list[Any]
    dyn: list[int]
    survivors: list[int]
    dying: list[int]
    key: tuple
    failed: bool
    precision: str
    device: Device


# The blocks whose numbering has not ended, for when an interrupt comes while it is taken back.
unclosed: list[Block] = []


def open_block(queue: list[Value]) -> Block:
    """Numbers the values of a queue; `close_block` must follow."""
    block = Block()
    block.queue = queue
    block.leaves = []
    unclosed.append(block)
    try:
        _number(block)
    except BaseException:  # an interrupt: numbers left behind would be taken for others later
        close_block(block)
        raise
    return block


def _number(block: Block) -> None:
    queue = block.queue
    leaves = block.leaves
    block.scalars = scalars = []
    block.dyn = dyn = []
    block.failed = False
    block.precision = precision = config.precision
    block.device = device = queue[0].stream.device
    key: list[Any] = [precision] if device is CPU else [precision, device]
    uses = [0] * len(queue)
    leaf_uses: list[int] = []
    number = 0  # counted by hand: enumerate() would hold a reference to its last item
    for v in queue:
        op, args, attrs, bounds, _ = v.record
        key.append(op.code)
        key.append(v.dtype.code)
        if attrs is not None:
            key.append(attrs)
        if bounds:
            dyn.extend(bounds)
        for a in args:
            if a.__class__ is Value:
                slot = a.slot
                if slot >= 0:
                    uses[slot] += 1
                elif slot == -1:
                    slot = a.slot = -2 - len(leaves)
                    leaves.append(a)
                    leaf_uses.append(1)
                    if a.error is not None:
                        block.failed = True
                else:
                    leaf_uses[-2 - slot] += 1
                key.append(slot)
            else:
                scalars.append(a)
                key.append(_SCALAR)
        v.slot = number
        number += 1  # noqa: SIM113
    a = v = args = _NONE  # they would count as references below
    block.survivors = _outside(queue, uses)
    key.append(tuple(block.survivors))
    if not block.failed:
        _layouts(block, leaf_uses, key)
    block.key = tuple(key)


def _outside(values: list[Value], uses: list[int]) -> list[int]:
    """Numbers of the values that have more references than the block itself makes."""
    found = []
    number = 0
    base = _base
    for v in values:
        if _count(v) - base > uses[number]:
            found.append(number)
        number += 1  # noqa: SIM113
    return found


def needed(queue: list[Value]) -> list[Value]:
    """The values of a queue that something outside needs, directly or through others."""
    try:
        return _needed(queue)
    finally:
        for v in queue:
            v.slot = -1


def _needed(queue: list[Value]) -> list[Value]:
    uses = [0] * len(queue)
    number = 0
    for v in queue:
        for a in v.record[1]:
            if a.__class__ is Value and a.stream is not None:
                uses[a.slot] += 1
        v.slot = number
        number += 1  # noqa: SIM113
    a = v = _NONE
    live = set(_outside(queue, uses))
    for number in range(len(queue) - 1, -1, -1):
        v = queue[number]
        if number in live:
            for a in v.record[1]:
                if a.__class__ is Value and a.stream is not None:
                    live.add(a.slot)
    return [queue[number] for number in sorted(live)]


def _layouts(block: Block, leaf_uses: list[int], key: list[Any]) -> None:
    leaves = block.leaves
    held = _outside(leaves, leaf_uses)
    key.append(tuple([leaf.desc for leaf in leaves]))
    dying = block.dying = []
    if len(held) < len(leaves):
        for number in range(len(leaves)):
            if number not in held:
                buffer = leaves[number].buffer
                if (
                    leaves[number].strides is None
                    and buffer.owner is None
                    and _count(buffer) == _buffer_base
                ):
                    dying.append(number)
        key.append(tuple(dying))


def close_block(block: Block) -> None:
    """Ends the numbering and lets go of what the finished operations held."""
    for leaf in block.leaves:
        leaf.slot = -1
    for v in block.queue:
        if v is None:  # it was cut into parts
            continue
        v.slot = -1
        if v.stream is None:
            v.record = None
    if unclosed and unclosed[-1] is block:
        unclosed.pop()
    elif block in unclosed:  # it may also be closed twice
        unclosed.remove(block)


def _calibrate() -> tuple[int, int]:
    """How many references a value of a block has that nobody outside holds.

    The interpreter's own references to loop variables and arguments differ between versions.
    """
    value = Value.__new__(Value)
    values = [value]
    del value
    global _base
    _base = 0
    base = 0
    while _outside(values, [base]):
        base += 1

    class _Holder:
        __slots__ = ("buffer",)
        buffer: object

    holder = _Holder()
    holder.buffer = object()
    buffer = holder.buffer
    return base, _count(buffer)


_base, _buffer_base = _calibrate()
