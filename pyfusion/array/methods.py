# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Methods and properties of `Array` beside the operators; most are functions of the namespace."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..dtypes import as_dtype
from ..ir.table import OPS
from . import (
    elementwise,
    indexing,
    interop,
    manipulation,
    numpy_functions,
    reads,
    reductions,
    searching,
    ufunc_methods,
    writes,
)
from .apply import apply
from .core import Array, wrap
from .creation import asarray, copy
from .dtype_functions import can_cast
from .flat import flat, set_flat
from .linear import dot, matrix_transpose
from .operators import FUNCTIONS, finish


def reshape(self: Array, *shape: Any, order: str = "C", copy: bool | None = None) -> Array:
    """See `pyfusion.reshape`; the extents may be separate arguments."""
    wanted = shape[0] if len(shape) == 1 else shape
    return manipulation.reshape(self, wanted, order, copy=copy)


def transpose(self: Array, *axes: Any) -> Array:
    """See `pyfusion.transpose`; the axes may be separate arguments."""
    if not axes or axes == (None,):
        return manipulation.transpose(self)
    nested = len(axes) == 1 and isinstance(axes[0], (tuple, list))
    return manipulation.transpose(self, axes[0] if nested else axes)


def flatten(self: Array, order: str = "C") -> Array:
    """One dimension, always a copy."""
    return wrap(manipulation.ravel(self, order)._v)


def astype(
    self: Array,
    dtype: Any,
    order: str = "K",
    casting: Any = "unsafe",
    subok: bool = True,
    copy: bool = True,
    *,
    device: Any = None,
) -> Array:
    """See `pyfusion.astype`. The layout is ours to choose; `casting` is NumPy's rule.

    Raises:
        TypeError: the rule does not allow it.
    """
    if casting != "unsafe" and not can_cast(self, dtype, casting):
        raise TypeError(
            f"Cannot cast array data from {self.dtype.numpy!r} to {as_dtype(dtype).numpy!r} "
            f"according to the rule {casting!r}"
        )
    return elementwise.astype(self, dtype, copy=copy, device=device)


def clip(self: Array, min: Any = None, max: Any = None, out: Any = None) -> Array:
    """See `pyfusion.clip`."""
    return finish(elementwise.clip(self, min, max), out, "clip")


def round(self: Array, decimals: int = 0, out: Any = None) -> Array:
    """See `pyfusion.round`."""
    return finish(elementwise.round(self, decimals), out, "round")


def __divmod__(self: Array, other: Any) -> Any:
    return apply(OPS["floor_divide"], self, other), apply(OPS["remainder"], self, other)


def __rdivmod__(self: Array, other: Any) -> Any:
    return apply(OPS["floor_divide"], other, self), apply(OPS["remainder"], other, self)


def __copy__(self: Array) -> Array:
    return copy(self)


def __deepcopy__(self: Array, memo: Any) -> Array:
    return copy(self)


def __reduce__(self: Array) -> tuple[Any, ...]:
    """Pickled by its elements, as NumPy pickles them, and the name of its device. Protocol 5 hands
    the elements to `buffer_callback`, without a copy if they lie without gaps."""
    found = np.asarray(self)
    if not (found.flags.c_contiguous or found.flags.f_contiguous):
        found = np.ascontiguousarray(found)
    return _unpickled, (found, self.device)


def _unpickled(elements: np.ndarray, device: str) -> Array:
    return asarray(elements, device=device)


_FUNCTIONS = {
    **{
        name: getattr(reductions, name)
        for name in (
            "sum",
            "prod",
            "max",
            "min",
            "mean",
            "any",
            "all",
            "std",
            "var",
            "argmax",
            "argmin",
        )
    },
    **{name: getattr(manipulation, name) for name in ("squeeze", "swapaxes", "ravel", "repeat")},
    **{
        name: getattr(searching, name)
        for name in (
            "argsort",
            "cumprod",
            "cumsum",
            "diagonal",
            "nonzero",
            "searchsorted",
            "trace",
        )
    },
    "take": indexing.take,
    "conj": FUNCTIONS["conj"],
    "conjugate": FUNCTIONS["conj"],
    "copy": copy,
    "dot": dot,
    "__getitem__": indexing.getitem,
    "__setitem__": writes.setitem,
    "__delitem__": indexing.delitem,
    "__array_ufunc__": ufunc_methods.array_ufunc,
    "__array_function__": numpy_functions.array_function,
}


def _install() -> None:
    own = [reshape, transpose, flatten, astype, clip, round]
    special = [__divmod__, __rdivmod__, __copy__, __deepcopy__, __reduce__]
    for method in [*own, *special, *reads.METHODS, *interop.METHODS]:
        setattr(Array, method.__name__, method)
    for name, function in _FUNCTIONS.items():
        setattr(Array, name, function)
    Array.T = property(manipulation.transpose, doc="Dimensions reversed, a view.")  # type: ignore
    Array.mT = property(matrix_transpose, doc="Last two dimensions swapped, a view.")  # type: ignore
    Array.__cuda_array_interface__ = property(interop.cuda_array_interface)  # type: ignore
    Array.flat = property(flat, set_flat)  # type: ignore
    Array.real = property(elementwise.real, doc="Real parts.")  # type: ignore
    Array.imag = property(elementwise.imag, doc="Imaginary parts.")  # type: ignore


_install()
