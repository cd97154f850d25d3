# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`memory_checks`: arrays that outlive a piece of a program."""

import threading
from contextlib import ExitStack

import numpy as np
import pytest
from forking import forked

import pyfusion as pf
from pyfusion.array.core import on_wrap
from pyfusion.stream import watching
from pyfusion.testing import memory

host = pytest.mark.host


@pytest.fixture(autouse=True)
def nothing_is_left():
    yield
    assert watching.watchers == [] and on_wrap == []


def line():
    import sys

    frame = sys._getframe(1)
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


def work(x):
    y = pf.exp(x * 2)
    return float((y + y.T).sum())


def test_what_is_let_go_of_passes():
    x = pf.ones((3, 3))
    with pf.testing.memory_checks() as check:
        work(x)
        x += 1
    assert check.leaks == []


@host
@pytest.mark.parametrize(
    "make",
    [
        lambda: pf.asarray([1.0, 2.0]),
        lambda: pf.ones(2) * 2,
        lambda: pf.ones(2)[::-1],
        lambda: pf.sort(pf.ones(2)),
        lambda: pf.asarray(np.ones(2), copy=False),
    ],
)
def test_each_way_of_making_an_array(make):
    held = []
    one = "1 array that was made inside is still alive"
    with pytest.raises(AssertionError, match=one) as e, pf.testing.memory_checks() as check:
        held.append(make())
    (leak,) = check.leaks
    assert (leak.shape, leak.dtype, leak.nbytes, leak.device) == ((2,), "float64", 16, "cpu")
    assert "test_memory_checks.py:" in leak.site and "MainThread" in leak.thread
    assert str(leak) in str(e.value) and "cpu: 16 bytes" in str(e.value)


def test_the_line_is_told_also_after_the_operation_has_run():
    with pytest.raises(AssertionError, match="2 arrays"), pf.testing.memory_checks() as check:
        x = pf.ones(3)
        y, where = x * 2 + 1, line()
        np.asarray(y)
        del x
        z, at = y * 3, line()
    assert sorted(leak.site for leak in check.leaks) == sorted([where, at])
    assert sorted(leak.state for leak in check.leaks) == ["in memory", "queued"]
    del y, z


def test_a_failed_array():
    @pf.custom.op(name="test.leaky")
    def bad(x):
        raise ArithmeticError

    with pytest.raises(AssertionError, match="failed, made at"), pf.testing.memory_checks():
        y = bad(pf.ones(2))
        with pytest.raises(pf.ExecutionError):
            np.asarray(y)


def test_arrays_that_are_kept_on_purpose():
    with pf.testing.memory_checks() as check:
        x = pf.ones(2)
        tree = {"a": [x + 1], "b": (x - 1,)}
        check.keep(x, tree)
    with pytest.raises(TypeError, match="keep takes arrays, not int"):
        check.keep(3)


def test_cycles_are_collected():
    with pf.testing.memory_checks():
        loop = []
        loop.append([loop, pf.ones(2)])
        del loop


def test_an_exception_comes_through():
    with pytest.raises(ZeroDivisionError), pf.testing.memory_checks():
        x = pf.ones(2)
        raise ZeroDivisionError(x)
    del x


def test_several_checks_each_since_it_began():
    with ExitStack() as stack:
        outer = stack.enter_context(pf.testing.memory_checks())
        x = pf.ones(2)
        with pf.testing.memory_checks() as inner:
            y = pf.ones(3)
            inner.keep(y)
        assert inner.leaks == []
        outer.keep(x, y)
    assert outer.leaks == []


def test_an_array_that_was_there_may_change():
    x = pf.ones(3)
    with pf.testing.memory_checks():
        x += 1
    assert x.tolist() == [2, 2, 2]


def test_threads():
    held = []

    def other():
        held.append(pf.ones(5))

    with pytest.raises(AssertionError, match="by second"), pf.testing.memory_checks():
        thread = threading.Thread(target=other, name="second")
        thread.start()
        thread.join()
    with pf.testing.memory_checks(this_thread=True):
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()


@host
def test_devices(gpu):
    x = pf.asarray(np.ones(2, np.float32))
    both = "(?s)cpu: 8 bytes.*cuda:1: 8 bytes"
    with pytest.raises(AssertionError, match=both), pf.testing.memory_checks():
        y, z = x + 1, x.to_device("cuda:1")
    with pf.testing.memory_checks("cuda:0"):
        y, z = x + 1, x.to_device("cuda:1")
    one = "^1 array.*\ncuda:1"
    with pytest.raises(AssertionError, match=one), pf.testing.memory_checks("cuda:1"):
        y, z = x + 1, x.to_device("cuda:1")
    del y, z
    with pytest.raises(pf.DeviceError), pf.testing.memory_checks("cuda:99"):
        pass


@pytest.mark.host
def test_an_array_at_the_place_of_an_earlier_one():
    old = [pf.ones(2)]
    place = id(old[0])
    with pytest.raises(AssertionError, match="1 array"), pf.testing.memory_checks():
        old.clear()
        made = [pf.ones(2) for _ in range(100)]
        there = [x for x in made if id(x) == place]
        del made
        assert len(there) == 1, "the memory of the first array was not used again"


@host
def test_memory_of_no_array():
    constant = pf.custom.from_ir("""
        func.func @test_memory(%x: tensor<2xf64>) -> tensor<2xf64> {
          %c = fusion.constant dense<[1.0, 2.0]> : tensor<2xf64>
          %0 = fusion.add %x, %c : tensor<2xf64>, tensor<2xf64>
          return %0 : tensor<2xf64>
        }""")
    x = pf.ones(2)
    kept = []
    wrong = "^1 value of no array that was made inside is still alive\ncpu: 16 bytes"
    with pytest.raises(AssertionError, match=wrong), pf.testing.memory_checks() as check:
        y, where = x * 2, line()
        np.asarray(y)
        kept.append(y._v)
        # Right: what a view of NumPy's, a text of IR, an operation that waits keep.
        seen = np.asarray(x * 3)
        assert constant(x).tolist() == [2, 3]
        y = x * 4
        np.asarray(y)
        waits = y + 1
        del y, waits
    (leak,) = check.leaks
    assert (leak.site, leak.state) == (where, "in memory, but of no array")
    assert seen.tolist() == [3, 3]
    with pf.testing.memory_checks():  # it was there
        pass
    with pf.testing.memory_checks() as check:
        kept.append(pf.client.get_client().create(np.ones(3)))
        check.keep(kept)


@host
def test_a_child_has_no_lock_that_another_thread_holds():
    def child():
        with pf.testing.memory_checks(), pf.observer.install(pf.observer.FusionObserver()):
            return float(pf.ones(2).sum()) == 2

    for lock in (memory._places._lock, watching.changing):
        with lock:
            assert forked(child) == 0
