# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The CPU as a `FusionRuntime`: buffers of the native pool."""

from __future__ import annotations

import numpy as np

from ..backends.protocols import FusionRuntime
from ..ir.value import Value
from . import memory


class CpuRuntime:
    """Memory of the host; see `backends.protocols.FusionRuntime`."""

    name = "cpu"

    def upload(self, array: np.ndarray, copy: bool = True) -> Value:
        """A concrete value; see `memory.from_numpy`."""
        return memory.from_numpy(array, copy)

    def download(self, handle: Value) -> np.ndarray:
        """A read-only view without a copy."""
        return memory.to_numpy(handle)


runtime: FusionRuntime = CpuRuntime()
