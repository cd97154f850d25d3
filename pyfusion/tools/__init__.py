# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Command-line tools. They work in a child process: what stops MLIR becomes an exit code."""
