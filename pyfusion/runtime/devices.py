# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The devices that there are: names to `Device` objects, each with its run time."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Any

from ..backends.protocols import DeviceBackend
from ..config import DEVICE_NAME, DEVICE_NAMES, GPU_KINDS, config, is_device_name, name_devices
from ..errors import DeviceError
from ..ir.device import CPU, Device

_lock = threading.Lock()


def _after_fork() -> None:
    global _lock
    _lock = threading.Lock()


os.register_at_fork(after_in_child=_after_fork)

# Called with a device that is found by its name no more.
on_gone: list[Callable[[Device], None]] = []

_backends: dict[str, DeviceBackend] = {}
_devices: dict[tuple[str, int], Device] = {}


def backend_for(kind: str, asked: str = "") -> DeviceBackend:
    """The backend that owns the devices of a kind, chosen at the first call.

    Args:
        asked: name of the device that it is for, in the message.

    Raises:
        DeviceError: what is missing, and how to get it.
    """
    with _lock:
        found = _backends.get(kind)
        if found is None:
            from ..backends.gpu import choose

            found = _backends[kind] = choose(kind, config.gpu_backend, asked)
        return found


def use_backend(kind: str, backend: DeviceBackend | None) -> None:
    """Has a backend own the devices of a kind; None has it chosen again at the next use.

    Arrays that exist stay with the backend that they were made by.
    """
    with _lock:
        gone = [_devices.pop(key) for key in list(_devices) if key[0] == kind]
        _backends.pop(kind, None)
        if backend is not None:
            _backends[kind] = backend
    _tell(gone)


def _tell(gone: list[Device]) -> None:
    for device in gone:
        for call in on_gone:
            call(device)


def find(name: Any) -> Device:
    """The device of a name: "cpu", "cuda", "cuda:1", "rocm"; without a number the current one.

    Raises:
        DeviceError: no such name or device, or what it needs is missing.
    """
    if name == "cpu":
        return CPU
    match = DEVICE_NAME.fullmatch(name) if is_device_name(name) else None
    if match is None:
        raise DeviceError(f"device {name!r} does not exist; devices are {DEVICE_NAMES}")
    kind, number = match.groups()
    return numbered(kind, None if number is None else int(number))


def numbered(kind: str, number: int | None) -> Device:
    """A GPU by its number, None for the backend's current one. Raises DeviceError."""
    if number is not None:
        known = _devices.get((kind, number))
        if known is not None:
            return known
    if kind not in GPU_KINDS:  # of a decorated backend: each has one
        known = _devices.get((kind, 0)) if not number else None
        if known is None:
            there = f"there is {kind}:0" if (kind, 0) in _devices else "its backend was closed"
            raise DeviceError(f"device '{kind}:{number or 0}' does not exist; {there}")
        return known
    backend = backend_for(kind, kind if number is None else f"{kind}:{number}")
    if number is None:
        number = backend.current()
        known = _devices.get((kind, number))
        if known is not None:
            return known
    count = backend.count()
    if number >= count:
        devices = f"{kind}:0" + (f" to {kind}:{count - 1}" if count > 1 else "")
        there = f"there is {devices}" if count else "there is none of its kind"
        raise DeviceError(f"device '{kind}:{number}' does not exist; {there}")
    from ..passes import PipelineError, target_of_device
    from .gpu import GpuRuntime

    try:
        target = str(target_of_device(kind, backend.arch(number)))
    except PipelineError as error:
        raise DeviceError(f"device '{kind}:{number}' cannot be used: {error}") from None

    with _lock:
        known = _devices.get((kind, number))
        if known is None:
            known = Device(kind, number, target)
            known.runtime = GpuRuntime(known, backend)
            _devices[kind, number] = known
    return known


def add(device: Device) -> None:
    """Lets a device that is no GPU be found by its name, in place of another of its name."""
    with _lock:
        name_devices(device.kind)
        before = _devices.get((device.kind, device.index))
        _devices[device.kind, device.index] = device
    if before is not None and before is not device:
        _tell([before])


def remove(device: Device) -> None:
    """Has a device that `add` was given found no more."""
    with _lock:
        if _devices.get((device.kind, device.index)) is not device:
            return
        del _devices[device.kind, device.index]
    _tell([device])


def names() -> list[str]:
    """The devices that can be used, the CPU first."""
    found = ["cpu"]
    for kind in GPU_KINDS:
        try:
            found += [f"{kind}:{n}" for n in range(backend_for(kind).count())]
        except DeviceError:
            continue
    return found + [device.name for device in used() if device.kind not in GPU_KINDS]


def default() -> Device:
    """Where arrays are made that no argument places."""
    name = config.device
    return CPU if name == "cpu" else find(name)


def used() -> list[Device]:
    """The GPUs that something was asked of, and the devices of decorated backends."""
    return list(_devices.values())
