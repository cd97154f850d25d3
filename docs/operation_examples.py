# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A call of each operation: docs/operations.py shows what becomes of it, the tests run it.

Each is a function of `a`, where `a(*shape)` makes an array of the type in question, with elements
from 1/4 to 3/4, or 1 and 2, or booleans.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyfusion as pf
from pyfusion import nn
from pyfusion.ir.table import OPS

Example = Callable[[Any], Any]

# Rows of the table whose function has another name.
FUNCTIONS = {
    "broadcast": "broadcast_to",
    "cast": "astype",
    "clamp": "clip",
    "insert_slice": "nn.slice_assign",
    "iota": "arange",
    "select": "where",
    "slice": "Array.__getitem__",
    "transpose": "permute_dims",
}
# What has no arrays as arguments, or is no function.
NO_CALL = ("Array", "nn.sync_collectives", "nn.register_collective")
# Of no function: data in a text of IR.
NO_FUNCTION = {"constant"}


def _by_row(name: str) -> Example:
    op = OPS[name]
    function = getattr(pf, name)
    if op.kind == "reduction":
        return lambda a: function(a(2, 3), axis=1)
    if op.kind == "contraction" or op.ufunc is not None and op.ufunc.nin == 2:
        return lambda a: function(a(3, 3), a(3, 3))
    return lambda a: function(a(2, 3))


_SPECIAL: dict[str, Example] = {
    "Array.__getitem__": lambda a: a(4, 5)[1::2, ::-1],
    "arange": lambda a: pf.arange(4, dtype=a(1).dtype),
    "argsort": lambda a: pf.argsort(a(2, 3)),
    "asarray": lambda a: pf.asarray(a(2, 3)) + a(3),
    "astype": lambda a: pf.astype(a(2, 3), "float16"),
    "broadcast_to": lambda a: pf.broadcast_to(a(1, 3), (2, 3)),
    "clip": lambda a: pf.clip(a(2, 3), a(1), a(1)),
    "concat": lambda a: pf.concat([a(2, 3), a(1, 3)]),
    "cross": lambda a: pf.cross(a(2, 3), a(2, 3)),
    "cumulative_prod": lambda a: pf.cumulative_prod(a(2, 3), axis=1),
    "cumulative_sum": lambda a: pf.cumulative_sum(a(2, 3), axis=1),
    "empty": lambda a: pf.empty((2, 3), dtype=a(1).dtype) + a(3),
    "expand_dims": lambda a: pf.expand_dims(a(2, 3), 1),
    "fft.irfft": lambda a: pf.fft.irfft(a(4)),
    "fft.rfft": lambda a: pf.fft.rfft(a(4)),
    "flip": lambda a: pf.flip(a(2, 3)),
    "full": lambda a: pf.full((2, 3), 1, dtype=a(1).dtype),
    "ones": lambda a: pf.ones((2, 3), dtype=a(1).dtype),
    "permute_dims": lambda a: pf.permute_dims(a(2, 3), (1, 0)),
    "reshape": lambda a: pf.reshape(a(2, 3), (3, 2)),
    "sort": lambda a: pf.sort(a(2, 3)),
    "squeeze": lambda a: pf.squeeze(a(2, 1, 3), 1),
    "swapaxes": lambda a: pf.swapaxes(a(2, 3), 0, 1),
    "tile": lambda a: pf.tile(a(2, 3), (1, 2)),
    "where": lambda a: pf.where(a(2, 3) == a(3), a(2, 3), a(3)),
    "zeros": lambda a: pf.zeros((2, 3), dtype=a(1).dtype),
}


@pf.custom.op(fused=True, name="docs.twice")
def _twice(x: pf.Array) -> pf.Array:
    return x + x


_OF_RANDOM: dict[str, Example] = {
    "random.bernoulli": lambda a: pf.random.bernoulli(0.5, (2, 3)),
    "random.integers": lambda a: pf.random.integers(0, 9, (2, 3)),
    "random.normal": lambda a: pf.random.normal(size=(2, 3)),
    "random.uniform": lambda a: pf.random.uniform(size=(2, 3)),
}

_OF_NN: dict[str, Example] = {
    "all_reduce": lambda a: nn.all_reduce(a(2, 3)),
    "argtopk": lambda a: nn.argtopk(a(2, 3), 2),
    "attention": lambda a: nn.attention(a(1, 1, 2, 4), a(1, 1, 3, 4), a(1, 1, 3, 4)),
    "batch_norm": lambda a: nn.batch_norm(a(2, 3, 4), a(3), a(3), a(3), a(3)),
    "conv1d": lambda a: nn.conv1d(a(1, 2, 6), a(3, 2, 2), a(3)),
    "conv2d": lambda a: nn.conv2d(a(1, 2, 6, 6), a(3, 2, 2, 2), a(3)),
    "conv3d": lambda a: nn.conv3d(a(1, 2, 4, 4, 4), a(3, 2, 2, 2, 2), a(3)),
    "conv_transpose1d": lambda a: nn.conv_transpose1d(a(1, 2, 6), a(2, 3, 2), a(3)),
    "conv_transpose2d": lambda a: nn.conv_transpose2d(a(1, 2, 4, 4), a(2, 3, 2, 2), a(3)),
    "conv_transpose3d": lambda a: nn.conv_transpose3d(a(1, 2, 3, 3, 3), a(2, 3, 2, 2, 2), a(3)),
    "ctc_loss": lambda a: nn.ctc_loss(a(3, 1, 2), [[1]], [3], [1]),
    "cummax": lambda a: nn.cummax(a(2, 3), 1),
    "cummin": lambda a: nn.cummin(a(2, 3), 1),
    "deform_conv2d": lambda a: nn.deform_conv2d(a(1, 2, 4, 4), a(1, 8, 3, 3), a(3, 2, 2, 2)),
    "dequantize": lambda a: nn.dequantize(a(2, 4).astype("int8"), a(1), dtype=a(1).dtype),
    "embedding": lambda a: nn.embedding(a(4, 3), [1, 2]),
    "gather": lambda a: nn.gather(a(2, 3), [[1], [2]], 1),
    "gather_nd": lambda a: nn.gather_nd(a(2, 3), [[1, 2]]),
    "glu": lambda a: nn.glu(a(2, 4)),
    "grid_sample": lambda a: nn.grid_sample(a(1, 2, 4, 4), a(1, 3, 3, 2)),
    "group_norm": lambda a: nn.group_norm(a(2, 4, 3), 2, a(4), a(4)),
    "instance_norm": lambda a: nn.instance_norm(a(2, 4, 3), a(4), a(4)),
    "interpolate": lambda a: nn.interpolate(a(1, 2, 4, 4), (3, 5), mode="bilinear"),
    "layer_norm": lambda a: nn.layer_norm(a(2, 3), a(3), a(3)),
    "linear": lambda a: nn.linear(a(2, 3), a(3, 4), a(4)),
    "max_abs": lambda a: nn.max_abs(a(2, 3), axis=1),
    "max_with_indices": lambda a: nn.max_with_indices(a(2, 3), 1),
    "min_with_indices": lambda a: nn.min_with_indices(a(2, 3), 1),
    "prelu": lambda a: nn.prelu(a(2, 3), a(3)),
    "quantization_scale": lambda a: nn.quantization_scale(a(2, 4)),
    "quantize": lambda a: nn.quantize(a(2, 4), a(1)),
    "rms_norm": lambda a: nn.rms_norm(a(2, 3), a(3)),
    "scatter": lambda a: nn.scatter(a(2, 3), [[1], [2]], a(2, 1), 1),
    "scatter_nd": lambda a: nn.scatter_nd(a(2, 3), [[1, 2]], a(1)),
    "select": lambda a: nn.select(a(2, 3), [2, 0], 1),
    "select_assign": lambda a: nn.select_assign(a(2, 3), [2, 0], a(2, 2), 1),
    "slice_assign": lambda a: nn.slice_assign(a(2, 3), slice(1), a(1, 3)),
    "sort_with_indices": lambda a: nn.sort_with_indices(a(2, 3)),
    "topk": lambda a: nn.topk(a(2, 3), 2),
    "topk_with_indices": lambda a: nn.topk_with_indices(a(2, 3), 2),
    "unfold": lambda a: nn.unfold(a(2, 5), 1, 3),
    "unfold4d": lambda a: nn.unfold4d(a(1, 2, 4, 4), 2),
}


def _of_array(name: str, shape: tuple[int, ...], *more: int) -> Example:
    function = getattr(nn, name)
    return lambda a: function(a(*shape), *more)


def _pools() -> dict[str, Example]:
    found: dict[str, Example] = {}
    for dims in (1, 2, 3):
        shape = (1, 2, *(4,) * dims)
        kinds = ["avg_pool{}d", "max_pool{}d", "max_pool{}d_with_indices"] if dims < 3 else []
        for kind in [*kinds, "adaptive_avg_pool{}d"]:
            name = kind.format(dims)
            found[name] = _of_array(name, shape, 2)
    return found


def _activations() -> dict[str, Example]:
    """Those of one array."""
    from pyfusion.nn import activations

    names = [name for name in activations.__all__ if name not in _OF_NN]
    return {name: _of_array(name, (2, 3)) for name in names}


def function_of(row: str) -> str | None:
    """The function of a row of the table; None for one that is no operation of a program."""
    if row in NO_FUNCTION or OPS[row].kind in ("region", "opaque"):
        return None
    return FUNCTIONS.get(row, row)


def _examples() -> dict[str, Example]:
    found = {
        name: _by_row(name) for name in OPS if function_of(name) == name and name not in _SPECIAL
    }
    found.update(_SPECIAL)
    found.update({"reciprocal": lambda a: pf.reciprocal(a(2, 3))})
    found["custom.op"] = lambda a: _twice(a(2, 3))
    found.update(_OF_RANDOM)
    for group in (_OF_NN, _pools(), _activations()):
        found.update({f"nn.{name}": call for name, call in group.items()})
    return found


EXAMPLES: dict[str, Example] = _examples()
