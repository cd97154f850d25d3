# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The client: recording below the arrays, ordered functions, and what is refused inside of them."""

import gc
import threading

import numpy as np
import pytest
from forking import forked

import pyfusion as pf
from pyfusion.client import Client, get_client
from pyfusion.ir.table import OPS, custom_op

pytestmark = pytest.mark.host


def test_a_client_records_reads_and_moves():
    client = get_client("cpu")
    x = client.create(np.arange(4, dtype=np.float32))
    client.sync()
    y = client.register(OPS["multiply"], (x, 2.5), (4,), pf.float32)
    z = client.register(OPS["sum"], (y,), (), pf.float32, ((0,), False))
    assert y.stream is not None
    assert client.read(z) == 15
    assert client.read(y).tolist() == [0, 2.5, 5, 7.5]
    assert client.move(y, "cpu") is y
    assert y.stream is None


def test_the_call_site_is_the_callers():
    def fail(x):
        raise ZeroDivisionError

    client = get_client()
    x = client.create(np.ones(2))
    bad = client.register(custom_op("fails_at_once", fail), (x,), (2,), pf.float64)
    with pytest.raises(pf.ExecutionError) as caught:
        client.read(bad)
    assert caught.value.site.startswith(__file__)


def test_clients_of_one_device_are_equal(gpu):
    assert get_client("cpu") == get_client() == Client(get_client().device)
    assert hash(get_client("cpu")) == hash(get_client())
    assert get_client("cuda:0") == get_client("cuda") != get_client()
    assert get_client("cuda:1") != get_client("cuda:0")
    assert repr(get_client("cuda:1")) == "<client of cuda:1>"
    with pytest.raises(pf.DeviceError, match="does not exist"):
        get_client("tpu")


def test_a_client_works_on_its_device(gpu):
    here, there = get_client(), get_client("cuda:1")
    x = there.create(np.arange(3, dtype=np.float32))
    y = there.register(OPS["add"], (x, 1.0), (3,), pf.float32)
    one = there.register(OPS["full"], (2.0,), (3,), pf.float32, (False,), (3,))
    h = here.register(OPS["full"], (2.0,), (3,), pf.float32, (False,), (3,))
    there.flush()
    assert y.stream is None and one.stream is None and h.stream is not None
    assert gpu.waits == []
    assert here.read(here.move(y, "cpu")).tolist() == [1, 2, 3]
    with pytest.raises(pf.DeviceError, match="operands on"):
        here.register(OPS["add"], (x, h), (3,), pf.float32)
    there.sync()
    assert gpu.waits == [("synchronize", 1)]
    assert h.stream is not None
    here.sync()
    assert h.stream is None


def test_sync_waits_for_one_device_and_flush_for_none(gpu):
    x, y = pf.asarray(np.ones(3), device="cuda:0"), pf.asarray(np.ones(3), device="cuda:1")
    a, b, c = x + 1, y + 1, pf.zeros(3) + 1
    pf.sync("cuda:1")
    assert gpu.waits == [("synchronize", 1)]
    assert b._v.stream is None and a._v.stream is not None and c._v.stream is not None
    pf.flush()
    assert gpu.waits == [("synchronize", 1)]
    assert a._v.stream is None and c._v.stream is None
    pf.sync()
    assert sorted(gpu.waits[1:]) == [("synchronize", 0), ("synchronize", 1)]
    with pytest.raises(pf.DeviceError):
        pf.sync("cuda:7")


def test_a_device_that_fails_while_it_is_waited_for(gpu, monkeypatch):
    def synchronize(index):
        raise OSError("gone")

    pf.asarray(np.ones(3), device="cuda:0")
    with monkeypatch.context() as patch:
        patch.setattr(gpu, "synchronize", synchronize)
        with pytest.raises(pf.ExecutionError, match="cuda:0: OSError: gone") as caught:
            pf.sync()
        assert isinstance(caught.value.cause, OSError)
        pf.sync("cpu")


def refused(call):
    with pytest.raises(RuntimeError, match="inside the flush of another one or an ordered"):
        call()


def test_an_ordered_function_may_not_use_what_is_pending_on_another_stream():
    """It would be run first, which an ordered function must not do."""
    client = get_client()
    x = pf.asarray(np.arange(3.0))
    with pf.stream():
        other = x * 2
    mine = x + 1
    with pytest.raises(RuntimeError, match="used on another stream.*an ordered function"):
        client.run(lambda: mine + other)
    assert (mine._v.stream, other._v.stream) != (None, None)  # nothing was run
    result = client.run(lambda: mine * 3)
    assert (result + other).tolist() == [3, 8, 13]
    assert client.run(lambda: mine + other).tolist() == [1, 4, 7]  # it exists now


def test_an_ordered_function_may_record_but_not_read_or_flush():
    client = get_client()
    x = pf.asarray(np.arange(3.0))
    pf.sync()
    y = x + 1

    def function():
        assert np.asarray(x).tolist() == [0, 1, 2]  # it exists
        z = y * 2
        for call in (
            lambda: np.asarray(y),
            pf.flush,
            pf.sync,
            client.flush,
            client.sync,
            lambda: client.run(int),
            lambda: pf.explain(lambda a: a + 1, x),
        ):
            refused(call)
        return z

    z = client.run(function)
    assert y._v.stream is not None  # nothing was flushed
    assert np.asarray(z).tolist() == [2, 4, 6]
    w = y + 1
    z = client.sync(lambda: (w._v.stream, function)[0])
    assert z is None and w._v.stream is None


def test_an_ordered_function_that_raises_leaves_all_usable():
    client = get_client()
    for call in (client.run, client.sync):
        with pytest.raises(ZeroDivisionError):
            call(lambda: 1 / 0)
    assert np.asarray(pf.ones(2) + 1).tolist() == [2, 2]


def test_ordered_functions_and_launches_of_threads_do_not_overlap():
    client = get_client()
    running, overlapped = [], []

    def inside(*arrays):
        running.append(1)
        overlapped.append(len(running) > 1)
        threading.Event().wait(0.001)
        running.pop()
        return arrays[0] if arrays else None

    op = custom_op("watches", inside)

    def work(ordered):
        x = client.create(np.ones(2))
        for _ in range(20):
            if ordered:
                client.run(inside)
            else:
                client.read(client.register(op, (x,), (2,), pf.float64))

    threads = [threading.Thread(target=work, args=(k % 2,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(overlapped) == 80 and not any(overlapped)


@pytest.mark.parametrize("call", ["read", "flush", "sync", "run", "explain"])
def test_inside_of_a_block_that_runs_these_are_refused(call):
    client = get_client()
    other = pf.ones(2) * 3
    seen = []

    def reads(x):
        refused(
            {
                "read": lambda: np.asarray(other),
                "flush": pf.flush,
                "sync": pf.sync,
                "run": lambda: client.run(int),
                "explain": lambda: pf.explain(lambda a: a + 1, pf.zeros(2)),
            }[call]
        )
        seen.append(call)
        return x + 1

    with pf.stream():
        x = client.create(np.ones(2))
        y = client.register(custom_op(f"reads_{call}", reads), (x,), (2,), pf.float64)
        assert client.read(y).tolist() == [2, 2]
    assert seen == [call]
    assert np.asarray(other).tolist() == [3, 3]


def test_a_destructor_that_reads_inside_of_a_block_is_told(recwarn):
    told = []

    class Reader:
        def __init__(self, array):
            self.array = array

        def __del__(self):
            try:
                np.asarray(self.array)
            except RuntimeError as error:
                told.append(str(error))

    holder = [Reader(pf.ones(2) * 5)]

    def drops(x):
        holder.clear()
        gc.collect()
        return x

    client = get_client()
    with pf.stream():
        x = client.create(np.ones(2))
        client.read(client.register(custom_op("drops", drops), (x,), (2,), pf.float64))
    assert len(told) == 1 and "inside the flush" in told[0]


def test_a_read_while_a_traced_function_is_compiled_is_refused(monkeypatch):
    from pyfusion.compile.driver import Compilation

    x = pf.asarray(np.arange(3.0))
    pf.sync()
    real = Compilation.to_outlined

    def to_outlined(self):
        y = x * 7  # as a destructor may do
        refused(lambda: np.asarray(y))
        return real(self)

    with monkeypatch.context() as patch:
        patch.setattr(Compilation, "to_outlined", to_outlined)
        found = pf.explain(lambda a: pf.exp(a) + 1, x)
    assert [k.ops for k in found.kernels] == [("exp", "add")]
    assert np.asarray(x * 7).tolist() == [0, 7, 14]


def test_a_lock_of_devices_held_at_a_fork_is_free_in_the_child(gpu):
    from pyfusion.runtime import devices

    with devices._lock:
        code = forked(lambda: pf.zeros(3, device="cuda:1").device == "cuda:1")
    assert code == 0
