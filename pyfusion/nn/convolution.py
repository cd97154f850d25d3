# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions, run by the backend; the bias is added in a kernel.

The arrays of a call are floats of one type, else DTypeError is raised. Sums are in float32 where
that is float16 or bfloat16, and in the type itself else. As everywhere in neural networks it is the
cross-correlation that is computed: kernels are not reversed.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from ..array.apply import apply
from ..array.core import Array
from ..array.manipulation import expand_dims
from ..errors import ShapeError
from ..ir.table import OPS
from .checks import Shape, counts, floats, rank, shape
from .deferred import Deferred
from .windows import extents, padded, windows

__all__ = [
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
]

_DIMS = ("[N, C, L]", "[N, C, H, W]", "[N, C, D, H, W]")


def contracted(view: np.ndarray, weight: np.ndarray, groups: int) -> np.ndarray:
    """[N, O, *out] from windows [N, C, *out, *kernel] and weights [O, C / groups, *kernel]."""
    dims = weight.ndim - 2
    n, c, *rest = view.shape
    out = rest[:dims]
    o, per_group = weight.shape[:2]
    taps = prod(weight.shape[1:])
    found = np.empty((n, groups, o // groups, prod(out)), np.result_type(view, weight))
    order = (0, 1, *range(2 + dims, 2 + 2 * dims), *range(2, 2 + dims))
    for group in range(groups):
        part = view[:, group * per_group : (group + 1) * per_group]
        columns = part.transpose(order).reshape(n, taps, prod(out))
        rows = weight[group * (o // groups) : (group + 1) * (o // groups)]
        found[:, group] = rows.reshape(o // groups, taps) @ columns
    return found.reshape(n, o, *out)


def _conv_numpy(
    x: np.ndarray,
    weight: np.ndarray,
    *,
    stride: Shape,
    padding: Shape,
    dilation: Shape,
    groups: int,
) -> np.ndarray:
    view = windows(padded(x, padding, padding), weight.shape[2:], stride, dilation)
    return contracted(view, weight, groups)


def _conv_transpose_numpy(
    x: np.ndarray,
    weight: np.ndarray,
    *,
    stride: Shape,
    padding: Shape,
    padding_out: Shape,
    dilation: Shape,
    groups: int,
) -> np.ndarray:
    """A convolution over the elements set apart by the stride, with the kernel reversed."""
    dims = weight.ndim - 2
    n, c, *spatial = x.shape
    apart = [(e - 1) * s + 1 if e else 0 for e, s in zip(spatial, stride, strict=True)]
    wide = np.zeros((n, c, *apart), x.dtype)
    places = (slice(None), slice(None), *[slice(None, None, s) for s in stride])
    wide[places] = x
    kernel = weight.shape[2:]
    reach = [d * (k - 1) for k, d in zip(kernel, dilation, strict=True)]
    before = tuple([r - p for r, p in zip(reach, padding, strict=True)])
    after = tuple([b + p for b, p in zip(before, padding_out, strict=True)])
    # A padding beyond the kernel's reach cuts elements off.
    wide = padded(wide, tuple([max(b, 0) for b in before]), tuple([max(a, 0) for a in after]))
    cut = [slice(None), slice(None)]
    cut += [
        slice(max(-b, 0), e - max(-a, 0))
        for b, a, e in zip(before, after, wide.shape[2:], strict=True)
    ]
    wide = wide[tuple(cut)]
    per_group = weight.shape[1]
    turned = weight.reshape(groups, c // groups, per_group, *kernel).swapaxes(1, 2)
    turned = np.flip(turned, tuple(range(3, 3 + dims)))
    turned = turned.reshape(groups * per_group, c // groups, *kernel)
    return contracted(windows(wide, kernel, (1,) * dims, dilation), turned, groups)


_conv = Deferred("conv", _conv_numpy)
_conv_transpose = Deferred("conv_transpose", _conv_transpose_numpy)


def biased(name: str, y: Array, bias: list[Array]) -> Array:
    """With the bias of each channel added, in a kernel."""
    if not bias:
        return y
    shape(name, "bias", bias[0], y.shape[1:2])
    return apply(OPS["add"], y, expand_dims(bias[0], tuple(range(1, y.ndim - 1))))


def _convolve(
    name: str,
    dims: int,
    x: Any,
    weight: Any,
    bias: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    groups: Any,
) -> Array:
    x, weight, *rest = floats(name, x, weight, bias)
    rank(name, x, dims + 2, _DIMS[dims - 1])
    rank(name, weight, dims + 2, "of weights [out channels, C / groups, *kernel]")
    stride = counts(name, "stride", stride, dims)
    padding = counts(name, "padding", padding, dims, 0)
    dilation = counts(name, "dilation", dilation, dims)
    (groups,) = counts(name, "groups", groups, 1)
    n, c = x.shape[:2]
    o, per_group, *kernel = weight.shape
    if per_group * groups != c or o % groups:
        raise ShapeError(
            f"{name}: {groups} groups of weights {weight.shape} do not fit an array of shape "
            f"{x.shape}: axis 1 of the weights has C / groups channels, axis 0 a multiple of groups"
        )
    out = extents(name, x.shape[2:], kernel_of(name, weight), stride, padding, dilation)
    options = dict(stride=stride, padding=padding, dilation=dilation, groups=groups)
    y = _conv(x, weight, shape=(n, o, *out), dtype=x.dtype, **options)
    return biased(name, y, rest)


def kernel_of(name: str, weight: Array) -> Shape:
    kernel = weight.shape[2:]
    if 0 in kernel:
        raise ShapeError(f"{name}: the weights {weight.shape} have an empty kernel")
    return kernel


def conv1d(
    x: Any,
    weight: Any,
    /,
    bias: Any = None,
    *,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Array:
    """A convolution over one axis; `conv2d` says more.

    Args:
        x: [N, C, L].
        weight: [out channels, C / groups, kernel].
    """
    return _convolve("conv1d", 1, x, weight, bias, stride, padding, dilation, groups)


def conv2d(
    x: Any,
    weight: Any,
    /,
    bias: Any = None,
    *,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Array:
    """A convolution over two axes.

    Args:
        x: [N, C, H, W].
        weight: [out channels, C / groups, kernel height, kernel width].
        bias: [out channels], or None.
        stride, padding, dilation: an int, or one for each axis. Padding is with zeros, on both
            sides.
        groups: channels are convolved in that many groups.

    Returns:
        [N, out channels, ...], each axis of `(n + 2 * padding - dilation * (kernel - 1) - 1) //
        stride + 1`.

    Raises:
        ShapeError: shapes that do not fit, or a kernel larger than what it slides over.
        ValueError: a stride, dilation or `groups` below 1, a padding below 0.

    Example:
        >>> import pyfusion as pf
        >>> pf.nn.conv2d(pf.ones((1, 1, 3, 3)), pf.ones((1, 1, 2, 2))).tolist()
        [[[[4.0, 4.0], [4.0, 4.0]]]]
    """
    return _convolve("conv2d", 2, x, weight, bias, stride, padding, dilation, groups)


def conv3d(
    x: Any,
    weight: Any,
    /,
    bias: Any = None,
    *,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Array:
    """A convolution over three axes; `conv2d` says more.

    Args:
        x: [N, C, D, H, W].
        weight: [out channels, C / groups, *kernel].
    """
    return _convolve("conv3d", 3, x, weight, bias, stride, padding, dilation, groups)


def _transposed(
    name: str,
    dims: int,
    x: Any,
    weight: Any,
    bias: Any,
    stride: Any,
    padding: Any,
    padding_out: Any,
    dilation: Any,
    groups: Any,
) -> Array:
    x, weight, *rest = floats(name, x, weight, bias)
    rank(name, x, dims + 2, _DIMS[dims - 1])
    rank(name, weight, dims + 2, "of weights [C, out channels / groups, *kernel]")
    stride = counts(name, "stride", stride, dims)
    padding = counts(name, "padding", padding, dims, 0)
    padding_out = counts(name, "padding_out", padding_out, dims, 0)
    dilation = counts(name, "dilation", dilation, dims)
    (groups,) = counts(name, "groups", groups, 1)
    n, c, *spatial = x.shape
    if weight.shape[0] != c or c % groups:
        raise ShapeError(
            f"{name}: weights {weight.shape} in {groups} groups do not fit an array of shape "
            f"{x.shape}: axis 0 of the weights has C channels, a multiple of groups"
        )
    kernel = kernel_of(name, weight)
    for extra, s, d in zip(padding_out, stride, dilation, strict=True):
        if extra >= max(s, d):
            raise ValueError(
                f"{name}: padding_out {padding_out} is not below stride {stride} or dilation "
                f"{dilation}"
            )
    about = zip(spatial, kernel, stride, padding, padding_out, dilation, strict=True)
    out = tuple([(e - 1) * s + d * (k - 1) + 1 + po - 2 * p for e, k, s, p, po, d in about])
    if any(e < 1 for e in out):
        raise ShapeError(f"{name}: the result would have the spatial shape {out}")
    options = dict(stride=stride, padding=padding, padding_out=padding_out, dilation=dilation)
    channels = weight.shape[1] * groups
    made = dict(shape=(n, channels, *out), dtype=x.dtype)
    y = _conv_transpose(x, weight, **made, **options, groups=groups)
    return biased(name, y, rest)


def conv_transpose1d(
    x: Any,
    weight: Any,
    /,
    bias: Any = None,
    *,
    stride: Any = 1,
    padding: Any = 0,
    padding_out: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Array:
    """The transpose of `conv1d`; `conv_transpose2d` says more."""
    return _transposed(
        "conv_transpose1d", 1, x, weight, bias, stride, padding, padding_out, dilation, groups
    )


def conv_transpose2d(
    x: Any,
    weight: Any,
    /,
    bias: Any = None,
    *,
    stride: Any = 1,
    padding: Any = 0,
    padding_out: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Array:
    """The transpose of `conv2d` as a linear map: each element adds a kernel to the result.

    Args:
        x: [N, C, H, W].
        weight: [C, out channels / groups, kernel height, kernel width].
        bias: [out channels], or None.
        stride: from the kernel of one element to the next.
        padding: what is left out at both ends of the result.
        padding_out: what is added at its end; below the stride or the dilation.

    Returns:
        [N, out channels, ...], each axis of `(n - 1) * stride + dilation * (kernel - 1) + 1 +
        padding_out - 2 * padding`.

    Raises:
        ShapeError: shapes that do not fit, or a result without elements.
        ValueError: a number out of its range.
    """
    return _transposed(
        "conv_transpose2d", 2, x, weight, bias, stride, padding, padding_out, dilation, groups
    )


def conv_transpose3d(
    x: Any,
    weight: Any,
    /,
    bias: Any = None,
    *,
    stride: Any = 1,
    padding: Any = 0,
    padding_out: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Array:
    """The transpose of `conv3d`; `conv_transpose2d` says more."""
    return _transposed(
        "conv_transpose3d", 3, x, weight, bias, stride, padding, padding_out, dilation, groups
    )
