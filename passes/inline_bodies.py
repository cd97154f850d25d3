# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The bodies that fusion-inline-custom puts in place of calls; MLIR is not needed to add one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol
from weakref import WeakValueDictionary

__all__ = ["Body", "Recorded", "bodies", "body_of", "claim", "none_known"]

# A body is given the call, with the insertion point before it, and returns the values of its
# results, or None to leave the call to the backend.
Body = Callable[[Any], "Sequence[Any] | None"]

# Of the last operation of each name: what "custom.norm" means in IR that nobody recorded.
bodies: dict[str, Body] = {}


class Recorded(Protocol):
    """An operation that programs record as a call."""

    name: str
    inline: Body | None


# Those that IR was made of, by callee.
_recorded: WeakValueDictionary[str, Recorded] = WeakValueDictionary()


def claim(op: Recorded) -> str:
    """A callee that no other operation has that exists: its name, or "custom.norm#2" and so on. IR
    is made under the engine's lock."""
    callee, number = op.name, 1
    while callee in _recorded:
        number += 1
        callee = f"{op.name}#{number}"
    _recorded[callee] = op
    return callee


def none_known() -> bool:
    """Whether there is no body."""
    return not bodies and not _recorded


def body_of(callee: str, recorded: bool) -> Body | None:
    """What a call becomes, None for one that the backend runs."""
    op = _recorded.get(callee) if recorded else None
    if op is not None:
        return op.inline
    return bodies.get(callee)
