# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Windows over arrays: their arithmetic, and the views of NumPy that convolutions and pools use."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..array.core import Array
from ..array.reductions import normalize_axis
from ..errors import ShapeError
from .checks import Shape, array, counts, rank
from .deferred import Deferred

__all__ = ["unfold", "unfold4d"]


def windows(
    x: np.ndarray, kernel: Shape, stride: Shape, dilation: Shape | None = None
) -> np.ndarray:
    """A view [N, C, *out, *kernel] of `x[N, C, *spatial]`, padded as it has to be."""
    dims = len(kernel)
    dilation = dilation or (1,) * dims
    span = [d * (k - 1) + 1 for k, d in zip(kernel, dilation, strict=True)]
    axes = tuple(range(2, 2 + dims))
    view = np.lib.stride_tricks.sliding_window_view(x, span, axes)
    steps = [slice(None, None, s) for s in stride]
    taps = [slice(None, None, d) for d in dilation]
    key = (slice(None), slice(None), *steps, *taps)
    return view[key]


def padded(x: np.ndarray, before: Shape, after: Shape, value: Any = 0) -> np.ndarray:
    """`x[N, C, *spatial]` with more elements before and after each spatial axis."""
    if not any(before) and not any(after):
        return x
    pairs = [(0, 0), (0, 0), *zip(before, after, strict=True)]
    return np.pad(x, pairs, constant_values=value)


def extents(
    name: str,
    spatial: Shape,
    kernel: Shape,
    stride: Shape,
    padding: Shape,
    dilation: Shape,
    ceil_mode: bool = False,
) -> Shape:
    """How many windows there are along each axis: `(n + 2p - d(k - 1) - 1) // s + 1`.

    With `ceil_mode` it is rounded up; a last window that would begin in the padding behind the
    elements is left out.

    Raises:
        ShapeError: a window is larger than what it slides over.
    """
    found = []
    for n, k, s, p, d in zip(spatial, kernel, stride, padding, dilation, strict=True):
        room = n + 2 * p - d * (k - 1) - 1
        if room < 0:
            raise ShapeError(
                f"{name}: a window of {d * (k - 1) + 1} is larger than the {n} elements with "
                f"padding {p}: kernel {kernel}, dilation {dilation}, spatial shape {spatial}"
            )
        out = (room + s - 1 if ceil_mode else room) // s + 1
        if ceil_mode and (out - 1) * s >= n + p:
            out -= 1
        found.append(out)
    return tuple(found)


# --- Unfold ---------------------------------------------------------------------------------------


def _unfold_numpy(x: np.ndarray, *, axis: int, size: int, step: int) -> np.ndarray:
    view = np.lib.stride_tricks.sliding_window_view(x, size, axis)
    return view[(slice(None),) * axis + (slice(None, None, step),)]


def _unfold4d_numpy(
    x: np.ndarray, *, kernel: Shape, stride: Shape, padding: Shape, dilation: Shape
) -> np.ndarray:
    view = windows(padded(x, padding, padding), kernel, stride, dilation)
    n, c, oh, ow, kh, kw = view.shape
    return view.transpose(0, 1, 4, 5, 2, 3).reshape(n, c * kh * kw, oh * ow)


_unfold = Deferred("unfold", _unfold_numpy)
_unfold4d = Deferred("unfold4d", _unfold4d_numpy)


def unfold(x: Any, /, axis: int, size: int, step: int = 1) -> Array:
    """Windows along one axis, which becomes their number; the elements of each are a new last axis.

    Args:
        x: of any type.
        size, step: of a window, and from one to the next.

    Raises:
        AxisError: the array has no such axis.
        ShapeError: the axis is shorter than a window.

    Example:
        >>> import pyfusion as pf
        >>> pf.nn.unfold(pf.arange(5), 0, 3, 2).tolist()
        [[0, 1, 2], [2, 3, 4]]
    """
    x = array(x)
    axis = normalize_axis(axis, x.ndim, "unfold")
    (size,), (step,) = counts("unfold", "size", size, 1), counts("unfold", "step", step, 1)
    (count,) = extents("unfold", x.shape[axis : axis + 1], (size,), (step,), (0,), (1,))
    shape = (*x.shape[:axis], count, *x.shape[axis + 1 :], size)
    return _unfold(x, shape=shape, dtype=x.dtype, axis=axis, size=size, step=step)


def unfold4d(
    x: Any, /, kernel_size: Any, *, stride: Any = 1, padding: Any = 0, dilation: Any = 1
) -> Array:
    """The patches that a two-dimensional convolution sees, each as a column.

    Args:
        x: [N, C, H, W], of any type.
        kernel_size, stride, padding, dilation: an int, or one for each of H and W. Padding is with
            zeros.

    Returns:
        [N, C * kernel height * kernel width, number of patches].

    Raises:
        ShapeError: a wrong rank, or a window that is too large.
    """
    x = array(x)
    rank("unfold4d", x, 4, "[N, C, H, W]")
    kernel = counts("unfold4d", "kernel_size", kernel_size, 2)
    stride = counts("unfold4d", "stride", stride, 2)
    padding = counts("unfold4d", "padding", padding, 2, 0)
    dilation = counts("unfold4d", "dilation", dilation, 2)
    oh, ow = extents("unfold4d", x.shape[2:], kernel, stride, padding, dilation)
    n, c = x.shape[:2]
    shape = (n, c * kernel[0] * kernel[1], oh * ow)
    options = dict(kernel=kernel, stride=stride, padding=padding, dilation=dilation)
    return _unfold4d(x, shape=shape, dtype=x.dtype, **options)
