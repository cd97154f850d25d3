# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""For which of NumPy's functions the result's shape follows from the arguments: see `deferred.py`.

Not here is what raises for an element, so that the call itself raises: a matrix that is singular,
an index out of bounds. Nor what gives several results.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from .deferred import Rule
from .reductions import normalize_axis

__all__ = ["RULES"]

Shape = tuple[int, ...]

_X = Rule(((0, "x"),))
_A = Rule(((0, "a"),))
_AB = Rule(((0, "a"), (1, "b")))
_X12 = Rule(((0, "x1"), (1, "x2")))


def _place(axis: Any, rank: int) -> int:
    return normalize_axis(axis, rank, "axis")


def _changed(shape: Shape, axis: Any, extent: int) -> Shape:
    place = _place(axis, len(shape))
    return (*shape[:place], extent, *shape[place + 1 :])


# --- Joining and repeating ------------------------------------------------------------------------


def _concatenate(arrays: Any, axis: Any = 0, out: Any = None, **more: Any) -> Shape | None:
    shapes = [np.shape(a) if not hasattr(a, "shape") else a.shape for a in arrays]
    if not shapes or () in shapes:
        return None
    if axis is None:
        return (sum(map(math.prod, shapes)),)
    place = _place(axis, len(shapes[0]))
    others = {(*s[:place], -1, *s[place + 1 :]) for s in shapes}
    if len({len(s) for s in shapes}) > 1 or len(others) > 1:
        return None
    return _changed(shapes[0], place, sum(s[place] for s in shapes))


def _repeat(a: Any, repeats: Any, axis: Any = None) -> Shape | None:
    count = operator.index(repeats)
    if count < 0:
        return None
    if axis is None:
        return (a.size * count,)
    return _changed(a.shape, axis, a.shape[_place(axis, a.ndim)] * count)


def _repeat_once(a: Any, repeats: Any, axis: Any = None) -> tuple[tuple, dict]:
    return (a, 1, axis), {}


def _tile(A: Any, reps: Any) -> Shape | None:
    counts = [operator.index(r) for r in (reps if isinstance(reps, (list, tuple)) else [reps])]
    rank = max(len(counts), A.ndim)
    counts = [1] * (rank - len(counts)) + counts
    shape = (1,) * (rank - A.ndim) + A.shape
    if min(counts, default=1) < 0:
        return None
    return tuple([c * d for c, d in zip(counts, shape, strict=True)])


def _tile_once(A: Any, reps: Any) -> tuple[tuple, dict]:
    return (A, 1), {}


# What `pad` fills with needs no element of the array, or one that is there.
_PADS = ("constant", "edge", "reflect", "symmetric", "wrap", "linear_ramp", "maximum", "mean")


def _pad(array: Any, pad_width: Any, mode: Any = "constant", **more: Any) -> Shape | None:
    if mode not in _PADS or isinstance(pad_width, dict):
        return None
    if mode != "constant" and 0 in array.shape:
        return None
    widths = np.broadcast_to(np.asarray(pad_width), (array.ndim, 2))
    if widths.dtype.kind not in "iu" or (widths < 0).any():
        return None
    return tuple([d + int(w.sum()) for d, w in zip(array.shape, widths, strict=True)])


def _pad_once(array: Any, pad_width: Any, mode: Any = "constant", **more: Any) -> tuple:
    return (array, 1, mode), more


def _roll_once(a: Any, shift: Any, axis: Any = None) -> tuple[tuple, dict]:
    once = tuple([1 for _ in shift]) if isinstance(shift, (tuple, list)) else 1
    return (a, once, axis), {}


def _same(a: Any, *args: Any, **options: Any) -> Shape:
    return a.shape


# --- Diagonals, products, differences -------------------------------------------------------------


def _diagonal(a: Any, offset: Any = 0, axis1: Any = 0, axis2: Any = 1) -> Shape:
    first, second = _place(axis1, a.ndim), _place(axis2, a.ndim)
    if first == second:
        raise ValueError("axes are equal")
    offset = operator.index(offset)
    rows, columns = a.shape[first] + min(offset, 0), a.shape[second] - max(offset, 0)
    rest = [d for n, d in enumerate(a.shape) if n not in (first, second)]
    return (*rest, max(0, min(rows, columns)))


def _linalg_diagonal(x: Any, *, offset: Any = 0) -> Shape:
    return _diagonal(x, offset, -2, -1)


def _diag(v: Any, k: Any = 0) -> Shape:
    if v.ndim == 1:
        return (v.size + abs(operator.index(k)),) * 2
    return _diagonal(v, k)


def _diag_once(v: Any, k: Any = 0) -> tuple[tuple, dict]:
    operator.index(k)
    return (v, 0), {}


def _diagflat(v: Any, k: Any = 0) -> Shape:
    return (v.size + abs(operator.index(k)),) * 2


def _kron(a: Any, b: Any) -> Shape:
    rank = max(a.ndim, b.ndim)
    full = [(1,) * (rank - x.ndim) + x.shape for x in (a, b)]
    return tuple([p * q for p, q in zip(*full, strict=True)])


def _outer(a: Any, b: Any, out: Any = None) -> Shape:
    return a.size, b.size


def _vander(x: Any, N: Any = None, increasing: bool = False) -> Shape | None:
    count = x.size if N is None else operator.index(N)
    return (x.size, count) if x.ndim == 1 and count >= 0 else None


def _vander_once(x: Any, N: Any = None, increasing: bool = False) -> tuple[tuple, dict]:
    return (x, 2, increasing), {}


def _convolved(full: Callable[[int, int], Shape]) -> Callable[..., Shape | None]:
    def shape(a: Any, v: Any, mode: Any = "full" if full is _longer else "valid") -> Shape | None:
        if a.ndim != 1 or v.ndim != 1 or not a.size or not v.size:
            return None
        large, small = max(a.size, v.size), min(a.size, v.size)
        sizes = {"full": large + small - 1, "same": large, "valid": large - small + 1}
        return None if mode not in sizes else (sizes[mode],)

    return shape


def _longer(large: int, small: int) -> Shape:
    return (large + small - 1,)


def _shorter(large: int, small: int) -> Shape:
    return (large - small + 1,)


# --- Fourier transforms ---------------------------------------------------------------------------


def _fft(a: Any, n: Any = None, axis: Any = -1, norm: Any = None) -> Shape:
    return a.shape if n is None else _changed(a.shape, axis, operator.index(n))


def _half(a: Any, n: Any = None, axis: Any = -1, norm: Any = None) -> Shape:
    n = a.shape[_place(axis, a.ndim)] if n is None else operator.index(n)
    return _changed(a.shape, axis, n // 2 + 1)


def _whole(a: Any, n: Any = None, axis: Any = -1, norm: Any = None) -> Shape | None:
    n = 2 * (a.shape[_place(axis, a.ndim)] - 1) if n is None else operator.index(n)
    return _changed(a.shape, axis, n) if n > 0 else None


def _fft_once(a: Any, n: Any = None, axis: Any = -1, norm: Any = None) -> tuple[tuple, dict]:
    return (a, None if n is None else min(operator.index(n), 4), axis, norm), {}


def _several(last: Callable[..., Any]) -> Callable[..., Shape | None]:
    """Transforms along several axes, of the extents that are there; `last` gives the last one's."""

    def shape(a: Any, s: Any = None, axes: Any = None, norm: Any = None) -> Shape | None:
        if s is not None or 0 in a.shape:
            return None
        places = range(a.ndim) if axes is None else [_place(d, a.ndim) for d in axes]
        return last(a, None, places[-1]) if len(places) else None

    return shape


def _plane(last: Callable[..., Any]) -> Callable[..., Shape | None]:
    several = _several(last)

    def shape(a: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = None) -> Shape | None:
        return several(a, s, axes, norm)

    return shape


def _along(shape: Callable[..., Shape | None]) -> Rule:
    return Rule(((0, "a"),), shape=shape, model=_fft_once)


_FFT: dict[Any, Rule] = {
    **dict.fromkeys((np.fft.fft, np.fft.ifft), _along(_fft)),
    **dict.fromkeys((np.fft.rfft, np.fft.ihfft), _along(_half)),
    **dict.fromkeys((np.fft.irfft, np.fft.hfft), _along(_whole)),
    **dict.fromkeys((np.fft.fftn, np.fft.ifftn), Rule(((0, "a"),), shape=_several(_fft))),
    **dict.fromkeys((np.fft.fft2, np.fft.ifft2), Rule(((0, "a"),), shape=_plane(_fft))),
    np.fft.rfftn: Rule(((0, "a"),), shape=_several(_half)),
    np.fft.irfftn: Rule(((0, "a"),), shape=_several(_whole)),
    np.fft.rfft2: Rule(((0, "a"),), shape=_plane(_half)),
    np.fft.irfft2: Rule(((0, "a"),), shape=_plane(_whole)),
    **dict.fromkeys((np.fft.fftshift, np.fft.ifftshift), _X),
}

# --- Calls that raise for an element in some modes only -------------------------------------------


def _clamped(name: str) -> Callable[..., Shape | None]:
    """Indices out of bounds raise by default: only other modes are known not to."""

    def shape(*args: Any, **options: Any) -> Shape | None:
        if options.get("mode") not in ("clip", "wrap"):
            return None
        if name == "choose":
            return np.broadcast_shapes(args[0].shape, *[np.shape(c) for c in args[1]])
        a, indices = args[:2]
        axis = options.get("axis", args[2] if len(args) > 2 else None)
        if axis is None:
            return indices.shape
        place = _place(axis, a.ndim)
        return (*a.shape[:place], *indices.shape, *a.shape[place + 1 :])

    return shape


def _unsorted(a: Any, v: Any, side: Any = "left", sorter: Any = None) -> bool:
    return sorter is None


def _subscripts(subscripts: Any, *operands: Any, **more: Any) -> bool:
    return isinstance(subscripts, str)


def _forward(a: Any, n: Any) -> bool:
    return operator.index(n) >= 0  # else a singular matrix raises


def _without_svd(x: Any, ord: Any = None, axis: Any = None, **more: Any) -> bool:
    """Singular values of a matrix with NaN raise."""
    return ord not in (2, -2, "nuc") or isinstance(axis, int)


def _without_table(element: Any, tests: Any, *args: Any, kind: Any = None, **more: Any) -> bool:
    return kind is None  # the table raises for a wide range


def _quantile(a: Any, q: Any, axis: Any = None, **more: Any) -> Shape | None:
    """`q` out of its range raises: it has to be known."""
    numbers = q if isinstance(q, (list, tuple)) else [q]
    if not all(isinstance(n, (int, float, np.number)) for n in numbers):
        return None
    shape = _statistic(a, axis, None, keepdims=more.pop("keepdims", False))
    if shape is None or not set(more) <= {"method", "interpolation"}:
        return None
    return shape if numbers is not q else (len(numbers), *shape)


def _statistic(a: Any, axis: Any = None, dtype: Any = None, **more: Any) -> Shape | None:
    """Of `nan` functions along axes, which warn of what is empty."""
    keepdims = more.get("keepdims", False)
    if 0 in a.shape or any(key not in ("keepdims",) for key in more):
        return None
    axes = range(a.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    gone = {_place(d, a.ndim) for d in axes}
    if keepdims is not np._NoValue and keepdims:
        return tuple([1 if n in gone else d for n, d in enumerate(a.shape)])
    return tuple([d for n, d in enumerate(a.shape) if n not in gone])


def _summed(x: Any, *, axis: Any = None, dtype: Any = None, include_initial: Any = False) -> Any:
    if axis is None and x.ndim != 1:
        return None
    place = 0 if axis is None else _place(axis, x.ndim)
    return _changed(x.shape, place, x.shape[place] + bool(include_initial))


def _scan(a: Any, axis: Any = None, dtype: Any = None) -> Shape:
    return (a.size,) if axis is None else a.shape or (1,)


_SCAN = Rule(((0, "a"),), shape=_scan)
_STATISTICS = (
    *(np.nanmean, np.nansum, np.nanprod, np.nanmedian),
    *(np.nanmax, np.nanmin, np.nanstd, np.nanvar),
)
_STATISTIC = Rule(((0, "a"),), shape=_statistic)
_NORM = Rule(((0, "x"),), check=_without_svd)

RULES: dict[Any, Rule] = {
    **_FFT,
    np.concatenate: Rule((), sequence=True, shape=_concatenate),
    np.repeat: Rule(((0, "a"),), shape=_repeat, model=_repeat_once),
    np.tile: Rule(((0, "A"),), shape=_tile, model=_tile_once),
    np.pad: Rule(((0, "array"),), shape=_pad, model=_pad_once),
    np.roll: Rule(((0, "a"),), shape=_same, model=_roll_once),
    **dict.fromkeys((np.sort, np.argsort, np.trace), _A),
    **dict.fromkeys((np.cumsum, np.cumprod, np.nancumsum, np.nancumprod), _SCAN),
    **dict.fromkeys((np.sort_complex, np.trapezoid), Rule(((0, "y"), (1, "x")))),
    **dict.fromkeys((np.cumulative_sum, np.cumulative_prod), Rule(((0, "x"),), shape=_summed)),
    np.unwrap: Rule(((0, "p"),)),
    np.i0: _X,
    np.diagonal: Rule(((0, "a"),), shape=_diagonal),
    np.linalg.diagonal: Rule(((0, "x"),), shape=_linalg_diagonal),
    np.diag: Rule(((0, "v"),), shape=_diag, model=_diag_once),
    np.diagflat: Rule(((0, "v"),), shape=_diagflat, model=_diag_once),
    np.kron: Rule(((0, "a"), (1, "b")), shape=_kron),
    np.outer: Rule(((0, "a"), (1, "b")), shape=_outer),
    np.linalg.outer: Rule(((0, "x1"), (1, "x2")), shape=_outer),
    np.vander: Rule(((0, "x"),), shape=_vander, model=_vander_once),
    np.convolve: Rule(((0, "a"), (1, "v")), shape=_convolved(_longer)),
    np.correlate: Rule(((0, "a"), (1, "v")), shape=_convolved(_shorter)),
    **dict.fromkeys((np.dot, np.inner, np.vdot, np.tensordot, np.isclose), _AB),
    **dict.fromkeys((np.vecdot, np.linalg.vecdot, np.linalg.tensordot), _X12),
    np.einsum: Rule(tuple([(n, "") for n in range(1, 32)]), check=_subscripts),
    np.linalg.multi_dot: Rule((), sequence=True),
    **dict.fromkeys((np.linalg.norm, np.linalg.matrix_norm), _NORM),
    **dict.fromkeys((np.linalg.det, np.linalg.vector_norm, np.linalg.trace), _X),
    np.linalg.matrix_power: Rule(((0, "a"),), check=_forward),
    np.isin: Rule(((0, "element"), (1, "test_elements")), check=_without_table),
    np.searchsorted: Rule(((0, "a"), (1, "v")), check=_unsorted),
    np.interp: Rule(((0, "x"), (1, "xp"), (2, "fp"))),
    np.polyval: Rule(((0, "p"), (1, "x"))),
    np.median: _A,
    **dict.fromkeys((np.percentile, np.quantile), Rule(((0, "a"),), shape=_quantile)),
    **dict.fromkeys(_STATISTICS, _STATISTIC),
    np.take: Rule(((0, "a"), (1, "indices")), shape=_clamped("take")),
    np.choose: Rule(((0, "a"),), shape=_clamped("choose")),
    np.lexsort: Rule((), sequence=True),
}
