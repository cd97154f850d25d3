# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the engine asks of a fuser and of what it makes."""

from __future__ import annotations

import enum
from typing import Any, NamedTuple, Protocol, runtime_checkable


class FuserStatus(enum.Enum):
    """Whether a fuser may cover further operations."""

    OPEN = "open"
    CLOSED = "closed"


class FuserProperties(NamedTuple):
    """`score` orders the ready fusers, the highest runs; 0 never wins."""

    score: int
    ready: bool


@runtime_checkable
class NumOperations(Protocol):
    """Something that covers a number of operations."""

    def __len__(self) -> int: ...

    @property
    def name(self) -> str: ...


class Optimization(NumOperations, Protocol):
    """A fused executable for one block.

    `execute(block)` gives each surviving value of the block its memory. It sets `started` to
    False on entry and to True when the first step has run: a failure before that lets the engine
    run the same operations on the backend; after it the block's results become error claims, which
    name the operation of number `culprit` where one is known. `consumed` is True from the moment
    that an input may have been overwritten: the operations cannot run again.
    """

    started: bool
    consumed: bool
    culprit: int | None

    def execute(self, block: Any) -> None: ...

    def describe(self) -> str: ...


class OperationFuser(Protocol):
    """Proposes to run a leading part of a block as one optimization.

    `fuse` is given the operations in order until the status is closed; `len()` is how many leading
    ones are covered; `finish` builds the executable for them, given the block cut to that length.
    """

    name: str

    def fuse(self, operation: OperationIr) -> None: ...

    def finish(self, block: Any) -> Optimization: ...

    def reset(self) -> None: ...

    def status(self) -> FuserStatus: ...

    def properties(self) -> FuserProperties: ...

    def __len__(self) -> int: ...


class TensorIr(NamedTuple):
    """A tensor as one operation sees it: number in the block (leaves: -1, -2, ...)."""

    id: int
    shape: tuple[int, ...]
    dtype: Any


class OperationIr(NamedTuple):
    """A recorded operation: scalars stay among the inputs as Python numbers."""

    op: Any
    inputs: tuple[Any, ...]
    output: TensorIr
    attrs: Any
    dyn: tuple[int, ...]
    site: str | None


class UnfusedOp:
    """One operation run by the inner backend; an `Optimization` of length 1."""

    name = "unfused"

    def __init__(self) -> None:
        self.started = self.consumed = False
        self.culprit: int | None = None

    def __len__(self) -> int:
        return 1

    def execute(self, block: Any) -> None:
        from ..runtime.backend_step import run_value

        self.started = True  # its failure is the operation's own
        self.culprit = 0
        run_value(block.queue[0])

    def describe(self) -> str:
        return "1 op on the backend"
