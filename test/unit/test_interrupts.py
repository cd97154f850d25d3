# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Interrupts, reads at the wrong moment, failures: values stay right or say that they failed."""

import contextlib
import gc
import signal
import threading
import time
import warnings

import numpy as np
import pytest

import pyfusion as pf
from pyfusion import native
from pyfusion.runtime import library
from pyfusion.runtime.steps import KernelStep
from pyfusion.stream import engine

pytestmark = pytest.mark.host


@pytest.fixture
def interrupted_launch(monkeypatch):
    """The next launch runs, and an interrupt comes when it has returned."""
    real = KernelStep.run
    armed = [True]

    def run(self, env):
        real(self, env)
        if armed:
            armed.clear()
            raise KeyboardInterrupt

    monkeypatch.setattr(KernelStep, "run", run)
    return armed


@pytest.mark.fused
def test_an_interrupt_runs_the_block_again_when_asked(interrupted_launch):
    x = pf.asarray(np.ones(1000, np.float32))
    y = x * 2 + 1
    gc.collect()  # of other tests
    before = library.load().counters()["bytes_in_use"]
    with pytest.raises(KeyboardInterrupt):
        np.asarray(y)
    assert library.load().counters()["bytes_in_use"] == before
    assert np.asarray(y).tolist() == [3.0] * 1000


@pytest.mark.fused
def test_an_interrupt_after_an_input_was_overwritten_is_a_failure(interrupted_launch):
    interrupted_launch.clear()
    x = pf.asarray(np.ones(1000, np.float32)) + 0
    pf.sync()
    other = pf.asarray(np.ones(3, np.float32))
    x = x * 2 + 1  # takes the buffer over
    interrupted_launch.append(True)
    with pytest.raises(KeyboardInterrupt):
        np.asarray(x)
    with pytest.raises(pf.ExecutionError, match="KeyboardInterrupt"):
        np.asarray(x)
    assert np.asarray(other * 2).tolist() == [2.0] * 3


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs timers")
@pytest.mark.fused
def test_real_interrupts_give_no_wrong_values():
    def stop(number, frame):
        raise KeyboardInterrupt

    old = signal.signal(signal.SIGALRM, stop)
    try:
        for delay in np.linspace(1e-4, 6e-3, 25):
            x = pf.asarray(np.ones(1 << 20, np.float32))
            x = pf.tanh(x) * 0 + x * 2 + 1
            signal.setitimer(signal.ITIMER_REAL, delay)
            try:
                np.asarray(x)
                time.sleep(0.01)
            except KeyboardInterrupt:
                pass
            signal.setitimer(signal.ITIMER_REAL, 0)
            with contextlib.suppress(pf.ExecutionError):
                assert np.asarray(x)[::4096].tolist() == [3.0] * 256
            assert np.asarray(pf.ones(3) + 1).tolist() == [2.0] * 3
    finally:
        signal.signal(signal.SIGALRM, old)


def test_a_read_inside_a_flush_is_refused(monkeypatch):
    a, b = pf.ones(3), pf.ones(3)
    inner = []
    real = engine.run_block

    def run_block(queue, *part):
        monkeypatch.undo()
        try:
            np.asarray(b * 2)
        except RuntimeError as error:
            inner.append(str(error))
        return real(queue, *part)

    monkeypatch.setattr(engine, "run_block", run_block)
    assert np.asarray(a + 1).tolist() == [2.0] * 3
    assert "inside the flush" in inner[0]
    assert np.asarray(b * 2).tolist() == [2.0] * 3


def test_an_interrupt_when_a_block_is_numbered_leaves_no_numbers(monkeypatch):
    x = pf.asarray(np.arange(3, dtype=np.float32))
    y = x + 1
    real = native.open_block

    def opened(*args):
        monkeypatch.setattr(native, "open_block", real)
        real(*args)
        assert (x._v.slot, y._v.slot) == (-2, 0)
        raise KeyboardInterrupt

    monkeypatch.setattr(native, "open_block", opened)
    with pytest.raises(KeyboardInterrupt):
        np.asarray(y)
    assert (x._v.slot, y._v.slot) == (-1, -1)
    assert np.asarray(y).tolist() == [1, 2, 3]
    assert np.asarray(x * 2).tolist() == [0, 2, 4]


@pytest.mark.fused
def test_the_failed_operation_is_named_and_what_ran_before_is_kept(monkeypatch):
    from pyfusion.backends.numpy_backend import NumpyBackend

    def execute(self, op, *args):
        raise ZeroDivisionError("made to fail")

    x = pf.asarray(np.ones((2, 2), np.float32))
    pf.sync()
    good = x * 2
    bad = good @ x
    monkeypatch.setattr(NumpyBackend, "execute", execute)
    with pytest.raises(pf.ExecutionError, match=r"^matmul: ZeroDivisionError"):
        np.asarray(bad)
    assert np.asarray(good).tolist() == [[2, 2], [2, 2]]


@pytest.mark.fused
def test_a_failed_launch_falls_back_once(monkeypatch):
    def run(self, env):
        raise pf.InternalError("made to fail")

    x = pf.asarray(np.arange(4, dtype=np.float32))
    np.asarray(x * 4 - 1)
    monkeypatch.setattr(KernelStep, "run", run)
    with pf.config.scope(strict=False), pf.testing.inspect() as report:
        with pytest.warns(pf.FallbackWarning, match="made to fail") as seen:
            assert np.asarray(x * 4 - 1).tolist() == [-1, 3, 7, 11]
        assert seen[0].filename == __file__
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert np.asarray(x * 4 - 1).tolist() == [-1, 3, 7, 11]
    assert report.fallbacks == 1
    engine.plans.clear()


@pytest.mark.fused
def test_out_of_memory_is_a_failure_of_the_result():
    x = pf.asarray(np.ones(1 << 16, np.float32))
    native = library.load()
    old = native.pf_pool_capacity(-1)
    y = x * 2
    native.pf_pool_capacity(native.counters()["bytes_in_use"])
    try:
        with pytest.raises(pf.ExecutionError, match="MemoryError"):
            np.asarray(y)
    finally:
        native.pf_pool_capacity(old)
    assert np.asarray(x * 2)[0] == 2


def test_reading_a_failure_again_does_not_grow_it():
    x = pf.ones(3)
    y = x + 1
    pf.sync()
    y._v.error = pf.ExecutionError("made to fail")
    depths = []
    for _ in range(3):
        with pytest.raises(pf.ExecutionError) as caught:
            np.asarray(y)
        depths.append(len(caught.traceback))
    assert len(set(depths)) == 1


def test_explain_leaves_arguments_and_streams_alone():
    x = pf.asarray(np.ones(4, np.float32))

    def change(x):
        x += 1
        return x

    assert len(pf.explain(change, x).kernels) == 1
    assert np.asarray(x).tolist() == [1.0] * 4
    kept = []

    def fail(x):
        kept.append(x + 1)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        pf.explain(fail, x)
    assert np.asarray(x * 2).tolist() == [2.0] * 4
    with pytest.raises(pf.ExecutionError):
        np.asarray(kept[0] + 1)
    assert np.asarray(x * 3).tolist() == [3.0] * 4


@pytest.mark.fused
def test_a_reshape_that_copies_is_a_kernel():
    a = np.arange(12, dtype=np.float64).reshape(3, 4)
    for dtype in (np.float64, np.float32, np.uint8, np.int16):
        x = pf.asarray(a.astype(dtype))
        with pf.testing.inspect() as report:
            y = pf.reshape(x.T, (-1,))
        assert np.asarray(y).tolist() == a.astype(dtype).T.reshape(-1).tolist()
        assert report.kernels == 1
        assert report.bytes_written == a.astype(dtype).nbytes
    x = pf.asarray(a.astype(np.float32))
    kernels = pf.explain(lambda x: pf.reshape((x @ x.T).T, (-1,)) + 1, x).kernels
    assert [k.kind for k in kernels] == ["copy", "elementwise"]


def test_a_fuser_of_the_users_cuts_a_block():
    from pyfusion.fusers import FuserProperties, FuserStatus, UnfusedOp, register

    class FirstOnly:
        name = "first-only"

        def __init__(self):
            self.seen = 0

        def fuse(self, operation):
            self.seen = 1

        def finish(self, block):
            return UnfusedOp()

        def reset(self):
            self.seen = 0

        def clone(self):
            other = FirstOnly()
            other.seen = self.seen
            return other

        def status(self):
            return FuserStatus.CLOSED if self.seen else FuserStatus.OPEN

        def properties(self):
            return FuserProperties(score=1000, ready=self.seen > 0)

        def __len__(self):
            return self.seen

    x = pf.asarray(np.arange(3, dtype=np.float32))
    with register(FirstOnly(), before="mlir"):
        with pf.testing.inspect() as report:
            y = x * 2 + 1
        assert np.asarray(y).tolist() == [1, 3, 5]
        if pf.config.mode == "fused":
            assert report.kernels == 0
            assert report.unfused == ["multiply", "add"]


def test_two_threads_do_not_meet_in_one_block():
    x = pf.ones(1000)
    wrong = []

    def work(k):
        for _ in range(50):
            if np.asarray(x * k + 1)[0] != k + 1:
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def test_explain_refuses_what_reads_inside():
    x = pf.ones(4)
    with pytest.raises(RuntimeError, match="run nothing"):
        pf.explain(lambda a: pf.unique(a * 2) + 1, x)
    assert np.asarray(x + 1).tolist() == [2.0] * 4


def test_a_float32_overflow_leaves_float64_scalars():
    a, b = pf.asarray(np.ones(1, np.float32)), pf.asarray(np.ones(1))
    assert np.asarray(b * 1e300 + (a < 1e39)).tolist() == [1e300]
    assert np.asarray(a * 1e40).tolist() == [np.inf]


def test_memory_errors_are_memory_errors_and_sizes_are_checked_at_the_call():
    with pytest.raises(ValueError, match="larger than the maximum"):
        pf.zeros((1 << 40, 1 << 40))
    x = pf.ones((1 << 20, 1)) + pf.ones((1, 1 << 25))
    with pytest.raises(MemoryError):
        np.asarray(x)


def test_shape_errors_name_types():
    with pytest.raises(ValueError, match=r"add.*\(2,\) \(3,\).*float32, int32"):
        pf.ones(2, dtype=pf.float32) + pf.ones(3, dtype=pf.int32)
