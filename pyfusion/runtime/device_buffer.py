# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Memory that a device's backend owns."""

from __future__ import annotations

from typing import Any

from ..ir.device import Device


class DeviceBuffer:
    """Memory of one or more values on a device that is not the CPU.

    `owner` is None for memory that is ours alone, as that of results, which `memory` keeps until
    the last reference to the buffer goes. Else it is what somebody else gave: read-only to us.
    `ptr` is 0 where memory has no address: then `memory` is the backend's own array.
    """

    __slots__ = ("ptr", "nbytes", "owner", "memory", "device")

    def __init__(self, ptr: int, nbytes: int, device: Device, memory: Any, owner: Any = None):
        self.ptr = ptr
        self.nbytes = nbytes
        self.device = device
        self.memory = memory
        self.owner = owner
