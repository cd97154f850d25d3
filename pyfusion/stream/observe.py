# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whoever watches blocks run; empty in the common case."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

active: list[Callable[[str, Any], None]] = []


def block_starts(block: Any) -> None:
    for watch in list(active):
        watch("starts", block)


def block_ran(block: Any) -> None:
    for watch in list(active):
        watch("ran", block)
