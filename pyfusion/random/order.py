# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Permutations and samples of a generator: random keys are sorted, and elements taken, by the
backend."""

from __future__ import annotations

import operator
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from ..array import views
from ..array.core import Array, wrap
from ..array.creation import asarray, place, shape_of
from ..array.indexing import take, take_along_axis
from ..array.manipulation import ravel, reshape
from ..array.reductions import normalize_axis
from ..array.searching import argsort, searchsorted
from ..ir.device import Device
from ..ir.value import device_of

if TYPE_CHECKING:
    from .generator import Generator


def order(rng: Generator, shape: tuple[int, ...], axis: int, device: Device) -> Array:
    """Positions along an axis in a random order: that of keys of 64 random bits."""
    return argsort(wrap(rng._draw("bits_64", shape, device)), axis=axis)


def permutation(rng: Generator, x: Any, axis: int, device: Any) -> Array:
    try:
        count = operator.index(x)
    except TypeError:
        x = asarray(x, device=device)
        if x.ndim == 0:
            raise ValueError("permutation: x is an int, or has a dimension at least") from None
        axis = normalize_axis(axis, x.ndim, "permutation")
        return take(x, order(rng, (x.shape[axis],), 0, device_of(x._v)), axis=axis)
    if count < 0:
        raise ValueError(f"permutation: there are no {count} integers")
    return order(rng, (count,), 0, place(device))


def permuted(rng: Generator, x: Any, axis: int | None, device: Any) -> Array:
    x = asarray(x, device=device)
    where = device_of(x._v)
    if axis is None:
        flat = ravel(x)
        return reshape(take(flat, order(rng, flat.shape, 0, where)), x.shape)
    axis = normalize_axis(axis, x.ndim, "permuted")
    return take_along_axis(x, order(rng, x.shape, axis, where), axis=axis)


def shuffle(rng: Generator, x: Any, axis: int) -> None:
    if not isinstance(x, Array):
        kind = type(x).__name__
        raise TypeError(f"shuffle: x is an Array, not {kind}; permutation() makes a new one")
    views.replace(x, permutation(rng, x, axis, None)._v, "shuffle")


def choice(
    rng: Generator, a: Any, size: Any, replace: bool, p: Any, axis: int, device: Any
) -> Array:
    try:
        count, source = operator.index(a), None
    except TypeError:
        source = asarray(a, device=device)
        if source.ndim == 0:
            raise ValueError("choice: a is an int, or has a dimension at least") from None
        axis = normalize_axis(axis, source.ndim, "choice")
        count = source.shape[axis]
    where = place(device) if source is None else device_of(source._v)
    shape = () if size is None else shape_of(size)
    wanted = prod(shape)
    if count < 1 and wanted:
        raise ValueError(f"choice: {wanted} elements of {max(count, 0)}")
    weights = None if p is None else _weights(p, count)
    if replace:
        found = _drawn(rng, count, shape, weights, where)
    else:
        possible = count if weights is None else int(np.count_nonzero(weights))
        if wanted > possible:
            raise ValueError(f"choice: {wanted} elements of {possible} without replacement")
        found = reshape(_ordered(rng, count, weights, where)[:wanted], shape)
    return found if source is None else take(source, found, axis=axis)


def _weights(p: Any, count: int) -> np.ndarray:
    """The probabilities; they are read. Raises ValueError."""
    found = np.asarray(p, np.float64)
    if found.shape != (count,):
        raise ValueError(f"choice: p has the shape {found.shape}, and has to have ({count},)")
    if not (found >= 0).all() or not abs(found.sum() - 1) < 1e-8:
        raise ValueError(f"choice: p has to be probabilities of sum 1, not {found.sum()}")
    return found


def _drawn(
    rng: Generator, count: int, shape: tuple[int, ...], weights: np.ndarray | None, device: Device
) -> Array:
    """Positions with replacement."""
    if weights is None:
        return rng.integers(max(count, 1), size=shape, device=device.name)
    edges = np.cumsum(weights)
    edges /= edges[-1]
    units = rng.random(shape, device=device.name)
    return searchsorted(asarray(edges, device=device.name), units, side="right")


def _ordered(rng: Generator, count: int, weights: np.ndarray | None, device: Device) -> Array:
    """All positions in a random order. With weights the first ones are as if drawn one by one:
    the first of several exponential times of such rates has these chances."""
    if weights is None:
        return order(rng, (count,), 0, device)
    times = rng.standard_exponential(count, device=device.name)
    with np.errstate(divide="ignore"):
        inverse = asarray(1 / weights, device=device.name)
    return argsort(times * inverse)
