# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fusers and executables of the user's that fail."""

import warnings

import numpy as np
import pytest
from fake_fusers import Backend, Pattern, data

import pyfusion as pf
from pyfusion import fusers
from pyfusion.errors import FuserError
from pyfusion.stream import engine

pytestmark = [
    pytest.mark.fused,
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
        with pytest.warns(pf.FallbackWarning, match=f"fuser 'broken': .*{message}"):
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
        with pytest.raises((ZeroDivisionError, FuserError), match="made to fail") as found:
            pf.sync()
        if how == "finish":
            assert "fuser 'broken': finish: ZeroDivisionError" in str(found.value)
            assert isinstance(found.value.__cause__, ZeroDivisionError)
        assert np.asarray(before).shape == (4,)  # its part had run
        with pytest.raises(pf.ExecutionError, match="made to fail"):
            np.asarray(b)
    assert np.asarray(x + 1).tolist() == (np.asarray(x) + 1).tolist()


class Sized(Backend):
    def __init__(self, nbytes):
        super().__init__("sized", 2)
        self.nbytes = nbytes


class Slotted:
    __slots__ = ("name",)

    def execute(self, block): ...


@pytest.mark.parametrize(
    "gives, message",
    [
        (None, "gave NoneType, not an Optimization"),
        (7, "gave int, not an Optimization"),
        (Backend, "gave the class Backend, not an Optimization"),
        (Slotted(), "gave Slotted, whose attributes started, consumed and culprit cannot be set"),
        (Sized("large"), "gave is 'large', not a number of bytes"),
        (Sized(-1), "gave is -1, not a number of bytes"),
    ],
)
def test_what_is_no_executable_is_refused_and_the_compiler_takes_the_part(gives, message):
    class Wrong(Pattern):
        def finish(self, block):
            return gives

    x = data(4)
    want = np.sin(np.exp(np.cos(np.asarray(x))) + np.asarray(x))
    with pf.config.scope(strict=False), fusers.register(Wrong("f", "exp add", 100)):
        with pytest.warns(
            pf.FallbackWarning, match=f"without a fuser: .*fuser 'f': .*finish {message}"
        ):
            got = np.asarray(pf.sin(pf.exp(pf.cos(x)) + x))
        np.testing.assert_allclose(got, want, rtol=1e-6)
        with pf.testing.inspect() as report:
            np.asarray(pf.sin(pf.exp(pf.cos(x)) + x))
        assert (report.unfused, report.fallbacks, report.compiles) == ([], 0, 0)


def test_an_executable_needs_no_more_than_execute():
    class Bare:
        def execute(self, block):
            (x,) = fusers.inputs(block)
            fusers.write(block, block.survivors[0], np.exp(x))

    class Mine(Pattern):
        def finish(self, block):
            return Bare()

    x = data(4)
    with fusers.register(Mine("f", "exp", 100)), pf.config.scope(debug=1):
        np.testing.assert_allclose(np.asarray(pf.exp(x)), np.exp(np.asarray(x)))
        np.testing.assert_allclose(np.asarray(pf.exp(x)), np.exp(np.asarray(x)))


@pytest.mark.parametrize("method", ["fuse", "status", "properties", "clone", "reset", "__len__"])
def test_a_fuser_that_fails_while_it_competes_is_left_out(method):
    class Wrong(Pattern):
        pass

    def fail(*about):
        raise ZeroDivisionError("made to fail")

    wrong = Wrong("f", "exp add", 100)
    setattr(Wrong, method, fail)
    x = data(4)
    with pf.config.scope(strict=False), fusers.register(wrong):
        with (
            pytest.warns(pf.FallbackWarning, match="fuser 'f': .*ZeroDivisionError: made to fail"),
            pf.testing.inspect() as report,
        ):
            np.asarray(pf.exp(x) + x)
        assert (report.kernels, report.unfused) == (1, [])


@pytest.mark.parametrize("score", ["much", None])
def test_a_score_that_is_no_number_names_its_fuser(score):
    x = data(4)
    with (
        pf.config.scope(strict=False),
        fusers.register(Pattern("f", "exp add", score)),
        pytest.warns(pf.FallbackWarning, match="fuser 'f': .*TypeError"),
    ):
        np.asarray(pf.exp(x) + x)


@pytest.mark.parametrize("culprit", [17, -1, "exp"])
@pytest.mark.parametrize("writes", [False, True])
def test_a_culprit_that_is_no_operation_of_the_block_is_unknown(culprit, writes):
    class Blaming(Backend):
        def execute(self, block):
            self.culprit = culprit
            if writes:
                fusers.write(block, 0, fusers.inputs(block)[0])
            raise ZeroDivisionError("made to fail")

    class Mine(Pattern):
        def finish(self, block):
            return Blaming("blaming", 2)

    x = data(4)
    with pf.config.scope(strict=False), fusers.register(Mine("f", "exp add", 100)):
        y = pf.exp(x) + x
        if writes:
            with pytest.raises(pf.ExecutionError, match="made to fail"):
                np.asarray(y)
        else:
            with pytest.warns(pf.FallbackWarning, match="fuser 'f': .*made to fail"):
                np.asarray(y)
        np.testing.assert_allclose(np.asarray(x + 1), np.asarray(x) + 1)


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
