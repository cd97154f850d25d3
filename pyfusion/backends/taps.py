# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Images of another size: the old elements that a new one is made of, and their weights."""

from __future__ import annotations

import numpy as np

__all__ = ["cubic", "taps_of"]

_CUBIC = -0.75


def cubic(distance: np.ndarray) -> np.ndarray:
    """Keys' cubic convolution kernel (1981) with the coefficient -0.75."""
    d, a = np.abs(distance), _CUBIC
    near = ((a + 2) * d - (a + 3)) * d * d + 1
    far = ((a * d - 5 * a) * d + 8 * a) * d - 4 * a
    return np.where(d <= 1, near, np.where(d < 2, far, 0.0))


def _lanczos3(distance: np.ndarray) -> np.ndarray:
    """Lanczos' window of three lobes on each side."""
    return np.where(np.abs(distance) < 3, np.sinc(distance) * np.sinc(distance / 3), 0.0)


def _positions(extent: int, size: int, corners: bool) -> np.ndarray:
    """Where the centres of the new elements lie among the old ones."""
    at = np.arange(size, dtype=np.float64)
    if corners:
        return at * ((extent - 1) / (size - 1) if size > 1 else 0.0)
    return (at + 0.5) * (extent / size) - 0.5


def taps_of(extent: int, size: int, mode: str, corners: bool) -> tuple[np.ndarray, np.ndarray]:
    """Of each new element the old ones and their weights, [size, taps]."""
    if mode == "nearest":
        found = np.arange(size) * extent // size
        return found[:, None], np.ones((size, 1))
    if mode == "nearest-exact":
        found = np.floor((np.arange(size) + 0.5) * (extent / size)).astype(np.int64)
        return np.clip(found, 0, extent - 1)[:, None], np.ones((size, 1))
    at = _positions(extent, size, corners)
    if mode == "bilinear":
        at = np.clip(at, 0.0, extent - 1)
        first = np.floor(at)
        taps = np.stack([first, first + 1], 1)
        weights = 1 - np.abs(at[:, None] - taps)
    elif mode == "bicubic":
        taps = np.floor(at)[:, None] + np.arange(-1, 3)
        weights = cubic(at[:, None] - taps)
    else:
        taps = np.floor(at)[:, None] + np.arange(-2, 4)
        weights = _lanczos3(at[:, None] - taps)
        weights = np.where((taps >= 0) & (taps < extent), weights, 0.0)
        weights = weights / weights.sum(1, keepdims=True)
    return np.clip(taps, 0, extent - 1).astype(np.int64), weights
