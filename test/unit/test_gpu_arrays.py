# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays on devices: what Python does for a GPU, on GPUs that are none; see `fake_gpu.py`."""

import gc
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from fake_gpu import Capsule, Foreign, data, fake_gpus

import pyfusion as pf

pytestmark = pytest.mark.host


def test_places(gpu):
    n = data(3, 4)
    x = pf.asarray(n, device="cuda")
    assert x.device == "cuda:0"
    assert pf.asarray(n).device == "cpu"
    assert pf.asarray(n, device="cuda:1").device == "cuda:1"
    np.testing.assert_array_equal(np.asarray(x), n)
    made = [
        pf.zeros(3, device="cuda"),
        pf.ones((2, 2), device="cuda"),
        pf.full(3, 7, device="cuda"),
        pf.arange(5, device="cuda"),
        pf.linspace(0, 1, 5, device="cuda"),
        pf.eye(3, device="cuda"),
        pf.zeros_like(x),
        pf.asarray([1, 2], device="cuda"),
        pf.asarray(1.5, device="cuda"),
        pf.astype(pf.ones(2), "int32", device="cuda"),
        pf.tril(x),
        pf.where(x > 0, 1, 0),
        x**0,
        x == "text",
        pf.imag(x),
        pf.nan_to_num(x),
        x.sum(axis=0),
        x.T[::2],
    ]
    assert {m.device for m in made} == {"cuda:0"}
    wanted = [np.zeros(3), np.ones((2, 2)), np.full(3, 7), np.arange(5), np.linspace(0, 1, 5)]
    for got, want in zip(made, wanted, strict=False):
        np.testing.assert_array_equal(np.asarray(got), want)
    np.testing.assert_array_equal(np.asarray(made[10]), np.tril(n))


def test_one_block_runs_on_its_device(gpu):
    n = data(33, 65)
    x = pf.asarray(n, device="cuda")
    with pf.testing.inspect() as report:
        y = pf.exp(x) * 2 - x.T.T
        total = y.sum(axis=1)
    assert (report.blocks, report.fallbacks, report.unfused) == (1, 0, [])
    assert len(gpu.launches) == 2
    want = np.exp(n) * 2 - n
    np.testing.assert_allclose(np.asarray(y), want, rtol=1e-5)
    np.testing.assert_allclose(np.asarray(total), want.sum(axis=1), rtol=1e-4)


def test_static_extents_of_1_are_no_launch_dimensions(gpu):
    n, row = data(5, 1, 7), data(1, 7)
    x = pf.asarray(n, device="cuda")
    got = [x + pf.asarray(row, device="cuda"), x[:, :, ::2] * 2, x.sum(axis=(1, 2)), x.max(axis=0)]
    want = [n + row, n[:, :, ::2] * 2, n.sum(axis=(1, 2)), n.max(axis=0)]
    for g, w in zip(got, want, strict=True):
        np.testing.assert_allclose(np.asarray(g), w, rtol=1e-5)


def test_the_first_operation_of_a_process_runs_on_its_device():
    """No stream was made for the GPU before."""
    code = """
import sys
sys.path.insert(0, sys.argv[1])
from fake_gpu import Capsule, fake_gpus
import numpy as np, pyfusion as pf
with fake_gpus() as backend:
    x = pf.asarray(np.ones(3), device="cuda")
    assert (x + 1).device == "cuda:0"
    assert float((x + 1).sum()) == 6 and len(backend.launches) == 1
"""
    folder = str(Path(__file__).parent)
    subprocess.run([sys.executable, "-c", code, folder], check=True, timeout=120)


def test_devices_do_not_mix(gpu):
    x, y = pf.ones(3, device="cuda"), pf.ones(3)
    for call in (
        lambda: x + y,
        lambda: y * x,
        lambda: pf.where(x > 0, x, y),
        lambda: x @ y,
        lambda: pf.concat([x, y]),
        lambda: x + np.ones(3),
        lambda: x + pf.ones(3, device="cuda:1"),
    ):
        with pytest.raises(pf.DeviceError, match="cuda:0 and |and cuda:0|and cuda:1|cpu"):
            call()
    assert isinstance(pf.DeviceError("x"), ValueError)
    assert float((x + 1 + np.float32(2)).sum()) == 12


def test_the_error_is_at_the_users_line(gpu):
    x, y = pf.ones(3, device="cuda"), pf.ones(3)
    with pytest.raises(pf.DeviceError) as caught:
        x + y
    assert any(entry.path.name == "test_gpu_arrays.py" for entry in caught.traceback)


def test_the_key_holds_the_device(gpu):
    pf.stream.engine.plans.clear()
    for device in ("cpu", "cuda:0", "cuda:1", "cuda:0", "cpu"):
        x = pf.asarray(data(9), device=device)
        np.testing.assert_array_equal(np.asarray(x * 3 + 1), data(9) * 3 + 1)
    assert len(pf.stream.engine.plans) == 3


def test_queues_of_devices_are_separate(gpu):
    on_cpu, on_gpu = pf.ones(4) * 2, pf.ones(4, device="cuda") * 3
    assert float(on_gpu.sum()) == 12
    assert on_cpu._v.stream is not None  # still queued
    pf.sync()
    assert on_cpu._v.stream is None
    assert ("synchronize", 0) in gpu.waits


def test_transfers(gpu):
    n = data(6, 5)
    x = pf.asarray(n, device="cuda")
    y = (x + 1).to_device("cuda:1")
    back = y.to_device("cpu")
    assert (y.device, back.device) == ("cuda:1", "cpu")
    np.testing.assert_array_equal(np.asarray(back), n + 1)
    same = x.to_device("cuda:0")
    same += 1
    np.testing.assert_array_equal(np.asarray(x), n)
    gpu.waits.clear()
    x.to_device("cpu", stream=77)
    assert gpu.waits[0] == ("wait_for", 0, 77)
    assert gpu.waits[-1] == ("wait", 0, 77)
    with pytest.raises(ValueError, match="copy=False"):
        pf.asarray(n, device="cuda", copy=False)
    with pf.testing.inspect() as report:
        np.asarray(x[:, ::-1])
        np.asarray(pf.broadcast_to(x[0], (1000, 5)))
    assert report.transfers == 2


def test_launches_are_on_the_current_stream(gpu):
    x = pf.ones(4, device="cuda")
    gpu.streams[0] = 1234
    np.asarray(x + 1)
    assert gpu.launches[-1][0] == 1234
    assert np.asarray(x.sum()) == 4
    assert gpu.launches[-1][1] != 0  # scratch memory of a reduction


def test_memory_goes_back(gpu):
    before = gpu.in_use
    x = pf.asarray(data(1000), device="cuda")
    for _ in range(20):
        x = x * 1.5 + 1
        pf.sync()
    del x
    gc.collect()
    assert gpu.in_use == before


def test_a_dying_input_is_taken_over(gpu):
    x = pf.ones(1000, device="cuda") * 2
    pf.sync()
    before = gpu.in_use
    x = x + 1
    pf.sync()
    assert gpu.in_use == before
    kept = x.__cuda_array_interface__["data"][0]
    view = pf.from_dlpack(Foreign(np.from_dlpack(Capsule(x))))
    x = x + 1  # what was exported is not overwritten
    pf.sync()
    assert x._v.ptr != kept
    assert float(view.sum()) == 3000


def test_default_device(gpu):
    with pf.config.scope(device="cuda:1"):
        assert pf.ones(3).device == "cuda:1"
        assert pf.asarray(data(3)).device == "cuda:1"
        assert (pf.asarray(data(3)) + data(3)).device == "cuda:1"
        info = pf.__array_namespace_info__()
        assert info.default_device() == "cuda:1"
        assert info.devices() == ["cpu", "cuda:0", "cuda:1"]


def test_a_launch_that_fails_spoils_its_block_alone(gpu):
    x, other = pf.ones(4, device="cuda"), pf.ones(4, device="cuda") * 5
    pf.sync()
    y = x + 1
    total = y.sum()
    gpu.fail_at = len(gpu.launches) + 2
    pf.stream.engine.plans.clear()
    with pytest.raises(pf.ExecutionError, match="injected"):
        np.asarray(total)
    gpu.fail_at = 0
    assert total.device == "cuda:0"  # a failed one too
    with pytest.raises(pf.ExecutionError, match="injected"):
        np.asarray(total + 1)
    assert float(other.sum()) == 20 and float(x.sum()) == 4


def test_out_of_memory_is_an_error_of_the_block(gpu):
    x = pf.ones(1000, device="cuda")
    pf.sync()
    gpu.capacity = gpu.in_use + 2000
    y = x + 1
    with pytest.raises(pf.OutOfMemoryError):
        np.asarray(y)
    gpu.capacity = 1 << 30
    assert float((x + 1).sum()) == 2000
    with pytest.raises(MemoryError):
        gpu.capacity = 0
        pf.asarray(np.ones(1000), device="cuda")


def test_threads(gpu):
    from threading import Thread

    x = pf.ones(3, device="cuda") + 1
    found = []
    thread = Thread(target=lambda: found.append(np.asarray(x * 2)))
    thread.start()
    thread.join()
    np.testing.assert_array_equal(found[0], [4, 4, 4])


def test_lower_and_explain(gpu):
    x = pf.asarray(data(3, 4), device="cuda")
    assert "fusion.add" in pf.lower(lambda a: a + 1, x).as_text("fusion")
    assert len(pf.explain(lambda a: (a + 1).sum(), x).kernels) >= 1
    with pytest.raises(RuntimeError, match="cpu and cuda:0"):
        pf.lower(lambda a: (a + 1, pf.ones(3) + 1), x)


@pytest.mark.parametrize(
    "kind, arch, target",
    [
        ("cuda", "9.0", "cuda:sm_90"),
        ("cuda", "12.9", "cuda:sm_121"),  # a chip that is not known yet
        ("rocm", "gfx942:sramecc+:xnack-", "rocm:gfx942"),
    ],
)
def test_kernels_are_compiled_for_the_chip(kind, arch, target):
    with fake_gpus(kind=kind) as backend:
        backend.archs[kind] = arch
        assert pf.ones(3, device=kind)._v.stream.device.target == target


@pytest.mark.parametrize("kind, arch", [("cuda", "6.1"), ("rocm", "gfx906:xnack-")])
def test_a_chip_that_nothing_is_compiled_for(kind, arch):
    with fake_gpus(kind=kind) as backend:
        backend.archs[kind] = arch
        with pytest.raises(pf.DeviceError, match=f"'{kind}:0' cannot be used: ") as caught:
            pf.ones(3, device=kind)
    assert caught.traceback[0].path.name == "test_gpu_arrays.py"


def test_unknown_devices(gpu):
    for name in ("gpu", "cuda:", "cuda:-1", 3, "CUDA", "cuda:0:1", "cuda:00"):
        with pytest.raises(ValueError, match="devices are"):
            pf.ones(3, device=name)
    with pytest.raises(ValueError, match="cuda:0 to cuda:1"):
        pf.ones(3, device="cuda:2")


@pytest.mark.parametrize(
    "wanted, kind, message",
    [
        ("cupy", "cuda", "cupy is not installed; install CuPy .pip install cupy-cuda12x"),
        ("auto", "rocm", "cupy is not installed"),
        ("auto", "cuda:1", "device 'cuda:1' cannot be used: cupy is not installed"),
        ("torch", "cuda", "torch is not installed; install PyTorch .pip install torch.\n"),
        ("torch", "rocm", "install CuPy for ROCm .*, and set gpu_backend to cupy"),
    ],
)
def test_without_libraries_the_error_says_what_is_missing(wanted, kind, message):
    """In a process of its own, where neither library can be found."""
    code = f"""
import sys
from importlib.machinery import PathFinder
import importlib.util
find = importlib.util.find_spec
importlib.util.find_spec = lambda n, *a: None if n in ("cupy", "torch") else find(n, *a)
import pyfusion as pf
pf.config.gpu_backend = {wanted!r}
try:
    pf.ones(3, device={kind!r})
except ValueError as error:
    print(error)
print(float(pf.ones(3).sum()), pf.__array_namespace_info__().devices())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert re.search(message, done.stdout)
    assert "3.0 ['cpu']" in done.stdout
