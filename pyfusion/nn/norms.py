# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Normalisations: each is one operation until it is compiled, and fuses with its neighbours.

The arrays of a call are floats of one type, else DTypeError is raised; the result has the shape and
the type of the first one. float16 and bfloat16 are computed in float32 and rounded once. Variances
are those of the elements, without a correction.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

from ..array.core import Array
from ..array.manipulation import expand_dims, reshape
from ..array.operators import FUNCTIONS
from ..array.reductions import mean
from ..errors import ShapeError
from .checks import counts, floats, number, shape
from .composite import Composite

__all__ = ["batch_norm", "group_norm", "instance_norm", "layer_norm", "rms_norm"]

_sqrt, _rsqrt = FUNCTIONS["sqrt"], FUNCTIONS["rsqrt"]


def _normalized(x: Array, epsilon: Array, axes: tuple[int, ...]) -> Array:
    centred = x - mean(x, axis=axes, keepdims=True)
    variance = mean(centred * centred, axis=axes, keepdims=True)
    return centred / _sqrt(variance + epsilon)


def _by_root_of_squares(x: Array, epsilon: Array) -> Array:
    return x / _sqrt(mean(x * x, axis=-1, keepdims=True) + epsilon)


def _affine(given: tuple[Array, ...], change: Callable[[Array, Array], Array]) -> Array:
    """Of `x`, perhaps gamma, perhaps beta, and epsilon: what `change` gives, scaled and moved."""
    x, *rest, epsilon = given
    y = change(x, epsilon)
    if rest:
        y = y * rest[0]
    return y + rest[1] if len(rest) > 1 else y


def _layer_norm_body(*given: Array) -> Array:
    last = (given[0].ndim - 1,)
    return _affine(given, lambda x, epsilon: _normalized(x, epsilon, last))


def _batch_norm_body(
    x: Array, gamma: Array, beta: Array, mean: Array, variance: Array, epsilon: Array
) -> Array:
    return (x - mean) * (gamma * _rsqrt(variance + epsilon)) + beta


_layer_norm = Composite("layer_norm", _layer_norm_body)
_rms_norm = Composite("rms_norm", lambda *given: _affine(given, _by_root_of_squares))
_batch_norm = Composite("batch_norm", _batch_norm_body)
_standardize = Composite("standardize", lambda x, epsilon, axes: _normalized(x, epsilon, axes))
_scale_shift = Composite("scale_shift", lambda x, gamma, beta: x * gamma + beta)


def _affine_operands(name: str, x: Any, gamma: Any, beta: Any) -> list[Array]:
    """The arrays, gamma and beta of one element for each place of the last axis."""
    if gamma is None and beta is not None:
        raise TypeError(f"{name}: beta is given without gamma")
    given = floats(name, x, gamma, beta)
    x = given[0]
    if x.ndim == 0:
        raise ShapeError(f"{name} takes an array of at least one dimension")
    for what, operand in zip(("gamma", "beta"), given[1:], strict=False):
        shape(name, what, operand, x.shape[-1:])
    return given


def layer_norm(x: Any, /, gamma: Any = None, beta: Any = None, *, epsilon: float = 1e-5) -> Array:
    """`(x - mean) / sqrt(variance + epsilon) * gamma + beta` over the last axis (Ba et al., 2016).

    Args:
        gamma, beta: of shape `x.shape[-1:]`; None is 1 and 0.
        epsilon: an argument of the compiled program.

    Raises:
        ShapeError: a wrong shape.
        TypeError: `beta` without `gamma`.

    Example:
        >>> import pyfusion as pf
        >>> pf.nn.layer_norm([1.0, 3.0], epsilon=0.0).tolist()
        [-1.0, 1.0]
    """
    given = _affine_operands("layer_norm", x, gamma, beta)
    return _layer_norm(*given, numbers=(number("layer_norm", "epsilon", epsilon),))


def rms_norm(x: Any, /, gamma: Any = None, *, epsilon: float = 1e-5) -> Array:
    """`x / sqrt(mean(x**2) + epsilon) * gamma` over the last axis (Zhang and Sennrich, 2019).

    Args:
        gamma: of shape `x.shape[-1:]`; None is 1.

    Raises:
        ShapeError: a wrong shape.
    """
    given = _affine_operands("rms_norm", x, gamma, None)
    return _rms_norm(*given, numbers=(number("rms_norm", "epsilon", epsilon),))


def _channels(name: str, x: Array, *others: tuple[str, Array]) -> list[Array]:
    """Arrays of one element for each channel, as they broadcast with `x[N, C, ...]`."""
    if x.ndim < 2:
        raise ShapeError(f"{name} takes an array [N, C, ...], not one of shape {x.shape}")
    for what, operand in others:
        shape(name, what, operand, x.shape[1:2])
    axes = tuple(range(1, x.ndim - 1))
    return [expand_dims(operand, axes) for _, operand in others]


def batch_norm(
    x: Any, gamma: Any, beta: Any, mean: Any, variance: Any, /, *, epsilon: float = 1e-5
) -> Array:
    """`(x - mean) / sqrt(variance + epsilon) * gamma + beta`, for each channel.

    Mean and variance are given, as those of the training are; nothing is updated.

    Args:
        x: [N, C, ...].
        gamma, beta, mean, variance: [C].

    Raises:
        ShapeError: a wrong shape.
    """
    given = floats("batch_norm", x, gamma, beta, mean, variance)
    names = ("gamma", "beta", "mean", "variance")
    per_channel = _channels("batch_norm", given[0], *zip(names, given[1:], strict=True))
    numbers = (number("batch_norm", "epsilon", epsilon),)
    return _batch_norm(given[0], *per_channel, numbers=numbers)


def group_norm(
    x: Any, groups: int, /, gamma: Any = None, beta: Any = None, *, epsilon: float = 1e-5
) -> Array:
    """Normalises groups of channels of each item (Wu and He, 2018).

    Args:
        x: [N, C, ...].
        groups: divides C.
        gamma, beta: [C]; both or none.

    Raises:
        ShapeError: a wrong shape, or C is no multiple of `groups`.
    """
    return _grouped("group_norm", x, groups, gamma, beta, epsilon)


def _grouped(name: str, x: Any, groups: int, gamma: Any, beta: Any, epsilon: float) -> Array:
    if (gamma is None) != (beta is None):
        raise TypeError(f"{name}: gamma and beta are given both or not at all")
    x, *rest = floats(name, x, gamma, beta)
    per_channel = _channels(name, x, *zip(("gamma", "beta"), rest, strict=False))
    (groups,) = counts(name, "groups", groups, 1)
    n, c = x.shape[:2]
    if c % groups:
        raise ShapeError(f"{name}: {c} channels of an array {x.shape} are not {groups} groups")
    numbers = (number(name, "epsilon", epsilon),)
    flat = reshape(x, (n, groups, c // groups * prod(x.shape[2:])))
    y = reshape(_standardize(flat, numbers=numbers, axes=(2,)), x.shape)
    return _scale_shift(y, *per_channel) if per_channel else y


def instance_norm(
    x: Any, /, gamma: Any = None, beta: Any = None, *, epsilon: float = 1e-5
) -> Array:
    """Normalises each channel of each item over its other axes (Ulyanov et al., 2016).

    Args:
        x: [N, C, ...].
        gamma, beta: [C]; both or none.

    Raises:
        ShapeError: a wrong shape.
    """
    (x,) = floats("instance_norm", x)
    groups = x.shape[1] if x.ndim > 1 else 1
    return _grouped("instance_norm", x, max(groups, 1), gamma, beta, epsilon)
