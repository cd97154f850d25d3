# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the host runs for a GPU: counted each time, said once."""

from __future__ import annotations

import warnings

from ..config import config
from ..errors import HostWarning, level_of_the_user
from .statistics import statistics

_said: set[str] = set()


def note_host(name: str, why: str) -> None:
    """Counts an operation on arrays of a GPU that NumPy runs; warns of the first of its name.

    Args:
        why: the reason that the warning gives.

    With `mode="backend"` everything is run so, as was asked for, and nothing is said.
    """
    statistics.note_host(name)
    if name in _said or config.mode == "backend":
        return
    _said.add(name)
    warnings.warn(
        f"{name} is run by NumPy on the host, with copies from the device and back: {why}",
        HostWarning,
        stacklevel=level_of_the_user(),
    )
