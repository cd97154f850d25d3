# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from typing import Any, ClassVar

import numpy as np

from ..errors import ExecutionError

VERSION: int
unclosed: list[Block]

class Coded:
    code: int

class Value:
    shape: tuple[int, ...]
    dtype: Any
    stream: Any
    record: Any
    slot: int
    buffer: Any
    ptr: int
    strides: tuple[int, ...] | None
    desc: int
    error: ExecutionError | None

class Buffer:
    device: ClassVar[Any]  # put there by pyfusion.runtime.memory
    def __init__(self, ptr: int, nbytes: int, owner: Any = None) -> None: ...
    @property
    def ptr(self) -> int: ...
    @property
    def nbytes(self) -> int: ...
    @property
    def owner(self) -> Any: ...

class Block:
    queue: list[Value]
    leaves: list[Value]
    scalars: list[Any]
    dyn: list[int]
    survivors: list[int]
    dying: list[int]
    key: tuple
    failed: bool
    precision: str
    device: Any

class Launch:
    def __init__(
        self, handle: int, extents: list, operands: list, results: list, flat: bool, /
    ) -> None: ...
    @property
    def address(self) -> int: ...
    @property
    def count(self) -> int: ...
    def run(self, env: list, /) -> int: ...
    def pack(self, env: list, outs: list[int], /) -> None: ...

def connect(launch: int, alloc: int, free: int, /) -> None: ...
def allocate(nbytes: int, /) -> Buffer | None: ...
def concrete(
    dtype: Any,
    shape: tuple[int, ...],
    buffer: Any,
    ptr: int,
    strides: tuple[int, ...] | None,
    /,
) -> Value: ...
def contiguous_strides(shape: tuple[int, ...], /) -> tuple[int, ...]: ...
def view(value: Value, writable: bool, /) -> np.ndarray: ...
def open_block(queue: list[Value], precision: str, device: Any, /) -> Block: ...
def close_block(block: Block, /) -> None: ...
def needed(queue: list[Value], /) -> list[Value]: ...
def bind(
    queue: list[Value], survivors: list[int], env: list, slots: list[int], /
) -> tuple[int, tuple[int, ...]] | None: ...
def forget(queue: list[Value], /) -> None: ...
def shape_of(env: list, extents: list, /) -> tuple[int, ...]: ...
def scalar_word(number: Any, code: str, /) -> int: ...
