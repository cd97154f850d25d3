# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The native run time: bad input, counters, threads, floating-point environment, fork, exit."""

from __future__ import annotations

import ctypes
import os
import textwrap
import threading
import time

import numpy as np
import pytest
from native_kernels import (
    Operand,
    address,
    dense,
    fresh_library,
    in_child,
    kernels,
    launch,
    output,
    random_array,
    strided,
    take,
)

from pyfusion.runtime import library as rt

F4, U8 = np.dtype("f4"), np.dtype("u8")
MIB = 1 << 20


@pytest.fixture
def lib():
    with fresh_library() as library:
        yield library


# --- launches that fail ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "spec",
    [
        [7, 1, 0, 0, 0, 0, 0, 0],  # kind
        [0, 65, 0, 0, 0, 0, 0, 0],  # rank
        [0, -1, 0, 0, 0, 0, 0, 0],
        [0, 1, 1, 0, 0, 0, 0, 0],  # an element-wise kernel reduces nothing
        [1, 1, 1, 1, 4, 0, 0, 0],  # the row form keeps nothing after what it reduces
        [0, 1, 0, 0, 0, 0, 257, 0],  # operands
        [0, 1, 0, 0, 0, 0, -1, 0],
        [0, 1, 0, 0, 0, 0, 1, 7, 4, 0],  # role
        [1, 1, 1, 0, 4, 0, 1, 6, 4, 1, 2, 4],  # a strided result of a reduction
        [0, 1, 0, 0, 0, 0, 1, 0, 3, 0],  # itemsize
        [0, 1, 0, 0, 0, 0, 0, 1, 0, 4],  # an element-wise kernel has no finish part
        [1, 1, 1, 0, 3, 0, 0, 0],  # accumulator
        [1, 1, 1, 0, 4, 0, 1, 2, 4, 0],  # a range part has no outputs
    ],
    ids=str,
)
def test_malformed_specs_are_refused(lib, spec):
    finish = address("tree", F4) if spec[0] else 0
    words = (ctypes.c_int64 * len(spec))(*spec)
    assert lib.pf_kernel_create(address("copy", F4), finish, words) == rt.INVALID


def test_missing_functions_and_unknown_handles_are_refused(lib):
    elementwise = (ctypes.c_int64 * 8)(0, 1, 0, 0, 0, 0, 0, 0)
    reduction = (ctypes.c_int64 * 8)(1, 1, 1, 0, 4, 0, 0, 0)
    assert lib.pf_kernel_create(0, 0, elementwise) == rt.INVALID
    assert lib.pf_kernel_create(address("copy", F4), 0, reduction) == rt.INVALID
    assert lib.pf_kernel_create(address("copy", F4), 0, None) == rt.INVALID
    assert lib.pf_launch(0, elementwise) == rt.UNKNOWN_KERNEL
    assert lib.pf_kernel_destroy(64) == rt.UNKNOWN_KERNEL
    with pytest.raises(ValueError, match="invalid argument"):
        lib.kernel(address("copy", F4), dims=(1, 0, 0), operands=[(0, 3)])


def test_bad_words_are_refused(lib):
    a = np.zeros(4, F4)
    null = Operand(rt.IN_DENSE, 4, [0])
    assert launch(address("copy", F4), (4,), [null, output(F4)])[0] == rt.INVALID
    assert launch(address("copy", F4), (-4,), [dense(a), output(F4)])[0] == rt.INVALID
    huge = launch(address("copy", F4), (2**40, 2**40), [dense(a), output(F4)])
    assert huge == (rt.NO_MEMORY, [0])


def test_no_memory_for_an_output_leaves_nothing_behind(lib):
    """The second output does not fit: the first goes back, the buffer to update stays as it was."""
    x = np.ones(MIB, F4)
    two = [dense(x, rt.INOUT), dense(x), dense(x[:1]), dense(x[:1]), output(F4), output(F4)]
    before = lib.counters()
    lib.pf_pool_capacity(before["bytes_in_use"] + 6 * MIB)
    code, outs = launch(address("update", F4), x.shape, two)
    after = lib.counters()
    assert (code, outs) == (rt.NO_MEMORY, [0, 0])
    assert after["bytes_in_use"] == before["bytes_in_use"]
    assert after["kernels"] == before["kernels"]
    np.testing.assert_array_equal(x, 1)


def test_counters_of_launches(lib):
    a = np.zeros(1000, F4)
    before = lib.counters()
    _, (out,) = launch(address("copy", F4), a.shape, [dense(a), output(F4)])
    after = lib.counters()
    lib.pf_free(out)
    assert after["kernels"] == before["kernels"] + 1
    assert after["allocations"] == before["allocations"] + 1
    assert after["output_bytes"] == before["output_bytes"] + 4000


def test_the_time_of_a_launch(lib):
    a, out = np.zeros(1 << 20, F4), np.zeros(1 << 20, F4)
    handle = lib.kernel(address("copy", F4), dims=(1, 0, 0), operands=[(0, 4), (2, 4)])
    words = (ctypes.c_int64 * 3)(a.size, a.ctypes.data, out.ctypes.data)
    assert lib.pf_launch(handle, words) == rt.OK and lib.pf_last_ns(handle) == 0
    lib.pf_set_timing(1)
    try:
        assert lib.pf_launch(handle, words) == rt.OK and lib.pf_last_ns(handle) > 1000
    finally:
        lib.pf_set_timing(0)
        lib.pf_kernel_destroy(handle)


# --- threads --------------------------------------------------------------------------------------


def run_axpy(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    operands = [strided(a), strided(b), output(F4)]
    code, (out,) = launch(address("axpy", F4), a.shape, operands, cost=100)
    assert code == rt.OK
    return take(out, a.shape, F4)


def os_threads() -> int:
    return len(os.listdir("/proc/self/task"))


def test_the_number_of_threads(lib):
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
    assert 1 <= lib.pf_set_threads(0) == lib.pf_threads() <= max(available, os.cpu_count())
    assert lib.pf_set_threads(5) == 5 == lib.pf_threads()
    show = "from pyfusion.runtime import library as rt; print(rt.load().pf_threads())"
    assert in_child(show, PYFUSION_THREADS="7") == "7"


@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="counts threads in /proc")
def test_threads_come_and_go_as_asked(lib):
    rng = np.random.default_rng(1)
    a, b = random_array(rng, (300, 300), F4), random_array(rng, (300, 300), F4).T
    lib.pf_set_threads(2)
    run_axpy(a, b)
    others = os_threads() - 1
    for n in (4, 2, 6, 3):
        lib.pf_set_threads(n)
        before = lib.stats()["parallel_launches"]
        np.testing.assert_array_equal(run_axpy(a, b), 2 * a + b)
        assert lib.stats()["parallel_launches"] == before + 1
        assert os_threads() == others + n - 1
    lib.pf_set_threads(1)
    run_axpy(a, b)
    lib.pf_set_threads(3)
    run_axpy(tiny := np.ones(16, F4), tiny)
    assert lib.stats()["parallel_launches"] == before + 1


def test_idle_threads_sleep(lib):
    rng = np.random.default_rng(2)
    a, b = random_array(rng, (300, 300), F4), random_array(rng, (300, 300), F4).T
    lib.pf_set_threads(3)
    run_axpy(a, b)
    time.sleep(0.02)
    start = time.process_time()
    time.sleep(0.2)
    assert time.process_time() - start < 0.05


def test_sixteen_threads_launch_at_once(lib):
    rng = np.random.default_rng(3)
    a, b = random_array(rng, (250, 310), F4), random_array(rng, (310, 250), F4).T
    expected = 2 * a + b
    lib.pf_set_threads(3)
    ok = [False] * 16

    def work(i):
        ok[i] = all(np.array_equal(run_axpy(a, b), expected) for _ in range(30))

    workers = [threading.Thread(target=work, args=(i,)) for i in range(16)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert all(ok)


def test_a_kernel_may_launch_a_kernel(lib):
    """From Python callbacks on any of the threads; the inner launches have scratch of their own."""
    rng = np.random.default_rng(4)
    a, b = random_array(rng, (100, 120), F4), random_array(rng, (120, 100), F4).T
    expected = 2 * a + b
    lib.pf_set_threads(3)
    results = []

    @ctypes.CFUNCTYPE(None, ctypes.c_void_p)
    def nested(args):
        results.append(np.array_equal(run_axpy(a, b), expected))

    pointer = ctypes.cast(nested, ctypes.c_void_p).value
    code, (out,) = launch(pointer, a.shape, [strided(a), strided(b), output(F4)], cost=1000)
    lib.pf_free(out)
    assert code == rt.OK
    assert results and all(results)


# --- floating-point environment -------------------------------------------------------------------


def test_kernels_run_in_the_default_environment(lib):
    """Whatever the caller set, on its own thread and on those that start from it."""
    flush = kernels().flush_to_zero
    flush.restype = ctypes.c_uint64
    default = flush(0)
    lib.pf_set_threads(1)
    lib.pf_set_threads(3)
    n = 300_000
    tiny = np.full(n, 1e-40, F4)
    flushed = flush(1)
    try:
        code, (out,) = launch(address("control_word"), (n,), [output(U8)], cost=100)
        code2, (sums,) = launch(
            address("axpy", F4), (n,), [dense(tiny), dense(tiny), output(F4)], cost=100
        )
        after = flush(1)
    finally:
        flush(0)
    assert flushed != default and after == flushed
    assert (code, code2) == (rt.OK, rt.OK)
    np.testing.assert_array_equal(take(out, (n,), U8), default)
    np.testing.assert_array_equal(take(sums, (n,), F4), 2 * tiny + tiny)


# --- fork and exit --------------------------------------------------------------------------------


PROGRAM = """
    import os, threading
    import numpy as np
    import native_kernels as nk
    from test_runtime_native import F4, run_axpy
    from pyfusion.runtime import library as rt
    nk.kernels()
    lib = rt.load()
    lib.pf_set_threads(3)
    rng = np.random.default_rng(1)
    a, b = nk.random_array(rng, (300, 300), F4), nk.random_array(rng, (300, 300), F4).T
    def check():
        before = lib.stats()["parallel_launches"]
        assert np.array_equal(run_axpy(a, b), 2 * a + b)
        return lib.stats()["parallel_launches"] - before
    assert check() == 1
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_starts_its_own_threads():
    code = """
        import warnings
        warnings.simplefilter("ignore", DeprecationWarning)  # about fork in a process with threads
        stop = False
        def busy():
            while not stop:
                check()
        workers = [threading.Thread(target=busy) for _ in range(3)]
        for w in workers:
            w.start()
        for _ in range(20):
            child = os.fork()
            if child == 0:
                try:
                    for _ in range(3):
                        assert check() == 1
                except BaseException:
                    os._exit(1)
                os._exit(0)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
            check()
        stop = True
        for w in workers:
            w.join()
        print("ok")
    """
    assert in_child(textwrap.dedent(PROGRAM) + textwrap.dedent(code)) == "ok"


@pytest.mark.parametrize(
    "end",
    ["", "os._exit(0)", "import sys; sys.exit(0)", "daemon()", "lib.pf_set_threads(2)"],
)
def test_the_process_ends_quietly(end):
    code = """
        def daemon():  # still launching when the process ends
            def forever():
                while True:
                    run_axpy(a, b)
            threading.Thread(target=forever, daemon=True).start()
    """
    assert in_child(textwrap.dedent(PROGRAM) + textwrap.dedent(code) + end) == ""
