# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The bodies that fusion-inline-custom puts in place of calls; MLIR is not needed to add one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

__all__ = ["bodies"]

# By callee, as "custom.norm". A body is given the call, with the insertion point before it, and
# returns the values of its results, or None to leave the call to the backend.
bodies: dict[str, Callable[[Any], Sequence[Any] | None]] = {}
