# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prices and Greeks of 4 million European options by the Black-Scholes formula.

python examples/black_scholes.py
"""

from __future__ import annotations

from typing import Any

import common
import graph
import numpy as np

import pyfusion as pf

OPTIONS = 4_000_000
RATE = 0.03


def normal_pdf(xp: Any, d: Any) -> Any:
    return 0.3989422804 * xp.exp(-0.5 * d * d)


def normal_cdf(xp: Any, d: Any) -> Any:
    """Abramowitz and Stegun 26.2.17, which is good to 7.5e-8; NumPy has no erf."""
    k = 1 / (1 + 0.2316419 * xp.abs(d))
    series = k * (
        0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429)))
    )
    upper = normal_pdf(xp, d) * series
    return xp.where(d < 0, upper, 1 - upper)


def options(xp: Any, spot: Any, strike: Any, years: Any, volatility: Any) -> tuple[Any, ...]:
    """Call and put prices, delta and rho of the calls, gamma, vega, theta of the calls."""
    root = xp.sqrt(years)
    spread = volatility * root
    d1 = (xp.log(spot / strike) + (RATE + 0.5 * volatility * volatility) * years) / spread
    d2 = d1 - spread
    discounted = strike * xp.exp(-RATE * years)
    n1, n2, density = normal_cdf(xp, d1), normal_cdf(xp, d2), normal_pdf(xp, d1)
    call = spot * n1 - discounted * n2
    put = call - spot + discounted
    gamma = density / (spot * spread)
    vega = spot * density * root
    theta = -spot * density * volatility / (2 * root) - RATE * discounted * n2
    rho = years * discounted * n2
    return call, put, n1, gamma, vega, theta, rho


def main() -> None:
    rng = np.random.default_rng(7)
    inputs = [
        rng.uniform(low, high, OPTIONS).astype(np.float32)
        for low, high in ((20, 60), (20, 60), (0.25, 3), (0.15, 0.6))
    ]
    done = common.compare("black_scholes, 4 M options, 7 results, f32", options, *inputs)
    call, put = (r.astype(np.float64) for r in done.pyfusion[:2])
    spot, strike, years, _ = (a.astype(np.float64) for a in inputs)
    parity = np.max(np.abs(call - put - (spot - strike * np.exp(-RATE * years))))
    print(f"  call-put parity holds to {parity:.1g}")
    common.OUT.mkdir(exist_ok=True)
    sample = [pf.asarray(a[:64]) for a in inputs]
    path = common.OUT / "black-scholes-fused.svg"
    graph.save(lambda *a: options(pf, *a), sample, path)
    print(f"  the fused graph: {common.OUT.name}/{path.name}")


if __name__ == "__main__":
    main()
