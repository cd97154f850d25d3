# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The fusers that compete."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..ir.device import Device
from .faults import check
from .mlir_fuser import MlirFuser
from .protocols import OperationFuser

_fusers: tuple[OperationFuser, ...] = (MlirFuser(),)


def _apply(change: Callable[[], None], removed: str | None) -> None:
    change()


_around: Callable[[Callable[[], None], str | None], None] = _apply


def on_change(around: Callable[[Callable[[], None], str | None], None]) -> None:
    """Sets what makes a change: it is called with the change, and with the name of the fuser
    removed, None if one is added. The engine drops the plans that the change concerns."""
    global _around
    _around = around


class Registration:
    """A registered fuser; as a context manager it removes the fuser at the end."""

    def __init__(self, fuser: OperationFuser):
        self.fuser = fuser

    def __enter__(self) -> OperationFuser:
        return self.fuser

    def __exit__(self, *_: Any) -> None:
        if any(f is self.fuser for f in _fusers):
            unregister(self.fuser)


def registered(device: Any = None) -> tuple[OperationFuser, ...]:
    """The fusers that compete for each new block, in order; a tie goes to the earlier one.

    Args:
        device: the block's; None for all that are registered. Its own fusers come last; where
            memory has no addresses, nothing is compiled.

    Raises:
        TypeError: `device` is no `Device`.
    """
    if device is None:
        return _fusers
    if not isinstance(device, Device):
        raise TypeError(f"registered takes a Device, as block.device is, not {device!r:.100}")
    kind = device.kind
    fitting = [f for f in _fusers if kind in getattr(f, "devices", (kind,))]
    if device.runtime is not None:
        fitting = [f for f in fitting if device.target or not isinstance(f, MlirFuser)]
        fitting += getattr(device.runtime, "fusers", ())
    return tuple(fitting)


def register(fuser: OperationFuser, before: OperationFuser | str | None = None) -> Registration:
    """Lets a fuser compete, in all threads, for what is run from now on; plans are made anew.

    Args:
        fuser: an `OperationFuser`; the engine works on clones of it.
        before: the registered fuser, or its name, that it comes before; None puts it last. The
            earlier one wins where scores are equal. The compiler's is called "mlir".

    Returns:
        A context manager: used by `with`, it removes the fuser at the end.

    Raises:
        TypeError: `fuser` lacks a method of the protocol, or its `devices` is no tuple of names.
        ValueError: a fuser of this name is registered, or `before` is not.
        RuntimeError: called while a block runs on this thread.
    """
    check(fuser)
    if any(f.name == fuser.name for f in _fusers):
        raise ValueError(f"a fuser called {fuser.name!r} is registered")
    if before is not None:
        _place(before)

    def change() -> None:
        global _fusers
        place = len(_fusers) if before is None else _place(before)
        _fusers = (*_fusers[:place], fuser, *_fusers[place:])

    _around(change, None)
    return Registration(fuser)


def unregister(fuser: OperationFuser | str) -> None:
    """Removes a fuser; the plans that use it are made anew.

    Args:
        fuser: a registered fuser or its name.

    Raises:
        ValueError: it is not registered.
        RuntimeError: called while a block runs on this thread.
    """
    name = _fusers[_place(fuser)].name

    def change() -> None:
        global _fusers
        _fusers = tuple([f for f in _fusers if f.name != name])

    _around(change, name)


def _place(fuser: OperationFuser | str) -> int:
    for place, known in enumerate(_fusers):
        if known is fuser or known.name == fuser:
            return place
    name = fuser if isinstance(fuser, str) else getattr(fuser, "name", fuser)
    there = ", ".join(f.name for f in _fusers) or "none"
    raise ValueError(f"no fuser {name!r} is registered; there are: {there}")
