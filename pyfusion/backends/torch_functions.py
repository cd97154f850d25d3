# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NumPy's functions by PyTorch, and for which tensors it gives there what NumPy gives."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

import torch

from .torch_nn import FLOATS as _FLOATS
from .torch_nn import FUNCTIONS_OF_NN

__all__ = ["FUNCTIONS", "Function", "runs"]

_COMPLEX = frozenset({torch.complex64, torch.complex128})
_WHOLE = frozenset(
    {torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64}
)  # its kernels know no other unsigned integers


class Function(NamedTuple):
    """`call` takes the arguments of NumPy's; `fits` says whether they are such that it does as
    NumPy does. The tensors of the first one are of one type, one of `types`."""

    call: Callable[..., Any]
    types: frozenset[torch.dtype]
    fits: Callable[..., bool]


def runs(name: str, args: list[Any], options: dict[str, Any]) -> bool:
    """Whether PyTorch runs NumPy's function of that name on these arguments as NumPy does."""
    known = FUNCTIONS.get(name)
    if known is None:
        return False
    try:
        bound = inspect.signature(known.call).bind(*args, **options)
    except TypeError:
        return False
    first = bound.args[0]
    tensors = list(first) if isinstance(first, (list, tuple)) else [first]
    if not tensors or not all(isinstance(t, torch.Tensor) for t in tensors):
        return False
    types = {t.dtype for t in tensors}
    return len(types) == 1 and types <= known.types and known.fits(*bound.args, **bound.kwargs)


def _namespace() -> Any:
    import array_api_compat.torch as xp

    return xp


def _matmul(x: Any, y: Any) -> Any:
    return torch.matmul(x, y)


def _concatenate(arrays: Any, axis: Any = 0, dtype: Any = None) -> Any:
    return _namespace().concat(arrays, axis=axis)


def _stack(arrays: Any, axis: int = 0) -> Any:
    return _namespace().stack(arrays, axis=axis)


def _sort(x: Any, axis: int = -1, stable: bool = True) -> Any:
    return _namespace().sort(x, axis=axis, stable=stable)


def _argsort(x: Any, axis: int = -1, stable: bool = True) -> Any:
    return _namespace().argsort(x, axis=axis, stable=stable)


def _roll(x: Any, shift: Any, axis: Any = None) -> Any:
    return _namespace().roll(x, shift, axis=axis)


def _nonzero(x: Any) -> Any:
    return tuple(_namespace().nonzero(x))


def _alike(x: Any, y: Any) -> bool:
    return all(isinstance(t, torch.Tensor) for t in (x, y)) and x.dtype == y.dtype


def _is_axis(axis: Any, rank: int) -> bool:
    return isinstance(axis, int) and -rank <= axis < rank


def _join(arrays: Any, axis: Any = 0, dtype: Any = None) -> bool:
    if dtype is not None:
        return False
    if axis is None:
        return True
    shapes = [list(a.shape) for a in arrays]
    if any(not _is_axis(axis, len(s)) or len(s) != len(shapes[0]) for s in shapes):
        return False
    for shape in shapes:
        shape[axis] = 0
    return all(s == shapes[0] for s in shapes)


def _pile(arrays: Any, axis: int = 0) -> bool:
    return _is_axis(axis, arrays[0].ndim + 1) and all(a.shape == arrays[0].shape for a in arrays)


def _along(x: Any, axis: Any = -1, stable: bool = True) -> bool:
    return _is_axis(axis, x.ndim)


def _moves(x: Any, shift: Any, axis: Any = None) -> bool:
    shifts = shift if isinstance(shift, tuple) else (shift,)
    axes = axis if isinstance(axis, tuple) else (axis,)
    if axis is None:
        return isinstance(shift, int)
    return (
        len(shifts) == len(axes)
        and all(isinstance(s, int) for s in shifts)
        and all(_is_axis(a, x.ndim) for a in axes)
    )


FUNCTIONS: dict[str, Function] = {
    # Of integers it has no products on GPUs; shapes were checked when it was recorded.
    "matmul": Function(_matmul, _FLOATS | _COMPLEX, _alike),
    "concatenate": Function(_concatenate, _FLOATS | _COMPLEX | _WHOLE, _join),
    "stack": Function(_stack, _FLOATS | _COMPLEX | _WHOLE, _pile),
    "sort": Function(_sort, _FLOATS | _WHOLE, _along),
    "argsort": Function(_argsort, _FLOATS | _WHOLE, _along),
    "roll": Function(_roll, _FLOATS | _COMPLEX | _WHOLE, _moves),
    "nonzero": Function(_nonzero, _FLOATS | _COMPLEX | _WHOLE, lambda x: x.ndim > 0),
    **{name: Function(*about) for name, about in FUNCTIONS_OF_NN.items()},
}
