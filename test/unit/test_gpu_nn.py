# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""pyfusion.nn on GPUs that are none, and in files of plans."""

import subprocess
import sys

import numpy as np
import pytest
from fake_gpu import data

import pyfusion as pf
from pyfusion.runtime import on_host

nn = pf.nn
pytestmark = pytest.mark.host


def test_activations_and_norms_are_kernels(gpu):
    n = data(6, 10)
    x, g = pf.asarray(n, device="cuda"), pf.ones(10, dtype="float32", device="cuda")
    np.asarray(g)
    with pf.testing.inspect() as report:
        y = nn.leaky_relu(nn.layer_norm(x, g), 0.5) * 2
    assert (report.unfused, report.on_host, report.fallbacks) == ([], [], 0)
    centred = n - n.mean(1, keepdims=True)
    want = centred / np.sqrt((centred**2).mean(1, keepdims=True) + 1e-5)
    np.testing.assert_allclose(np.asarray(y), np.where(want < 0, want, 2 * want), atol=1e-5)
    assert y.device == "cuda:0"


def test_without_a_library_for_it_the_host_runs_it(gpu, monkeypatch):
    monkeypatch.setattr(on_host, "_said", set())
    n = data(3, 8)
    x = pf.asarray(n, device="cuda")
    with (
        pytest.warns(pf.HostWarning, match="order is run by NumPy"),
        pytest.warns(pf.HostWarning, match="gather is run by NumPy"),
        pf.testing.inspect() as report,
    ):
        values, places = nn.topk_with_indices(x, 2)
        assert values.device == places.device == "cuda:0"
        np.testing.assert_array_equal(np.asarray(values), -np.sort(-n, 1)[:, :2])
    assert set(report.on_host) == {"order", "gather"}


def test_the_mode_backend_runs_the_body(gpu):
    n = data(4, 6)
    with pf.config.scope(mode="backend"):
        found = np.asarray(nn.softmax(pf.asarray(n, device="cuda"), 0))
    powers = np.exp(n - n.max(0))
    np.testing.assert_allclose(found, powers / powers.sum(0), rtol=1e-6)


PROGRAM = """
import sys
import numpy as np, pyfusion as pf
from pyfusion.runtime.statistics import statistics
x = pf.asarray(np.linspace(-1, 1, 72, dtype="float32").reshape(1, 2, 6, 6))
w = pf.asarray(np.linspace(-1, 1, 36, dtype="float32").reshape(2, 2, 3, 3))
def f(x, w, slope):
    y = nn.leaky_relu(nn.conv2d(x, w, padding=1), slope)
    return nn.softmax(y, 1), nn.max_pool2d(y, 2)
from pyfusion import nn
"""
WRITE = """
pf.config.keep_plans = True
found = f(x, w, 0.25)
np.savez(sys.argv[2], *map(np.asarray, found))
assert pf.save_plans(sys.argv[1]) == 1
"""
READ = """
assert pf.load_plans(sys.argv[1]) == 1
found = f(x, w, 0.25)
for got, want in zip(map(np.asarray, found), np.load(sys.argv[2]).values()):
    assert (got == want).all() and got.dtype == want.dtype
found = f(x, w, 0.5)  # another number
assert (np.asarray(found[0]) >= 0).all()
assert (statistics.loaded, statistics.compiles) == (1, 0)
"""


def test_another_process_does_not_compile_them(tmp_path):
    files = [str(tmp_path / "plans"), str(tmp_path / "values.npz")]
    for part in (WRITE, READ):
        command = [sys.executable, "-c", PROGRAM + part, *files]
        subprocess.run(command, check=True, timeout=120)
