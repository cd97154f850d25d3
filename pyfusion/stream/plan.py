# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How the blocks of one key are run."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..fusers import NoOp
from .on_backend import OnBackend

# Executables of one part: its key differs between blocks of one plan only where an earlier part
# leaves a result in another layout.
MAX_LAYOUTS = 8


class Part:
    """Some operations of a block that run as a block of their own, when their turn comes.

    Attributes:
        positions: of the operations, in the order in which they run.
        fuser: what makes the executable when the part is first run; None for one that is given.
        known: plans of the part, by its own key.
        dead: nothing needs its results; it is not run.
    """

    __slots__ = ("positions", "fuser", "known", "dead", "_given")

    def __init__(self, positions: tuple[int, ...], fuser: Any = None, optimization: Any = None):
        self.positions = positions
        self.fuser = fuser
        self.known: dict[tuple, Plan] = {}
        self.dead = isinstance(optimization, NoOp)
        self._given = None if optimization is None else Plan(optimization)

    @property
    def name(self) -> str:
        return self.fuser.name if self._given is None else self._given.optimization.name

    def get(self, key: tuple) -> Plan | None:
        return self.known.get(key, self._given)

    def put(self, key: tuple, plan: Plan) -> None:
        while len(self.known) >= MAX_LAYOUTS:
            del self.known[next(iter(self.known))]
        self.known[key] = plan


class Plan:
    """How to run the blocks of one key.

    Either `optimization` covers the whole block, or `parts` run one after the other: their
    positions together are a permutation of those of the block.
    """

    __slots__ = ("optimization", "parts")

    def __init__(self, optimization: Any = None, parts: Iterable[Part] | None = None):
        self.optimization = optimization
        self.parts = None if parts is None else tuple(parts)

    def optimizations(self) -> list[Any]:
        """The executables made so far."""
        if self.parts is None:
            return [self.optimization]
        return [plan.optimization for part in self.parts for plan in part.known.values()]

    def uses(self, fuser: str) -> bool:
        """Whether a fuser made it or has a part in it; one that failed may be any fuser's."""
        if self.parts is None:
            of_any = isinstance(self.optimization, OnBackend)
            return of_any or getattr(self.optimization, "name", None) == fuser
        return any(part.fuser is not None and part.fuser.name == fuser for part in self.parts)

    def describe(self) -> str:
        if self.parts is not None:
            counts: dict[str, int] = {}
            for part in self.parts:
                counts[part.name] = counts.get(part.name, 0) + len(part.positions)
            what = ", ".join(f"{name} {count} ops" for name, count in counts.items())
            return f"cut into {len(self.parts)} parts: {what}"
        return self.optimization.describe()
