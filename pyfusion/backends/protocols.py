# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a backend is to the engine: it owns memory and runs operations one at a time."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable


@runtime_checkable
class FusionBackend(Protocol):
    """Runs any operation of the table eagerly; the fallback of everything that is compiled.

    `name` is for messages.
    """

    name: str

    def execute(
        self,
        op: Any,
        args: list[Any],
        attrs: Any,
        dyn: tuple[int, ...],
        shape: tuple[int, ...] | None,
        dtype: Any,
    ) -> Any:
        """One operation on arrays and Python scalars.

        Args:
            op: the `OpInfo`.
            args: arrays of the backend (read-only) and scalars, as recorded.
            attrs, dyn: static structure and bounds, as recorded.
            shape: of the result; None where only the operation can tell.
            dtype: the `DType` of the result.

        Returns:
            An array of exactly that shape and type. It may alias an argument.
        """
        ...


@runtime_checkable
class FusionRuntime(Protocol):
    """Memory of a device and the way between it and NumPy.

    A handle is a concrete `Value`: buffer, address, shape, strides. Its memory goes back with the
    last reference to it.
    """

    name: str

    def upload(self, array: Any, copy: bool = True) -> Any:
        """A handle with an array's elements. Raises MemoryError, TypeError, ValueError."""
        ...

    def download(self, handle: Any) -> Any:
        """A read-only NumPy array over a handle's memory, which it keeps alive."""
        ...
