# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a GPU's library runs, lacks and gets wrong, on GPUs that are none; see `fake_gpu.py`."""

import warnings

import numpy as np
import pytest
from fake_gpu import data

import pyfusion as pf
from pyfusion.runtime import on_host
from pyfusion.runtime.statistics import statistics

pytestmark = pytest.mark.host


@pytest.mark.filterwarnings("ignore::pyfusion.HostWarning")
def test_what_the_library_lacks_runs_on_the_host(gpu):
    n = data(7, 3)
    x = pf.asarray(n, device="cuda")
    with pf.testing.inspect() as report:
        product = x @ x.T
        order = pf.sort(x, axis=0)
        taken = pf.take(x, pf.asarray([2, 0], device="cuda"), axis=0)
        odd = pf.spacing(x)
    assert {"matmul", "sort", "take", "spacing"} <= set(report.unfused)
    assert sorted(report.on_host) == ["spacing", "take"]
    assert {a.device for a in (product, order, taken, odd)} == {"cuda:0"}
    np.testing.assert_allclose(np.asarray(product), n @ n.T, rtol=1e-5)
    np.testing.assert_array_equal(np.asarray(order), np.sort(n, axis=0))
    np.testing.assert_array_equal(np.asarray(taken), n[[2, 0]])
    np.testing.assert_array_equal(np.asarray(odd), np.spacing(n))
    mask = np.asarray(x[x > 0])
    np.testing.assert_array_equal(mask, n[n > 0])


@pytest.mark.parametrize("mode", ["fused", "single", "backend"])
def test_modes(gpu, mode):
    n = data(8, 6)
    with pf.config.scope(mode=mode):
        x = pf.asarray(n, device="cuda")
        y = pf.sqrt(abs(x)) + x[::-1].T.reshape(8, 6) * pf.arange(6, dtype="float32", device="cuda")
        z = pf.concat([y, y]) + y.mean()
        assert z.device == "cuda:0"
        got = np.asarray(z)
    w = np.sqrt(abs(n)) + n[::-1].T.reshape(8, 6) * np.arange(6, dtype=np.float32)
    np.testing.assert_allclose(got, np.concatenate([w, w]) + w.mean(), rtol=1e-5)


def test_the_host_is_named_once(gpu, monkeypatch):
    monkeypatch.setattr(on_host, "_said", set())
    x = pf.asarray(data(5), device="cuda")
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        for _ in range(3):
            np.asarray(pf.spacing(x))
        np.asarray(pf.take(x, 0))
        np.asarray(pf.sort(x))
    assert [str(w.message).split()[0] for w in seen] == ["spacing", "take"]
    assert {(w.category, w.filename) for w in seen} == {(pf.HostWarning, __file__)}
    with pf.config.scope(mode="backend"), warnings.catch_warnings():
        warnings.simplefilter("error")
        np.asarray(x * 2)


@pytest.mark.parametrize(
    "error, raised",
    [
        (RuntimeError("made to fail"), pf.ExecutionError),
        (MemoryError("made to fail"), pf.OutOfMemoryError),
    ],
)
def test_errors_of_the_library_are_not_made_up_for(gpu, error, raised):
    x = pf.asarray(np.eye(3, dtype=np.float32), device="cuda")
    transfers = statistics.transfers
    gpu.error = error
    with pytest.raises(raised, match="sort on cuda:0: .*made to fail") as caught:
        pf.sort(x)
    assert caught.value.__cause__ is error
    y = x + 1
    pf.sync()
    with pytest.raises(raised, match="matmul: .*made to fail") as caught:
        np.asarray((y @ x) * 2)
    assert caught.value.__cause__ is error
    with pf.testing.inspect() as report:
        product = y @ x
        z = x * 3
        with pytest.raises(raised, match="matmul"):
            np.asarray(product + z)
    # The rest of the block is a compiled block of its own.
    assert report.kernels > 0 and report.on_host == [] and report.fallbacks == 0
    gpu.error = np.linalg.LinAlgError("made to fail")
    with pytest.raises(np.linalg.LinAlgError):
        pf.linalg.inv(x)
    assert statistics.transfers == transfers
    gpu.error = None
    np.testing.assert_array_equal(np.asarray(x @ x), np.eye(3))
    np.testing.assert_array_equal(np.asarray(z), 3 * np.eye(3))


def test_results_of_the_library_are_checked(gpu, monkeypatch):
    x = pf.asarray(np.eye(3, dtype=np.float32), device="cuda")
    for wrong in (np.eye(2, dtype=np.float32), np.eye(3)):
        monkeypatch.setattr(gpu, "run", lambda *call, wrong=wrong: gpu.placed(wrong, 0))
        with pytest.raises(pf.ExecutionError, match="matmul gave float.* was recorded"):
            np.asarray(x @ x)
    monkeypatch.setattr(gpu, "run", lambda *call: None)
    with pytest.raises(pf.ExecutionError, match="matmul gave NoneType"):
        np.asarray(x @ x)


def test_sync_raises_the_first_failure(gpu):
    x, y = pf.ones(3, device="cuda"), pf.ones(3, device="cuda:1")
    pf.sync()
    gpu.error = RuntimeError("the first")
    first, later = pf.matmul(x, x), pf.matmul(y, y)
    monkey = gpu.run

    def run(*call):
        try:
            return monkey(*call)
        finally:
            gpu.error = RuntimeError("the second")

    gpu.run = run
    with pytest.raises(pf.ExecutionError, match="the first"):
        pf.sync()
    for failed in (first, later):
        with pytest.raises(pf.ExecutionError):
            np.asarray(failed)


@pytest.mark.filterwarnings("ignore::pyfusion.HostWarning")
def test_strides_that_the_library_lacks_are_read_in_one_copy(gpu, monkeypatch):
    plain = gpu.array

    def array(index, ptr, shape, dtype, strides, owner):
        if any(s < 0 for s in strides):
            raise TypeError("no negative strides")
        return plain(index, ptr, shape, dtype, strides, owner)

    monkeypatch.setattr(gpu, "array", array)
    n = data(4, 5)
    x = pf.asarray(n, device="cuda")
    views = [x[::-1, ::-2], x[::-1].T, pf.broadcast_to(x[::-1, :1], (2, 4, 3)), x[::-1, 2:2]]
    wanted = [n[::-1, ::-2], n[::-1].T, np.broadcast_to(n[::-1, :1], (2, 4, 3)), n[::-1, 2:2]]
    for view, want in zip(views, wanted, strict=True):
        with pf.testing.inspect() as report:
            got = np.asarray(view)
        np.testing.assert_array_equal(got, want)
        assert not got.flags.writeable
        assert report.transfers == 1


@pytest.mark.filterwarnings("ignore::pyfusion.HostWarning")
def test_complex_and_bfloat16(gpu):
    c = pf.asarray(np.array([1 + 2j, 3j], "complex64"), device="cuda")
    np.testing.assert_array_equal(np.asarray(c * c), np.array([1 + 2j, 3j], "complex64") ** 2)
    b = pf.asarray([1.5, 2.5], dtype="bfloat16", device="cuda")
    assert (b + b).device == "cuda:0" and (b + b).tolist() == [3, 5]
