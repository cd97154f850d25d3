# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A step of a block on a GPU that fails spoils results of that block, and nothing else."""

import warnings

import numpy as np
import pytest

import pyfusion as pf
from pyfusion.runtime.gpu_library import GpuKernel
from pyfusion.stream import engine

pytestmark = pytest.mark.gpu

rng = np.random.default_rng(0)
X, Y = (rng.normal(size=(64, 64)).astype(np.float32) for _ in range(2))


class Failing:
    """Lets the call number `step` of a function raise."""

    def __init__(self, real, step, error):
        self.real, self.step, self.error, self.calls = real, step, error, 0

    def method(self):
        def call(*args, **kwargs):
            self.calls += 1
            if self.calls == self.step + 1:
                raise self.error
            return self.real(*args, **kwargs)

        return call


def program(x, y):
    a = x * 2 + y
    s = a.sum(axis=0)
    c = (y @ y) * s
    return a, s, c, c.T - a


def outcome(result):
    try:
        return np.asarray(result)
    except (pf.ExecutionError, MemoryError):
        return None


def run(monkeypatch, owner, name, step, error, *, donated, strict):
    """Runs the program with a failure at one step; returns its results, and if there was one."""
    engine.plans.clear()  # a plan that failed stays on the backend
    x, y = pf.asarray(X, device="cuda"), pf.asarray(Y, device="cuda")
    other = x - y
    if donated:
        x, y = x + 0, y + 0
    pf.sync()
    failing = Failing(getattr(owner, name), step, error)
    with pf.config.scope(strict=strict), monkeypatch.context() as patch:
        patch.setattr(owner, name, failing.method())
        results = program(x, y)
        if donated:
            del x, y
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = [outcome(r) for r in results]
    # What the block had no part in.
    np.testing.assert_array_equal(np.asarray(other), X - Y)
    np.testing.assert_array_equal(np.asarray(other * 2), (X - Y) * 2)
    return found, failing.calls > step


def check(monkeypatch, owner, name, error, **options):
    want = [
        np.asarray(r) for r in program(pf.asarray(X, device="cuda"), pf.asarray(Y, device="cuda"))
    ]
    lost = []  # results without a value, by the call that failed
    while True:
        found, failed = run(monkeypatch, owner, name, len(lost), error, **options)
        for got, right in zip(found, want, strict=True):
            if got is not None:
                np.testing.assert_allclose(got, right, rtol=1e-5, atol=1e-4)
        if not failed:
            assert all(got is not None for got in found)
            return lost
        lost.append(sum(got is None for got in found))


@pytest.mark.parametrize("donated", [False, True])
@pytest.mark.parametrize("strict", [False, True])
def test_launches(monkeypatch, donated, strict):
    error = pf.ExecutionError("made to fail")
    lost = check(monkeypatch, GpuKernel, "launch", error, donated=donated, strict=strict)
    assert len(lost) >= 2
    assert all(lost[1:])
    # Before the first step has run, the backend can compute them.
    assert bool(lost[0]) == strict


@pytest.mark.parametrize("donated", [False, True])
def test_allocations(monkeypatch, donated):
    from pyfusion.runtime import devices

    runtime = devices.find("cuda").runtime
    lost = check(
        monkeypatch, runtime, "allocate", MemoryError("none left"), donated=donated, strict=False
    )
    assert len(lost) >= 2 and all(lost)
