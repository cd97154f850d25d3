# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The size of the plan store."""

from __future__ import annotations

from typing import NamedTuple

from ..config import config
from ..stream import engine, locks


class StoredPlans(NamedTuple):
    """How full the plan store is: plans and the bytes they hold, and the bounds of both."""

    plans: int
    nbytes: int
    max_plans: int
    max_bytes: int


def stored_plans() -> StoredPlans:
    """The size of the plan store. Bytes are an estimate, with the machine code of the plans.

    Example:
        >>> import pyfusion as pf
        >>> stored = pf.testing.stored_plans()
        >>> stored.plans <= stored.max_plans
        True
    """
    with locks.lock:
        plans = engine.plans
        return StoredPlans(len(plans), plans.nbytes, config.max_plans, config.max_plan_bytes)
