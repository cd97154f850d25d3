# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hand-written kernels and launches of them, for the tests of the native run time."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
import shutil
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from pyfusion.runtime import library as rt

C_TYPES = {
    "u1": "uint8_t",
    "u2": "uint16_t",
    "u4": "uint32_t",
    "u8": "uint64_t",
    "f4": "float",
    "f8": "double",
}


@functools.cache
def kernels() -> ctypes.CDLL:
    """The compiled kernels; the test is skipped where there is no C compiler."""
    compiler = os.environ.get("CC") or shutil.which("cc") or shutil.which("gcc")
    if not compiler:
        pytest.skip("needs a C compiler")
    source = Path(__file__).with_name("native_kernels.c")
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder, "kernels.so")
        flags = ["-O2", "-ffp-contract=off", "-shared", "-fPIC"]
        subprocess.run([compiler, *flags, str(source), "-o", str(target)], check=True)
        return ctypes.CDLL(str(target))


def address(name: str, dtype: np.dtype | None = None) -> int:
    full = name if dtype is None else f"{name}_{C_TYPES[dtype.str[1:]]}"
    return ctypes.cast(getattr(kernels(), full), ctypes.c_void_p).value


def abi_errors() -> int:
    return ctypes.c_int64.in_dll(kernels(), "abi_errors").value


class Operand:
    """A role, and the words of one launch."""

    def __init__(self, role: int, itemsize: int, words: list[int]):
        self.role, self.itemsize, self.words = role, itemsize, words


def strided(array: np.ndarray) -> Operand:
    item = array.itemsize
    strides = [s // item for s in array.strides]
    return Operand(rt.IN_STRIDED, item, [array.ctypes.data, *strides])


def dense(array: np.ndarray, role: int = rt.IN_DENSE) -> Operand:
    assert array.flags.c_contiguous
    return Operand(role, array.itemsize, [array.ctypes.data])


def output(dtype: np.dtype) -> Operand:
    return Operand(rt.OUT, dtype.itemsize, [0])


def uniform(array: np.ndarray) -> Operand:
    return Operand(rt.UNIFORM, array.itemsize, [array.ctypes.data])


def scalar(value: np.generic) -> Operand:
    bits = int.from_bytes(value.tobytes(), "little")
    return Operand(rt.SCALAR, value.dtype.itemsize, [bits - (bits >> 63 << 64)])


def launch(
    range_fn: int,
    extents: tuple[int, ...],
    operands: list[Operand],
    *,
    kind: int = rt.ELEMENTWISE,
    dims: tuple[int, int, int] | None = None,
    finish_fn: int = 0,
    finish: list[Operand] = (),
    acc_itemsize: int = 0,
    cost: int = 0,
) -> tuple[int, list[int]]:
    """Launches once. Returns the code and the pointers of the outputs."""
    lib = rt.load()
    handle = lib.kernel(
        range_fn,
        finish_fn,
        kind=kind,
        dims=dims or (len(extents), 0, 0),
        operands=[(o.role, o.itemsize) for o in operands],
        finish_operands=[(o.role, o.itemsize) for o in finish],
        acc_itemsize=acc_itemsize,
        cost=cost,
    )
    values = list(extents)
    outs = []
    for operand in [*operands, *finish]:
        if operand.role == rt.OUT:
            outs.append(len(values))
        values += operand.words
    words = (ctypes.c_int64 * max(len(values), 1))(*values)
    code = lib.pf_launch(handle, words)
    assert lib.pf_kernel_destroy(handle) == rt.OK
    return code, [words[i] for i in outs]


def take(pointer: int, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """A copy of an output, whose buffer goes back to the pool."""
    count = int(np.prod(shape))
    data = ctypes.string_at(pointer, count * dtype.itemsize)
    assert pointer % 64 == 0
    assert rt.load().pf_free(pointer) == rt.OK
    return np.frombuffer(data, dtype).reshape(shape)


def random_array(rng: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """A dense array with small integers, so that sums of products are exact in any type."""
    return rng.integers(0, 3 if dtype.kind == "f" else 100, shape).astype(dtype)


def random_view(rng: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """An array of that shape, its dimensions permuted, stepped, flipped and broadcast at random."""
    rank = len(shape)
    order = rng.permutation(rank) if rng.random() < 0.6 else np.arange(rank)
    steps = np.where(rng.random(rank) < 0.7, 1, rng.integers(2, 4, rank))
    fixed = rng.random(rank) < rng.choice([0, 0, 0.3, 0.6])
    base_shape = [1 if fixed[d] else shape[d] * steps[d] for d in order]
    view = random_array(rng, tuple(base_shape), dtype).transpose(np.argsort(order))
    index = []
    for d in range(rank):
        step = 1 if fixed[d] else int(steps[d])
        index.append(slice(None, None, -step if rng.random() < 0.2 else step))
    return np.broadcast_to(view[tuple(index)], shape)


@contextlib.contextmanager
def fresh_library() -> Iterator[rt.Library]:
    """The library with no kept blocks; what a test sets is put back."""
    lib = rt.load()
    lib.pf_trim()
    limit, capacity = lib.pf_pool_limit(-1), lib.pf_pool_capacity(-1)
    yield lib
    lib.pf_pool_limit(limit)
    lib.pf_pool_capacity(capacity)
    lib.pf_set_threads(0)
    lib.pf_trim()


def in_child(code: str, **environment: str) -> str:
    """The output of a Python process, which must end well and leave stderr empty."""
    folder = str(Path(__file__).parent)
    prelude = f"import sys; sys.path.insert(0, {folder!r})\n"
    done = subprocess.run(
        [sys.executable, "-c", prelude + textwrap.dedent(code)],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.strip()
