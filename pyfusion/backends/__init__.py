# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Backends that run operations eagerly."""
