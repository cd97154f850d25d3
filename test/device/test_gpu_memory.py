# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Memory, streams and other libraries' arrays on a GPU."""

import gc
import pathlib
import resource
import time

import numpy as np
import pytest

import pyfusion as pf

pytestmark = pytest.mark.gpu

MEGA = 1 << 20


def backend():
    from pyfusion.runtime import devices

    return devices.find("cuda").runtime.backend


def test_a_warm_block_returns_before_the_kernel_ends():
    x = pf.ones(256 * MEGA, dtype="float32", device="cuda")

    def work(x):
        for _ in range(4):
            x = pf.tanh(pf.exp(-abs(x)) + x.sum())
        return x

    for _ in range(2):
        pf.sync()
        start = time.perf_counter()
        y = work(x)
        pf.stream.engine.flush(y._v.stream)
        returned = time.perf_counter() - start
        pf.sync()
        total = time.perf_counter() - start
    assert returned < total / 2


def resident_bytes() -> int:
    pages = pathlib.Path("/proc/self/statm").read_text().split()[1]
    return int(pages) * resource.getpagesize()


def test_memory_stays_flat():
    """100,000 warm launches, of a kernel that writes in place and of one that can't."""
    cupy = pytest.importorskip("cupy")
    x = pf.ones(1000, device="cuda")
    y = x
    with pf.testing.inspect() as report:
        for i in range(50_000):
            z = y + x
            pf.stream.engine.flush(z._v.stream)
            y = z * 0.5
            pf.stream.engine.flush(y._v.stream)
            if i == 5_000:
                gc.collect()
                pf.sync()
                before = cupy.get_default_memory_pool().used_bytes(), resident_bytes()
        pf.sync()
    gc.collect()
    assert report.kernels == 100_000 and report.compiles <= 3
    assert cupy.get_default_memory_pool().used_bytes() <= before[0] + 65536
    assert resident_bytes() <= before[1] + MEGA


def test_out_of_memory_leaves_the_process_usable():
    x = pf.ones((1 << 20, 1), dtype="float32", device="cuda")
    with pytest.raises(MemoryError):
        np.asarray(pf.broadcast_to(x, (1 << 20, 1 << 20)) + 1)
    assert float((x + 1).sum()) == 2 << 20


@pytest.mark.parametrize("name", ["cupy", "torch", "jax.numpy"])
def test_arrays_of_other_libraries(name):
    library = pytest.importorskip(name)
    values = np.arange(12, dtype=np.float32).reshape(3, 4)
    on_gpu = library.from_numpy(values).cuda if name == "torch" else None
    theirs = on_gpu() if on_gpu else library.asarray(values)
    x = pf.asarray(theirs)
    assert x.device == "cuda:0"
    np.testing.assert_array_equal(np.asarray(x * 2 + 1), values * 2 + 1)
    y = x.T + 1
    back = library.from_dlpack(y)
    assert back.tolist() == (values.T + 1).tolist()
    np.testing.assert_array_equal(np.asarray(pf.from_dlpack(back)), values.T + 1)


def test_bfloat16_of_torch():
    torch = pytest.importorskip("torch")
    theirs = torch.arange(6, dtype=torch.bfloat16, device="cuda")
    x = pf.asarray(theirs)
    assert x.dtype == "bfloat16" and x._v.ptr == theirs.data_ptr()
    assert (x + 1).tolist() == [1, 2, 3, 4, 5, 6]


def test_work_follows_the_current_stream():
    cupy = pytest.importorskip("cupy")
    if backend().name != "cupy":
        pytest.skip("the backend is PyTorch")
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        source = cupy.full(64 * MEGA, 3, "float32")
        y = pf.asarray(source) * 2
        found = cupy.asarray(y)
        assert y.__cuda_array_interface__["stream"] == stream.ptr
        assert float(found.sum()) == 6 * 64 * MEGA


def test_results_of_reductions_do_not_change():
    x = pf.asarray(np.random.default_rng(0).normal(size=1 << 22).astype("float32"), device="cuda")
    first = np.asarray(x.sum())
    for _ in range(5):
        assert np.asarray(x.sum()) == first


def test_saved_plans(tmp_path):
    from pyfusion.stream import engine

    x = pf.asarray(np.arange(10.0), device="cuda")
    with pf.config.scope(keep_plans=True):
        engine.plans.clear()
        want = np.asarray((x * 2).sum())
        assert pf.save_plans(tmp_path / "plans") == 1
    engine.plans.clear()
    pf.load_plans(tmp_path / "plans")
    with pf.testing.inspect() as report:
        found = np.asarray((x * 2).sum())
    assert found == want and report.compiles == 0
