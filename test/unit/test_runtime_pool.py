# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The memory pool of the native run time."""

from __future__ import annotations

import ctypes
import sys
import threading

import numpy as np
import pytest
from native_kernels import fresh_library, in_child

from pyfusion.runtime import library as rt

MIB = 1 << 20


@pytest.fixture
def lib():
    with fresh_library() as library:
        yield library


def test_blocks_are_aligned_and_distinct(lib):
    sizes = [0, 1, 63, 64, 65, 1024, 1025, 5000, MIB - 1, MIB, 3 * MIB + 5, 70 * MIB]
    blocks = [lib.pf_alloc(size) for size in sizes]
    assert all(b and b % 64 == 0 for b in blocks)
    spans = sorted((b, b + max(size, 1)) for b, size in zip(blocks, sizes, strict=True))
    assert all(end <= start for (_, end), (start, _) in zip(spans, spans[1:], strict=False))
    for block, size in zip(blocks, sizes, strict=True):
        ctypes.memset(block, 7, size)
        assert lib.pf_free(block) == rt.OK


def test_a_freed_block_is_used_again(lib):
    first = lib.pf_alloc(64 * MIB)
    fresh = lib.stats()["fresh_blocks"]
    for _ in range(5):
        assert lib.pf_free(first) == rt.OK
        assert lib.pf_alloc(64 * MIB - 100) == first
    assert lib.stats()["fresh_blocks"] == fresh
    lib.pf_free(first)


def test_the_class_of_a_block_wastes_at_most_an_eighth(lib):
    before = lib.counters()["bytes_in_use"]
    for size in [1100, 5000, 10**5, 10**6, 3 * 10**6, 10**8, 2**27, 2**27 + 1]:
        block = lib.pf_alloc(size)
        assert size <= lib.counters()["bytes_in_use"] - before <= size * 9 / 8 + 64
        lib.pf_free(block)


def test_counters_of_the_pool(lib):
    before = lib.counters()
    block = lib.pf_alloc(4 * MIB)
    during = lib.counters()
    lib.pf_free(block)
    after = lib.counters()
    assert during["allocations"] == before["allocations"] + 1
    assert during["bytes_in_use"] == before["bytes_in_use"] + 4 * MIB
    assert after["bytes_in_use"] == before["bytes_in_use"]
    assert after["bytes_cached"] == before["bytes_cached"] + 4 * MIB
    assert lib.pf_trim() == after["bytes_cached"]
    assert lib.counters()["bytes_cached"] == 0


def test_kept_bytes_are_bounded_and_the_oldest_go(lib):
    lib.pf_pool_limit(10 * MIB)
    blocks = [lib.pf_alloc(4 * MIB) for _ in range(4)]
    for block in blocks:
        lib.pf_free(block)
    assert lib.counters()["bytes_cached"] == 8 * MIB
    assert {lib.pf_alloc(4 * MIB), lib.pf_alloc(4 * MIB)} == {blocks[2], blocks[3]}
    lib.pf_pool_limit(0)
    for block in blocks[2:]:
        assert lib.pf_free(block) == rt.OK
    assert lib.counters()["bytes_cached"] == 0


def test_wrong_pointers_are_refused(lib):
    block = lib.pf_alloc(1000)
    assert lib.pf_free(block + 64) == rt.UNKNOWN_POINTER
    assert lib.pf_free(block) == rt.OK
    assert lib.pf_free(block) == rt.UNKNOWN_POINTER
    assert lib.pf_free(12345) == rt.UNKNOWN_POINTER
    assert lib.pf_free(0) == rt.OK
    assert "block" in lib.error_text(rt.UNKNOWN_POINTER)


def test_out_of_memory_gives_null(lib):
    for size in (2**62, 2**63 - 1, 2**55, -1):
        assert lib.pf_alloc(size) == 0
    lib.pf_pool_capacity(lib.counters()["bytes_in_use"] + MIB)
    assert lib.pf_alloc(2 * MIB) == 0
    block = lib.pf_alloc(MIB)
    assert block and lib.pf_alloc(64) == 0
    lib.pf_free(block)


def test_kept_blocks_make_room_for_what_is_asked(lib):
    """A process that may hold 300 MiB more gets 200 after it gave back 200 of another size."""
    code = """
        import resource
        from pyfusion.runtime import library as rt
        lib = rt.load()
        for size in (1 << 20, 200 << 20):  # whatever is loaded is loaded now
            lib.pf_free(lib.pf_alloc(size))
        lib.pf_trim()
        used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + (300 << 20),) * 2)
        for size in (200 << 20, 120 << 20, 250 << 20):
            block = lib.pf_alloc(size)
            assert block, size
            lib.pf_free(block)
        assert lib.pf_alloc(400 << 20) == 0
        print("ok")
    """
    if not sys.platform.startswith("linux"):
        pytest.skip("needs a limit on address space")
    assert in_child(code, PYFUSION_THREADS="1") == "ok"


def test_the_pool_is_safe_for_threads(lib):
    def churn(seed):
        rng = np.random.default_rng(seed)
        live = []
        for _ in range(2000):
            if live and rng.random() < 0.5:
                block, mark = live.pop(int(rng.integers(len(live))))
                ok[seed] &= ctypes.c_int64.from_address(block).value == mark
                ok[seed] &= lib.pf_free(block) == rt.OK
            else:
                block = lib.pf_alloc(int(rng.integers(8, 3000)))
                mark = int(rng.integers(2**60))
                ctypes.c_int64.from_address(block).value = mark
                live.append((block, mark))
        for block, _ in live:
            lib.pf_free(block)

    ok = [True] * 8
    before = lib.counters()["bytes_in_use"]
    workers = [threading.Thread(target=churn, args=(i,)) for i in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert all(ok)
    assert lib.counters()["bytes_in_use"] == before
