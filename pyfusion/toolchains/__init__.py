# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that compile for what MLIR's libraries cannot: found, run with a time limit.

Whatever is wrong with them is a `CompileError`. None needs a GPU.
"""
