# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Forked children, pools of processes, and the end of a process."""

import concurrent.futures
import multiprocessing
import os
import subprocess
import sys
import threading

import numpy as np
import pytest
from forking import forked

import pyfusion as pf

pytestmark = [
    pytest.mark.host,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork"),
    pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning"),
]


def program(n):
    x = pf.asarray(np.arange(n, dtype=np.float32))
    with pf.stream():
        y = pf.exp(x * 0) + x
    return float((y + x).sum())


def fails():
    from pyfusion.array.core import wrap
    from pyfusion.client import get_client
    from pyfusion.ir.table import custom_op

    op = custom_op("fails_in_a_pool", _fail)
    np.asarray(wrap(get_client().register(op, (pf.ones(2)._v,), (2,), pf.float64)))


def _fail(x):
    raise ZeroDivisionError("in the child")


def want(n):
    return n + 2.0 * sum(range(n))


def test_a_child_forked_while_other_threads_run():
    stop = threading.Event()
    box = [pf.ones(4)]

    def work():
        x = pf.asarray(np.ones(2000, np.float32))
        while not stop.is_set():
            x = x * 0.5 + 0.5
            box[0] = x + 1
            np.asarray(x)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for t in threads:
        t.start()
    x = pf.asarray(np.arange(5, dtype=np.float32))
    y = x * 2
    assert program(100) == want(100) and np.asarray(box[0] * 1)[0] == 2  # compiled here
    try:
        for _ in range(3):
            code = forked(
                lambda: (
                    np.asarray(y)[1] == 2
                    and program(100) == want(100)
                    and np.asarray(box[0] * 1)[0] == 2  # of another thread, which is not here
                )
            )
            assert code == 0
    finally:
        stop.set()
        for t in threads:
            t.join()
    assert np.asarray(y).tolist() == [0, 2, 4, 6, 8]


def test_a_fork_inside_of_a_block():
    from pyfusion.array.core import wrap
    from pyfusion.client import get_client
    from pyfusion.ir.table import custom_op

    codes = []

    def child():
        with pytest.raises(pf.ExecutionError, match="running when the process forked"):
            np.asarray(wrap(v))
        return program(50) == want(50)

    def forks(x):
        codes.append(forked(child))
        return x + 1

    v = get_client().register(custom_op("forks", forks), (pf.ones(2)._v,), (2,), pf.float64)
    assert np.asarray(wrap(v)).tolist() == [2, 2]
    assert codes == [0]
    assert program(20) == want(20)


def test_queued_work_goes_on_in_a_forked_child():
    x = pf.asarray(np.arange(100_000, dtype=np.float32))
    np.asarray(x + 1)
    y = x * 2
    assert forked(lambda: np.asarray(y)[1] == 2 and np.asarray(pf.exp(x * 0) + y)[3] == 7) == 0
    assert np.asarray(y)[2] == 4


def test_children_of_children():
    assert forked(lambda: forked(lambda: program(30) == want(30)) == 0) == 0


def forked_while_a_thread_runs(child, before):
    """Forks while an operation of another thread waits; `child` is given its result, `before` lets
    it go on."""
    from pyfusion.array.core import wrap
    from pyfusion.client import get_client
    from pyfusion.ir.table import custom_op

    inside, leave = threading.Event(), threading.Event()
    box = []

    def waits(x):
        inside.set()
        leave.wait()
        return x + 1

    def work():
        op = custom_op(f"waits_{child.__name__}", waits)
        box.append(wrap(get_client().register(op, (pf.ones(2)._v,), (2,), pf.float64)))
        np.asarray(box[0])

    thread = threading.Thread(target=work)
    thread.start()
    inside.wait()
    before(leave)
    code = forked(lambda: child(box[0]))
    leave.set()
    thread.join()
    assert np.asarray(box[0]).tolist() == [2, 2]
    return code


def test_a_fork_waits_for_what_another_thread_runs():
    def whole(x):
        return np.asarray(x).tolist() == [2, 2] and program(10) == want(10)

    def soon(leave):
        threading.Timer(0.2, leave.set).start()

    assert forked_while_a_thread_runs(whole, soon) == 0


def test_what_a_thread_ran_for_too_long_has_failed_in_the_child(monkeypatch):
    from pyfusion.stream import locks

    def half(x):
        try:
            np.asarray(x)
        except pf.ExecutionError as error:
            return "forked" in str(error) and program(10) == want(10)
        return False

    monkeypatch.setattr(locks, "_FORK_WAIT", 0.05)
    assert forked_while_a_thread_runs(half, lambda leave: None) == 0


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_pools_of_processes(method):
    program(10)
    context = multiprocessing.get_context(method)
    with concurrent.futures.ProcessPoolExecutor(2, context) as pool:
        assert list(pool.map(program, [10, 20, 30])) == [want(n) for n in (10, 20, 30)]
        with pytest.raises(pf.ExecutionError, match="in the child.*recorded at") as caught:
            pool.submit(fails).result()
        assert caught.value.depth == 0
    with context.Pool(2) as pool:
        assert pool.map(program, [5, 6]) == [want(5), want(6)]


def ends(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    return done.returncode, done.stderr


START = "import threading, time, numpy as np, pyfusion as pf\n"


def test_the_end_with_queued_operations_and_threads_that_run():
    code = START + (
        "x = pf.asarray(np.ones(1000, np.float32))\n"
        "float((x * 2).sum())\n"
        "def work():\n"
        "    y = x\n"
        "    while True:\n"
        "        y = y * 0.5 + 0.5\n"
        "        float(y[0])\n"
        "for _ in range(4): threading.Thread(target=work, daemon=True).start()\n"
        "time.sleep(0.05)\n"
        "z = x * 3\n"
        "with pf.stream(): w = z + 1; pf.exp(w)\n"
    )
    for _ in range(3):
        assert ends(code) == (0, "")


def test_the_end_with_queued_operations_that_fail():
    code = START + (
        "from pyfusion.array.core import wrap\n"
        "from pyfusion.client import get_client\n"
        "from pyfusion.ir.table import custom_op\n"
        "def fail(x): raise ZeroDivisionError\n"
        "op = custom_op('fails', fail)\n"
        "bad = [wrap(get_client().register(op, (pf.ones(2)._v,), (2,), pf.float64))]\n"
        "pf.flush()\n"
        "bad += [bad[0] + 1, wrap(get_client().register(op, (pf.ones(2)._v,), (2,), pf.float64))]\n"
        "t = threading.Thread(target=lambda: bad.append(pf.ones(3) * 2)); t.start(); t.join()\n"
    )
    assert ends(code) == (0, "")
