# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scalars as the words of eight bytes that kernels take; `native/scalars.cpp` makes them."""

from __future__ import annotations

__all__ = ["CODES"]

# The code of a scalar's word, by the name of its type: those of the module `struct`, and g. A
# number beyond a floating-point type is infinite there; integers are refused.
CODES = {
    "bool": "B",
    "int8": "b",
    "int16": "h",
    "int32": "i",
    "int64": "q",
    "uint8": "B",
    "uint16": "H",
    "uint32": "I",
    "uint64": "Q",
    "float16": "e",
    "bfloat16": "g",
    "float32": "f",
    "float64": "d",
    "index": "q",
}
