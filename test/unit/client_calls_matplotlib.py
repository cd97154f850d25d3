# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Figures of Matplotlib, drawn without a screen: see `client_calls.py`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from client_calls import Call
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

RNG = np.random.default_rng(8)
A = RNG.normal(size=50)
B = np.cumsum(A)
IMAGE = RNG.uniform(size=(8, 9))
COLOURS = RNG.uniform(size=(8, 9, 3))


def drawn(draw: Callable[..., Any], *inputs: np.ndarray) -> Call:
    """What it draws into axes, as pixels."""

    def call(*arrays: Any) -> np.ndarray:
        canvas = FigureCanvasAgg(Figure(figsize=(2, 2), dpi=50))
        draw(canvas.figure.add_subplot(), *arrays)
        canvas.draw()
        return np.array(canvas.buffer_rgba())

    return Call(call, inputs, "NumPy", 0)


def _limits(axes: Any, a: Any, b: Any) -> None:
    axes.axvline(a[0])
    axes.axhline(b.mean())
    axes.set_xlim(a.min(), a.max())
    axes.text(a[1], b[1], "here")


CALLS = {
    "plot": drawn(lambda axes, a, b: axes.plot(a, b), A, B),
    "plot, columns": drawn(lambda axes, m: axes.plot(m), IMAGE),
    "scatter": drawn(lambda axes, a, b: axes.scatter(a, b, c=b, s=abs(a) * 20), A, B),
    "imshow": drawn(lambda axes, m: axes.imshow(m), IMAGE),
    "imshow, colours": drawn(lambda axes, m: axes.imshow(m), COLOURS),
    "hist": drawn(lambda axes, a: axes.hist(a), A),
    "hist, columns": drawn(lambda axes, m: axes.hist(m), IMAGE),
    "bar": drawn(lambda axes, a, b: axes.bar(a, b), A[:9], B[:9]),
    "boxplot, columns": drawn(lambda axes, m: axes.boxplot(m), IMAGE),
    "violinplot, columns": drawn(lambda axes, m: axes.violinplot(m), IMAGE),
    "contourf": drawn(lambda axes, m: axes.contourf(m), IMAGE),
    "pcolormesh": drawn(lambda axes, m: axes.pcolormesh(m), IMAGE),
    "errorbar": drawn(lambda axes, a, b: axes.errorbar(a, b, yerr=abs(a)), A, B),
    "fill_between": drawn(lambda axes, a, b: axes.fill_between(a, b, b + 1, where=a > 0), A, B),
    "quiver": drawn(lambda axes, m: axes.quiver(m, m), IMAGE),
    "hexbin": drawn(lambda axes, a, b: axes.hexbin(a, b, gridsize=8), A, B),
    "pie": drawn(lambda axes, a: axes.pie(abs(a)), A[:5]),
    "lines, limits and text": drawn(_limits, A, B),
}
