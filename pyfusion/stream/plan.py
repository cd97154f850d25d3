# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How the blocks of one key are run."""

from __future__ import annotations

from typing import Any


class Plan:
    """How to run the blocks of one key.

    Either `optimization` covers the whole block, or `splits` are the lengths of the parts that it
    is cut into, each with a plan of its own.
    """

    __slots__ = ("optimization", "splits")

    def __init__(self, optimization: Any = None, splits: tuple[int, ...] | None = None):
        self.optimization = optimization
        self.splits = splits

    def describe(self) -> str:
        if self.splits is not None:
            return f"cut into {len(self.splits)} parts"
        return self.optimization.describe()
