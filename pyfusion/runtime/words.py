# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scalars as the words of eight bytes that kernels take."""

from __future__ import annotations

import struct
from math import isfinite

import numpy as np

__all__ = ["BFLOAT16", "CODES", "NARROW", "bfloat16_bits", "narrowed"]

BFLOAT16 = "H2x4x"  # its bits, which `bfloat16_bits` makes

# The struct format of a scalar's word, by the name of its type.
CODES = {
    "bool": "B7x",
    "int8": "b7x",
    "int16": "h6x",
    "int32": "i4x",
    "int64": "q",
    "uint8": "B7x",
    "uint16": "H6x",
    "uint32": "I4x",
    "uint64": "Q",
    "float16": "e6x",
    "bfloat16": BFLOAT16,
    "float32": "f4x",
    "float64": "d",
    "index": "q",
}

# Formats that refuse a number beyond their range, which is infinite in that type.
NARROW = {"f4x": np.float32, "e6x": np.float16}

_single = struct.Struct("=f")
_bits = struct.Struct("=I")


def narrowed(number: float, code: str) -> float:
    """A number rounded to a type that is narrower than a Python float; infinite beyond it."""
    with np.errstate(over="ignore"):
        return float(NARROW[code](number))


def bfloat16_bits(number: float) -> int:
    """The bits of the bfloat16 that is nearest to a number, ties to even.

    It is rounded once: to float32 by rounding to odd, which loses nothing that the second rounding
    needs to know (Boldo and Melquiond, "When double rounding is odd").
    """
    if not isfinite(number) or number == 0:
        bits = _bits.unpack(_single.pack(number))[0]
        return 0x7FC0 if number != number else bits >> 16
    try:
        packed = _single.pack(number)
    except OverflowError:
        return 0x7F80 if number > 0 else 0xFF80
    bits = _bits.unpack(packed)[0]
    near = _single.unpack(packed)[0]
    if near != number:
        bits = (bits - (abs(near) > abs(number))) | 1
    return bits + 0x7FFF + (bits >> 16 & 1) >> 16
