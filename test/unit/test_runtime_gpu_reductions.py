# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the native run time passes to the GPU kernels of reductions, which an emulator runs."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
from gpu_emulator import SENTINEL, Emulator
from gpu_fakes import HOST, address, words
from native_kernels import dense, strided

from pyfusion.runtime import gpu_library as gpu
from pyfusion.runtime import library as rt


def reduce(api, memory, a, dims, *, b=None, inner=True, places=False, block=256, kept=None):
    """sum(a + b) + kept over the middle dims, a strided and b dense; returns calls and scratch."""
    nk1, nr, nk2 = dims
    axes = tuple(range(nk1, nk1 + nr))
    shape = a.shape[:nk1] + a.shape[nk1 + nr :]
    out = memory.array(shape, np.int64)
    out[...] = SENTINEL
    plain = memory.array(a.shape, np.int32) if b is None else b
    kept = memory.array(shape, np.int32) if kept is None else kept
    emulator = Emulator(
        memory, [gpu.Operand(rt.IN_STRIDED, a.itemsize, inner), gpu.Operand(rt.IN_DENSE, 4)], dims,
        api=api, kind=rt.COL if nk2 else rt.ROW, variants=["reduce", "finish"], block=block,
        finish=[gpu.Operand(rt.IN_STRIDED, 4), gpu.Operand(rt.OUT, 8)], places=places,
    )  # fmt: skip
    emulator.launch(a.shape, [strided(a), dense(plain)], [strided(kept), dense(out, rt.OUT)])
    np.testing.assert_array_equal(out, (a.astype(np.int64) + plain).sum(axes) + kept)
    assert emulator.written == out.size
    return emulator


def vectors(emulator):
    return bool(emulator.calls[0][2][-1])


CASES = {
    "rows": (lambda m: m.array((50, 24)), (1, 1, 0), True),
    "odd rows": (lambda m: m.array((50, 23)), (1, 1, 0), False),
    "one row": (lambda m: m.array((1, 40)), (1, 1, 0), True),
    "all": (lambda m: m.array((10, 40)), (0, 2, 0), True),
    "all, transposed": (lambda m: m.array((10, 40)).T, (0, 2, 0), False),
    "rows of a slice": (lambda m: m.array((20, 30))[::3, 4:16], (1, 1, 0), False),
    "rows of an aligned slice": (lambda m: m.array((20, 32))[::3, 4:16], (1, 1, 0), True),
    "rows with a step": (lambda m: m.array((20, 32))[:, ::2], (1, 1, 0), False),
    "rows backwards": (lambda m: m.array((20, 32))[:, ::-1], (1, 1, 0), False),
    "rows from the last": (lambda m: m.array((20, 32))[::-1], (1, 1, 0), True),
    "misaligned rows": (lambda m: m.array((20, 32), shift=1), (1, 1, 0), False),
    "long dims": (lambda m: m.array((2, 3, 4, 8)), (2, 2, 0), True),
    "uncollapsed": (lambda m: m.array((3, 2, 9, 8))[:, ::-1, ::2], (2, 2, 0), True),
    "columns": (lambda m: m.array((50, 24)), (0, 1, 1), True),
    "odd columns": (lambda m: m.array((50, 23)), (0, 1, 1), False),
    "many columns": (lambda m: m.array((7, 300)), (0, 1, 1), True),
    "middle": (lambda m: m.array((5, 9, 12)), (1, 1, 1), True),
    "middle of more": (lambda m: m.array((2, 3, 4, 5, 3, 4)), (2, 2, 2), True),
    "middle, permuted": (lambda m: m.array((4, 5, 6)).transpose(2, 0, 1), (1, 1, 1), False),
    "extents of one": (lambda m: m.array((1, 3, 1, 8, 1, 1)), (2, 2, 2), False),
    "no results' dims": (lambda m: m.array((1, 1)), (1, 1, 0), False),
}


@pytest.mark.parametrize("case", CASES)
def test_reductions(api, memory, case):
    make, dims, expected = CASES[case]
    emulator = reduce(api, memory, make(memory), dims)
    assert [name for name, *_ in emulator.calls] == ["reduce"]
    assert vectors(emulator) == expected and emulator.scratch_used == 0


@pytest.mark.parametrize("places", [False, True], ids=["", "places"])
def test_reductions_in_two_steps(api, memory, places):
    """A small block, so that there are many steps."""
    for shape, dims in [((3, 5000), (1, 1, 0)), ((3, 40, 125), (1, 2, 0)), ((7000, 6), (0, 1, 1))]:
        emulator = reduce(api, memory, memory.array(shape), dims, places=places, block=32)
        assert [name for name, *_ in emulator.calls] == ["reduce", "finish"]
        chunks, kept = emulator.calls[1][2][2], emulator.calls[1][2][0]
        partials = (chunks * kept * 8 + 255) // 256 * 256
        assert emulator.scratch_used == partials + places * chunks * kept * 8
        memory.used = 256


def test_kept_operands_in_any_order(api, memory):
    a = memory.array((6, 4000, 8))
    kept = memory.array((8, 12)).T[::2]
    emulator = reduce(api, memory, a, (1, 1, 1), kept=kept, block=32)
    assert len(emulator.calls) == 2
    reduce(api, memory, memory.array((6, 8, 40)), (2, 1, 0), kept=kept)


def test_operands_without_the_inner_dimension(api, memory):
    column = np.broadcast_to(memory.array((6, 1)), (6, 8))
    assert vectors(reduce(api, memory, column, (1, 1, 0), inner=False))
    assert not vectors(reduce(api, memory, column, (1, 1, 0)))
    assert vectors(reduce(api, memory, column, (0, 1, 1), inner=False))
    last = memory.array((6, 8, 1))  # what is the inner dimension now is not constant for it
    assert not vectors(reduce(api, memory, last, (1, 2, 0), inner=False))


def test_random_reductions(api, memory):
    rng = np.random.default_rng(11)
    for _ in range(60):
        dims = (int(rng.integers(0, 3)), int(rng.integers(1, 3)), int(rng.integers(0, 3)))
        rank = sum(dims)
        shape = tuple(int(n) for n in rng.choice([1, 2, 3, 4, 8, 20], rank))
        order = rng.permutation(rank) if rng.random() < 0.4 else np.arange(rank)
        base = memory.array([shape[d] for d in order], shift=int(rng.choice([0, 0, 1])))
        a = base.transpose(np.argsort(order))
        if rng.random() < 0.3:
            a = np.flip(a, int(rng.integers(rank)))
        reduce(api, memory, a, dims, block=int(rng.choice([32, 256])))
        memory.used = 256


def test_nothing_to_reduce_gives_identities(api, memory):
    for dims, shape in [((1, 1, 0), (5, 0)), ((1, 2, 1), (3, 0, 4, 2)), ((0, 1, 1), (0, 7))]:
        emulator = reduce(api, memory, memory.array(shape), dims)
        assert [name for name, *_ in emulator.calls] == ["reduce"]
        assert not vectors(emulator) and emulator.calls[0][2][-2] == 1


def test_no_results_launch_nothing(api, memory):
    for dims, shape in [((1, 1, 0), (0, 5)), ((0, 1, 1), (5, 0)), ((1, 1, 1), (0, 0, 3))]:
        assert reduce(api, memory, memory.array(shape), dims).calls == []


# --- the shape of the tree ------------------------------------------------------------------------


def pow2ceil(n):
    return 1 << max(n - 1, 0).bit_length()


def ceil(a, b):
    return -(-a // b)


def expected_tree(row, k1, r, k2, v):
    """log2T, chunk and chunks as the header has them."""
    if row:
        groups = ceil(r, v)
        t = min(max(pow2ceil(ceil(groups, 8)), 1), 256)
        blocks, steps, unit = ceil(k1, 256 // t), ceil(groups, t), t * v
    else:
        t = min(max(pow2ceil(ceil(k2, v)), 1), 32)
        blocks, unit = k1 * ceil(k2, t * v), 256 // t
        steps = ceil(r, unit)
    c = min(ceil(steps, 16), ceil(2048, blocks)) if blocks < 2048 and steps > 16 else 1
    c = max(c, ceil(steps, 64))
    chunk = ceil(steps, c) * unit
    return t.bit_length() - 1, chunk, max(1, ceil(r, chunk))


class Recorder:
    """Keeps the integers and the pointers of [IN_STRIDED; OUT, partials]."""

    def __init__(self, api, dims, vector=4, itemsize=4):
        self.calls, rank = [], sum(dims)
        row = dims[2] == 0

        def take(args, i):
            return ctypes.c_int64.from_address(args[i]).value

        def pointer(args, i):
            return (ctypes.c_int64 * 2).from_address(take(args, i))[1]

        def reduce(args):
            n = 1 + (9 if row else 13) + 3 * sum(max(d - 1, 0) for d in dims)
            values = [take(args, 1 + i) for i in range(n)]
            at = 1 + n
            self.calls.append(
                ("reduce", values, pointer(args, at), pointer(args, at + 1 + rank),
                 pointer(args, at + 2 + rank))
            )  # fmt: skip

        def finish(args):
            n = 5 + 3 * max(dims[0] + dims[2] - 1, 0)
            values = [take(args, 1 + i) for i in range(n)]
            self.calls.append(("finish", values, None, pointer(args, 1 + n), pointer(args, 2 + n)))

        self.hosts = [HOST(reduce), HOST(finish)]
        functions = {
            "reduce": gpu.Variant(address(self.hosts[0]), vector, 1, 256),
            "finish": gpu.Variant(address(self.hosts[1]), 1, 1, 256),
        }
        self.kernel = gpu.GpuKernel(
            "tree", functions, api=api, kind=rt.ROW if row else rt.COL, dims=dims, acc_itemsize=4,
            operands=[gpu.Operand(rt.IN_STRIDED, itemsize)],
            finish_operands=[gpu.Operand(rt.OUT, 4)],
        )  # fmt: skip

    def launch(self, extents, strides):
        packed = words(*extents, 1 << 40, *strides, 1 << 50)
        self.bytes = self.kernel.scratch(packed)
        self.kernel.launch(packed, scratch=1 << 52)
        return self.calls


@pytest.mark.parametrize("v", [1, 4, 8])
def test_the_shape_of_the_tree(api, v):
    rng = np.random.default_rng(v)
    shapes = [(1, 2**34, 1), (2**20, 3, 1), (1, 1, 1), (3, 2**20, 5), (1, 2**25, 2**12)]
    shapes += [tuple(int(2**x) for x in rng.uniform(0, 11, 3)) for _ in range(40)]
    for k1, r, k2 in shapes:
        row = Recorder(api, (1, 1, 0), v)
        (first, *rest) = row.launch((k1, r), (r, 1))
        log2t, chunk, chunks = expected_tree(True, k1, r, 1, v)
        grid, k, rr, got_t, rowblocks, _, _, *got = first[1][:9]
        assert (k, rr, got_t, got) == (k1, r, log2t, [chunk, chunks])
        assert rowblocks == ceil(k1, 256 >> log2t) and grid == chunks * rowblocks
        assert len(rest) == (chunks > 1) and first[4] == ((1 << 52) if chunks > 1 else 0)
        assert row.bytes == (ceil(chunks * k1 * 4, 256) * 256 if chunks > 1 else 0)
        if rest:
            log2tf = min(pow2ceil(ceil(chunks, 8)), 256).bit_length() - 1
            assert rest[0][1] == [ceil(k1, 256 >> log2tf), k1, r, chunks, log2tf]
        col = Recorder(api, (1, 1, 1), v)
        (first, *rest) = col.launch((k1, r, k2), (r * k2, k2, 1))
        log2t, chunk, chunks = expected_tree(False, k1, r, k2, v)
        colblocks = ceil(k2, v << log2t)
        values = first[1]
        assert values[:6] == [chunks * k1 * colblocks, k1, r, k2, log2t, colblocks]
        assert values[8] == k1 * colblocks and values[11:13] == [chunk, chunks]
        assert len(rest) == (chunks > 1)


def test_reductions_that_are_split(api):
    """2**33 rows of 8; K1 of 2**25 with few columns, too many blocks for HIP only."""
    calls = Recorder(api, (1, 1, 0)).launch((2**33, 8), (8, 1))
    most = min(2**31 - 1, (2**31 - 1) * 256 if api == "cuda" else (2**24 - 1) * 256)
    assert [c[1][1] for c in calls] == [most] * 4 + [4]
    assert [c[2] - (1 << 40) for c in calls] == [i * most * 8 * 4 for i in range(5)]
    assert [c[3] - (1 << 50) for c in calls] == [i * most * 4 for i in range(5)]
    calls = Recorder(api, (1, 1, 1)).launch((2**25, 3, 4), (12, 4, 1))
    most = 2**25 if api == "cuda" else 2**24 - 1
    assert [c[1][1] for c in calls] == ([2**25] if api == "cuda" else [most, most, 2])
    assert [c[3] - (1 << 50) for c in calls] == [i * most * 16 for i in range(len(calls))]


def test_a_split_in_two_steps_keeps_the_tree(api):
    """Rows of 2**20 in many chunks; each part has its two steps, on the same scratch memory."""
    recorder = Recorder(api, (2, 1, 0), vector=1)
    k = (5, 2**23)
    calls = recorder.launch((*k, 2**20), (0, 3, 1))
    log2t, chunk, chunks = expected_tree(True, k[0] * k[1], 2**20, 1, 1)
    assert chunks == 64 and log2t == 8
    most_blocks = (2**31 if api == "cuda" else 2**24) - 1
    step = most_blocks // chunks
    names = [c[0] for c in calls]
    assert names == ["reduce", "finish"] * (len(calls) // 2)
    assert sum(c[1][1] for c in calls[::2]) == k[0] * k[1]
    assert max(c[1][1] for c in calls[::2]) <= step
    assert {(c[1][7], c[1][8]) for c in calls[::2]} == {(chunk, chunks)}
    assert recorder.bytes >= chunks * max(c[1][1] for c in calls[::2]) * 4
    done = 0
    for first, second in zip(calls[::2], calls[1::2], strict=True):
        assert first[3] == second[3] == (1 << 50) + 4 * done
        assert first[4] == second[4] == 1 << 52
        done += first[1][1]


def test_reductions_that_are_too_large(api):
    cases = [
        ((1, 2, 0), (4, 2**16, 2**15), (0, 2**20, 1)),
        ((0, 1, 1), (4, 2**31), (2**31, 1)),
    ]
    for dims, extents, strides in cases:
        recorder = Recorder(api, dims)
        with pytest.raises(gpu.ExecutionError, match="tree: a reduction .* is too large"):
            recorder.launch(extents, strides)
        assert recorder.calls == []
    with pytest.raises(gpu.ExecutionError, match="tree: no scratch memory"):
        Recorder(api, (1, 1, 0)).kernel.launch(words(1, 2**24, 4096, 0, 1, 4096))
