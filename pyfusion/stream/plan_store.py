# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What to run when a known sequence of operations comes again."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from ..config import config


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


class PlanStore:
    """A bounded map from block keys to plans; the least recently used plan goes first."""

    def __init__(self) -> None:
        self._plans: OrderedDict[tuple, Plan] = OrderedDict()

    def __len__(self) -> int:
        return len(self._plans)

    def get(self, key: tuple) -> Plan | None:
        plan = self._plans.get(key)
        if plan is not None:
            self._plans.move_to_end(key)
        return plan

    def put(self, key: tuple, plan: Plan) -> None:
        self._plans[key] = plan
        while len(self._plans) > max(config.max_plans, 1):
            self._plans.popitem(last=False)

    def values(self) -> list[Plan]:
        return list(self._plans.values())

    def clear(self) -> None:
        self._plans.clear()
