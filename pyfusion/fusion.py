# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The decorator: an eager backend becomes a device whose operations are deferred and fused."""

from __future__ import annotations

from typing import Any

from .array import Array
from .array.creation import asarray as _asarray
from .backends.protocols import FusionBackend
from .client import realize
from .config import GPU_KINDS, KIND
from .errors import DeviceError
from .fusers.faults import check
from .ir.device import Device
from .runtime import devices
from .runtime.decorated import DecoratedRuntime

__all__ = ["Fusion"]

_METHODS = ("execute", "from_numpy", "to_numpy", "describe")
_TAKEN = ("cpu", *GPU_KINDS)


def _class(backend: FusionBackend) -> tuple[str, str]:
    """Where its class is defined: that of a cell that was run again is the same one."""
    return type(backend).__module__, type(backend).__qualname__


class Fusion:
    """Defers the operations of a backend.

        >>> import numpy as np
        >>> from pyfusion.backends.numpy_backend import NumpyBackend
        >>> class Mine(NumpyBackend):
        ...     name = "mine"
        >>> fused = pf.Fusion(Mine())
        >>> x = pf.asarray(np.arange(3.0), device=fused.device)
        >>> x.device, float((x * 2 + 1).sum())
        ('mine:0', 9.0)

    Where the backend's arrays lie in the host's memory (`host_memory`), blocks are compiled for the
    CPU as those of `device="cpu"` are; what the compiler does not know is the backend's. Else the
    backend runs each operation that no fuser covers.

    Args:
        backend: implements `pyfusion.backends.protocols.FusionBackend`.
        fusers: what competes for the blocks of this device, beside those for all devices.

    Attributes:
        backend: the backend.
        device: the name of the device, for `device=` and `to_device`.

    A second one for a backend of the same class, or of one defined again in its place, takes the
    name over; arrays that exist stay with the first.

    Raises:
        TypeError: the backend or a fuser lacks something, or is a class.
        DeviceError: its name is that of another kind of device or backend, or is not made of
            lower-case letters, digits and underscores.
    """

    def __init__(self, backend: FusionBackend, *, fusers: Any = ()):
        if isinstance(backend, type):
            raise TypeError(
                f"Fusion: {backend.__name__} is a class: give an instance, {backend.__name__}()"
            )
        missing = [name for name in _METHODS if not callable(getattr(backend, name, None))]
        missing += [] if hasattr(backend, "name") else ["name"]
        if hasattr(backend, "runs"):
            missing += [n for n in ("runs", "run") if not callable(getattr(backend, n, None))]
        if missing:
            raise TypeError(
                f"Fusion: {type(backend).__name__} is no FusionBackend: it has no "
                f"{', '.join(missing)}"
            )
        name = backend.name
        if not isinstance(name, str):
            raise TypeError(
                f"Fusion: the name of {type(backend).__name__} is {name!r:.100}, not a str"
            )
        if name in _TAKEN or not KIND.fullmatch(name):
            raise DeviceError(
                f"Fusion: a backend cannot be called {name!r:.100}; use lower-case letters, digits "
                f"and '_', and none of {', '.join(_TAKEN)}"
            )
        for other in devices.used():
            if other.kind == name and (has := _class(other.runtime.backend)) != _class(backend):
                raise DeviceError(
                    f"Fusion: there is {other} already, of {'.'.join(has)}; close that one first, "
                    "or give the backend another name"
                )
        try:
            own = tuple(fusers)
        except TypeError:
            raise TypeError(f"Fusion: fusers is {fusers!r:.100}, not a list of fusers") from None
        for fuser in own:
            check(fuser)
        hosted = bool(getattr(backend, "host_memory", False))
        device = Device(name, 0, "cpu" if hosted else "")
        device.runtime = DecoratedRuntime(device, backend, own)
        devices.add(device)
        self.backend = backend
        self.device = device.name
        self._runtime = device.runtime

    def asarray(self, obj: Any, *, dtype: Any = None, copy: bool | None = None) -> Array:
        """`pyfusion.asarray` on this device."""
        return _asarray(obj, dtype=dtype, copy=copy, device=self.device)

    def unwrap(self, x: Array) -> Any:
        """The backend's own array of an array; runs what it waits for. It must not be written to.

        Raises:
            TypeError: `x` is no array.
            DeviceError: it is on another device.
            ExecutionError: the work that was to write it failed.
        """
        if not isinstance(x, Array):
            raise TypeError(f"unwrap takes an array, not {type(x).__name__}")
        if x.device != self.device:
            raise DeviceError(f"unwrap: an array on {x.device}, not {self.device}")
        return self._runtime.array(realize(x._v))

    def close(self) -> None:
        """Forgets the device's name; arrays that exist stay usable. `with` does so at its end."""
        devices.remove(self._runtime.device)

    def __enter__(self) -> Fusion:
        return self

    def __exit__(self, *about: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Fusion({type(self.backend).__name__}, device={self.device!r})"
