# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Keys and draw numbers, and the generators that functions of the module draw from.

A generator is a key of 64 bits, made of a seed by NumPy's `SeedSequence`, and the number of its
next draw. Draws are numbered in the order of the program, whatever is fused, run or dropped later.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.random import SeedSequence

from ..passes.threefry import Numbers, threefry

if TYPE_CHECKING:
    from .generator import Generator

_EPOCH = 1 << 32  # draws that have one key
_PERIOD = 1 << 96  # draws

_lock = threading.RLock()  # guards the numbers of all generators, and what is below


class State:
    """A key, and the number of the next draw.

    Attributes:
        seeds: what the key was made of, and those of its children are; None where the key was set.
        key: its two words.
        number: of the next draw, less than 2^96.
    """

    __slots__ = ("seeds", "key", "number", "_epoch", "_epoch_key")

    def __init__(self, seeds: SeedSequence | None, key: tuple[int, int], number: int = 0):
        self.seeds = seeds
        self.key = key
        self.number = number
        self._epoch = -1
        self._epoch_key = key

    @classmethod
    def of(cls, seeds: SeedSequence) -> State:
        first, second = seeds.generate_state(2, np.uint32).tolist()
        return cls(seeds, (first, second))

    def take(self, count: int) -> tuple[tuple[int, int], int]:
        """Takes draw numbers, all with one key; gives the key and the first one, modulo 2^32."""
        with _lock:
            epoch, first = divmod(self.number, _EPOCH)
            if first + count > _EPOCH:
                epoch, first = epoch + 1, 0
            self.number = (epoch * _EPOCH + first + count) % _PERIOD
            if epoch != self._epoch:
                self._epoch_key = self._key_of(epoch)
                self._epoch = epoch
            return self._epoch_key, first

    def _key_of(self, epoch: int) -> tuple[int, int]:
        """The key of 2^32 draws: that of the first ones is the state's own."""
        if epoch == 0:
            return self.key
        inverted = ~self.key[0] & 0xFFFFFFFF, ~self.key[1] & 0xFFFFFFFF
        return threefry(Numbers(), inverted, (epoch & 0xFFFFFFFF, epoch >> 32))

    def advance(self, delta: int) -> None:
        """Leaves out draws; a negative number goes back."""
        with _lock:
            self.number = (self.number + delta) % _PERIOD

    def copy(self) -> State:
        with _lock:
            return State(self.seeds, self.key, self.number)


# --- The generators of the module -----------------------------------------------------------------


class _Default:
    """What the default generators of threads are made of.

    Attributes:
        seeds: what they are children of; None before the first one.
        version: grows when they are to be made anew.
        child: what a forked process goes on with.
    """

    seeds: SeedSequence | None = None
    version = 0
    child: SeedSequence | None = None


_thread = threading.local()


def default(make: Callable[[State], Generator]) -> Generator:
    """The default generator of this thread."""
    if getattr(_thread, "version", -1) != _Default.version:
        with _lock:
            if _Default.seeds is None:
                _Default.seeds = SeedSequence()
            version = _Default.version
            (own,) = _Default.seeds.spawn(1)
        _thread.generator = make(State.of(own))
        _thread.version = version
    return _thread.generator


def set_default(generator: Generator, seeds: SeedSequence) -> None:
    """Makes a generator this thread's default, and has those of other threads be children of its
    seeds, as those that it spawns are."""
    with _lock:
        _Default.seeds = seeds
        _Default.version += 1
        _thread.version = _Default.version
    _thread.generator = generator


def _before_fork() -> None:
    """Takes seeds for the child, so that it does not repeat what this process draws."""
    _lock.acquire()
    if _Default.seeds is not None:
        (_Default.child,) = _Default.seeds.spawn(1)


def _after_fork_in_parent() -> None:
    _lock.release()


def _after_fork_in_child() -> None:
    global _lock
    _lock = threading.RLock()
    if _Default.child is not None:
        _Default.seeds = _Default.child
        _Default.version += 1


os.register_at_fork(
    before=_before_fork,
    after_in_parent=_after_fork_in_parent,
    after_in_child=_after_fork_in_child,
)
