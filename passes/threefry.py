# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Threefry-2x32 with 20 rounds: the counter-based generator of all random numbers.

Of J. Salmon, M. Moraes, R. Dror and D. Shaw, "Parallel random numbers: as easy as 1, 2, 3", 2011: a
bijection of two words, for each key of two words, whose values at successive counters pass the
tests of randomness of TestU01. It adds, rotates and combines words by exclusive or, so that it is
written here once, for numbers, NumPy's arrays and IR alike.
"""

from __future__ import annotations

from typing import Any, Protocol

__all__ = ["Arithmetic", "Numbers", "threefry"]

_ROTATIONS = (13, 15, 26, 6, 17, 29, 16, 24)
_PARITY = 0x1BD11BDA
_ROUNDS = 20


class Arithmetic(Protocol):
    """What words of 32 bits are computed with."""

    def add(self, x: Any, y: Any) -> Any:
        """The sum modulo 2^32."""
        ...

    def xor(self, x: Any, y: Any) -> Any: ...

    def rotate(self, x: Any, bits: int) -> Any:
        """The word rotated to the left."""
        ...

    def constant(self, number: int) -> Any: ...


class Numbers:
    """See `Arithmetic`: Python's ints."""

    def add(self, x: int, y: int) -> int:
        return (x + y) & 0xFFFFFFFF

    def xor(self, x: int, y: int) -> int:
        return x ^ y

    def rotate(self, x: int, bits: int) -> int:
        return ((x << bits) | (x >> (32 - bits))) & 0xFFFFFFFF

    def constant(self, number: int) -> int:
        return number


def threefry(w: Arithmetic, key: tuple[Any, Any], counter: tuple[Any, Any]) -> tuple[Any, Any]:
    """The two words of a counter.

    Example:
        >>> [hex(word) for word in threefry(Numbers(), (0, 0), (0, 0))]
        ['0x6b200159', '0x99ba4efe']
    """
    keys = (*key, w.xor(w.xor(*key), w.constant(_PARITY)))
    x, y = w.add(counter[0], keys[0]), w.add(counter[1], keys[1])
    for number in range(_ROUNDS):
        x = w.add(x, y)
        y = w.xor(w.rotate(y, _ROTATIONS[number % 8]), x)
        if number % 4 == 3:
            turn = number // 4 + 1
            x = w.add(x, keys[turn % 3])
            y = w.add(y, w.add(keys[(turn + 1) % 3], w.constant(turn)))
    return x, y
