# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs from public bug reports on fused array code: queues, memory, threads, integers."""

import gc
import threading
import traceback

import numpy as np
import pytest

import pyfusion as pf


def read(x):
    return np.asarray(x).tolist()


def test_burn_5138_reuse_of_a_buffer_is_alive():
    t = pf.asarray([[1.0, 2.0], [3.0, 4.0]], dtype=pf.float32)
    assert read((t + 1) * 2) == [[4, 6], [8, 10]]
    assert read(t) == [[1, 2], [3, 4]]
    u = t + 0.0
    pf.sync()
    with pf.testing.inspect() as report:
        for _ in range(4):
            u = (u + 1) * 2
    assert read(u) == [[46, 62], [78, 94]]
    if pf.config.mode == "fused":
        assert report.allocations == 0


def test_burn_2091_no_write_through_an_expanded_view():
    x = pf.asarray([1, 2, 3], dtype=pf.int32)
    assert read(pf.broadcast_to(x, (2, 3)) + 1) == [[2, 3, 4], [2, 3, 4]]
    assert read(x) == [1, 2, 3]


def test_burn_5334_zero_size_broadcast():
    zeros = pf.zeros
    a = zeros((2, 0), dtype=pf.float32) + zeros((2, 1), dtype=pf.float32)
    b = zeros((0, 3), dtype=pf.float32) + zeros((1, 3), dtype=pf.float32)
    assert np.asarray(a).shape == (2, 0)
    assert np.asarray(b).shape == (0, 3)


def test_burn_1970_many_operands_and_operations():
    arrays = [np.full(8, i, np.float32) for i in range(12)]
    total = pf.asarray(arrays[0])
    for a in arrays[1:]:
        total = total + pf.asarray(a)
    assert read(total) == [66.0] * 8
    many = [pf.asarray(np.full(4, 1, np.float32)) for _ in range(300)]
    total = many[0]
    for a in many[1:]:
        total = total + a
    assert read(total) == [300.0] * 4
    x = pf.asarray(np.ones(5, np.float32))
    for _ in range(50):
        x = x * 0.5 + 0.5
    assert read(x) == [1.0] * 5


def test_burn_1970_eight_norms_in_a_row():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((16, 8)).astype(np.float32)
    y, p = x.astype(np.float64), pf.asarray(x)
    for _ in range(8):
        y = (y - y.mean(0)) / np.sqrt(y.var(0) + 1e-5)
        p = (p - p.mean(axis=0)) / pf.sqrt(p.var(axis=0) + 1e-5)
    np.testing.assert_allclose(np.asarray(p), y, atol=1e-4)


def test_burn_5563_thousand_steps_without_a_read():
    x = np.linspace(-1, 1, 64, dtype=np.float32)
    p = pf.asarray(x)
    for _ in range(1000):
        x = x * np.float32(0.999) + np.float32(0.001)
        p = p * 0.999 + 0.001
    np.testing.assert_allclose(np.asarray(p), x, rtol=1e-5, atol=1e-6)


@pytest.mark.fused
def test_pytorch_171320_no_compile_for_each_scalar():
    p = pf.asarray(np.ones(8, np.float32))
    with pf.testing.inspect() as report:
        for k in range(12):
            a, b = 0.1 * k, 1.5
            np.asarray(p * (a * b))
    assert report.compiles <= 2


def test_mlx_1462_long_chain_dropped_unread():
    x = pf.asarray(np.ones(2, np.float32))
    for _ in range(300_000):
        x = x + 1
    del x
    gc.collect()


def test_tinygrad_8457_long_chain_read():
    x = pf.asarray(np.zeros(2, np.float32))
    for _ in range(50_000):
        x = x + 1
    assert read(x) == [50_000.0] * 2


def test_mlx_lm_lora_47_accumulator_in_a_loop():
    acc, v = pf.zeros(3), pf.ones(3)
    for _ in range(10_000):
        acc += v
    assert len(pf.stream.current()) <= pf.config.max_queue
    assert read(acc) == [10_000.0] * 3


def test_tinygrad_3302_errors_at_the_users_line():
    x = pf.asarray(np.ones((2, 3), np.float32))
    y = pf.asarray(np.ones((4,), np.float32))
    with pytest.raises(ValueError, match=r"\(2, 3\).*\(4,\)") as caught:
        x + y  # the line that the traceback must show
    text = "".join(traceback.format_exception(caught.value))
    assert "the line that the traceback must show" in text
    assert read(x + 1) == [[2.0] * 3] * 2


def test_pytorch_143566_shift_by_the_width():
    x = pf.asarray([1000, -1], dtype=pf.int64)
    assert read(x << 64) == [0, 0]
    assert read(x >> 64) == [0, -1]


def test_llvm_119852_shift_of_a_broadcast():
    assert read(pf.zeros((1, 5, 1), dtype=pf.int32) << 32) == [[[0]] * 5]


def test_pytorch_184406_lowest_integer_by_minus_one():
    for dtype in (pf.int32, pf.int64):
        low = np.iinfo(np.dtype(dtype.name)).min
        x = pf.asarray([low, low], dtype=dtype)
        minus = pf.asarray([-1, -1], dtype=dtype)
        assert read(x // minus) == [low, low]
        assert read(x // -1) == [low, low]
        assert read(x % minus) == [0, 0]


def test_pytorch_178013_integer_division_by_zero():
    x = pf.asarray([5, -5, 0], dtype=pf.int32)
    zero = pf.zeros(3, dtype=pf.int32)
    assert read(x // zero) == [0, 0, 0]
    assert read(x % zero) == [0, 0, 0]
    assert read(x // 0) == [0, 0, 0]


def test_pytorch_105943_one_function_on_many_threads():
    rng = np.random.default_rng(0)
    x = rng.standard_normal(1000).astype(np.float32)
    p = pf.asarray(x)
    want = np.asarray(pf.exp(p * 2) + p)
    results = {}

    def work(number):
        results[number] = [np.asarray(pf.exp(p * 2) + p) for _ in range(10)]

    threads = [threading.Thread(target=work, args=(n,)) for n in range(32)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(results) == 32
    for found in results.values():
        for r in found:
            np.testing.assert_array_equal(r, want)


@pytest.mark.fused
def test_jax_2072_many_shapes_make_few_plans():
    """Extents are arguments of a plan, so that what is kept does not grow with them."""
    before = pf.testing.stored_plans().nbytes
    with pf.testing.inspect() as report:
        for n in range(2, 202):
            x = pf.ones((n, n + 1), dtype=pf.float32)
            assert float((pf.exp(x - 1) * 2).sum()) == 2 * n * (n + 1)
    assert report.plans <= 1 and report.compiles <= 1
    assert pf.testing.stored_plans().nbytes - before < 4 << 20


def test_burn_4328_recorded_in_one_thread_read_in_another():
    box = []

    def make():
        box.append((pf.ones((4, 4)) + 1) * 2)

    t = threading.Thread(target=make)
    t.start()
    t.join()
    assert read(box[0]) == [[4.0] * 4] * 4
