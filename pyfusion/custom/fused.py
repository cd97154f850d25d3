# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations of a user's with a body of pyfusion's functions, recorded at each call."""

from __future__ import annotations

from typing import Any

from ..array import Array
from ..array.core import wrap
from ..array.creation import asarray
from ..errors import DTypeError, ShapeError
from ..ir.value import device_of
from ..passes.inline_bodies import bodies
from .ops import CustomOp
from .structure import Flat, arrays_in, rebuild, results_of


class FusedOp(CustomOp):
    """An operation whose body is made of pyfusion's functions: recorded at each call."""

    def __init__(self, *about: Any):
        super().__init__(*about)
        bodies[self.name] = self._inline

    def _inline(self, call: Any) -> Any:
        """The body in place of a call in IR; called by the pass, which no block leads to."""
        from .traced import inline

        return inline(self.name, self.body, call)

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        flat = self.flat(args, kwargs)
        ruled = not (self._shape is None and self._dtype is None and self._results is None)
        specs, tree = self.specs(flat) if ruled else ([], None)
        # New cells, so that `x += 1` in the body leaves the caller's arrays alone.
        given = self.run(self.body, flat.tree, [wrap(v) for v in flat.arrays], flat.scalars)
        if not ruled:
            return self._unruled(given, flat)
        found = [self._array(r, flat) for r in results_of(f"{self.name}: ", tree, given)]
        for number, (x, one) in enumerate(zip(found, specs, strict=True)):
            if (x.shape, x.dtype) != (one.shape, one.dtype):
                error = ShapeError if x.shape != one.shape else DTypeError
                which = f"result {number}" if len(found) > 1 else "the result"
                raise error(
                    f"{self.name}: {which} is {x.dtype.name}{list(x.shape)}, where the rule says "
                    f"{one.dtype.name}{list(one.shape)}"
                )
        return rebuild(tree, iter(found), iter(()))

    def _unruled(self, given: Any, flat: Flat) -> Any:
        """What the body gave, of which no rule says anything: arrays in any structure."""
        try:
            found = arrays_in(given, lambda item: self._array(item, flat))
        except RecursionError:
            raise ValueError(f"{self.name}: what the body gave holds itself") from None
        if not isinstance(found, Array) and not found:
            raise TypeError(f"{self.name}: the body gave {found!r}, not an array")
        return found

    def _array(self, result: Any, flat: Flat) -> Array:
        if isinstance(result, Array):
            return result
        device = device_of(flat.arrays[0]).name if flat.arrays else None
        try:
            return asarray(result, device=device)
        except (TypeError, ValueError) as error:
            raise TypeError(
                f"{self.name}: the body gave {result!r:.100}, not an array: {error}"
            ) from None
