# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What to run when a known sequence of operations comes again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable

from ..config import config
from .plan import Plan


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

    def remove(self, test: Callable[[Plan], bool]) -> None:
        """Forgets the plans that a test is true of."""
        for key in [key for key, plan in self._plans.items() if test(plan)]:
            del self._plans[key]

    def clear(self) -> None:
        self._plans.clear()
