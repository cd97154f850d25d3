# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the engine asks of a fuser and of what it makes."""

from __future__ import annotations

import enum
from typing import Any, NamedTuple, Protocol, runtime_checkable


class FuserStatus(enum.Enum):
    """Whether a fuser may cover further operations.

    >>> FuserStatus("open") is FuserStatus.OPEN
    True
    """

    OPEN = "open"
    CLOSED = "closed"


class FuserProperties(NamedTuple):
    """What a fuser says of the operations that it covers so far.

    Attributes:
        score: orders the fusers that are ready: the highest runs; 0 never wins. It should grow
            with what is saved: the compiler's is 1 and one more for each operation it compiles.
        ready: whether `finish` can make an executable for the operations covered.

    >>> FuserProperties(score=5, ready=True).score
    5
    """

    score: int
    ready: bool


@runtime_checkable
class NumOperations(Protocol):
    """Something that covers a number of operations.

    >>> isinstance(UnfusedOp(), NumOperations), len(UnfusedOp())
    (True, 1)
    """

    def __len__(self) -> int: ...

    @property
    def name(self) -> str: ...


@runtime_checkable
class FuserBlock(Protocol):
    """A block as a fuser and its executable see it. It is read only; `write` gives it its results.

    From one block of a plan to the next extents, scalars and bounds differ, and memory; the
    operations, how they are connected and what survives do not.

    Attributes:
        queue: the operations' values in the order of the operations, of shape `shape` and type
            `dtype`; `len(block.queue)` is how many operations there are. They have no memory before
            they are written.
        leaves: the values that it reads from outside, in order of first use; see `inputs`. That of
            a `TensorIr` whose `id` is negative is `leaves[-1 - id]`.
        scalars: the Python numbers among the operands, in order of use.
        dyn: bounds and extents of views and creations, in order of use.
        survivors: numbers of the operations whose results something outside refers to.
        device: the `Device` where it runs; `device.name` is "cpu" or "cuda:0".

    >>> from pyfusion.stream.block import Block
    >>> all(hasattr(Block, name) for name in FuserBlock.__annotations__)
    True
    """

    queue: list[Any]
    leaves: list[Any]
    scalars: list[Any]
    dyn: list[int]
    survivors: list[int]
    device: Any


class Optimization(Protocol):
    """A fused executable for the blocks of one key. Subclass it, or give the same members.

    It runs for each later block of the same operations, element types, ranks and attributes, so it
    must take extents, scalars and bounds from the block that it is given, not from the one that it
    was made for. A scalar operand is in `block.scalars`, which lists them in order of use.

    Attributes:
        name: for people.
        started: set it to True when the first result is written. A failure before that lets the
            engine run the same operations on the backend; after it the results that are missing
            become errors.
        consumed: True from the moment that an input may have been overwritten: the operations
            cannot run again.
        culprit: number of the operation that failed, where one is known.

    Example, the sum of two arrays by one call of NumPy:

        >>> import numpy as np
        >>> from pyfusion import fusers
        >>> class Add(fusers.Optimization):
        ...     name = "add"
        ...     def __len__(self):
        ...         return 1
        ...     def execute(self, block):
        ...         a, b = fusers.inputs(block)
        ...         fusers.write(block, 0, np.add(a, b))
        >>> Add().describe()
        'add, 1 ops'
    """

    name: str = "optimization"
    started: bool = False
    consumed: bool = False
    culprit: int | None = None

    def __len__(self) -> int: ...

    def execute(self, block: FuserBlock) -> None:
        """Gives each surviving value of the block its memory; see `inputs` and `write`."""
        ...

    def describe(self) -> str:
        """One line for the debug flag."""
        return f"{self.name}, {len(self)} ops"


@runtime_checkable
class OperationFuser(Protocol):
    """Proposes to run some operations as one optimization.

    The engine works on clones of the fuser that was registered. A clone is offered operations one
    by one until its status is closed, in an order that respects what they read; at any time
    `len()` is how many leading ones of those offered it covers. It may turn one down: it closes
    and does not count it. A fuser that closes without being ready is reset and offered what
    follows, so that a pattern is found wherever it begins.

    Where it wins, a fresh clone is offered the covered operations again, numbered for the block
    that holds just them, and `finish(block)` makes the executable. `len(block.queue)` is then the
    length covered, `block.survivors` the numbers of the results to write.

    What it decides may depend on the operation, the element types, ranks, attributes, and on
    whether an extent is 1; not on other extents or on scalars: the plan is used again for others.

    Attributes:
        name: unique among the registered fusers.
        devices: optional; the kinds of device whose blocks it is offered, such as `("cpu",)`.

    Example, a fuser that covers one addition of two arrays of one shape:

        >>> from pyfusion import fusers
        >>> class AddFuser:
        ...     name = "add"
        ...     devices = ("cpu",)
        ...     def __init__(self):
        ...         self.reset()
        ...     def reset(self):
        ...         self.length, self.closed = 0, False
        ...     def clone(self):
        ...         other = AddFuser()
        ...         other.length, other.closed = self.length, self.closed
        ...         return other
        ...     def fuse(self, operation):
        ...         shapes = [getattr(i, "shape", None) for i in operation.inputs]
        ...         equal = len(set(shapes)) == 1
        ...         self.length = int(operation.op.name == "add" and equal)
        ...         self.closed = True
        ...     def status(self):
        ...         return fusers.FuserStatus.CLOSED if self.closed else fusers.FuserStatus.OPEN
        ...     def properties(self):
        ...         return fusers.FuserProperties(score=10, ready=self.length == 1)
        ...     def __len__(self):
        ...         return self.length
        ...     def finish(self, block):
        ...         return fusers.UnfusedOp()
        >>> import pyfusion as pf
        >>> with fusers.register(AddFuser()):
        ...     float(pf.ones(2)[0] + pf.ones(2)[1])
        2.0
    """

    name: str

    def fuse(self, operation: OperationIr) -> None: ...

    def finish(self, block: FuserBlock) -> Any: ...

    def reset(self) -> None: ...

    def status(self) -> FuserStatus: ...

    def properties(self) -> FuserProperties: ...

    def clone(self) -> OperationFuser: ...

    def __len__(self) -> int: ...


class TensorIr(NamedTuple):
    """A tensor as one operation sees it: its number in the block (leaves: -1, -2, ...).

    >>> leaf = TensorIr(-1, (2, 3), None)
    >>> ["first leaf", "second leaf"][-1 - leaf.id]
    'first leaf'
    """

    id: int
    shape: tuple[int, ...]
    dtype: Any


class OperationIr(NamedTuple):
    """A recorded operation: scalars stay among the inputs as Python numbers.

    Attributes:
        op: the catalogue's entry; `op.name` and `op.kind` say what it is.
        inputs: `TensorIr`s and Python scalars.
        output: the result.
        attrs: static structure, such as axes; None for none.
        dyn: view bounds and extents.
        site: `"file:line"` of the user's call, where known.
    """

    op: Any
    inputs: tuple[Any, ...]
    output: TensorIr
    attrs: Any
    dyn: tuple[int, ...]
    site: str | None


class UnfusedOp(Optimization):
    """One operation run by the inner backend; an `Optimization` of length 1.

    >>> UnfusedOp().describe()
    '1 op on the backend'
    """

    name = "unfused"

    def __len__(self) -> int:
        return 1

    def execute(self, block: FuserBlock) -> None:
        """Runs the block's only operation; its failure is the operation's own."""
        from ..runtime.backend_step import run_value

        self.started = True
        self.culprit = 0
        run_value(block.queue[0])

    def describe(self) -> str:
        return "1 op on the backend"


class NoOp(Optimization):
    """Runs nothing: for operations whose results nothing needs, which a plan names so.

    >>> NoOp(3).describe()
    '3 ops that nothing needs'
    """

    name = "no-op"

    def __init__(self, length: int = 1):
        self._length = length

    def __len__(self) -> int:
        return self._length

    def execute(self, block: FuserBlock) -> None:
        """Does nothing."""
        self.started = True

    def describe(self) -> str:
        return f"{self._length} ops that nothing needs"
