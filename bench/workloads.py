# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The programs that are timed, each written once over a namespace `xp`.

`run(xp, *arrays)` is called with NumPy (with SciPy's erf), pyfusion, JAX, a thin layer over torch,
and with the namespace that writes numexpr's text (see `peers.py`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Arrays = tuple[np.ndarray, ...]


@dataclass(frozen=True)
class Workload:
    """One program.

    Attributes:
        name: what the results call it.
        run: the program.
        make: `make(elements, rng)` gives its NumPy inputs.
        ops: operations on whole arrays in it.
        elementwise: no reduction in it.
        text: numexpr can express it.
        rtol: error that its floating-point result may have, relative to the largest element.
        by_hand: NumPy has vector code written by hand for it, and is the only peer that counts.
        random: elements are zeros at random places: each one that is none in both results counts,
            and how many there are.
    """

    name: str
    run: Callable[..., Any]
    make: Callable[[int, np.random.Generator], Arrays]
    ops: int
    elementwise: bool = True
    text: bool = True
    rtol: float = 1e-5
    by_hand: bool = False
    random: bool = False


def _side(n: int) -> int:
    return math.isqrt(n)


def _uniform(
    count: int, low: float = -2.0, high: float = 2.0, dtype: str = "float32"
) -> Callable[..., Arrays]:
    def make(n: int, rng: np.random.Generator) -> Arrays:
        kind = _bfloat16() if dtype == "bfloat16" else np.dtype(dtype)
        return tuple(rng.uniform(low, high, n).astype(kind) for _ in range(count))

    return make


def _bfloat16() -> np.dtype:
    import ml_dtypes

    return np.dtype(ml_dtypes.bfloat16)


def _matrix(n: int, rng: np.random.Generator) -> Arrays:
    side = _side(n)
    return (rng.uniform(-2, 2, (side, side)).astype(np.float32),)


# -- element-wise ----------------------------------------------------------------------------------


def axpy(xp: Any, x: Any, y: Any) -> Any:
    return 2 * x + y


def exp_fma(xp: Any, x: Any, y: Any) -> Any:
    return xp.exp(x * y + 2)


def gelu(xp: Any, x: Any) -> Any:
    return 0.5 * x * (1 + xp.tanh(0.7978845608 * (x + 0.044715 * (x * x * x))))


def gelu_erf(xp: Any, x: Any) -> Any:
    return 0.5 * x * (1 + xp.erf(x * 0.7071067812))


def swiglu(xp: Any, x: Any, y: Any) -> Any:
    return x * (1 / (1 + xp.exp(-x))) * y


def sin_cos(xp: Any, x: Any, y: Any) -> Any:
    return xp.sin(x) * xp.cos(y)


def power(xp: Any, x: Any, y: Any) -> Any:
    return xp.pow(x, y)


def tanh(xp: Any, x: Any) -> Any:
    return xp.tanh(x)


def saturating_mix(xp: Any, signed: Any, unsigned: Any) -> Any:
    wide = xp.astype(signed, xp.int16) * 3 + xp.astype(unsigned, xp.int16)
    return xp.astype(xp.clip(wide, 0, 255), xp.uint8)


def _bytes(n: int, rng: np.random.Generator) -> Arrays:
    return rng.integers(-128, 128, n, dtype=np.int8), rng.integers(0, 256, n, dtype=np.uint8)


def _bases(n: int, rng: np.random.Generator) -> Arrays:
    return rng.uniform(0.1, 10, n).astype(np.float32), rng.uniform(-3, 3, n).astype(np.float32)


def polynomial(xp: Any, x: Any) -> Any:
    return ((((0.1 * x - 0.3) * x + 0.7) * x - 1.1) * x + 1.3) * x + 0.5


def _normal_cdf(xp: Any, d: Any) -> Any:
    """Abramowitz and Stegun 26.2.17: needs no erf, which NumPy and numexpr lack."""
    k = 1 / (1 + 0.2316419 * abs(d))
    series = k * (
        0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429)))
    )
    upper = 0.39894228 * xp.exp(-0.5 * d * d) * series
    return xp.where(d < 0, upper, 1 - upper)


def black_scholes(xp: Any, spot: Any, strike: Any, years: Any) -> Any:
    rate, volatility = 0.02, 0.3
    spread = volatility * xp.sqrt(years)
    d1 = (xp.log(spot / strike) + (rate + volatility * volatility / 2) * years) / spread
    discounted = strike * xp.exp(-rate * years)
    return spot * _normal_cdf(xp, d1) - discounted * _normal_cdf(xp, d1 - spread)


def _options(n: int, rng: np.random.Generator) -> Arrays:
    """Near enough to each other that no intermediate result is subnormal."""
    spot = rng.uniform(20, 60, n).astype(np.float32)
    strike = rng.uniform(20, 60, n).astype(np.float32)
    years = rng.uniform(0.25, 3, n).astype(np.float32)
    return spot, strike, years


def masked(xp: Any, x: Any, y: Any, m: Any, z: Any) -> Any:
    t = xp.flip(x, axis=0)[:, 1:] * 2 + y
    return xp.where((t > 0) & ~m, xp.round(t), xp.permute_dims(z, (1, 0)))


def _masked_inputs(n: int, rng: np.random.Generator) -> Arrays:
    """Multiples of 1/8: `2 * x + y` is exact, so that no rounding decides a comparison."""
    side = _side(n)

    def eighths(*shape: int) -> np.ndarray:
        return rng.integers(-80, 80, shape).astype(np.float32) / 8

    mask = rng.integers(0, 2, (side, side)).astype(bool)
    return eighths(side, side + 1), eighths(side, side), mask, eighths(side, side)


def plus_transpose(xp: Any, x: Any) -> Any:
    return x + xp.permute_dims(x, (1, 0))


def gains(xp: Any, photo: Any, gain: Any) -> Any:
    return photo * gain


def _photo(n: int, rng: np.random.Generator) -> Arrays:
    side = _side(n // 3)
    return (
        rng.uniform(0, 1, (side, side, 3)).astype(np.float32),
        np.array([1.25, 1.0, 0.75], np.float32),
    )


def powers(xp: Any, x: Any) -> Any:
    return x**2 + x**3


def floor_divide(xp: Any, i: Any) -> Any:
    return i // 7


def hash_mix(xp: Any, i: Any) -> Any:
    h = i ^ ((i >> 16) & 0xFFFF)
    h = h * 0x7FEB352D
    h = h ^ ((h >> 15) & 0x1FFFF)
    h = h * -0x7B935975
    return h ^ ((h >> 16) & 0xFFFF)


def _integers(n: int, rng: np.random.Generator) -> Arrays:
    return (rng.integers(-(2**31), 2**31, n, dtype=np.int32),)


def dropout(xp: Any, x: Any) -> Any:
    return xp.where(xp.uniform_like(x) < 0.7, x * (1 / 0.7), 0)


# -- with reductions -------------------------------------------------------------------------------


def softmax(xp: Any, x: Any) -> Any:
    e = xp.exp(x - xp.max(x, axis=-1, keepdims=True))
    return e / xp.sum(e, axis=-1, keepdims=True)


def layernorm(xp: Any, x: Any, weight: Any, bias: Any) -> Any:
    centred = x - xp.mean(x, axis=-1, keepdims=True)
    variance = xp.mean(centred * centred, axis=-1, keepdims=True)
    return centred / xp.sqrt(variance + 1e-5) * weight + bias


def _rows(n: int, rng: np.random.Generator) -> Arrays:
    (x,) = _matrix(n, rng)
    width = x.shape[1]
    return (
        x,
        rng.uniform(0.5, 1.5, width).astype(np.float32),
        rng.uniform(-1, 1, width).astype(np.float32),
    )


def full_sum(xp: Any, x: Any) -> Any:
    return xp.sum(x)


def column_variance(xp: Any, x: Any) -> Any:
    return xp.var(x, axis=0)


WORKLOADS = [
    Workload("2*x+y", axpy, _uniform(2), 2),
    Workload("exp(x*y+2)", exp_fma, _uniform(2), 3),
    Workload("gelu_tanh", gelu, _uniform(1, -5, 5), 8),
    Workload("polynomial", polynomial, _uniform(1), 10),
    Workload("black_scholes", black_scholes, _options, 49, rtol=3e-5),
    Workload("masked_chain", masked, _masked_inputs, 7),
    Workload("x+x.T", plus_transpose, _matrix, 1),
    Workload("gains_hw3", gains, _photo, 1),
    Workload("x**2+x**3", powers, _uniform(1), 3),
    Workload("i32//7", floor_divide, _integers, 1),
    Workload("i32_hash", hash_mix, _integers, 11),
    Workload("bf16_swiglu", swiglu, _uniform(2, -5, 5, "bfloat16"), 6, text=False, rtol=0.03),
    Workload("f16_gelu", gelu, _uniform(1, -5, 5, "float16"), 8, text=False, rtol=5e-3),
    Workload("gelu_erf", gelu_erf, _uniform(1, -5, 5), 5, text=False),
    Workload("sin*cos", sin_cos, _uniform(2, -10, 10), 3),
    Workload("pow", power, _bases, 1, by_hand=True),
    Workload("tanh", tanh, _uniform(1, -5, 5), 1, by_hand=True),
    Workload("i8_u8_mix", saturating_mix, _bytes, 6, text=False),
    Workload("dropout", dropout, _uniform(1, 1, 2), 4, text=False, random=True),
    Workload("softmax", softmax, _matrix, 5, elementwise=False, text=False),
    Workload("layernorm", layernorm, _rows, 9, elementwise=False, text=False, rtol=1e-4),
    Workload("sum", full_sum, _uniform(1, 0, 1), 1, elementwise=False, rtol=1e-4),
    Workload("var_axis0", column_variance, _matrix, 1, elementwise=False, text=False, rtol=1e-4),
]


def difference(work: Workload, result: np.ndarray, expected: np.ndarray) -> str | None:
    """What is wrong with a result, or None: integers and bools must be equal, floats close."""
    if result.shape != expected.shape:
        return f"shape {result.shape}, not {expected.shape}"
    if result.dtype != expected.dtype:
        return f"dtype {result.dtype}, not {expected.dtype}"
    if result.dtype.name == "bfloat16":
        result, expected = result.astype(np.float32), expected.astype(np.float32)
    if result.dtype.kind != "f":
        wrong = int(np.count_nonzero(result != expected))
        return f"{wrong} elements differ" if wrong else None
    if not np.array_equal(np.isfinite(result), np.isfinite(expected)):
        return "not finite in other places"
    if work.random:
        share, wanted = np.mean(result != 0), np.mean(expected != 0)
        if abs(share - wanted) > 0.01:
            return f"{share:.1%} of the elements are not 0, where {wanted:.1%} should be"
        result, expected = (
            np.where((result == 0) | (expected == 0), 0, a) for a in (result, expected)
        )
    scale = float(np.max(np.abs(expected), initial=0, where=np.isfinite(expected)))
    result, expected = result.astype(np.float64), expected.astype(np.float64)
    error = float(np.max(np.abs(result - expected), initial=0, where=np.isfinite(expected)))
    return f"off by {error:.3g} at a scale of {scale:.3g}" if error > work.rtol * scale else None
