# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Linear algebra: `numpy.linalg`, run by the backend; products of matrices are `linear.py`'s."""

from __future__ import annotations

import numpy as np
from numpy.linalg import LinAlgError

from .backend_call import delegate
from .linear import matmul, matrix_transpose

_OWN = {"matmul": matmul, "matrix_transpose": matrix_transpose, "LinAlgError": LinAlgError}

__all__ = sorted({*np.linalg.__all__, *_OWN})

for _name in __all__:
    if _name not in _OWN:
        globals()[_name] = delegate(getattr(np.linalg, _name), _name)
