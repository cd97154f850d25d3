# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Streams of deferred operations, and the plans that run them."""

from .stream import Stream, current, record

__all__ = ["Stream", "current", "record"]
