# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The random values that there are, each written once, for IR and for NumPy.

A value is made of one or two blocks of two random words, and of numbers that the call has; see
docs/random.md. What it is computed with is an `Arithmetic`: operations of the dialect by name.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

__all__ = ["VALUES", "Arithmetic", "RandomValue"]


class Arithmetic(Protocol):
    """What the elements of one call are computed with."""

    def block(self, number: int) -> tuple[Any, Any]:
        """The words of uint32 of the first or the second block."""
        ...

    def given(self, number: int) -> Any:
        """One of the numbers of the call beside the key and the draws, of uint32."""
        ...

    def op(self, name: str, x: Any, y: Any = None) -> Any:
        """An element-wise operation. A Python number has the type of the other operand."""
        ...

    def cast(self, x: Any, element: str) -> Any: ...


class RandomValue(NamedTuple):
    """What an operation `random_NAME` gives.

    Attributes:
        element: the element type.
        blocks: how many blocks an element takes.
        body: makes the elements.
        given: how many numbers the call has beside the key and the draws.
    """

    element: str
    blocks: int
    body: Callable[[Arithmetic], Any]
    given: int = 0


def _down(w: Arithmetic, x: Any, bits: int) -> Any:
    return w.op("bitwise_right_shift", x, bits)


def _long(w: Arithmetic, number: int) -> Any:
    """The 64 bits of a block, the second word above."""
    low, high = (w.cast(word, "uint64") for word in w.block(number))
    return w.op("bitwise_or", w.op("bitwise_left_shift", high, 32), low)


# --- Floats ---------------------------------------------------------------------------------------


def _unit(element: str, bits: int) -> Callable[[Arithmetic], Any]:
    """The upper bits of the first word as a fraction: exact."""

    def body(w: Arithmetic) -> Any:
        whole = w.cast(_down(w, w.block(0)[0], 32 - bits), element)
        return w.op("multiply", whole, 2.0**-bits)

    return body


def _whole_float64(w: Arithmetic, number: int) -> Any:
    """53 bits of a block as a float: 27 of the second word, then 26 of the first one."""
    low, high = w.block(number)
    upper = w.op("multiply", w.cast(_down(w, high, 5), "float64"), 2.0**26)
    return w.op("add", upper, w.cast(_down(w, low, 6), "float64"))


def _unit_float64(w: Arithmetic) -> Any:
    return w.op("multiply", _whole_float64(w, 0), 2.0**-53)


def _log_float32(w: Arithmetic) -> Any:
    """The logarithm of a fraction above 0, and up to 1, of 32 bits."""
    whole = w.op("add", w.cast(w.block(0)[0], "float32"), 0.5)
    return w.op("log", w.op("multiply", whole, 2.0**-32))


def _log_float64(w: Arithmetic) -> Any:
    """The same of 53 bits."""
    whole = w.op("add", _whole_float64(w, 0), 1.0)
    return w.op("log", w.op("multiply", whole, 2.0**-53))


def _exponential(log: Callable[[Arithmetic], Any]) -> Callable[[Arithmetic], Any]:
    """The inverse of the distribution function, `-log(u)`; of 1 it is +0."""
    return lambda w: w.op("subtract", 0.0, log(w))


def _box_muller(w: Arithmetic, log: Any, angle: Any) -> Any:
    """G. Box and M. Muller, "A note on the generation of random normal deviates", 1958."""
    radius = w.op("sqrt", w.op("multiply", log, -2.0))
    return w.op("multiply", radius, w.op("cos", angle))


def _normal_float32(w: Arithmetic) -> Any:
    whole = w.cast(_down(w, w.block(0)[1], 8), "float32")
    return _box_muller(w, _log_float32(w), w.op("multiply", whole, 2 * math.pi * 2.0**-24))


def _normal_float64(w: Arithmetic) -> Any:
    angle = w.op("multiply", _whole_float64(w, 1), 2 * math.pi * 2.0**-53)
    return _box_muller(w, _log_float64(w), angle)


# --- Integers -------------------------------------------------------------------------------------


def _below_32(w: Arithmetic) -> Any:
    """`floor(bits * count / 2**64)` of 64 bits, for a count up to 2^32; given is the count less 1,
    so that the products are of words."""
    most = w.cast(w.given(0), "uint64")
    low, high = (
        w.op("add", w.op("multiply", word, most), word)
        for word in (w.cast(word, "uint64") for word in w.block(0))
    )
    return w.cast(_down(w, w.op("add", high, _down(w, low, 32)), 32), "uint32")


def _high_product(w: Arithmetic, x: Any, y: tuple[Any, Any]) -> Any:
    """The upper 64 bits of the product of x and of a number that is given as two words."""
    low, high = w.op("bitwise_and", x, 0xFFFFFFFF), _down(w, x, 32)
    inner = w.op("multiply", low, y[0])
    middle = w.op("add", w.op("multiply", high, y[0]), _down(w, inner, 32))
    other = w.op("add", w.op("multiply", low, y[1]), w.op("bitwise_and", middle, 0xFFFFFFFF))
    top = w.op("add", w.op("multiply", high, y[1]), _down(w, middle, 32))
    return w.op("add", top, _down(w, other, 32))


def _below_64(w: Arithmetic) -> Any:
    """`floor(bits * count / 2**128)` of 128 bits, for a count below 2^64, which is given as two
    words."""
    words = w.cast(w.given(0), "uint64"), w.cast(w.given(1), "uint64")
    count = w.op("bitwise_or", w.op("bitwise_left_shift", words[1], 32), words[0])
    upper = _long(w, 1)
    product = w.op("multiply", upper, count)
    total = w.op("add", product, _high_product(w, _long(w, 0), words))
    carry = w.cast(w.op("less", total, product), "uint64")
    return w.op("add", _high_product(w, upper, words), carry)


VALUES: dict[str, RandomValue] = {
    "bits_31": RandomValue("uint32", 1, lambda w: _down(w, w.block(0)[0], 1)),
    "bits_32": RandomValue("uint32", 1, lambda w: w.block(0)[0]),
    "bits_64": RandomValue("uint64", 1, lambda w: _long(w, 0)),
    "below_32": RandomValue("uint32", 1, _below_32, 1),
    "below_64": RandomValue("uint64", 2, _below_64, 2),
    "unit_float16": RandomValue("float16", 1, _unit("float16", 11)),
    "unit_bfloat16": RandomValue("bfloat16", 1, _unit("bfloat16", 8)),
    "unit_float32": RandomValue("float32", 1, _unit("float32", 24)),
    "unit_float64": RandomValue("float64", 1, _unit_float64),
    "exponential_float32": RandomValue("float32", 1, _exponential(_log_float32)),
    "exponential_float64": RandomValue("float64", 1, _exponential(_log_float64)),
    "normal_float32": RandomValue("float32", 1, _normal_float32),
    "normal_float64": RandomValue("float64", 2, _normal_float64),
}
