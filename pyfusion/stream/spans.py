# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The spans of blocks: a watcher, installed while the flag `tracing` is set."""

from __future__ import annotations

import time
from contextlib import ExitStack
from typing import Any
from weakref import WeakKeyDictionary

from .. import tracing
from ..config import config
from ..runtime.statistics import statistics
from . import watching


class _Block:
    """The open spans of a block."""

    def __init__(self, block: Any):
        self.block = block
        self.outer = ExitStack()
        self.inner = ExitStack()
        self.made = (statistics.compiles, statistics.loaded)
        self.span = self.outer.enter_context(
            tracing.span("block", operations=len(block.queue), device=block.device.name)
        )
        self.plan: Any = None


class Spans(watching.Watcher):
    """Makes the spans of each block, and notes when its first operation was recorded."""

    def __init__(self) -> None:
        self._first: WeakKeyDictionary[Any, int] = WeakKeyDictionary()
        self._open: list[_Block] = []

    def recorded(self, v: Any) -> None:
        if v.stream not in self._first:
            self._first[v.stream] = time.time_ns()

    def opened(self, block: Any) -> None:
        if tracing.tracer is None:
            return
        stream = block.queue[0].stream
        about = _Block(block)
        self._open.append(about)
        first = self._first.pop(stream, None)
        if first is not None:
            tracing.past("record", first, operations=len(block.queue))
        about.plan = about.inner.enter_context(tracing.span("plan"))

    def starts(self, block: Any, plan: Any) -> None:
        about = self._of(block)
        if about is None:
            return
        compiled, loaded = about.made
        about.plan.set_attribute("pyfusion.compiled", statistics.compiles > compiled)
        about.plan.set_attribute("pyfusion.loaded", statistics.loaded > loaded)
        about.inner.close()
        about.inner.enter_context(tracing.span("run"))

    def ran(self, block: Any, error: BaseException | None) -> None:
        about = self._of(block)
        if about is None:
            return
        self._open.pop()
        about.inner.close()
        if error is not None:
            tracing.failed(about.span, error)
        about.outer.close()

    def _of(self, block: Any) -> _Block | None:
        """The spans of a block; None where tracing was switched on meanwhile."""
        return self._open[-1] if self._open and self._open[-1].block is block else None


_spans: Spans | None = None


def switch(on: bool) -> None:
    """What happens when the flag is set. Raises ImportError, and takes the flag back."""
    global _spans
    if on and _spans is None:
        try:
            tracing.start()
        except ImportError:
            config.tracing = False
            raise
        _spans = Spans()
        watching.add(_spans)
    elif not on and _spans is not None:
        watching.remove(_spans)
        tracing.stop()
        _spans = None
