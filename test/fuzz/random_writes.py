# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs that write to arrays and their views, run on pyfusion and on NumPy."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

import pyfusion as pf

DTYPES = ("float32", "float64", "int32", "uint8", "bool", "int64", "float16", "complex64")
_EXTENTS = (1, 2, 3, 5, 8)


def _slice(r: random.Random, n: int) -> Any:
    kind = r.randrange(5)
    if kind == 1:
        return r.randrange(-n, n)
    if kind == 2:
        return slice(r.randrange(-n - 1, n + 2), r.randrange(-n - 1, n + 2))
    if kind == 3:
        return slice(None, None, r.choice([-1, 2, -2, 3]))
    if kind == 4:
        return slice(r.choice([None, r.randrange(-n - 1, n + 2)]), None, r.choice([1, 2, -1]))
    return slice(None)


def _key(r: random.Random, shape: tuple[int, ...]) -> tuple:
    """A basic index, with `...` so that NumPy gives an array."""
    key = [_slice(r, n) if n else slice(None) for n in shape]
    if r.random() < 0.3:
        key = key[: r.randrange(len(key) + 1)]
    if r.random() < 0.2:
        key.insert(r.randrange(len(key) + 1), None)
    return (*key, ...)


def _view(r: random.Random, x: pf.Array, n: np.ndarray) -> tuple[pf.Array, np.ndarray]:
    kind = r.randrange(5)
    if kind == 0:
        key = _key(r, n.shape)
        return x[key], n[key]
    if kind == 1:
        axes = list(range(n.ndim))
        r.shuffle(axes)
        return pf.permute_dims(x, tuple(axes)), n.transpose(axes)
    if kind == 2 and n.ndim:
        axis = r.randrange(n.ndim)
        return pf.flip(x, axis=axis), np.flip(n, axis)
    if kind == 3:
        return pf.expand_dims(x, axis=0), np.expand_dims(n, 0)
    flat = n.reshape(-1)
    if n.size and np.shares_memory(flat, n):
        return x.reshape(-1), flat
    return x[...], n[...]


def _changed(a: Any, dtype: np.dtype) -> Any:
    return ~a if dtype.kind == "b" else a * 2


class Program:
    """Cells that may share memory, and their counterparts in NumPy."""

    def __init__(self, seed: int):
        self.random = r = random.Random(seed)
        shape = tuple(r.choice(_EXTENTS) for _ in range(r.choice([1, 2, 2, 3])))
        n = np.random.default_rng(seed).integers(0, 100, shape).astype(r.choice(DTYPES))
        self.cells = [(pf.asarray(n.copy()), n)]

    def step(self) -> None:
        """One view, drop, write or read."""
        r = self.random
        kind = r.randrange(9)
        x, n = r.choice(self.cells)
        if kind < 2:
            if len(self.cells) < 6:
                self.cells.append(_view(r, x, n))
        elif kind == 2:
            if len(self.cells) > 1:
                del self.cells[r.randrange(len(self.cells))]
        elif kind == 3:
            key, value = _key(r, n.shape), r.choice([0, 1, 7])
            x[key], n[key] = value, value
        elif kind == 4:
            key, (y, m) = _key(r, n.shape), r.choice(self.cells)
            if self.fits(n, key, m):
                n[key], x[key] = _changed(m, n.dtype), _changed(y, n.dtype)
        elif kind == 5 and n.dtype.kind != "b":
            key = _key(r, n.shape)
            n[key] += 1
            x[key] += 1
        elif kind == 6:
            (y, m), key = r.choice(self.cells), _key(r, n.shape)
            other = _key(r, m.shape)
            if self.fits(n, key, m[other]):
                n[key], x[key] = m[other], y[other]
        elif kind == 7:
            some = n.ndim > 1 and n.shape[-1] and r.random() < 0.5
            chosen = n[..., 0] != 1 if some else n != 1
            if chosen.shape == n.shape[: chosen.ndim]:
                x[pf.asarray(chosen)], n[chosen] = 3, 3
        elif n.ndim and n.shape[0]:
            places = [r.randrange(-n.shape[0], n.shape[0]) for _ in range(3)]
            x[places], n[places] = 5, 5
        if r.random() < 0.1:
            self.check()

    @staticmethod
    def fits(n: np.ndarray, key: tuple, value: np.ndarray) -> bool:
        try:
            n.copy()[key] = value
        except ValueError:
            return False
        return True

    def check(self) -> None:
        for number, (x, n) in enumerate(self.cells):
            np.testing.assert_array_equal(np.asarray(x), n, err_msg=f"cell {number}")


def run(seed: int, steps: int = 14) -> None:
    """Runs the program of a seed. Raises AssertionError: a cell differs."""
    program = Program(seed)
    for _ in range(steps):
        program.step()
    program.check()
