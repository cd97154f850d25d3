# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the examples share: timing a function with NumPy and with pyfusion, and reporting it."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import numpy as np

import pyfusion as pf

OUT = Path(__file__).resolve().parent.parent / "out"


class Comparison(NamedTuple):
    """A function run with both namespaces.

    Attributes:
        numpy: the results with NumPy.
        pyfusion: the results with pyfusion, as NumPy arrays.
        speedup: how many times faster pyfusion was.
    """

    numpy: list[np.ndarray]
    pyfusion: list[np.ndarray]
    speedup: float


def _as_tuple(result: Any) -> tuple[Any, ...]:
    return result if isinstance(result, tuple) else (result,)


def compare(title: str, function: Callable[..., Any], *arrays: Any, rounds: int = 5) -> Comparison:
    """Calls `function(np, *arrays)` and `function(pf, *arrays)` in turns and prints how they did.

    The median of the rounds counts. A call with pyfusion ends when its results are in memory.
    """
    fused = [pf.asarray(a) for a in arrays]

    def numpy_call() -> Any:
        return function(np, *arrays)

    def pyfusion_call() -> Any:
        result = function(pf, *fused)
        pf.sync()
        return result

    start = time.perf_counter()
    results = pyfusion_call()
    first = time.perf_counter() - start
    with pf.testing.inspect() as report:
        results = pyfusion_call()
    ours = [np.asarray(r) for r in _as_tuple(results)]
    theirs = [np.asarray(r) for r in _as_tuple(numpy_call())]
    times: dict[Any, list[float]] = {numpy_call: [], pyfusion_call: []}
    for _ in range(rounds):
        for call, measured in times.items():
            start = time.perf_counter()
            results = call()
            measured.append(time.perf_counter() - start)
            del results
    slow, fast = (median(t) * 1e3 for t in times.values())
    print(f"{title}")
    print(f"  NumPy {slow:.1f} ms, pyfusion {fast:.1f} ms: {slow / fast:.1f}x", end="")
    print(f" (the first call, with compiling: {first * 1e3:.0f} ms)")
    backend = f", {len(report.unfused)} calls of the backend" if report.unfused else ""
    print(f"  {report.kernels} kernels in {report.blocks} blocks{backend}")
    print(f"  largest difference {_largest_difference(ours, theirs)}", flush=True)
    return Comparison(theirs, ours, slow / fast)


def _largest_difference(ours: list[np.ndarray], theirs: list[np.ndarray]) -> str:
    worst, scale = 0.0, 0.0
    for a, b in zip(ours, theirs, strict=True):
        if a.shape != b.shape or a.dtype != b.dtype:
            raise SystemExit(f"pyfusion gave {a.dtype}{a.shape}, NumPy {b.dtype}{b.shape}")
        gap = float(np.max(np.abs(a.astype(np.float64) - b), initial=0.0))
        if gap >= worst:
            worst, scale = gap, float(np.max(np.abs(b), initial=0.0))
    return f"{worst:.2g} where the largest value is {scale:.3g}"
