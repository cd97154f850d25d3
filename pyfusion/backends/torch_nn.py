# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The operations of `pyfusion.nn` that PyTorch runs: as those on NumPy arrays, with the same
results but for the order of sums.

Not here is what it adds up in an order that changes from run to run, as scatter does on GPUs, and
what it has no kernels for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.nn import functional

from .taps import taps_of

__all__ = ["FLOATS", "FUNCTIONS_OF_NN"]

FLOATS = frozenset({torch.float16, torch.bfloat16, torch.float32, torch.float64})
_WIDE = frozenset({torch.float32, torch.float64})
_WHOLE = frozenset({torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64})
_ALL = FLOATS | _WHOLE | {torch.bool, torch.complex64, torch.complex128}


def _has_kernels(x: Any) -> bool:
    """On the host there are none for floats of 16 bits, or slow ones."""
    return (x.is_cuda or x.dtype in _WIDE) and x.numel() > 0


def _on_floats(x: Any, *more: Any, ones: Any, to: Any, **options: Any) -> bool:
    return _has_kernels(x) and all(t.numel() > 0 for t in more)


def _anywhere(*given: Any, **options: Any) -> bool:
    return True


def _exact(call: Callable[..., Any], *given: Any) -> Any:
    """Without TensorFloat-32, whose products have 10 bits."""
    cudnn = torch.backends.cudnn
    with cudnn.flags(
        enabled=cudnn.enabled,
        benchmark=cudnn.benchmark,
        deterministic=cudnn.deterministic,
        allow_tf32=False,
    ):
        return call(*given)


def _conv(
    x: Any,
    weight: Any,
    *,
    stride: Any,
    padding: Any,
    dilation: Any,
    groups: int,
    ones: Any,
    to: str,
) -> Any:
    call = getattr(functional, f"conv{weight.ndim - 2}d")
    return _exact(call, x, weight, None, stride, padding, dilation, groups)


def _conv_transpose(
    x: Any,
    weight: Any,
    *,
    stride: Any,
    padding: Any,
    padding_out: Any,
    dilation: Any,
    groups: int,
    ones: Any,
    to: str,
) -> Any:
    call = getattr(functional, f"conv_transpose{weight.ndim - 2}d")
    return _exact(call, x, weight, None, stride, padding, padding_out, groups, dilation)


def _avg_pool(
    x: Any,
    *,
    kernel: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    ceil_mode: bool,
    include_pad: bool,
    ones: Any,
    to: str,
) -> Any:
    call = getattr(functional, f"avg_pool{len(kernel)}d")
    return call(x, kernel, stride, padding, ceil_mode, include_pad)


def _max_pool_both(
    x: Any, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool
) -> Any:
    call = getattr(functional, f"max_pool{len(kernel)}d")
    return call(x, kernel, stride, padding, dilation, ceil_mode, return_indices=True)


def _max_pool(x: Any, *, ones: Any, to: str, **about: Any) -> Any:
    return _max_pool_both(x, **about)[0]


def _max_pool_indices(x: Any, *, ones: Any, to: str, **about: Any) -> Any:
    return _max_pool_both(x, **about)[1]


def _adaptive_avg_pool(x: Any, *, out: Any, ones: Any, to: str) -> Any:
    return getattr(functional, f"adaptive_avg_pool{len(out)}d")(x, out)


def _grid_sample(
    x: Any, grid: Any, *, mode: str, padding: str, corners: bool, ones: Any, to: str
) -> Any:
    short = x.dtype in FLOATS - _WIDE
    image, points = (x.float(), grid.float()) if short else (x, grid)
    return functional.grid_sample(image, points, mode, padding, corners).to(x.dtype)


def _interpolate(x: Any, *, out: Any, mode: str, corners: bool, ones: Any, to: str) -> Any:
    """Of neighbours and weights along each axis, as on the host: PyTorch's own reckons positions in
    float32."""
    found = x.float() if x.dtype in FLOATS - _WIDE else x
    for axis, size in enumerate(out, 2):
        taps, weights = taps_of(found.shape[axis], size, mode, corners)
        places = torch.from_numpy(taps.copy()).to(x.device)
        if weights.shape[1] == 1:
            found = found.index_select(axis, places[:, 0])
            continue
        shape = [1] * x.ndim
        shape[axis] = size
        factors = torch.from_numpy(weights).to(x.device, found.dtype)
        parts = [
            found.index_select(axis, places[:, k]) * factors[:, k].reshape(shape)
            for k in range(taps.shape[1])
        ]
        found = sum(parts[1:], parts[0])
    return found.to(x.dtype)


def _unfold(x: Any, *, axis: int, size: int, step: int, ones: Any, to: str) -> Any:
    return x.unfold(axis, size, step)


def _unfold4d(
    x: Any, *, kernel: Any, stride: Any, padding: Any, dilation: Any, ones: Any, to: str
) -> Any:
    return functional.unfold(x, kernel, dilation, padding, stride)


def _order(x: Any, *, axis: int, descending: bool, count: int, ones: Any, to: str) -> Any:
    found = torch.sort(x, dim=axis, descending=descending, stable=True).indices
    return found.narrow(axis, 0, count)


def _running_extreme(x: Any, *, axis: int, name: str, ones: Any, to: str) -> Any:
    return (torch.cummin if name == "minimum" else torch.cummax)(x, axis).values


def _bounded(indices: Any, extent: int, axis: int) -> Any:
    """Indices from 0 on. Raises IndexError: on a GPU PyTorch would end the process."""
    wide = indices.long()
    wrong = (wide < -extent) | (wide >= extent)
    if wrong.any():
        raise IndexError(
            f"index {int(wide[wrong][0])} is out of bounds for axis {axis} with size {extent}"
        )
    return torch.where(wide < 0, wide + extent, wide)


def _gather(x: Any, indices: Any, *, axis: int, ones: Any, to: str) -> Any:
    return torch.gather(x, axis, _bounded(indices, x.shape[axis], axis))


def _take_along(x: Any, indices: Any, *, axis: int, ones: Any, to: str) -> Any:
    places = _bounded(indices, x.shape[axis], axis)
    found = x.index_select(axis, places.reshape(-1))
    return found.reshape(*x.shape[:axis], *indices.shape, *x.shape[axis + 1 :])


def _gather_nd(x: Any, indices: Any, *, ones: Any, to: str) -> Any:
    each = indices.unbind(-1)
    return x[tuple([_bounded(part, x.shape[axis], axis) for axis, part in enumerate(each)])]


def _not_empty(x: Any, *more: Any, **options: Any) -> bool:
    return x.numel() > 0 and all(t.numel() > 0 for t in more)


# Name of the operation: what runs it, for which types, and whether it does for these arguments.
FUNCTIONS_OF_NN: dict[str, tuple[Callable[..., Any], frozenset, Callable[..., bool]]] = {
    "adaptive_avg_pool": (_adaptive_avg_pool, FLOATS, _on_floats),
    "avg_pool": (_avg_pool, FLOATS, _on_floats),
    "conv": (_conv, FLOATS, _on_floats),
    "conv_transpose": (_conv_transpose, FLOATS, _on_floats),
    "gather": (_gather, _ALL, _not_empty),
    "gather_nd": (_gather_nd, _ALL, _not_empty),
    "grid_sample": (_grid_sample, FLOATS, _not_empty),
    "interpolate": (_interpolate, FLOATS, _anywhere),
    "max_pool": (_max_pool, FLOATS, _on_floats),
    "max_pool_indices": (_max_pool_indices, FLOATS, _on_floats),
    "order": (_order, FLOATS | _WHOLE, _anywhere),
    "running_extreme": (_running_extreme, FLOATS | _WHOLE, _anywhere),
    "take_along": (_take_along, _ALL, _not_empty),
    "unfold": (_unfold, _ALL, _anywhere),
    "unfold4d": (_unfold4d, FLOATS, _on_floats),
}
