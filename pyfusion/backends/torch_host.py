# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch on the host, to be decorated: `pyfusion.Fusion(TorchHostBackend())`.

Products and what `torch_functions` lists are PyTorch's, where it does as NumPy does; the rest is
that of the NumPy backend, on the same memory.
"""

from __future__ import annotations

import warnings
from typing import Any

import ml_dtypes
import numpy as np
import torch

from . import torch_functions
from .numpy_backend import NumpyBackend
from .protocols import NotOnDevice

_BFLOAT16 = np.dtype(ml_dtypes.bfloat16)


class TorchHostBackend:
    """Tensors of `device="cpu"`; see `FusionBackend`."""

    name = "torch"
    host_memory = True

    def __init__(self) -> None:
        self._numpy = NumpyBackend()

    def from_numpy(self, array: np.ndarray) -> torch.Tensor:
        if any(stride < 0 for stride in array.strides):
            array = np.ascontiguousarray(array)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of memory that is read-only, as agreed
            if array.dtype == _BFLOAT16:
                return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
            return torch.from_numpy(array)

    def to_numpy(self, array: torch.Tensor) -> np.ndarray:
        if array.dtype == torch.bfloat16:
            return array.view(torch.int16).numpy().view(_BFLOAT16)
        return array.resolve_conj().resolve_neg().numpy()

    def describe(self, array: torch.Tensor) -> tuple[tuple[int, ...], Any]:
        return tuple(array.shape), self.to_numpy(array).dtype

    def runs(self, function: Any, args: list[Any], options: dict[str, Any]) -> bool:
        return torch_functions.runs(function.__name__, args, options)

    def run(self, function: Any, args: list[Any], options: dict[str, Any]) -> Any:
        """Raises NotOnDevice where PyTorch lacks the case."""
        try:
            return torch_functions.FUNCTIONS[function.__name__].call(*args, **options)
        except NotImplementedError as error:
            raise NotOnDevice(str(error)) from None

    def execute(
        self, op: Any, args: list[Any], attrs: Any, dyn: tuple[int, ...], shape: Any, dtype: Any
    ) -> torch.Tensor:
        options = dict(attrs) if op.kind == "opaque" and attrs else {}
        if op.kind in ("contraction", "opaque") and self.runs(op.oracle, args, options):
            try:
                return self.run(op.oracle, args, options)
            except NotOnDevice:
                pass  # NumPy has it, on the same memory
        given = [self.to_numpy(a) if isinstance(a, torch.Tensor) else a for a in args]
        result = self._numpy.execute(op, given, attrs, dyn, shape, dtype)
        return self.from_numpy(np.asarray(result))
