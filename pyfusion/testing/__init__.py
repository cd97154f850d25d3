# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What tests ask: what ran, as counts, whether every mode gives the same result, what is alive."""

from __future__ import annotations

from .memory import Leak, MemoryCheck, memory_checks
from .modes import assert_same_everywhere
from .report import Report, inspect
from .stored import StoredPlans, stored_plans

__all__ = [
    "Leak",
    "MemoryCheck",
    "Report",
    "StoredPlans",
    "assert_same_everywhere",
    "inspect",
    "memory_checks",
    "stored_plans",
]
