# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pools: means and largest elements of windows, run by the backend."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..array.core import Array
from ..dtypes import int64
from ..errors import DTypeError, ShapeError
from .checks import Shape, array, counts, floats, rank
from .deferred import Deferred
from .windows import extents, padded, windows

__all__ = [
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "adaptive_avg_pool3d",
    "avg_pool1d",
    "avg_pool2d",
    "max_pool1d",
    "max_pool1d_with_indices",
    "max_pool2d",
    "max_pool2d_with_indices",
]

_DIMS = ("[N, C, L]", "[N, C, H, W]", "[N, C, D, H, W]")


def _behind(spatial: Shape, out: Shape, span: Shape, stride: Shape, padding: Shape) -> Shape:
    """How much has to be padded behind the elements for all windows to be there."""
    about = zip(spatial, out, span, stride, padding, strict=True)
    return tuple([max((o - 1) * s + w - n - p, 0) for n, o, w, s, p in about])


def _avg_numpy(
    x: np.ndarray,
    *,
    kernel: Shape,
    stride: Shape,
    padding: Shape,
    dilation: Shape,
    ceil_mode: bool,
    include_pad: bool,
) -> np.ndarray:
    dims = len(kernel)
    out = extents("avg_pool", x.shape[2:], kernel, stride, padding, dilation, ceil_mode)
    after = _behind(x.shape[2:], out, kernel, stride, padding)
    axes = tuple(range(-dims, 0))
    view = windows(padded(x, padding, after), kernel, stride)
    total = _cut(view, out).sum(axis=axes, dtype=x.dtype)
    # What lies behind the padding, as the last window of ceil_mode may, never counts.
    counted = padded(
        np.ones((1, 1, *x.shape[2:]), x.dtype), padding, padding, 1 if include_pad else 0
    )
    more = tuple([max(a - p, 0) for a, p in zip(after, padding, strict=True)])
    counted = padded(counted, (0,) * dims, more)
    with np.errstate(all="ignore"):
        return total / _cut(windows(counted, kernel, stride), out).sum(axis=axes)


def _cut(view: np.ndarray, out: Shape) -> np.ndarray:
    key = (slice(None), slice(None), *[slice(o) for o in out])
    return view[key]


def _max_windows(
    x: np.ndarray,
    lowest: Any,
    kernel: Shape,
    stride: Shape,
    padding: Shape,
    dilation: Shape,
    ceil_mode: bool,
) -> np.ndarray:
    """[N, C, *out, *kernel], with `lowest` around the elements."""
    out = extents("max_pool", x.shape[2:], kernel, stride, padding, dilation, ceil_mode)
    span = tuple([d * (k - 1) + 1 for k, d in zip(kernel, dilation, strict=True)])
    after = _behind(x.shape[2:], out, span, stride, padding)
    return _cut(windows(padded(x, padding, after, lowest), kernel, stride, dilation), out)


def _lowest(x: np.ndarray) -> Any:
    return -np.inf if x.dtype.kind == "f" else np.iinfo(x.dtype).min


def _max_numpy(x: np.ndarray, **about: Any) -> np.ndarray:
    dims = len(about["kernel"])
    return _max_windows(x, _lowest(x), **about).max(axis=tuple(range(-dims, 0)))


def _max_indices_numpy(x: np.ndarray, **about: Any) -> np.ndarray:
    """Of equal elements the first, of several NaNs the last as in PyTorch; never the padding: each
    window holds an element."""
    dims = len(about["kernel"])
    view = _max_windows(x, _lowest(x), **about)
    spatial = x.shape[2:]
    places = np.arange(np.prod(spatial, dtype=np.int64)).reshape(1, 1, *spatial)
    where = _max_windows(places, -1, **about)
    out = view.shape[2 : 2 + dims]
    flat, flat_where = view.reshape(*x.shape[:2], *out, -1), where.reshape(1, 1, *out, -1)
    best = flat == flat.max(-1, keepdims=True)
    if x.dtype.kind == "f":
        nan = np.isnan(flat)
        later = np.flip(np.cumsum(np.flip(nan, -1), -1), -1)  # how many NaNs there are from here on
        best = np.where(nan.any(-1, keepdims=True), nan & (later == 1), best)
    chosen = np.argmax(best & (flat_where >= 0), axis=-1)[..., None]
    return np.take_along_axis(np.broadcast_to(flat_where, flat.shape), chosen, -1)[..., 0]


def _adaptive_numpy(x: np.ndarray, *, out: Shape) -> np.ndarray:
    """The mean of a box is the mean of means along each axis."""
    for axis, size in enumerate(out, 2):
        extent = x.shape[axis]
        start = np.arange(size) * extent // size
        stop = -(-(np.arange(size) + 1) * extent // size)
        parts = [x.take(range(a, b), axis).mean(axis) for a, b in zip(start, stop, strict=True)]
        x = np.stack(parts, axis)
    return x


_avg = Deferred("avg_pool", _avg_numpy)
_max = Deferred("max_pool", _max_numpy)
_max_indices = Deferred("max_pool_indices", _max_indices_numpy)
_adaptive = Deferred("adaptive_avg_pool", _adaptive_numpy)


def _windows_of(
    name: str,
    dims: int,
    x: Array,
    kernel_size: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    ceil_mode: Any,
) -> tuple[Shape, dict[str, Any]]:
    """The shape of the result, and the static arguments."""
    rank(name, x, dims + 2, _DIMS[dims - 1])
    kernel = counts(name, "kernel_size", kernel_size, dims)
    stride = kernel if stride is None else counts(name, "stride", stride, dims)
    padding = counts(name, "padding", padding, dims, 0)
    dilation = counts(name, "dilation", dilation, dims)
    if any(2 * p > k for p, k in zip(padding, kernel, strict=True)):
        raise ValueError(f"{name}: padding {padding} is more than half of the kernel {kernel}")
    about: dict[str, Any] = dict(
        kernel=kernel, stride=stride, padding=padding, dilation=dilation, ceil_mode=bool(ceil_mode)
    )
    out = extents(name, x.shape[2:], **about)
    if 0 in x.shape[2:]:
        raise ShapeError(f"{name}: the array of shape {x.shape} has no elements to pool")
    return (*x.shape[:2], *out), about


def _avg_pool(
    name: str, dims: int, x: Any, kernel: Any, stride: Any, padding: Any, pad: Any, up: Any
) -> Array:
    (x,) = floats(name, x)
    shape, about = _windows_of(name, dims, x, kernel, stride, padding, 1, up)
    return _avg(x, shape=shape, dtype=x.dtype, **about, include_pad=bool(pad))


def avg_pool1d(
    x: Any,
    /,
    kernel_size: Any,
    *,
    stride: Any = None,
    padding: Any = 0,
    count_include_pad: bool = True,
    ceil_mode: bool = False,
) -> Array:
    """The means of windows along one axis of [N, C, L]; `avg_pool2d` says more."""
    return _avg_pool("avg_pool1d", 1, x, kernel_size, stride, padding, count_include_pad, ceil_mode)


def avg_pool2d(
    x: Any,
    /,
    kernel_size: Any,
    *,
    stride: Any = None,
    padding: Any = 0,
    count_include_pad: bool = True,
    ceil_mode: bool = False,
) -> Array:
    """The means of windows.

    Args:
        x: [N, C, H, W], floats.
        kernel_size, stride, padding: an int, or one for each axis. The stride is that of the kernel
            by default; padding is at most half of it.
        count_include_pad: the zeros of the padding count as elements.
        ceil_mode: the number of windows is rounded up; elements outside of the padding never count.

    Returns:
        [N, C, ...], each axis of `(n + 2 * padding - kernel) // stride + 1`.

    Raises:
        DTypeError: no floats.
        ShapeError: a wrong rank, or a window that is too large.
        ValueError: a number out of its range.

    Example:
        >>> import pyfusion as pf
        >>> pf.nn.avg_pool2d(pf.reshape(pf.arange(4.0), (1, 1, 2, 2)), 2).tolist()
        [[[[1.5]]]]
    """
    return _avg_pool("avg_pool2d", 2, x, kernel_size, stride, padding, count_include_pad, ceil_mode)


def _max_pool(
    name: str, dims: int, x: Any, *given: Any, indices: bool = False
) -> tuple[Array, ...]:
    x = array(x)
    if x.dtype.kind not in "iuf":
        raise DTypeError(f"{name} takes an array of floats or integers, not {x.dtype}")
    shape, about = _windows_of(name, dims, x, *given)
    values = _max(x, shape=shape, dtype=x.dtype, **about)
    if not indices:
        return (values,)
    return values, _max_indices(x, shape=shape, dtype=int64, **about)


def max_pool1d(
    x: Any,
    /,
    kernel_size: Any,
    *,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
) -> Array:
    """The largest elements of windows along one axis of [N, C, L]; `max_pool2d` says more."""
    return _max_pool("max_pool1d", 1, x, kernel_size, stride, padding, dilation, ceil_mode)[0]


def max_pool2d(
    x: Any,
    /,
    kernel_size: Any,
    *,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
) -> Array:
    """The largest elements of windows; NaN wins, and padding never does.

    Args:
        x: [N, C, H, W], floats or integers.
        kernel_size, stride, padding, dilation: an int, or one for each axis. The stride is that of
            the kernel by default; padding is at most half of it.
        ceil_mode: the number of windows is rounded up.

    Returns:
        [N, C, ...], each axis of `(n + 2 * padding - dilation * (kernel - 1) - 1) // stride + 1`.

    Raises:
        DTypeError: no numbers.
        ShapeError: a wrong rank, or a window that is too large.
        ValueError: a number out of its range.
    """
    return _max_pool("max_pool2d", 2, x, kernel_size, stride, padding, dilation, ceil_mode)[0]


def max_pool1d_with_indices(
    x: Any,
    /,
    kernel_size: Any,
    *,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
) -> tuple[Array, ...]:
    """`max_pool1d`, and where each element was along the axis, int64."""
    given = (kernel_size, stride, padding, dilation, ceil_mode)
    return _max_pool("max_pool1d_with_indices", 1, x, *given, indices=True)


def max_pool2d_with_indices(
    x: Any,
    /,
    kernel_size: Any,
    *,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
) -> tuple[Array, ...]:
    """`max_pool2d`, and where each element was, int64: `row * W + column`.

    Of equal elements the first counts, row by row; of several NaNs the last, as in PyTorch.
    """
    given = (kernel_size, stride, padding, dilation, ceil_mode)
    return _max_pool("max_pool2d_with_indices", 2, x, *given, indices=True)


def _adaptive_pool(name: str, dims: int, x: Any, output_size: Any) -> Array:
    (x,) = floats(name, x)
    rank(name, x, dims + 2, _DIMS[dims - 1])
    out = counts(name, "output_size", output_size, dims)
    if 0 in x.shape[2:]:
        raise ShapeError(f"{name}: the array of shape {x.shape} has no elements to pool")
    return _adaptive(x, shape=(*x.shape[:2], *out), dtype=x.dtype, out=out)


def adaptive_avg_pool1d(x: Any, /, output_size: Any) -> Array:
    """Means of [N, C, L] in `output_size` windows; `adaptive_avg_pool2d` says more."""
    return _adaptive_pool("adaptive_avg_pool1d", 1, x, output_size)


def adaptive_avg_pool2d(x: Any, /, output_size: Any) -> Array:
    """Means of [N, C, H, W] in a given number of windows along each axis.

    Window `i` of `m` over `n` elements goes from `floor(i * n / m)` to `ceil((i + 1) * n / m)`.

    Args:
        output_size: an int, or one for each axis.

    Raises:
        DTypeError: no floats.
        ShapeError: a wrong rank, or no elements.
    """
    return _adaptive_pool("adaptive_avg_pool2d", 2, x, output_size)


def adaptive_avg_pool3d(x: Any, /, output_size: Any) -> Array:
    """Means of [N, C, D, H, W] in windows; `adaptive_avg_pool2d` says more."""
    return _adaptive_pool("adaptive_avg_pool3d", 3, x, output_size)
