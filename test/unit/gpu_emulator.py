# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels as `pyfusion_gpu.h` describes them, run element by element on host memory.

A host function of `Emulator` computes the sum of its inputs (and of the linear index, for a kernel
with an iota) from nothing but its arguments, and checks what they promise. Reductions add the sums
of the range operands; their finish part adds its operands to the result.
"""

from __future__ import annotations

import ctypes
import itertools

import numpy as np
from gpu_fakes import HOST, address, words
from native_kernels import Operand

from pyfusion.runtime import gpu_library as gpu
from pyfusion.runtime import library as rt

DTYPES = {4: np.dtype("i4"), 8: np.dtype("i8"), 2: np.dtype("i2"), 1: np.dtype("i1")}
SENTINEL = -77


class Memory:
    """One block that stands for the memory of a device."""

    def __init__(self, size: int = 1 << 23):
        raw = np.zeros(size + 256, np.uint8)
        self.bytes = raw[-raw.ctypes.data % 256 :][:size]
        self.base, self.used = self.bytes.ctypes.data, 256

    def array(self, shape, dtype=np.int32, shift: int = 0) -> np.ndarray:
        """A dense array of random numbers; shift: elements past a multiple of 256 bytes."""
        dtype = np.dtype(dtype)
        count = int(np.prod(shape))
        begin = self.used + shift * dtype.itemsize
        self.used = (begin + count * dtype.itemsize + 511) // 256 * 256
        flat = self.bytes[begin:][: count * dtype.itemsize].view(dtype)
        flat[:] = np.random.default_rng(count).integers(0, 50, count)
        return flat.reshape(shape)

    def at(self, pointer: int, offsets: np.ndarray, itemsize: int) -> np.ndarray:
        """Index of elements in `bytes` seen as elements of that size."""
        start, rest = divmod(pointer - self.base, itemsize)
        assert rest == 0 and pointer > self.base
        index = start + offsets
        assert index.size == 0 or (
            index.min() >= 256 // itemsize and index.max() * itemsize < self.used
        )
        return index

    def read(self, pointer: int, offsets: np.ndarray, itemsize: int) -> np.ndarray:
        whole = self.bytes.view(DTYPES[itemsize])
        return whole[self.at(pointer, offsets, itemsize)].astype(np.int64)

    def write(self, pointer: int, offsets: np.ndarray, itemsize: int, values: np.ndarray) -> None:
        whole = self.bytes.view(DTYPES[itemsize])
        whole[self.at(pointer, offsets, itemsize)] = values


class Div:
    def __init__(self, d: int, magic: int, shift: int):
        self.d, self.magic, self.shift = d, magic, shift
        assert 1 <= d < 2**31 and 0 <= magic < 2**32

    def mod(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        x = x.astype(np.uint64)
        high = (x * np.uint64(self.magic)) >> np.uint64(32)
        q = ((high + x) & np.uint64(0xFFFFFFFF)) >> np.uint64(self.shift)
        q = q.astype(np.int64)
        np.testing.assert_array_equal(q, x.astype(np.int64) // self.d)
        return q, x.astype(np.int64) - q * self.d


class Reader:
    """The packed arguments of one call."""

    def __init__(self, args):
        self.args, self.i = args, 0

    def integer(self) -> int:
        self.i += 1
        return ctypes.c_int64.from_address(self.args[self.i - 1]).value

    def integers(self, n: int) -> list[int]:
        return [self.integer() for _ in range(n)]

    def divs(self, n: int) -> list[Div]:
        return [Div(*self.integers(3)) for _ in range(n)]

    def memref(self) -> int:
        self.i += 1
        descriptor = ctypes.c_int64.from_address(self.args[self.i - 1]).value
        allocated, aligned, offset, size, stride = (ctypes.c_int64 * 5).from_address(descriptor)
        assert (allocated, offset, stride) == (aligned, 0, 1) and size >= 0
        return aligned


def decode(x: np.ndarray, divs: list[Div], rank: int) -> list[np.ndarray]:
    """Indices of rank dimensions, outermost first."""
    found = []
    for div in reversed(divs):
        x, rest = div.mod(x)
        found.append(rest)
    return [x, *reversed(found)] if rank else []


class Emulator:
    """A kernel whose host functions run here. `calls` has (variant, grid, integers) of each."""

    def __init__(
        self, memory: Memory, operands: list[gpu.Operand], rank: int | tuple[int, int, int],
        *, api="cuda", kind=rt.ELEMENTWISE, finish=(), variants=("rows", "strided", "tile"),
        vector=4, unroll=2, block=256, iota=False, places=False,
    ):  # fmt: skip
        self.memory, self.operands, self.finish = memory, operands, list(finish)
        self.dims = (rank, 0, 0) if isinstance(rank, int) else rank
        self.kind, self.iota, self.places = kind, iota, places
        self.vector, self.unroll, self.block = vector, unroll, block
        self.calls: list[tuple[str, int, list[int]]] = []
        self.failures: list[BaseException] = []
        self.written = 0
        self.hosts = {name: HOST(self._guard(name)) for name in variants}
        functions = {
            name: gpu.Variant(address(host), vector, 32 if name == "tile" else unroll, block)
            for name, host in self.hosts.items()
        }
        self.kernel = gpu.GpuKernel(
            "emulated", functions, api=api, kind=kind + (rt.PLACES if places else 0),
            dims=self.dims, operands=operands, finish_operands=self.finish,
            acc_itemsize=8 if kind else 0, iota=iota,
        )  # fmt: skip

    def _guard(self, name: str):
        def host(args):
            try:
                getattr(self, f"_{name}")(Reader(args))
            except BaseException as error:
                self.failures.append(error)

        return host

    def launch(self, extents, operands: list[Operand], finish: list[Operand] = ()) -> None:
        values = itertools.chain(extents, *(o.words for o in [*operands, *finish]))
        packed = words(*values)
        size = self.kernel.scratch(packed)
        scratch = self.memory.array(max(size, 1), np.int8).ctypes.data
        assert scratch % 256 == 0
        self.scratch_used = size
        self.scratch_end = scratch + size
        self.kernel.launch(packed, stream=0x5EED, scratch=scratch if size else 0)
        if self.failures:
            raise self.failures[0]

    # --- operands ---------------------------------------------------------------------------------

    def _take(self, reader: Reader, operands, n_strides: int) -> list:
        found = []
        for role, itemsize, inner in operands:
            if role == rt.SCALAR:
                found.append((role, itemsize, inner, reader.integer(), []))
                continue
            pointer = reader.memref()
            strides = reader.integers(n_strides) if role == rt.IN_STRIDED else []
            found.append((role, itemsize, inner, pointer, strides))
        return found

    def _sum(
        self, taken: list, linear: np.ndarray, index: list, inner_at: int | None
    ) -> np.ndarray:
        """Of the inputs. inner_at: the index of that dimension comes in vectors."""
        total = np.zeros(linear.shape, np.int64)
        for role, itemsize, inner, pointer, strides in taken:
            if role == rt.SCALAR:
                total += pointer
            elif role == rt.UNIFORM:
                total += self.memory.read(pointer, np.zeros_like(linear), itemsize)
            elif role in (rt.IN_DENSE, rt.INOUT):
                if inner_at is not None:
                    assert pointer % (self.vector * itemsize) == 0
                total += self.memory.read(pointer, linear, itemsize)
            elif role == rt.IN_STRIDED:
                if inner_at is None:
                    offsets = sum((i * s for i, s in zip(index, strides, strict=True)), 0 * linear)
                else:
                    offsets = self._in_vectors(itemsize, inner, pointer, strides, index, inner_at)
                total += self.memory.read(pointer, offsets, itemsize)
        return total

    def _in_vectors(self, itemsize, inner, pointer, strides, index, inner_at):
        first = index[inner_at] // self.vector * self.vector
        start = sum(
            i * s for d, (i, s) in enumerate(zip(index, strides, strict=True)) if d != inner_at
        )
        if not inner:
            return start + 0 * first  # its stride there is not looked at
        start = start + first
        assert np.all((pointer + start * itemsize) % (self.vector * itemsize) == 0)
        return start + index[inner_at] - first

    def _put(self, taken: list, linear: np.ndarray, values: np.ndarray) -> None:
        self.written += linear.size
        for role, itemsize, _, pointer, _ in taken:
            if role in (rt.OUT, rt.INOUT):
                self.memory.write(pointer, linear, itemsize, values)

    def _begin(self, name: str, reader: Reader, n: int) -> tuple[int, list[int]]:
        assert reader.integer() == 0x5EED
        grid = reader.integer()
        values = reader.integers(n)
        self.calls.append((name, grid, values))
        return grid, values

    # --- element-wise -----------------------------------------------------------------------------

    def _flat(self, reader: Reader) -> None:
        grid, (n, aligned) = self._begin("flat", reader, 2)
        assert grid == -(-n // (self.block * self.vector * self.unroll))
        taken = self._take(reader, self.operands, 0)
        pointers = [(t[3], t[1]) for t in taken if t[0] not in (rt.UNIFORM, rt.SCALAR)]
        assert aligned == all(p % (self.vector * size) == 0 for p, size in pointers)
        linear = np.arange(n)
        self._put(taken, linear, self._sum(taken, linear, [], None) + linear * self.iota)

    def _counted(self, name: str, reader: Reader, vector: int) -> None:
        rank = self.dims[0]
        grid, (total,) = self._begin(name, reader, 1)
        assert 0 < total < 2**31 and grid == -(-total // (self.block * self.unroll))
        divs = reader.divs(max(rank - 1, 0))
        first = reader.integer() if self.iota else 0
        taken = self._take(reader, self.operands, rank)
        groups, lanes = np.meshgrid(np.arange(total), np.arange(vector), indexing="ij")
        groups, lanes = groups.ravel(), lanes.ravel()
        index = decode(groups, divs, rank)
        if rank:
            index[-1] = index[-1] * vector + lanes
        linear = groups * vector + lanes
        in_vectors = rank - 1 if name == "rows" and rank else None
        values = self._sum(taken, linear, index, in_vectors)
        self._put(taken, linear, values + (first + linear) * self.iota)

    def _rows(self, reader: Reader) -> None:
        self._counted("rows", reader, self.vector)

    def _strided(self, reader: Reader) -> None:
        self._counted("strided", reader, 1)

    def _tile(self, reader: Reader) -> None:
        rank = self.dims[0]
        grid, (ea, eb) = self._begin("tile", reader, 2)
        div_a, div_b = reader.divs(2)
        divs = reader.divs(max(rank - 3, 0))
        lin = reader.integers(rank - 1)
        mask = reader.integer()
        mirror = reader.integer()
        first = reader.integer() if self.iota else 0
        self.calls[-1][2].append(mask)
        taken = self._take(reader, self.operands, rank)
        varying = [t for t in taken if t[0] == rt.IN_STRIDED and t[2]]
        for k, (*_, strides) in enumerate(varying):
            if mask >> k & 1:
                assert strides[-2] == 1 and strides[-1] != 1
        assert mask and mask >> len(varying) == 0
        blocks, b, a = np.meshgrid(np.arange(grid), np.arange(32), np.arange(32), indexing="ij")
        rest, ta = div_a.mod(blocks.ravel() >> mirror)
        batch, tb = div_b.mod(rest)
        if mirror:
            beyond, last = ta > tb, 2 * div_b.d - 1
            i = np.where(beyond, last - tb, tb)
            j = np.where(beyond, ta - tb - 1, ta)
            odd = blocks.ravel() & 1 == 1
            ta, tb = np.where(odd, i, j), np.where(odd, j, i)
            twice = odd & (i == j)  # a square of the diagonal is computed once
        a, b = ta * 32 + a.ravel(), tb * 32 + b.ravel()
        valid = (a < ea) & (b < eb)
        if mirror:
            valid &= ~twice
        index = [i[valid] for i in [*decode(batch, divs, rank - 2), b, a]]
        linear = index[-1] + sum(i * s for i, s in zip(index[:-1], lin, strict=True))
        self._put(
            taken, linear, self._sum(taken, linear, index, None) + (first + linear) * self.iota
        )

    # --- reductions -------------------------------------------------------------------------------

    def _partials(self, reader: Reader, chunks: int, k: int) -> tuple[int, int]:
        partials = reader.memref()
        places = reader.memref() if self.places else 0
        if chunks == 1:
            assert partials == places == 0
        else:
            end = places + chunks * k * 8 if places else partials + chunks * k * 8
            assert partials % 256 == places % 256 == 0 and end <= self.scratch_end
        return partials, places

    def _reduce(self, reader: Reader) -> None:
        row = self.kind == rt.ROW
        nk1, nr, nk2 = self.dims
        grid, sizes = self._begin("reduce", reader, 3 if row else 4)
        (k1, r, k2), log2t = ((*sizes[:2], 1), sizes[2]) if row else (sizes[:3], sizes[3])
        threads = 1 << log2t
        lanes = self.block // threads
        in_blocks = reader.divs(1 if row else 2)
        chunk, chunks, vectors = reader.integers(3)
        self.calls[-1][2].extend([chunk, chunks, vectors])
        lead, reduced, trail = (reader.divs(max(n - 1, 0)) for n in self.dims)
        taken = self._take(reader, self.operands, nk1 + nr + nk2)
        finish = self._take(reader, self.finish, nk1 + nk2)
        partials, places = self._partials(reader, chunks, k1 * k2)
        assert chunk % (threads * self.vector if row else lanes) == 0
        assert chunks == max(1, -(-r // chunk))
        blocks = in_blocks[-1].d
        assert (
            blocks == (-(-k1 // lanes) if row else k1 * in_blocks[0].d) and grid == chunks * blocks
        )
        for block in range(grid):
            c, b = (int(x[0]) for x in in_blocks[-1].mod(np.array([block])))
            if row:
                ks1, ks2 = np.arange(b * lanes, min((b + 1) * lanes, k1)), np.array([0])
            else:
                ks, columns = (int(x[0]) for x in in_blocks[0].mod(np.array([b])))
                width = threads * self.vector
                ks1 = np.array([ks])
                ks2 = np.arange(columns * width, min((columns + 1) * width, k2))
            rs = np.arange(c * chunk, min((c + 1) * chunk, r))
            i, j, k = (x.ravel() for x in np.meshgrid(ks1, rs, ks2, indexing="ij"))
            index = decode(i, lead, nk1) + decode(j, reduced, nr) + decode(k, trail, nk2)
            inner_at = (nk1 + nr - 1 if row else nk1 + nr + nk2 - 1) if vectors else None
            values = self._sum(taken, (i * r + j) * k2 + k, index, inner_at)
            sums = values.reshape(len(ks1), len(rs), len(ks2)).sum(1).ravel()
            at = (ks1[:, None] * k2 + ks2).ravel()
            if chunks == 1:
                i, k = (x.ravel() for x in np.meshgrid(ks1, ks2, indexing="ij"))
                index = decode(i, lead, nk1) + decode(k, trail, nk2)
                self._put(finish, at, sums + self._sum(finish, at, index, None))
            else:
                self.memory.write(partials, c * k1 * k2 + at, 8, sums)
                if places:
                    self.memory.write(places, c * k1 * k2 + at, 8, c * chunk)

    def _finish(self, reader: Reader) -> None:
        nk = self.dims[0] + self.dims[2]
        grid, (k, _, chunks, log2t) = self._begin("finish", reader, 4)
        assert chunks > 1 and grid == -(-k // (self.block >> log2t))
        divs = reader.divs(max(nk - 1, 0))
        taken = self._take(reader, self.finish, nk)
        partials, places = self._partials(reader, chunks, k)
        at = np.arange(k)
        sums = np.zeros(k, np.int64)
        for c in range(chunks):
            sums += self.memory.read(partials, c * k + at, 8)
            if places:
                starts = self.memory.read(places, c * k + at, 8)
                assert np.all(starts == starts[0]) and (starts[0] > 0) == (c > 0)
        self._put(taken, at, sums + self._sum(taken, at, decode(at, divs, nk), None))
