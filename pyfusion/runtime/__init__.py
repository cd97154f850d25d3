# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The native run time: buffers, threads and kernel launches."""
