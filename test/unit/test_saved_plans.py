# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plans written to a file and read again, in this process and in another."""

import subprocess
import sys
import zipfile

import numpy as np
import pytest
from fake_gpu import fake_gpus

import pyfusion as pf
from pyfusion.compile import saved
from pyfusion.runtime.statistics import statistics
from pyfusion.stream import engine

PROGRAM = """
import numpy as np, pyfusion as pf, sys
from pyfusion.runtime.statistics import statistics
def f(x):
    y = pf.exp(x * 2 + 1)
    return y.sum(axis=0), y @ y.T, y[::2, ::-1] + 0, pf.argmax(y), pf.sort(y)
x = pf.asarray(np.linspace(0, 1, 12, dtype="float32").reshape(3, 4))
"""

WRITE = """
pf.config.keep_plans = True
found = f(x)
np.savez(sys.argv[2], *map(np.asarray, found))
assert pf.save_plans(sys.argv[1]) == 1
"""

READ = """
assert pf.load_plans(sys.argv[1]) == 1
found = f(x)
for got, want in zip(map(np.asarray, found), np.load(sys.argv[2]).values()):
    assert (got == want).all() and got.dtype == want.dtype
assert (statistics.loaded, statistics.compiles) == (1, 0)
y = pf.asarray(np.ones((5, 9), "float32"))  # other lengths
kept = f(y)
assert np.asarray(kept[0]).size == 9 and statistics.compiles == 0
z = pf.asarray(np.ones((5, 9)))  # another type
kept = f(z)
assert np.asarray(kept[0]).size == 9 and statistics.compiles == 1
"""


@pytest.fixture(autouse=True)
def forget():
    engine.plans.clear()
    yield
    saved._loaded.clear()
    engine.plans.clear()


def test_another_process_does_not_compile(tmp_path):
    files = [str(tmp_path / "plans"), str(tmp_path / "values.npz")]
    for part in (WRITE, READ):
        command = [sys.executable, "-c", PROGRAM + part, *files]
        subprocess.run(command, check=True, timeout=120)


def test_plans_of_a_gpu_serve_the_others_of_its_kind(tmp_path):
    def run(device):
        x = pf.asarray(np.arange(6.0).reshape(2, 3), device=device)
        return np.asarray((x.T + 1).sum(axis=0) * 2)

    with fake_gpus(), pf.config.scope(keep_plans=True):
        want = run("cuda:0")
        assert pf.save_plans(tmp_path / "plans") == 1
        engine.plans.clear()
        assert pf.load_plans(tmp_path / "plans") == 1
        before = statistics.compiles
        np.testing.assert_array_equal(run("cuda:1"), want)
        assert statistics.compiles == before
        run("cpu")  # of another kind
        assert statistics.compiles == before + 1
        engine.plans.clear()


def test_only_kept_plans_are_written(tmp_path):
    np.asarray(pf.ones(3) + 1)
    assert pf.save_plans(tmp_path / "plans") == 0


def test_files_that_hold_no_plans(tmp_path):
    wrong = tmp_path / "wrong"
    wrong.write_text("no plans")
    with pytest.raises(ValueError, match="holds no plans"):
        pf.load_plans(wrong)
    with zipfile.ZipFile(wrong, "w") as file:
        file.writestr("format", "pyfusion plans 0")
    with pytest.raises(ValueError, match="plans 0"):
        pf.load_plans(wrong)
    with pytest.raises(OSError):
        pf.load_plans(tmp_path / "absent")
