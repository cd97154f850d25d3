# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From a block to machine code: emit, passes, lowering, the JIT."""
