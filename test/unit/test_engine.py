# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Streams, plans, failures, exit."""

import subprocess
import sys
import warnings

import numpy as np
import pytest

import pyfusion as pf
from pyfusion.stream import engine


def run_python(code, **env):
    import os

    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, **env}
    )


def test_queued_operations_at_exit_are_silent():
    done = run_python("import pyfusion as pf; x = pf.ones(4); y = x * 2; z = pf.exp(y)")
    assert (done.returncode, done.stderr, done.stdout) == (0, "", "")


def test_exit_after_compiled_work_is_silent():
    code = "import pyfusion as pf; x = pf.ones(4); y = pf.exp(x * 2); print(float(y[0])); z = y + 1"
    done = run_python(code)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.host
def test_import_loads_no_compiler():
    code = (
        "import sys, pyfusion as pf; x = pf.ones(3) + 1\n"
        "print([m for m in ('mlir', 'ml_dtypes', 'array_api_compat') if m in sys.modules])"
    )
    assert run_python(code).stdout.strip() == "[]"


@pytest.mark.fused
def test_plan_store_is_bounded():
    with pf.config.scope(max_plans=2):
        for name in ("exp", "log1p", "sin", "cos"):
            np.asarray(getattr(pf, name)(pf.ones(3)))
        assert len(engine.plans) <= 2


FLAT = """
import resource
import numpy as np
import pyfusion as pf

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

def run(work, first, count):
    work(first)
    before = peak()
    work(count)
    return peak() - before
"""


def growth(code):
    """KiB by which the peak of a fresh process grows after a warm-up."""
    done = run_python(FLAT + code)
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


@pytest.mark.fused
def test_memory_is_flat_over_warm_flushes():
    code = """
x = pf.ones(16)
def work(count):
    for _ in range(count):
        np.asarray(x * 2 + 1)
print(run(work, 2000, 100_000))
"""
    assert growth(code) < 4000


def test_memory_is_flat_over_a_long_chain():
    code = """
def work(count):
    x = pf.asarray(np.ones(2, np.float32))
    for _ in range(count):
        x = x + 1
    del x
print(run(work, 3000, 300_000))
"""
    assert growth(code) < 8000


@pytest.mark.fused
def test_a_block_that_does_not_compile_runs_on_the_backend(monkeypatch):
    from pyfusion.compile import driver

    def fail(self):
        raise RuntimeError("made to fail")

    x = pf.asarray(np.arange(5, dtype=np.float32))
    pf.sync()
    monkeypatch.setattr(driver.Compilation, "to_outlined", fail)
    engine.plans.clear()
    with pf.config.scope(strict=False), pf.testing.inspect() as report:
        with pytest.warns(pf.FallbackWarning, match="made to fail.*reproducer"):
            assert np.asarray(x * 3 + 1).tolist() == [1, 4, 7, 10, 13]
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert np.asarray(x * 3 + 1).tolist() == [1, 4, 7, 10, 13]
    assert report.fallbacks == 1
    with pf.config.scope(strict=True), pf.testing.inspect() as report:
        y = x * 5
        with pytest.raises(pf.CompileError, match="made to fail"):
            np.asarray(y)
        with pytest.raises(pf.ExecutionError, match="made to fail"):
            np.asarray(y + 1)
    assert report.blocks == 0  # it has not run
    monkeypatch.undo()
    assert np.asarray(x * 5).tolist() == [0, 5, 10, 15, 20]
    engine.plans.clear()


@pytest.mark.host
def test_a_failure_spoils_only_what_depends_on_it(monkeypatch):
    from pyfusion.backends.numpy_backend import NumpyBackend

    x = pf.asarray(np.ones((2, 2), np.float32))
    pf.sync()
    real = NumpyBackend.execute

    def execute(self, op, *args):
        if op.name == "matmul":
            raise ZeroDivisionError("made to fail")
        return real(self, op, *args)

    monkeypatch.setattr(NumpyBackend, "execute", execute)
    with pf.config.scope(strict=False), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        bad = x @ x
        good = x * 2
        assert np.asarray(good).tolist() == [[2, 2], [2, 2]]
        with pytest.raises(pf.ExecutionError, match="matmul.*made to fail.*test_engine"):
            np.asarray(bad)
        with pytest.raises(pf.ExecutionError):
            np.asarray(bad + 1)
    assert np.asarray(x + 1).tolist() == [[2, 2], [2, 2]]
    engine.plans.clear()


def test_queue_limit_flushes():
    with pf.config.scope(max_queue=8):
        x = pf.zeros(2)
        for _ in range(20):
            x = x + 1
            assert len(pf.stream.current()) < 8
        assert np.asarray(x).tolist() == [20, 20]


def test_config_checks_values():
    with pytest.raises(AttributeError, match="no flag"):
        pf.config.nonsense = 1
    with pytest.raises(AttributeError, match="no flag 'nonsense'"), pf.config.scope(nonsense=1):
        pass
    with pytest.raises(TypeError):
        pf.config.threads = "two"
    with pytest.raises(ValueError, match="one of"):
        pf.config.mode = "wrong"


def test_threads_do_not_change_bits():
    x = np.random.default_rng(0).standard_normal(1_000_000).astype(np.float32)
    p = pf.asarray(x)
    sums = []
    for threads in (1, 2, 3):
        with pf.config.scope(threads=threads):
            sums.append(float((p * p).sum()))
    assert len(set(sums)) == 1
