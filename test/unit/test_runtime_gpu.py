# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the native run time passes to element-wise GPU kernels, which an emulator runs."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
from gpu_emulator import SENTINEL, Emulator
from gpu_fakes import HOST, address, words
from native_kernels import Operand, dense, scalar, strided, uniform

from pyfusion.runtime import gpu_library as gpu
from pyfusion.runtime import library as rt


def out_of(memory, shape, dtype=np.int32, shift=0):
    out = memory.array(shape, dtype, shift)
    out[...] = SENTINEL
    return out, dense(out, rt.OUT)


def elementwise(api, memory, arrays, *, inner=None, iota=False, shift=0, variants=None, vector=4):
    """The sum of strided arrays of one shape, and one dense; returns the variants that ran."""
    shape = arrays[0].shape
    plain = memory.array(shape, np.int32)
    out, out_words = out_of(memory, shape, shift=shift)
    inner = inner or [True] * len(arrays)
    specs = [gpu.Operand(rt.IN_STRIDED, a.itemsize, i) for a, i in zip(arrays, inner, strict=True)]
    specs += [gpu.Operand(rt.IN_DENSE, 4), gpu.Operand(rt.OUT, 4)]
    names = variants or (["rows", "strided", "tile"] if len(shape) > 1 else ["rows", "strided"])
    emulator = Emulator(
        memory, specs, len(shape), api=api, variants=names, iota=iota, vector=vector
    )
    emulator.launch(shape, [*(strided(a) for a in arrays), dense(plain), out_words])
    expected = sum(a.astype(np.int64) for a in arrays) + plain
    if iota:
        expected = expected + np.arange(out.size).reshape(shape)
    np.testing.assert_array_equal(out, expected)
    assert emulator.written == out.size
    return emulator.calls


def names_of(calls):
    return [name for name, *_ in calls]


@pytest.mark.parametrize(("n", "shift"), [(1, 0), (8191, 0), (8192, 3), (5000, 4)])
def test_dense_kernels(api, memory, n, shift):
    a = memory.array((n,), np.int32, shift)
    out, out_words = out_of(memory, (n,))
    one = memory.array((1,), np.int32, 1)
    roles = [rt.IN_DENSE, rt.OUT, rt.UNIFORM, rt.SCALAR]
    emulator = Emulator(
        memory, [gpu.Operand(r, 4) for r in roles], 1, api=api, variants=["flat"], iota=True
    )
    emulator.launch((n,), [dense(a), out_words, uniform(one), scalar(np.int64(5))])
    np.testing.assert_array_equal(out, a + one + 5 + np.arange(n))
    (call,) = emulator.calls
    assert call[2] == [n, int(shift % 4 == 0)]


CASES = {
    "contiguous": (lambda m: m.array((6, 7, 8)), "rows", [[84]]),
    "one row": (lambda m: m.array((1, 1, 8)), "rows", [[2]]),
    "broadcast outer": (lambda m: np.broadcast_to(m.array((8,)), (5, 6, 8)), "rows", [[60]]),
    "broadcast middle": (lambda m: np.broadcast_to(m.array((5, 1, 8)), (5, 6, 8)), "rows", [[60]]),
    "broadcast inner": (lambda m: np.broadcast_to(m.array((5, 6, 1)), (5, 6, 8)), "strided", None),
    "slice of rows": (lambda m: m.array((10, 20))[::3, 4:16], "rows", [[12]]),
    "misaligned slice": (lambda m: m.array((10, 20))[::3, 5:17], "strided", [[48]]),
    "misaligned rows": (lambda m: m.array((10, 21))[:, :16], "strided", [[160]]),
    "odd inner extent": (lambda m: m.array((10, 21))[:, :15], "strided", [[150]]),
    "step inside": (lambda m: m.array((10, 40))[:, ::2], "strided", [[200]]),
    "negative outside": (lambda m: m.array((10, 16))[::-1], "rows", [[40]]),
    "negative inside": (lambda m: m.array((10, 16))[:, ::-1], "strided", [[160]]),
    "all negative": (lambda m: m.array((4, 6, 8))[::-1, ::-1, ::-1], "strided", [[192]]),
    "small transpose": (lambda m: m.array((8, 12)).T, "strided", [[96]]),
    "transpose": (lambda m: m.array((40, 100)).T, "tile", [[40, 100, 1]]),
    "square transpose": (lambda m: m.array((128, 128)).T, "tile", [[128, 128, 1]]),
    "square of odd tiles": (lambda m: m.array((70, 70)).T, "tile", [[70, 70, 1]]),
    "batch of squares": (lambda m: m.array((3, 40, 40)).transpose(0, 2, 1), "tile", None),
    "batch of transposes": (lambda m: m.array((2, 3, 40, 33)).transpose(0, 1, 3, 2), "tile", None),
    "outer transpose": (lambda m: m.array((33, 2, 40)).transpose(2, 1, 0), "tile", None),
    "transpose of a slice": (lambda m: m.array((70, 50))[::2, 3:43].T, "tile", None),
    "transpose and flip": (lambda m: m.array((40, 50))[::-1].T, "tile", None),
    "no dimensions": (lambda m: m.array(()), "strided", [[1]]),
    "one element": (lambda m: m.array((1, 1)), "strided", [[1]]),
    "ones inside": (lambda m: m.array((8, 1, 3, 1)), "rows", [[6]]),
}


@pytest.mark.parametrize("iota", [False, True], ids=["", "iota"])
@pytest.mark.parametrize("case", CASES)
def test_strided_kernels(api, memory, case, iota):
    make, name, integers = CASES[case]
    calls = elementwise(api, memory, [make(memory)], iota=iota)
    assert names_of(calls) == [name]
    if integers:
        assert [values for *_, values in calls] == integers


def test_extents_of_one_and_collapsing_keep_the_number_of_dimensions(api, memory):
    """The emulator decodes by the kernel's rank: (2, 1, 3, 4) comes as (1, 1, 1, 24)."""
    both = [memory.array((2, 1, 3, 4)), memory.array((2, 1, 3, 4))]
    assert names_of(elementwise(api, memory, both)) == ["rows"]


def test_an_operand_without_the_inner_dimension(api, memory):
    column = np.broadcast_to(memory.array((6, 1)), (6, 8))
    rows = memory.array((6, 8))
    calls = elementwise(api, memory, [column, rows], inner=[False, True])
    assert names_of(calls) == ["rows"]
    # The inner dimension has one element: what is now the inner one is not constant for it.
    last = memory.array((6, 8, 1))
    calls = elementwise(api, memory, [last, memory.array((6, 8, 1))], inner=[False, True])
    assert names_of(calls) == ["strided"]


def test_a_misaligned_result_takes_no_vectors(api, memory):
    assert names_of(elementwise(api, memory, [memory.array((4, 8))], shift=2)) == ["strided"]


def test_without_the_better_variants(api, memory):
    for array in (memory.array((4, 8)), memory.array((40, 40)).T):
        assert names_of(elementwise(api, memory, [array], variants=["strided"])) == ["strided"]
    assert names_of(elementwise(api, memory, [memory.array((3, 1))[:, ::-1]], vector=1)) == ["rows"]


def test_the_mask_of_operands_read_across(api, memory):
    across = memory.array((40, 64)).T
    along, third = memory.array((64, 40)), memory.array((40, 64)).T
    constant = np.broadcast_to(memory.array((64, 1)), (64, 40))
    arrays = [constant, along, across, constant, third]
    calls = elementwise(api, memory, arrays, inner=[False, True, True, True, True])
    assert [values for *_, values in calls] == [[40, 64, 0b1010]]
    neither = memory.array((80, 128)).T[::2, ::2]
    calls = elementwise(api, memory, [neither, across])
    assert [values for *_, values in calls] == [[40, 64, 0b10]]


def test_random_views(api, memory):
    rng = np.random.default_rng(7)
    seen = set()
    for _ in range(100):
        rank = int(rng.integers(1, 5))
        shape = tuple(int(n) for n in rng.choice([1, 2, 4, 8, 17, 20], rank))
        arrays = []
        for _ in range(int(rng.integers(1, 4))):
            order = rng.permutation(rank) if rng.random() < 0.5 else np.arange(rank)
            step = rng.choice([1, 1, 2], rank)
            fixed = rng.random(rank) < 0.2
            base = [1 if fixed[d] else shape[d] * int(step[d]) for d in order]
            view = memory.array(base, shift=int(rng.choice([0, 0, 1]))).transpose(np.argsort(order))
            view = view[tuple(slice(None, None, 1 if f else s) for f, s in zip(fixed, step))]  # noqa: B905
            if rng.random() < 0.2:
                view = np.flip(view, int(rng.integers(rank)))
            arrays.append(np.broadcast_to(view, shape))
        inner = [bool(rng.random() < 0.8 or a.strides[-1]) for a in arrays]
        seen.update(names_of(elementwise(api, memory, arrays, inner=inner, iota=True)))
        memory.used = 256
    assert seen == {"rows", "strided", "tile"}


def test_no_elements_launch_nothing(api, memory):
    before = gpu.counters()
    emulator = Emulator(memory, [gpu.Operand(rt.IN_STRIDED, 4), gpu.Operand(rt.OUT, 4)], 2, api=api)
    emulator.launch((3, 0), [Operand(rt.IN_STRIDED, 4, [0, 1, 1]), Operand(rt.OUT, 4, [0])])
    after = gpu.counters()
    assert emulator.calls == []
    assert after["calls"] == before["calls"] + 1 and after["strided"] == before["strided"]


# --- launches that are split ----------------------------------------------------------------------


class Recorder:
    """Host functions that keep grid, integers and the pointers and strides of their operands."""

    def __init__(self, names, rank, iota, api, n_integers):
        self.calls = []

        def keep(name):
            def host(args):
                take = lambda i: ctypes.c_int64.from_address(args[i]).value  # noqa: E731
                n = n_integers(name)
                values = [take(i) for i in range(1, 2 + n)]
                pointer = (ctypes.c_int64 * 2).from_address(take(2 + n))[1]
                out = (ctypes.c_int64 * 2).from_address(take(3 + n + rank))[1]
                self.calls.append(
                    (name, values, pointer, [take(3 + n + d) for d in range(rank)], out)
                )

            return HOST(host)

        self.hosts = {name: keep(name) for name in names}
        variants = {
            name: gpu.Variant(address(host), 4, 32 if name == "tile" else 2, 256)
            for name, host in self.hosts.items()
        }
        operands = [gpu.Operand(rt.IN_STRIDED, 4), gpu.Operand(rt.OUT, 4)]
        self.kernel = gpu.GpuKernel(
            "split", variants, api=api, dims=(rank, 0, 0), operands=operands, iota=iota
        )


def split(api, extents, strides, names=("rows", "strided"), iota=True):
    rank = len(extents)
    plain = 1 + 3 * (rank - 1) + iota
    counts = {"rows": plain, "strided": plain, "tile": 10 + 3 * max(rank - 3, 0) + rank - 1 + iota}
    recorder = Recorder(names, rank, iota, api, counts.get)
    recorder.kernel.launch(words(*extents, 1 << 40, *strides, 1 << 50))
    return recorder.calls


def test_a_launch_below_the_limit_is_one(api):
    before = gpu.counters()["splits"]
    (call,) = split(api, (2**16 - 1, 2**15), (0, 0))
    assert call[1][:2] == [-(-((2**16 - 1) * 2**15) // 512), (2**16 - 1) * 2**15]
    assert gpu.counters()["splits"] == before
    # In vectors there are fewer.
    assert [c[0] for c in split(api, (2**18, 2**14 + 4), (2**15, 1))] == ["rows"]


def test_a_split_along_the_outer_dimension(api):
    calls = split(api, (7, 2**29 + 1), (5 * 2**30, 3))
    inner = 2**29 + 1
    assert [(c[0], c[1][1], c[1][-1]) for c in calls] == [
        ("strided", 3 * inner, 0),
        ("strided", 3 * inner, 3 * inner),
        ("strided", inner, 6 * inner),
    ]
    assert [c[2] - (1 << 40) for c in calls] == [i * 5 * 2**30 * 4 for i in (0, 3, 6)]
    assert [c[4] - (1 << 50) for c in calls] == [i * inner * 4 for i in (0, 3, 6)]
    assert all(c[3] == [5 * 2**30, 3] for c in calls)


def test_a_split_below_two_outer_dimensions(api):
    """Nothing collapses; (2, 3, 2**31 + 8) elements in vectors of four: 2**29 + 2 groups a row."""
    inner = 2**31 + 8
    calls = split(api, (2, 3, inner), (2**40, 2**33, 1))
    groups = inner // 4
    assert [(c[0], c[1][1]) for c in calls] == [("rows", 3 * groups), ("rows", 3 * groups)]
    assert [c[1][-1] for c in calls] == [0, 3 * inner]
    assert [c[2] - (1 << 40) for c in calls] == [0, 2**42]


def test_a_split_of_the_inner_dimension(api):
    most = 2**31 - 1
    calls = split(api, (2, 2**33 + 4), (2**40, 1))
    assert [c[1][1] for c in calls] == [most, 2] * 2
    assert [c[1][-1] for c in calls] == [0, 4 * most, 2**33 + 4, 2**33 + 4 + 4 * most]
    assert [c[2] - (1 << 40) for c in calls] == [0, 16 * most, 2**42, 2**42 + 16 * most]
    calls = split(api, (2, 2**32), (2**40, 2))
    assert [c[1][1] for c in calls] == [most, most, 2] * 2
    assert [c[2] - (1 << 40) for c in calls][:3] == [0, 8 * most, 16 * most]


def test_a_split_of_tiles(api):
    """Along b: the last piece is too short for tiles."""
    a = 2**27
    calls = split(api, (35, a), (1, 64), names=("rows", "strided", "tile"))
    assert [(c[0]) for c in calls] == ["strided"] * 3  # 15 rows of 2**27 each, and five
    calls = split(api, (2**20, 2**12 + 2**10), (1, 2**20), names=("rows", "strided", "tile"))
    rows = (2**31 - 1) // 5120
    assert [c[0] for c in calls] == ["tile"] * 3
    assert [c[1][2] for c in calls] == [rows, rows, 2**20 - 2 * rows]
    assert [c[2] - (1 << 40) for c in calls] == [0, 4 * rows, 8 * rows]
    assert all(c[3] == [1, 2**20] for c in calls)


def test_dense_launches_beyond_the_largest_grid(api):
    """In parts, but for a kernel with a range, which counts from 0 in each."""
    calls = []

    def host(args):
        take = lambda i: ctypes.c_int64.from_address(args[i]).value  # noqa: E731
        calls.append((take(1), take(2), (ctypes.c_int64 * 2).from_address(take(4))[1]))

    kept = HOST(host)

    def kernel(iota):
        return gpu.GpuKernel(
            "huge", {"flat": gpu.Variant(address(kept), 1, 1, 32)}, api=api,
            dims=(1, 0, 0), operands=[gpu.Operand(rt.OUT, 1)], iota=iota,
        )  # fmt: skip

    most = 32 * (2**31 - 1) if api == "cuda" else 2**32 - 32
    kernel(False).launch(words(most + 1, 4096))
    assert calls == [(most // 32, most, 4096), (1, 1, 4096 + most)]
    kernel(True).launch(words(most, 4096))
    with pytest.raises(gpu.ExecutionError, match="huge: a grid of .* blocks is too large"):
        kernel(True).launch(words(most + 1, 4096))


def test_division_at_every_boundary(api):
    """Divisors around powers of two and others; dividends around their multiples."""
    near = {2**k + d for k in range(31) for d in range(-2, 3)}
    near |= {int(x) for x in np.random.default_rng(1).integers(1, 2**31, 200)}
    for d in sorted(n for n in near if 1 <= n < 2**31):
        if d > 1:
            (call,) = split(api, (1, d), (0, 3), names=("strided",), iota=False)
            extent, magic, shift = call[1][2:]
            assert extent == d
        else:
            magic, shift = 1, 0
        last = (2**31 - 1) // d
        q = np.unique(np.r_[0:50, np.linspace(0, last, 100).astype(np.int64), last])
        x = np.unique(np.clip((q[:, None] * d + np.arange(-2, 3)).ravel(), 0, 2**31 - 1))
        x = np.r_[x, 2**31 - 1].astype(np.uint64)
        high = (x * np.uint64(magic)) >> np.uint64(32)
        assert high.max() + x.max() < 2**32
        np.testing.assert_array_equal((high + x) >> np.uint64(shift), x // np.uint64(d))


# --- specs and words ------------------------------------------------------------------------------

OK_SPEC = [0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 4, 1, 256, 1, 2, 4, 1, 0]


@pytest.mark.parametrize(
    ("at", "value"),
    [(0, 9), (1, 65), (1, -1), (2, 1), (3, 1), (4, 4), (5, 2), (6, 64), (6, -1), (7, 2), (8, 7)]
    + [(9, 6), (9, 4), (9, 2), (10, 3), (10, 0), (11, 0), (12, 100), (12, 2048)]
    + [(13, 257), (14, 1), (14, 6), (15, 3), (16, 2), (17, 1)],
)
def test_malformed_specs_are_refused(api, at, value):
    host = HOST(lambda args: None)
    functions = (ctypes.c_size_t * 7)(*[address(host)] * 7)
    create = gpu._functions()["pf_gpu_kernel_create"]
    handle = create(functions, words(*OK_SPEC))
    assert handle > 0 and gpu._functions()["pf_gpu_kernel_destroy"](handle) == rt.OK
    spec = [*OK_SPEC, *[0] * 12]
    spec[at] = value
    assert create(functions, words(*spec)) == rt.INVALID
    assert "invalid kernel spec" in gpu.error_text()
    assert create(None, words(*OK_SPEC)) == rt.INVALID


def test_bad_words_and_handles_are_refused(api, memory):
    f = gpu._functions()
    assert f["pf_gpu_launch"](64, words(0), 0, 0) == rt.UNKNOWN_KERNEL
    assert f["pf_gpu_scratch"](8192 + 1, words(0)) == rt.UNKNOWN_KERNEL
    assert f["pf_gpu_preload"](0) == f["pf_gpu_kernel_destroy"](64) == rt.UNKNOWN_KERNEL
    operands = [gpu.Operand(rt.IN_STRIDED, 4), gpu.Operand(rt.OUT, 4)]
    with pytest.raises(ValueError, match="a function is missing"):
        Emulator(memory, operands, 1, variants=["rows"])
    with pytest.raises(ValueError, match="a function is missing"):
        Emulator(memory, operands, 1, variants=["strided", "tile"])
    kernel = Emulator(memory, operands, 1, api=api, variants=["strided"]).kernel
    with pytest.raises(gpu.ExecutionError, match="emulated: an operand is a null pointer"):
        kernel.launch(words(4, 0, 1, 4096))
    with pytest.raises(gpu.ExecutionError, match="a negative extent"):
        kernel.launch(words(-4, 4096, 1, 4096))
    with pytest.raises(gpu.ExecutionError, match="too many elements"):
        kernel.launch(words(2**60, 4096, 1, 4096))
