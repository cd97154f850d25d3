# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Losses, run by the backend."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..array.core import Array
from ..errors import ShapeError
from .checks import counts, floats, integers, rank, shape
from .deferred import Deferred

__all__ = ["ctc_loss"]


def _ctc_numpy(
    log_probs: np.ndarray,
    targets: np.ndarray,
    input_lengths: np.ndarray,
    target_lengths: np.ndarray,
    *,
    blank: int,
) -> np.ndarray:
    """The forward variables of Graves et al., all items at once."""
    frames, items, classes = log_probs.shape
    longest = targets.shape[1]
    lengths = target_lengths.astype(np.int64)
    steps = input_lengths.astype(np.int64)
    if ((lengths < 0) | (lengths > longest)).any() or ((steps < 0) | (steps > frames)).any():
        raise ValueError("a length is beyond the targets or the frames")
    used = np.arange(longest) < lengths[:, None]
    if (used & ((targets < 0) | (targets >= classes))).any():
        raise IndexError(f"a target is no class of {classes}")
    labels = np.full((items, 2 * longest + 1), blank, np.int64)
    labels[:, 1::2] = np.where(used, targets, blank)
    jump = np.zeros(labels.shape, bool)  # whether the label two before may come directly before
    jump[:, 2:] = (labels[:, 2:] != blank) & (labels[:, 2:] != labels[:, :-2])
    wide = log_probs.astype(np.float64)
    alpha = np.full(labels.shape, -np.inf)
    alpha[:, 0] = 0.0  # before the first frame
    final = np.where(steps[:, None] == 0, alpha, -np.inf)
    for t in range(frames):
        one = np.full(alpha.shape, -np.inf)
        two = one.copy()
        one[:, 1:] = alpha[:, :-1]
        two[:, 2:] = alpha[:, :-2]
        if t == 0:
            two[:] = -np.inf
        reached = np.logaddexp(np.logaddexp(alpha, one), np.where(jump, two, -np.inf))
        alpha = reached + np.take_along_axis(wide[t], labels, 1)
        final = np.where((steps == t + 1)[:, None], alpha, final)
    rows = np.arange(items)
    last = final[rows, 2 * lengths]
    before = np.where(lengths > 0, final[rows, np.maximum(2 * lengths - 1, 0)], -np.inf)
    return (-np.logaddexp(last, before)).astype(log_probs.dtype)


_ctc = Deferred("ctc_loss", _ctc_numpy)


def ctc_loss(
    log_probs: Any,
    targets: Any,
    input_lengths: Any,
    target_lengths: Any,
    /,
    *,
    blank: int = 0,
) -> Array:
    """The connectionist temporal classification loss of each item (Graves et al., 2006).

    Args:
        log_probs: [T, N, classes], logarithms of probabilities, floats.
        targets: [N, S], classes, integers; none is `blank`.
        input_lengths: [N], how many of the T frames an item has.
        target_lengths: [N], how many of the S targets.
        blank: the class of no label.

    Returns:
        [N], the negative logarithms of the targets' probabilities; infinity where they do not fit
        in the frames. A length or class out of range is an ExecutionError of the result.

    Raises:
        DTypeError: wrong types.
        ShapeError: shapes that do not fit.
        ValueError: `blank` is no class.
    """
    name = "ctc_loss"
    (log_probs,) = floats(name, log_probs)
    rank(name, log_probs, 3, "[T, N, classes]")
    targets = integers(name, "targets", targets, log_probs)
    rank(name, targets, 2, "of targets [N, S]")
    items = log_probs.shape[1]
    if targets.shape[0] != items:
        raise ShapeError(f"ctc_loss: targets {targets.shape} for {items} items {log_probs.shape}")
    lengths = []
    for what, given in (("input_lengths", input_lengths), ("target_lengths", target_lengths)):
        found = integers(name, what, given, log_probs)
        shape(name, what, found, (items,))
        lengths.append(found)
    (blank,) = counts(name, "blank", blank, 1, 0)
    if blank >= log_probs.shape[2]:
        raise ValueError(f"ctc_loss: blank {blank} is no class of {log_probs.shape[2]}")
    made = dict(shape=(items,), dtype=log_probs.dtype)
    return _ctc(log_probs, targets, *lengths, **made, blank=blank)
