# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What tests ask: what ran, as counts, and whether every mode gives the same result."""

from __future__ import annotations

from .modes import assert_same_everywhere
from .report import Report, inspect
from .stored import StoredPlans, stored_plans

__all__ = ["Report", "StoredPlans", "assert_same_everywhere", "inspect", "stored_plans"]
