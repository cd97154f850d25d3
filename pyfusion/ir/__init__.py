# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recorded operations: the table of operations and the values they make."""
