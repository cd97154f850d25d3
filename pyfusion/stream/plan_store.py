# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What to run when a known sequence of operations comes again."""

from __future__ import annotations

import sys
from collections import OrderedDict
from collections.abc import Callable

from ..config import config
from ..runtime.statistics import statistics
from .plan import Plan

_ENTRY_BYTES = 2000  # a plan's own objects, in the mean


class PlanStore:
    """A map from block keys to plans, bounded by their number and by the bytes they hold.

    The plan that was not used for the longest time goes first; the one stored last stays, however
    large it is. A block is looked up once, as a whole, by the hash of its key.

    Attributes:
        nbytes: what the plans hold, machine code included. An estimate: it adds what each
            optimization says in its attribute `nbytes`, nothing for one that has none.
    """

    def __init__(self) -> None:
        self._plans: OrderedDict[tuple, Plan] = OrderedDict()
        self._sizes: dict[tuple, int] = {}
        self.nbytes = 0

    def __len__(self) -> int:
        return len(self._plans)

    def get(self, key: tuple) -> Plan | None:
        plan = self._plans.get(key)
        if plan is not None:
            self._plans.move_to_end(key)
        return plan

    def put(self, key: tuple, plan: Plan) -> None:
        """Stores a plan, in place of the key's former one, and drops others beyond the bounds."""
        if key in self._plans:
            self._drop(key)
        self._plans[key] = plan
        size = self._sizes[key] = _size(key, plan)
        self.nbytes += size
        statistics.plans += 1
        self._bound()

    def measure(self, key: tuple) -> None:
        """Tells that a plan holds more than before: a part of it has been compiled."""
        plan = self._plans.get(key)
        if plan is not None:
            size = _size(key, plan)
            self.nbytes += size - self._sizes[key]
            self._sizes[key] = size
            self._bound()

    def _bound(self) -> None:
        while len(self._plans) > 1 and (
            len(self._plans) > config.max_plans or self.nbytes > config.max_plan_bytes
        ):
            self._drop(next(iter(self._plans)))

    def _drop(self, key: tuple) -> None:
        del self._plans[key]
        self.nbytes -= self._sizes.pop(key)

    def values(self) -> list[Plan]:
        return list(self._plans.values())

    def remove(self, test: Callable[[Plan, tuple], bool]) -> None:
        """Forgets the plans that a test of the plan and its key is true of."""
        for key in [key for key, plan in self._plans.items() if test(plan, key)]:
            self._drop(key)

    def clear(self) -> None:
        self._plans.clear()
        self._sizes.clear()
        self.nbytes = 0


def _size(key: tuple, plan: Plan) -> int:
    code = sum([getattr(o, "nbytes", 0) for o in plan.optimizations()])
    parts = sum([sys.getsizeof(part) for part in key])  # most of it are the bytes
    return _ENTRY_BYTES + sys.getsizeof(key) + parts + code
