# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolution with taps that move, run by the backend."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..array.core import Array
from ..errors import ShapeError
from .checks import Shape, counts, floats, rank, shape
from .convolution import biased, contracted, kernel_of
from .deferred import Deferred
from .resize import bilinear
from .windows import extents

__all__ = ["deform_conv2d"]


def _deform_numpy(
    x: np.ndarray,
    offset: np.ndarray,
    weight: np.ndarray,
    *mask: np.ndarray,
    stride: Shape,
    padding: Shape,
    dilation: Shape,
    weight_groups: int,
    offset_groups: int,
) -> np.ndarray:
    n, c, h, w = x.shape
    kh, kw = weight.shape[2:]
    oh, ow = offset.shape[2:]
    moved = offset.reshape(n, offset_groups, kh, kw, 2, oh, ow)
    base_y = np.arange(oh)[:, None] * stride[0] - padding[0]
    base_x = np.arange(ow)[None, :] * stride[1] - padding[1]
    tap_y = (np.arange(kh) * dilation[0])[:, None, None, None]
    tap_x = (np.arange(kw) * dilation[1])[None, :, None, None]
    y = moved[:, :, :, :, 0] + (base_y + tap_y)
    z = moved[:, :, :, :, 1] + (base_x + tap_x)
    planes = x.reshape(n, offset_groups, c // offset_groups, h, w)
    found = bilinear(planes, y, z)  # [n, offset group, channel, kh, kw, oh, ow]
    if mask:
        found = found * mask[0].reshape(n, offset_groups, 1, kh, kw, oh, ow)
    view = found.reshape(n, c, kh, kw, oh, ow).transpose(0, 1, 4, 5, 2, 3)
    return contracted(view, weight, weight_groups)


_deform = Deferred("deform_conv2d", _deform_numpy)


def deform_conv2d(
    x: Any,
    offset: Any,
    weight: Any,
    /,
    mask: Any = None,
    bias: Any = None,
    *,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    weight_groups: int = 1,
    offset_groups: int = 1,
) -> Array:
    """A convolution whose taps are moved by offsets (Dai et al., 2017; with a mask Zhu et al.,
    2019). Between elements it interpolates linearly; outside of the image it reads zeros.

    Args:
        x: [N, C, H, W].
        offset: [N, 2 * offset_groups * kernel height * kernel width, out H, out W]: for each group
            and tap, row by row, the way down and the way to the right.
        weight: [out channels, C / weight_groups, kernel height, kernel width].
        mask: [N, offset_groups * kernel height * kernel width, out H, out W], factors of the taps,
            or None.
        bias: [out channels], or None.

    Raises:
        ShapeError: shapes that do not fit.
        ValueError: a number out of its range.
    """
    name = "deform_conv2d"
    given = floats(name, x, offset, weight, mask, bias)
    x, offset, weight, *rest = given
    rank(name, x, 4, "[N, C, H, W]")
    rank(name, weight, 4, "of weights [out channels, C / groups, height, width]")
    stride, dilation = counts(name, "stride", stride, 2), counts(name, "dilation", dilation, 2)
    padding = counts(name, "padding", padding, 2, 0)
    (groups,) = counts(name, "weight_groups", weight_groups, 1)
    (moved,) = counts(name, "offset_groups", offset_groups, 1)
    n, c = x.shape[:2]
    o, per_group = weight.shape[:2]
    if per_group * groups != c or o % groups or c % moved:
        raise ShapeError(
            f"{name}: weights {weight.shape} in {groups} groups and {moved} groups of offsets do "
            f"not fit an array of shape {x.shape}"
        )
    kernel = kernel_of(name, weight)
    out = extents(name, x.shape[2:], kernel, stride, padding, dilation)
    taps = moved * kernel[0] * kernel[1]
    shape(name, "offset", offset, (n, 2 * taps, *out))
    masked = [rest.pop(0)] if mask is not None else []
    if masked:
        shape(name, "mask", masked[0], (n, taps, *out))
    options: dict[str, Any] = dict(stride=stride, padding=padding, dilation=dilation)
    options.update(weight_groups=groups, offset_groups=moved)
    y = _deform(x, offset, weight, *masked, shape=(n, o, *out), dtype=x.dtype, **options)
    return biased(name, y, rest)
