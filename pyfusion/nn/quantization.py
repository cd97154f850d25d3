# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Floats as small integers times a scale: element-wise, so they fuse with what is around them.

Codes are symmetric about 0: code 0 is 0.0. They are stored one in each int8.
"""

from __future__ import annotations

from typing import Any

from ..array.apply import apply
from ..array.core import Array, cast, wrap
from ..array.elementwise import clip
from ..array.manipulation import expand_dims, reshape
from ..dtypes import DType, as_dtype, computed_in, float32, int8
from ..errors import DTypeError, ShapeError
from ..ir.table import OPS
from .checks import array, choice, counts, floats
from .ordering import max_abs

__all__ = ["QUANTIZED", "dequantize", "quantization_scale", "quantize"]

# The codes of each kind: "f" has all that its bits hold, "s" as many above as below 0.
QUANTIZED = {
    "q8f": (-128, 127),
    "q8s": (-127, 127),
    "q4f": (-8, 7),
    "q4s": (-7, 7),
    "q2f": (-2, 1),
    "q2s": (-1, 1),
}


def _blocks(name: str, x: Array, block_size: Any) -> Array:
    """[..., blocks, elements] of the last axis."""
    (size,) = counts(name, "block_size", block_size, 1)
    if x.ndim == 0 or x.shape[-1] % size:
        raise ShapeError(
            f"{name}: the last axis of an array of shape {x.shape} is not whole blocks of {size}"
        )
    return reshape(x, (*x.shape[:-1], x.shape[-1] // size, size))


def _scales(name: str, x: Array, scale: Any, block_size: Any, blocks: Array) -> Array:
    """The scale of each element of the blocks, in the type that is computed in."""
    scale = array(scale, x)
    if scale.dtype.kind != "f":
        raise DTypeError(f"{name}: the scale is {scale.dtype}, and has to be of floats")
    wanted = () if block_size is None else blocks.shape[:-1]
    if block_size is None and scale.size == 1:
        scale = reshape(scale, ())
    if scale.shape != wanted:
        raise ShapeError(
            f"{name}: scales of shape {scale.shape} for an array of shape {x.shape}"
            + ("" if block_size is None else f" in blocks of {block_size}")
            + f": the shape has to be {wanted}"
        )
    wide = wrap(cast(scale._v, computed_in(scale.dtype)))
    return wide if block_size is None else expand_dims(wide, -1)


def _global(name: str, x: Array, scale: Array, given: Any) -> Array:
    """Scales times the one for all of them."""
    if given is None:
        return scale
    factor = array(given, x)
    if factor.dtype.kind != "f" or factor.size != 1:
        raise ShapeError(f"{name}: global_scale is one float, not {factor.dtype}{factor.shape}")
    return apply(OPS["multiply"], scale, wrap(cast(reshape(factor, ())._v, scale.dtype)))


def quantization_scale(x: Any, /, *, value: str = "q8s", block_size: int | None = None) -> Array:
    """The scale with which the largest absolute value becomes the largest code.

    Args:
        x: floats.
        value: the kind of codes, a key of `QUANTIZED`.
        block_size: None, one scale; else one for that many elements of the last axis.

    Returns:
        `2 * max(abs(x)) / (highest - lowest code)`, of the type of `x`; of the shape [] or
        [..., n / block_size].

    Raises:
        DTypeError: no floats.
        ShapeError: the last axis is not whole blocks.
        ValueError: an unknown kind, or no elements.
    """
    name = "quantization_scale"
    (x,) = floats(name, x)
    low, high = QUANTIZED[choice(name, "value", value, tuple(QUANTIZED))]
    axis = None
    if block_size is not None:
        x, axis = _blocks(name, x, block_size), -1
    largest = max_abs(x, axis)
    return apply(OPS["divide"], largest, (high - low) / 2)


def quantize(
    x: Any,
    scale: Any,
    /,
    *,
    value: str = "q8s",
    block_size: int | None = None,
    global_scale: Any = None,
) -> Array:
    """The codes of floats: `x / scale`, rounded to the nearest integer (ties to even) and clipped.

    Args:
        x: floats.
        scale: floats of the shape [] or [1], or [..., n / block_size].
        value: the kind of codes, a key of `QUANTIZED`.
        block_size: how many elements of the last axis share a scale; None, all do.
        global_scale: a factor of all scales, or None.

    Returns:
        int8, of the shape of `x`. Where the scale is 0, zeros become 0.

    Raises:
        DTypeError: no floats.
        ShapeError: shapes that do not fit.
        ValueError: an unknown kind.

    Example:
        >>> import pyfusion as pf
        >>> pf.nn.quantize([0.5, -1.0, 9.0], 0.01).tolist()
        [50, -100, 127]
    """
    name = "quantize"
    (x,) = floats(name, x)
    low, high = QUANTIZED[choice(name, "value", value, tuple(QUANTIZED))]
    blocks = x if block_size is None else _blocks(name, x, block_size)
    scales = _global(name, x, _scales(name, x, scale, block_size, blocks), global_scale)
    wide = wrap(cast(blocks._v, computed_in(x.dtype)))
    codes = clip(apply(OPS["round"], apply(OPS["divide"], wide, scales)), float(low), float(high))
    found = wrap(cast(codes._v, int8))
    return found if block_size is None else reshape(found, x.shape)


def dequantize(
    codes: Any,
    scale: Any,
    /,
    *,
    dtype: Any = float32,
    block_size: int | None = None,
    global_scale: Any = None,
) -> Array:
    """`codes * scale`, computed in float32 or float64 and rounded once.

    Args:
        codes: int8.
        scale, block_size, global_scale: as of `quantize`.
        dtype: of the result, a float type.

    Raises:
        DTypeError: the codes are not int8, or `dtype` is no float type.
        ShapeError: shapes that do not fit.
    """
    name = "dequantize"
    codes = array(codes)
    target: DType = as_dtype(dtype)
    if codes.dtype is not int8 or target.kind != "f":
        raise DTypeError(f"dequantize makes floats of int8, not {target} of {codes.dtype}")
    blocks = codes if block_size is None else _blocks(name, codes, block_size)
    scales = _global(name, codes, _scales(name, codes, scale, block_size, blocks), global_scale)
    found = apply(OPS["multiply"], wrap(cast(blocks._v, scales.dtype)), scales)
    found = wrap(cast(found._v, target))
    return found if block_size is None else reshape(found, codes.shape)
