# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Linear layers, embeddings and attention: products by the backend, the rest fused around them."""

from __future__ import annotations

from math import sqrt
from typing import Any

from ..array.apply import apply
from ..array.core import Array, cast, wrap
from ..array.elementwise import where
from ..array.linear import matmul, matrix_transpose
from ..array.promote import broadcast
from ..array.ranges import arange
from ..array.views import expand_dims
from ..dtypes import bool_, computed_in
from ..errors import DTypeError, ShapeError
from ..ir.table import OPS
from .activations import softmax
from .checks import array, floats, integers, number, rank, shape
from .gathering import take

__all__ = ["attention", "embedding", "linear"]


def linear(x: Any, weight: Any, /, bias: Any = None) -> Array:
    """`x @ weight + bias`; the bias is added in a kernel, with what follows.

    Args:
        x: [..., in], floats.
        weight: [in, out].
        bias: [out], or None.

    Returns:
        [..., out].

    Raises:
        DTypeError: no floats, or of several types.
        ShapeError: shapes that do not fit.

    Example:
        >>> import pyfusion as pf
        >>> pf.nn.linear([1.0, 2.0], [[1.0], [1.0]], [0.5]).tolist()
        [3.5]
    """
    x, weight, *rest = floats("linear", x, weight, bias)
    rank("linear", weight, 2, "of weights [in, out]")
    if x.ndim == 0 or x.shape[-1] != weight.shape[0]:
        raise ShapeError(
            f"linear: weights {weight.shape} [in, out] for an array of shape {x.shape} [..., in]"
        )
    y = matmul(x, weight)
    if not rest:
        return y
    shape("linear", "bias", rest[0], weight.shape[1:])
    return apply(OPS["add"], y, rest[0])


def embedding(weight: Any, indices: Any, /) -> Array:
    """The rows of a table at given indices; run by the backend.

    Args:
        weight: [rows, width], of any type.
        indices: integers of any shape. One out of bounds is an ExecutionError of the result.

    Returns:
        [*indices.shape, width].

    Raises:
        DTypeError: the indices are no integers.
        ShapeError: the table has not two dimensions.
    """
    weight = array(weight)
    rank("embedding", weight, 2, "of weights [rows, width]")
    return take(weight, integers("embedding", "indices", indices, weight), 0)


def attention(
    query: Any,
    key: Any,
    value: Any,
    /,
    mask: Any = None,
    bias: Any = None,
    *,
    scale: float | None = None,
    softcap: float | None = None,
    is_causal: bool = False,
) -> Array:
    """`softmax(scale * query @ key^T) @ value` (Vaswani et al., 2017).

    The products are of the arrays' type, what is between them is float32 where that has 16 bits.

    Args:
        query: [N, heads, queries, width], floats.
        key: [N, heads, keys, width].
        value: [N, heads, keys, width of the result].
        mask: booleans that broadcast to [N, heads, queries, keys]; True leaves a key out.
        bias: is added to what goes into the softmax; broadcasts likewise.
        scale: `1 / sqrt(width)` by default.
        softcap: bounds the scaled products: `softcap * tanh(x / softcap)`, before the masks.
        is_causal: leaves out the keys after a query, where the last query and the last key are
            at the same place.

    Returns:
        [N, heads, queries, width of the result]. Of a query without a key: NaN.

    Raises:
        DTypeError: the arrays are not floats of one type, or the mask not of booleans.
        ShapeError: shapes that do not fit.
        ValueError: `softcap` is not positive.
    """
    name = "attention"
    query, key, value, *rest = floats(name, query, key, value, bias)
    batch, heads, queries, keys = _attention_shape(query, key, value)
    numbers = (1.0 / sqrt(query.shape[-1] or 1)) if scale is None else number(name, "scale", scale)
    products = matmul(query, matrix_transpose(key))
    scores = wrap(cast(products._v, computed_in(query.dtype)))
    scores = apply(OPS["multiply"], scores, numbers)
    if softcap is not None:
        cap = number(name, "softcap", softcap)
        if not cap > 0:
            raise ValueError(f"attention: softcap is positive, not {softcap!r}")
        bounded = apply(OPS["tanh"], apply(OPS["divide"], scores, cap))
        scores = apply(OPS["multiply"], bounded, cap)
    wanted = (batch, heads, queries, keys)
    if mask is not None:
        mask = array(mask, query)
        if mask.dtype is not bool_:
            raise DTypeError(f"attention: the mask holds booleans, not {mask.dtype}")
        _reaches("mask", mask, wanted)
        scores = where(mask, float("-inf"), scores)
    if is_causal:
        rows = expand_dims(arange(queries, device=query.device), (1,))
        last = apply(OPS["add"], rows, keys - queries)
        later = apply(OPS["less"], last, arange(keys, device=query.device))
        scores = where(later, float("-inf"), scores)
    if rest:
        _reaches("bias", rest[0], wanted)
        scores = apply(OPS["add"], scores, wrap(cast(rest[0]._v, scores.dtype)))
    weights = softmax(scores, -1)
    return matmul(wrap(cast(weights._v, query.dtype)), value)


def _attention_shape(query: Array, key: Array, value: Array) -> tuple[int, int, int, int]:
    for x in (query, key, value):
        rank("attention", x, 4, "[N, heads, length, width]")
    if (
        query.shape[:2] != key.shape[:2]
        or key.shape[:3] != value.shape[:3]
        or query.shape[3] != key.shape[3]
    ):
        raise ShapeError(
            f"attention: query {query.shape}, key {key.shape} and value {value.shape} do not fit: "
            "[N, heads, queries, width], [N, heads, keys, width], [N, heads, keys, any]"
        )
    batch, heads, queries = query.shape[:3]
    return batch, heads, queries, key.shape[2]


def _reaches(what: str, x: Array, wanted: tuple[int, ...]) -> None:
    if broadcast("attention", (x.shape, wanted)) != wanted:
        raise ShapeError(f"attention: a {what} of shape {x.shape} does not broadcast to {wanted}")
