# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Images of another size, and images sampled at coordinates; run by the backend."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..array.core import Array
from ..backends.taps import cubic, taps_of
from ..errors import ShapeError
from .checks import Shape, choice, counts, floats, rank
from .deferred import Deferred

__all__ = ["grid_sample", "interpolate"]

_MODES = ("nearest", "nearest-exact", "bilinear", "bicubic", "lanczos3")


def _interpolate_numpy(x: np.ndarray, *, out: Shape, mode: str, corners: bool) -> np.ndarray:
    for axis, size in enumerate(out, 2):
        taps, weights = taps_of(x.shape[axis], size, mode, corners)
        if weights.shape[1] == 1:
            x = x.take(taps[:, 0], axis)
            continue
        shape = [1] * x.ndim
        shape[axis] = size
        parts = [
            x.take(taps[:, k], axis) * weights[:, k].astype(x.dtype).reshape(shape)
            for k in range(taps.shape[1])
        ]
        x = sum(parts[1:], parts[0])
    return x


# --- Sampling -------------------------------------------------------------------------------------


def _read(planes: np.ndarray, y: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Elements of [N, G, C, H, W] at [N, G, ...] places, zeros outside: [N, G, C, ...]."""
    h, w = planes.shape[3:]
    inside = (y >= 0) & (y < h) & (x >= 0) & (x < w)
    flat = planes.reshape(*planes.shape[:3], h * w)
    at = np.where(inside, y * w + x, 0).astype(np.int64)
    places = at.reshape(*at.shape[:2], 1, -1)
    found = np.take_along_axis(flat, places, 3)
    found = found.reshape(*planes.shape[:3], *at.shape[2:])
    return np.where(inside[:, :, None], found, np.zeros((), planes.dtype))


def bilinear(planes: np.ndarray, y: np.ndarray, x: np.ndarray) -> np.ndarray:
    """[N, G, C, H, W] between its elements at [N, G, ...] places; zeros lie around it."""
    top, left = np.floor(y), np.floor(x)
    down, right = y - top, x - left
    total: Any = 0
    for dy, wy in ((0, 1 - down), (1, down)):
        for dx, wx in ((0, 1 - right), (1, right)):
            total = total + (wy * wx)[:, :, None] * _read(planes, top + dy, left + dx)
    return total


def _reflected(at: np.ndarray, low: float, high: float) -> np.ndarray:
    """Reflected at both ends until it lies between them."""
    span = high - low
    if span <= 0:
        return np.zeros_like(at)
    away = np.abs(at - low)
    turns = np.floor(away / span)
    rest = away - turns * span
    return np.where(turns % 2 == 0, rest + low, high - rest)


def _placed(at: np.ndarray, extent: int, padding: str, corners: bool) -> np.ndarray:
    """Coordinates brought into the image as the padding says."""
    if padding == "reflection":
        low, high = (0.0, extent - 1.0) if corners else (-0.5, extent - 0.5)
        at = _reflected(at, low, high)
    return at if padding == "zeros" else np.clip(at, 0, extent - 1)


def _grid_numpy(
    x: np.ndarray, grid: np.ndarray, *, mode: str, padding: str, corners: bool
) -> np.ndarray:
    h, w = x.shape[2:]
    planes = x[:, None]
    grid = np.where(np.isnan(grid), -1, grid)
    along, down = (grid[:, None, ..., k] for k in range(2))
    if corners:
        at_x, at_y = (along + 1) / 2 * (w - 1), (down + 1) / 2 * (h - 1)
    else:
        at_x, at_y = ((along + 1) * w - 1) / 2, ((down + 1) * h - 1) / 2

    def place(y: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return _placed(y, h, padding, corners), _placed(x, w, padding, corners)

    if mode == "bicubic":
        top, left = np.floor(at_y), np.floor(at_x)
        total: Any = 0
        for dy in range(-1, 3):
            for dx in range(-1, 3):
                weight = cubic(at_y - (top + dy)) * cubic(at_x - (left + dx))
                weight = weight.astype(x.dtype)[:, :, None]
                total = total + weight * _read(planes, *place(top + dy, left + dx))
        return total[:, 0]
    at_y, at_x = place(at_y, at_x)
    if mode == "nearest":
        return _read(planes, np.rint(at_y), np.rint(at_x))[:, 0]
    return bilinear(planes, at_y, at_x)[:, 0].astype(x.dtype, copy=False)


_interpolate = Deferred("interpolate", _interpolate_numpy)
_grid_sample = Deferred("grid_sample", _grid_numpy)


def interpolate(
    x: Any, /, output_size: Any, *, mode: str = "nearest", align_corners: bool = True
) -> Array:
    """Images of another size.

    Args:
        x: [N, C, H, W], floats.
        output_size: height and width of the result.
        mode: "nearest", element `floor(i * n / m)`; "nearest-exact", element
            `floor((i + 0.5) * n / m)`; "bilinear"; "bicubic", with Keys' kernel of coefficient
            -0.75; "lanczos3", with the weights inside of the image scaled to sum 1.
        align_corners: the centres of the outer elements stay where they are; False: the edges of
            the image do. It makes no difference to the first two modes.

    Raises:
        DTypeError: no floats.
        ShapeError: a wrong rank, or no elements.
        ValueError: an unknown mode, or a size below 1.

    Example:
        >>> import pyfusion as pf
        >>> x = pf.reshape(pf.asarray([0.0, 1.0]), (1, 1, 1, 2))
        >>> pf.nn.interpolate(x, (1, 3), mode="bilinear").tolist()
        [[[[0.0, 0.5, 1.0]]]]
    """
    (x,) = floats("interpolate", x)
    rank("interpolate", x, 4, "[N, C, H, W]")
    out = counts("interpolate", "output_size", output_size, 2)
    mode = choice("interpolate", "mode", mode, _MODES)
    if 0 in x.shape[2:]:
        raise ShapeError(f"interpolate: the array of shape {x.shape} has no elements")
    shape = (*x.shape[:2], *out)
    corners = bool(align_corners)
    return _interpolate(x, shape=shape, dtype=x.dtype, out=out, mode=mode, corners=corners)


def grid_sample(
    x: Any,
    grid: Any,
    /,
    *,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool = False,
) -> Array:
    """Images at given coordinates.

    Args:
        x: [N, C, H, W], floats.
        grid: [N, out H, out W, 2]: the way to the right and the way down, -1 and 1 being the ends
            of the image. NaN counts as -1.
        mode: "nearest" (the even one of two that are equally near), "bilinear", or "bicubic".
        padding_mode: outside of the image lie "zeros", the elements of its "border", or its
            "reflection".
        align_corners: -1 and 1 are the centres of the outer elements; False: the edges.

    Returns:
        [N, C, out H, out W].

    Raises:
        DTypeError: no floats, or of two types.
        ShapeError: shapes that do not fit.
        ValueError: an unknown mode.
    """
    name = "grid_sample"
    x, grid = floats(name, x, grid)
    rank(name, x, 4, "[N, C, H, W]")
    if grid.ndim != 4 or grid.shape[0] != x.shape[0] or grid.shape[3] != 2 or 0 in x.shape[2:]:
        raise ShapeError(
            f"{name} takes a grid [N, out H, out W, 2] for an array [N, C, H, W], not {grid.shape} "
            f"for {x.shape}"
        )
    options = dict(
        mode=choice(name, "mode", mode, ("nearest", "bilinear", "bicubic")),
        padding=choice(name, "padding_mode", padding_mode, ("zeros", "border", "reflection")),
        corners=bool(align_corners),
    )
    shape = (*x.shape[:2], *grid.shape[1:3])
    return _grid_sample(x, grid, shape=shape, dtype=x.dtype, **options)
