# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An exception that a handler of signals raises is no failure of what it comes amid."""

import signal

import numpy as np
import pytest

import pyfusion as pf
from pyfusion.compile import driver
from pyfusion.runtime.steps import KernelStep
from pyfusion.stream import engine


class Timeout(Exception):
    pass


def late(*about):
    raise Timeout


@pytest.fixture
def alarm():
    before = signal.signal(signal.SIGUSR1, late)
    yield lambda: signal.raise_signal(signal.SIGUSR1)
    signal.signal(signal.SIGUSR1, before)


@pytest.mark.fused
@pytest.mark.parametrize("strict", [False, True])
def test_while_compiling(monkeypatch, alarm, strict):
    engine.plans.clear()
    x = pf.asarray(np.arange(4.0))
    y = pf.exp(x * 3.25) - 7
    with pf.config.scope(strict=strict):
        with monkeypatch.context() as patch:
            patch.setattr(driver.Compilation, "emit", lambda self: alarm())
            with pytest.raises(Timeout):
                np.asarray(y)
        with pf.testing.inspect(flush=False) as report:
            np.testing.assert_allclose(np.asarray(y), np.exp(np.arange(4) * 3.25) - 7)
    assert (report.compiles, report.fallbacks) == (1, 0)  # nothing was stored of the first try


@pytest.mark.host
@pytest.mark.fused
@pytest.mark.parametrize("donated", [False, True])
def test_when_a_kernel_has_run(monkeypatch, alarm, donated):
    run = KernelStep.run

    def stepped(self, env):
        run(self, env)
        alarm()

    x = pf.asarray(np.arange(4.0)) * 1
    pf.sync()
    y = x * 2 + 1
    if donated:
        del x
    with monkeypatch.context() as patch:
        patch.setattr(KernelStep, "run", stepped)
        with pytest.raises(Timeout):
            np.asarray(y)
    if donated:  # its input is overwritten
        with pytest.raises(pf.ExecutionError, match="Timeout"):
            np.asarray(y)
    else:
        assert np.asarray(y).tolist() == [1, 3, 5, 7]


def test_in_a_body(alarm):
    calls = []

    @pf.custom.op
    def slow(x):
        calls.append(1)
        if len(calls) == 1:
            alarm()
        return x + 1

    y = slow(pf.asarray([1.0]))
    with pytest.raises(Timeout):
        np.asarray(y)
    assert np.asarray(y).tolist() == [2]


def test_an_error_of_the_same_class_is_a_failure(alarm):
    @pf.custom.op
    def bad(x):
        raise Timeout

    with pytest.raises(pf.ExecutionError, match="Timeout"):
        np.asarray(bad(pf.asarray([1.0])))
