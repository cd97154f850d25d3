# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NumPy's functions that a GPU's library may run: those that give there what NumPy gives.

Not here, and so run on the host, is what libraries leave to the machine: indices out of bounds,
shifts by the width or more, division of integers by zero.
"""

from __future__ import annotations

from string import ascii_letters, digits

__all__ = ["GROUPS", "on_device"]

_LETTERS = ascii_letters + digits + "_"

# What CuPy runs; names that end in "*" PyTorch runs as well, those that end in "+" PyTorch alone.
# docs/gpu.md shows this table.
GROUPS: dict[str, str] = {
    "products of matrices": "matmul* dot inner outer tensordot kron vecdot einsum",
    "joining and moving": "concatenate* stack* hstack vstack dstack column_stack roll* tile repeat "
    "split pad meshgrid diag diagonal",
    "sorting, searching, sets": "sort* argsort* searchsorted nonzero* flatnonzero argwhere unique",
    "scans and sums": "cumsum cumprod diff trace",
    "Fourier transforms": "fft ifft fft2 ifft2 fftn ifftn rfft irfft rfftn irfftn fftshift "
    "ifftshift",
    "linear algebra": "cholesky qr svd eigh eigvalsh solve inv det slogdet norm",
    "parts of complex numbers": "real imag",
    "of pyfusion.nn": "conv+ conv_transpose+ avg_pool+ max_pool+ max_pool_indices+ "
    "adaptive_avg_pool+ interpolate+ grid_sample+ unfold+ unfold4d+ order+ running_extreme+ "
    "gather+ gather_nd+ take_along+",
}


def on_device(library: str) -> frozenset[str]:
    """The functions of a library, "cupy" or "torch"."""
    names = [name for group in GROUPS.values() for name in group.split()]
    wanted = ("*", "+") if library == "torch" else ("*", "")
    names = [name for name in names if name.lstrip(_LETTERS) in wanted]
    return frozenset([name.rstrip("*+") for name in names])
