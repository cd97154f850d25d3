# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Discrete Fourier transforms: `numpy.fft`, run by the backend."""

from __future__ import annotations

import numpy as np

from .backend_call import delegate

__all__ = sorted(np.fft.__all__)

for _name in __all__:
    globals()[_name] = delegate(getattr(np.fft, _name), _name)
