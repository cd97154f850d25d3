# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fusers and executables of the user's that fail."""

import warnings

import numpy as np
import pytest
from fake_fusers import Backend, Pattern, data

import pyfusion as pf
from pyfusion import fusers
from pyfusion.stream import engine

pytestmark = [
    pytest.mark.skipif(pf.config.mode != "fused", reason="about plans of whole blocks"),
    pytest.mark.usefixtures("only_the_compiler"),
    pytest.mark.host,
]


class Broken(Pattern):
    """`how` says where it fails."""

    how = ""

    def take(self, name):
        if self.how == "fuse":
            raise ZeroDivisionError("made to fail")
        super().take(name)

    def finish(self, block):
        if self.how == "finish":
            raise ZeroDivisionError("made to fail")
        return Failing(self.how)


class Failing(Backend):
    def __init__(self, how):
        super().__init__("failing", 2)
        self.how = how

    def execute(self, block):
        if self.how == "execute":
            raise ZeroDivisionError("made to fail")
        if self.how == "later":
            fusers.write(block, 0, fusers.inputs(block)[0])
            raise ZeroDivisionError("made to fail")
        if self.how == "shape":
            fusers.write(block, 0, np.zeros(7))


@pytest.mark.parametrize(
    "how, message",
    [
        ("fuse", "made to fail"),
        ("finish", "made to fail"),
        ("execute", "made to fail"),
        ("shape", r"exp, operation 0: float64\[7\] was written where float32\[4\] was recorded"),
        ("nothing", "gave result 1 no memory"),
    ],
)
def test_what_fails_before_it_writes_runs_on_the_backend_once_with_a_warning(how, message):
    x = data(4)
    broken = Broken("broken", "exp add", 100)
    broken.how = how
    want = np.sin(np.exp(np.cos(np.asarray(x))) + np.asarray(x))
    with pf.config.scope(strict=False), fusers.register(broken):
        with pytest.warns(pf.FallbackWarning, match=message):
            got = np.asarray(pf.sin(pf.exp(pf.cos(x)) + x))
        np.testing.assert_allclose(got, want, rtol=1e-6)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            got = np.asarray(pf.sin(pf.exp(pf.cos(x)) + x))
        np.testing.assert_allclose(got, want, rtol=1e-6)
    with pf.testing.inspect() as report:
        y = pf.sin(pf.exp(pf.cos(x)) + x)
    assert report.kernels == 1  # the fallback went with the fuser
    del y


def test_a_failure_after_a_write_is_an_error_of_what_is_missing():
    x = data(4)
    broken = Broken("broken", "exp add", 100)
    broken.how = "later"
    with pf.config.scope(strict=False), fusers.register(broken):
        a = pf.exp(pf.cos(x))
        b = a + x
        c = pf.sin(b)
        other = pf.cos(x) * 2
        with pytest.raises(pf.ExecutionError, match="made to fail"):
            np.asarray(b)
        with pytest.raises(pf.ExecutionError, match="made to fail"):
            np.asarray(c)
        np.testing.assert_allclose(np.asarray(other), np.cos(np.asarray(x)) * 2, rtol=1e-6)
        assert np.asarray(a).shape == (4,)
        np.testing.assert_allclose(np.asarray(pf.cos(x)), np.cos(np.asarray(x)), rtol=1e-6)


@pytest.mark.parametrize("how", ["finish", "execute"])
def test_strict_raises_and_the_queue_goes_on(how):
    x = data(4)
    broken = Broken("broken", "exp add", 100)
    broken.how = how
    with pf.config.scope(strict=True), fusers.register(broken):
        before = pf.cos(x)
        b = pf.exp(before) + x
        with pytest.raises(ZeroDivisionError, match="made to fail"):
            pf.sync()
        assert np.asarray(before).shape == (4,)  # its part had run
        with pytest.raises(pf.ExecutionError, match="made to fail"):
            np.asarray(b)
    assert np.asarray(x + 1).tolist() == (np.asarray(x) + 1).tolist()


def test_a_fuser_that_covers_less_of_its_part_than_before_falls_back():
    x = data(4)

    class Fickle(Pattern):
        def take(self, name):
            super().take(name)
            self.closed = True

        def ready(self):
            return len(self.log) < 2

    with (
        pf.config.scope(strict=False),
        fusers.register(Fickle("f", "exp", 100)),
        pytest.warns(pf.FallbackWarning, match="covers 1 of 1 operations|had covered all"),
    ):
        np.asarray(pf.exp(x))
        engine.plans.clear()
        np.asarray(pf.exp(x) + 1)


def test_an_interrupt_between_parts_leaves_the_rest_in_the_queue():
    x = data(4)
    want = np.sin(np.exp(np.cos(np.asarray(x))) + np.asarray(x))

    class Interrupted(Backend):
        stop = True

        def execute(self, block):
            if Interrupted.stop:
                Interrupted.stop = False
                raise KeyboardInterrupt
            super().execute(block)

    class Stopping(Pattern):
        def finish(self, block):
            return Interrupted("stopping", 2)

    with fusers.register(Stopping("s", "exp add", 100)):
        y = pf.sin(pf.exp(pf.cos(x)) + x)
        with pytest.raises(KeyboardInterrupt):
            np.asarray(y)
        assert len(pf.stream.current()) == 3
        np.testing.assert_allclose(np.asarray(y), want, rtol=1e-6)
