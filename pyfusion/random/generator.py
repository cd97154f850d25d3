# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The generator of random arrays."""

from __future__ import annotations

from typing import Any

from numpy.random import SeedSequence

from ..array.core import Array, cast, wrap
from ..array.creation import asarray
from ..array.promote import scalar
from ..dtypes import DType, as_dtype, bool_, float64, int64
from ..errors import DTypeError
from ..ir.device import Device
from ..ir.value import Value, device_of
from . import order, record
from .parameters import (
    Parameters,
    check,
    check_range,
    difference,
    entropy,
    float_type,
    integer,
    threshold,
    wide,
)
from .record import op
from .state import State

_NAME = "threefry2x32-20"


class Generator:
    """Draws random arrays. The names and arguments are those of `numpy.random.Generator`.

    A draw records an operation, as other functions do, and fuses with what reads it. Its elements
    follow from the seed, the number of the draw in the order of the program, and their positions:
    not from what is fused, the device, the threads, or the layout. The numbers differ from NumPy's;
    docs/random.md defines each one.

    Made by `pyfusion.random.default_rng(seed)`. It may be used by several threads, which then share
    its draws in the order in which they come; it can be copied and pickled.

    Args:
        seed: an int that is not negative, a sequence of such, a `numpy.random.SeedSequence`, or
            None for one that the system gives.

    Raises:
        TypeError, ValueError: the seed is none of these.

    Example:
        >>> import pyfusion as pf
        >>> rng = pf.random.default_rng(7)
        >>> x = rng.normal(10.0, 2.0, size=(2, 3), dtype=pf.float32)
        >>> x.shape, x.dtype
        ((2, 3), pyfusion.float32)
    """

    def __init__(self, seed: Any = None):
        seeds = seed if isinstance(seed, SeedSequence) else SeedSequence(entropy(seed))
        self._state = State.of(seeds)

    @classmethod
    def _of(cls, state: State) -> Generator:
        made = cls.__new__(cls)
        made._state = state
        return made

    def _draw(self, name: str, shape: tuple[int, ...], device: Device, *given: int) -> Value:
        key, first = self._state.take(record.numbers_of(name, shape))
        return record.draw(name, shape, key, first, given, device)

    # -- Seeds and state -------------------------------------------------------------------------

    def spawn(self, n_children: int) -> list[Generator]:
        """Generators whose draws have nothing to do with this one's or with each other's.

        Raises:
            TypeError: the key was set by `state`, so that there is no seed to make others of.
        """
        seeds = self._state.seeds
        if seeds is None:
            raise TypeError(
                "spawn: the generator's key was set, and there is no seed to spawn from"
            )
        return [Generator(child) for child in seeds.spawn(integer("spawn", "count", n_children))]

    def jumped(self, jumps: int = 1) -> Generator:
        """A generator that goes on as this one after `jumps * 2**64` draws."""
        other = self._state.copy()
        other.advance(integer("jumped", "jumps", jumps) << 64)
        return Generator._of(other)

    def advance(self, delta: int) -> Generator:
        """Leaves out `delta` draws, or goes back; gives the generator."""
        self._state.advance(integer("advance", "delta", delta))
        return self

    @property
    def state(self) -> dict[str, Any]:
        """The key and the number of the next draw; can be set, to go on from there."""
        now = self._state.copy()
        return {"generator": _NAME, "key": now.key, "draw": now.number}

    @state.setter
    def state(self, given: dict[str, Any]) -> None:
        """Raises TypeError or ValueError for what `state` has not given."""
        wanted = {"generator", "key", "draw"}
        if not isinstance(given, dict) or set(given) != wanted or given["generator"] != _NAME:
            raise ValueError(
                f"a state is a dict of {sorted(wanted)} of {_NAME}, not {given!r:.200}"
            )
        first, second = (integer("state", "a word of the key", word) for word in given["key"])
        number = integer("state", "draw", given["draw"])
        if not (0 <= first < 1 << 32 and 0 <= second < 1 << 32 and 0 <= number < 1 << 96):
            raise ValueError(f"a state has words of 32 bits and a draw of 96, not {given!r:.200}")
        seeds = self._state.seeds if (first, second) == self._state.key else None
        self._state = State(seeds, (first, second), number)

    def __reduce__(self) -> Any:
        now = self._state.copy()
        return _restored, (now.seeds, now.key, now.number)

    def __repr__(self) -> str:
        return f"<Generator of {_NAME} before draw {self._state.number}>"

    # -- Uniform ---------------------------------------------------------------------------------

    def random(self, size: Any = None, dtype: Any = float64, *, device: Any = None) -> Array:
        """Floats from 0 up to, not including, 1: each multiple of a power of two there is equally
        likely. The powers are 2^-53 (float64), 2^-24 (float32), 2^-11 (float16), 2^-8 (bfloat16).

        Args:
            size: the shape; None for ().

        Raises:
            DTypeError: the type is not one of floats.
        """
        dtype = float_type("random", dtype)
        p = Parameters("random", size, device, dtype)
        return wrap(self._draw(f"unit_{dtype.name}", p.shape, p.device))

    def uniform(
        self,
        low: Any = 0.0,
        high: Any = 1.0,
        size: Any = None,
        *,
        dtype: Any = float64,
        device: Any = None,
    ) -> Array:
        """Floats from `low` up to, and never, `high`; `low` where the two are equal.

        `low + (high - low) * random()`, rounded at each step; what rounds to `high` becomes `low`.

        Args:
            low, high: numbers, or arrays that broadcast to the result.

        Raises:
            ValueError: `low` is greater.
            OverflowError: the type does not hold the difference.
            DTypeError: the type is not one of floats.
        """
        dtype = float_type("uniform", dtype)
        p = Parameters("uniform", size, device, dtype, low=low, high=high)
        first, last = p.values
        if first.__class__ is float and last.__class__ is float:
            check_range(first, last, dtype)
        unit = self._draw(f"unit_{dtype.name}", p.shape, p.device)
        found = op("multiply", dtype, unit, difference(last, first))
        found = op("add", dtype, found, first)
        inside = op("less", bool_, found, last)
        return wrap(op("select", dtype, inside, found, first))

    def integers(
        self,
        low: Any,
        high: Any = None,
        size: Any = None,
        dtype: Any = int64,
        endpoint: bool = False,
        *,
        device: Any = None,
    ) -> Array:
        """Integers from `low` up to, not including, `high`; from 0 to `low` without `high`.

        Up to 2^32 values are made of 64 random bits each, more of 128, so that the chance of none
        is off by more than a factor of 1 + 2^-32; those of powers of two are equal.

        Args:
            low, high: ints.
            dtype: bool or a type of integers.
            endpoint: `high` is one of them.

        Raises:
            ValueError: there is no integer in the range, or the type does not hold all of it.
            TypeError: the bounds are not ints.
            DTypeError: the type is of floats.
        """
        dtype = as_dtype(dtype)
        if dtype.kind not in "biu":
            raise DTypeError(f"integers: dtype is bool or an integer type, not {dtype.name}")
        if high is None:
            low, high = 0, low
        first = integer("integers", "low", low)
        last = integer("integers", "high", high) - (not endpoint)
        least, most = (0, 1) if dtype is bool_ else (dtype.low, dtype.high)
        if first > last:
            raise ValueError(f"integers: nothing from {low} to {high}, endpoint={endpoint}")
        if first < least or last > most:
            raise ValueError(f"integers: {dtype.name} does not hold {first} to {last}")
        p = Parameters("integers", size, device, dtype)
        count = last - first + 1
        if count <= 1 << 32:
            found = self._draw("below_32", p.shape, p.device, count - 1)
        elif count < 1 << 64:
            words = count & 0xFFFFFFFF, count >> 32
            found = self._draw("below_64", p.shape, p.device, *words)
        else:
            found = self._draw("bits_64", p.shape, p.device)
        return wrap(op("add", dtype, cast(found, dtype), scalar(first, dtype)))

    # -- Other distributions ---------------------------------------------------------------------

    def bernoulli(
        self, p: Any = 0.5, size: Any = None, *, dtype: Any = bool_, device: Any = None
    ) -> Array:
        """True with probability `p`, which counts to 31 bits; exactly never for 0, always for 1.

        Args:
            p: a number, or an array that broadcasts to the result; of an array what is below 0, or
                NaN, counts as 0, and what is above 1 as 1.

        Raises:
            ValueError: a number that is no probability.
        """
        found = Parameters("bernoulli", size, device, float64, p=p)
        chance = found.values[0]
        check("bernoulli", "p", chance, 0.0, 1.0)
        bits = self._draw("bits_31", found.shape, found.device)
        hit = op("less", bool_, bits, threshold(chance))
        return wrap(cast(hit, as_dtype(dtype)))

    def dropout(self, x: Any, p: float = 0.5, *, device: Any = None) -> Array:
        """The array with each element 0 with probability `p`, and else divided by `1 - p`: one
        kernel, which reads `x` and writes the result.

        Raises:
            ValueError: `p` is no probability.
            DTypeError: the array is not one of floats.
        """
        x = asarray(x, device=device)
        dtype = float_type("dropout", x.dtype)
        (chance,) = Parameters("dropout", x.shape, None, float64, p=p).values
        if chance.__class__ is Value:
            raise TypeError("dropout: p is a number, not an array")
        check("dropout", "p", chance, 0.0, 1.0)
        bits = self._draw("bits_31", x.shape, device_of(x._v))
        kept = op("less", bool_, bits, threshold(1.0 - chance))
        scaled = op("multiply", dtype, x._v, 1.0 / (1.0 - chance) if chance < 1.0 else 0.0)
        return wrap(op("select", dtype, kept, scaled, 0.0))

    def standard_normal(
        self, size: Any = None, dtype: Any = float64, *, device: Any = None
    ) -> Array:
        """Floats of the normal distribution of mean 0 and deviation 1, by Box and Muller's method.

        Raises:
            DTypeError: the type is not one of floats.
        """
        dtype = float_type("standard_normal", dtype)
        p = Parameters("standard_normal", size, device, dtype)
        return wrap(cast(self._standard("normal", p, dtype), dtype))

    def _standard(self, name: str, p: Parameters, dtype: DType) -> Value:
        return self._draw(f"{name}_{wide(dtype).name}", p.shape, p.device)

    def _normal(
        self, name: str, size: Any, dtype: Any, device: Any, **given: Any
    ) -> tuple[Value, DType]:
        """`loc + scale * standard_normal()` in the type to compute in, and the type asked for."""
        dtype = float_type(name, dtype)
        inner = wide(dtype)
        p = Parameters(name, size, device, inner, **given)
        (loc, scale), (_, what) = p.values, given
        check(name, what, scale, 0.0, float("inf"))
        found = op("multiply", inner, self._standard("normal", p, dtype), scale)
        return op("add", inner, found, loc), dtype

    def normal(
        self,
        loc: Any = 0.0,
        scale: Any = 1.0,
        size: Any = None,
        *,
        dtype: Any = float64,
        device: Any = None,
    ) -> Array:
        """`loc + scale * standard_normal()`.

        Args:
            loc, scale: numbers, or arrays that broadcast to the result.

        Raises:
            ValueError: a number as `scale` is negative.
            DTypeError: the type is not one of floats.
        """
        found, dtype = self._normal("normal", size, dtype, device, loc=loc, scale=scale)
        return wrap(cast(found, dtype))

    def lognormal(
        self,
        mean: Any = 0.0,
        sigma: Any = 1.0,
        size: Any = None,
        *,
        dtype: Any = float64,
        device: Any = None,
    ) -> Array:
        """`exp(normal(mean, sigma))`; arguments and errors as of `normal`."""
        found, dtype = self._normal("lognormal", size, dtype, device, mean=mean, sigma=sigma)
        return wrap(cast(op("exp", found.dtype, found), dtype))

    def standard_exponential(
        self, size: Any = None, dtype: Any = float64, *, device: Any = None
    ) -> Array:
        """Floats of the exponential distribution of mean 1: minus the logarithm of a uniform one.

        Raises:
            DTypeError: the type is not one of floats.
        """
        dtype = float_type("standard_exponential", dtype)
        p = Parameters("standard_exponential", size, device, dtype)
        return wrap(cast(self._standard("exponential", p, dtype), dtype))

    def exponential(
        self, scale: Any = 1.0, size: Any = None, *, dtype: Any = float64, device: Any = None
    ) -> Array:
        """`scale * standard_exponential()`, of mean `scale`.

        Args:
            scale: a number, or an array that broadcasts to the result.

        Raises:
            ValueError: a number that is negative.
            DTypeError: the type is not one of floats.
        """
        dtype = float_type("exponential", dtype)
        inner = wide(dtype)
        p = Parameters("exponential", size, device, inner, scale=scale)
        check("exponential", "scale", p.values[0], 0.0, float("inf"))
        found = op("multiply", inner, self._standard("exponential", p, dtype), p.values[0])
        return wrap(cast(found, dtype))

    # -- Order -----------------------------------------------------------------------------------

    def permutation(self, x: Any, axis: int = 0, *, device: Any = None) -> Array:
        """The parts of an array along an axis in a random order; of an int, those below it.

        The order is that of keys of 64 random bits, sorted by the backend.

        Raises:
            ValueError: the array has no dimension, or the int is negative.
        """
        return order.permutation(self, x, axis, device)

    def permuted(self, x: Any, axis: int | None = None, *, device: Any = None) -> Array:
        """The elements along an axis in a random order, another one in each row; all of them with
        None."""
        return order.permuted(self, x, axis, device)

    def shuffle(self, x: Array, axis: int = 0) -> None:
        """Puts the parts of an array along an axis in a random order, in place: its views see it.

        Raises:
            TypeError: it is no `Array`, or a view of another one.
        """
        order.shuffle(self, x, axis)

    def choice(
        self,
        a: Any,
        size: Any = None,
        replace: bool = True,
        p: Any = None,
        axis: int = 0,
        *,
        device: Any = None,
    ) -> Array:
        """Parts of an array along an axis, or integers below an int, each equally likely.

        Args:
            size: the shape of what is chosen; None for one.
            replace: a part may come more than once.
            p: the probability of each part; it is read.

        Raises:
            ValueError: there are not as many parts, or `p` are no probabilities.
        """
        return order.choice(self, a, size, replace, p, axis, device)


def _restored(seeds: SeedSequence | None, key: tuple[int, int], number: int) -> Generator:
    return Generator._of(State(seeds, key, number))
