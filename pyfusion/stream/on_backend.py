# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Blocks that are not compiled: the backend runs their operations one by one."""

from __future__ import annotations

from ..errors import ExecutionError
from ..runtime.backend_step import run_value
from . import failures
from .block import Block


def run_on_backend(block: Block) -> None:
    """Each operation in recorded order on the inner backend; a failure goes to its value."""
    spoiled: dict[ExecutionError, ExecutionError] = {}
    for v in block.queue:
        if v.stream is None:  # in a child that the operation before has forked
            continue
        error = failures.of_operands(v)
        if error is not None:
            failures.set_error(v, spoiled.setdefault(error, error.spoiled()))
            continue
        try:
            run_value(v)
        except Exception as failed:
            if failures.interrupt_in(failed) is not None:
                raise
            failures.set_error(v, failures.as_execution_error(failed, v))


class OnBackend:
    """The plan of a key that no fuser covers, or that did not compile: it is not tried again."""

    name = "fallback"

    def __init__(self, length: int, why: str):
        self.why = why
        self.started = self.consumed = False
        self.culprit: int | None = None
        self._length = length

    def __len__(self) -> int:
        return self._length

    def execute(self, block: Block) -> None:
        self.started = True
        run_on_backend(block)

    def describe(self) -> str:
        return f"on the backend: {self.why}"
