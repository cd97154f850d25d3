# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What failed work leaves in its results: cause, depth, nothing kept alive, and a way to go on."""

import contextlib
import copy
import gc
import pickle
import traceback
import warnings
import weakref

import numpy as np
import pytest

import pyfusion as pf
from pyfusion.array.core import wrap
from pyfusion.client import get_client
from pyfusion.ir.table import custom_op
from pyfusion.runtime.steps import BackendStep, KernelStep
from pyfusion.stream import engine
from pyfusion.stream.on_backend import OnBackend

pytestmark = pytest.mark.host


class Boom(Exception):
    pass


def fail(*arrays):
    local = arrays[0]  # noqa: F841  what a traceback would keep
    raise Boom("made to fail", 7)


FAIL = custom_op("fails", fail)


def failing(x):
    return wrap(get_client().register(FAIL, (x._v,), x.shape, x.dtype))


def error_of(x):
    with pytest.raises(pf.ExecutionError) as caught:
        np.asarray(x)
    return caught.value


def start():
    x = pf.asarray(np.arange(4, dtype=np.float32))
    pf.sync()
    return x


@pytest.mark.parametrize("mode", ["fused", "single", "backend"])
def test_depth_counts_units_and_the_cause_is_one(mode):
    with pf.config.scope(mode=mode):
        x = start()
        bad = failing(x)
        pf.flush()
        one = pf.exp(bad) + 1
        pf.flush()
        two = one * 2
        errors = [error_of(a) for a in (bad, one, two)]
        # Where operations run one by one, each of them is a unit.
        assert [e.depth for e in errors] == ([0, 1, 2] if mode == "fused" else [0, 2, 3])
        assert len({id(e.cause) for e in errors}) == 1
        assert isinstance(errors[0].cause, Boom) and errors[0].cause.args == ("made to fail", 7)
        assert len({str(e) for e in errors}) == 1
        assert errors[0].site.startswith(__file__)


def test_a_block_of_an_error_is_one_unit_whatever_the_number_of_its_operations():
    x = start()
    bad = failing(x)
    pf.flush()
    one = pf.exp(bad * 2)
    other = one - x
    assert error_of(other).depth == (1 if pf.config.mode == "fused" else 3)
    assert error_of(one).depth == (1 if pf.config.mode == "fused" else 2)


def test_the_first_operand_that_failed_is_the_cause():
    x = start()
    first, second = failing(x), failing(x)
    pf.flush()
    assert error_of(second + first).cause is error_of(second).cause
    assert error_of(first + second).cause is error_of(first).cause
    assert error_of(first).cause is not error_of(second).cause


def test_each_reader_has_an_error_of_its_own():
    bad = failing(start())
    first, second = error_of(bad), error_of(bad)
    assert first is not second and first.cause is second.cause
    assert bad._v.error.__traceback__ is None


def test_where_the_unit_raised_is_told():
    error = error_of(failing(start()))
    file, line, function = error.frames[-1]
    assert (file, function) == (__file__, "fail")
    assert line == fail.__code__.co_firstlineno + 2
    assert "made to fail" in "".join(traceback.format_exception(error))


def test_the_cause_is_what_was_raised_without_its_traceback():
    error = Boom("made by the caller")
    error.__cause__ = KeyError("first")

    def fail(x):
        raise error

    try:
        raise ZeroDivisionError  # what is handled meanwhile is no part of it
    except ZeroDivisionError:
        v = get_client().register(custom_op("fails_with_it", fail), (start()._v,), (4,), pf.float32)
        pf.flush()
    assert error_of(wrap(v)).cause is error
    assert error.__traceback__ is None and error.__context__ is None
    assert error.__cause__.args == ("first",)


@pytest.mark.fused
def test_an_error_that_is_raised_on_keeps_its_traceback(monkeypatch):
    from pyfusion.compile import driver

    def fail(self):
        raise Boom("made to fail")

    x = start()
    monkeypatch.setattr(driver.Compilation, "to_outlined", fail)
    y = x * 3 - 7 + x
    with pf.config.scope(strict=True), pytest.raises(pf.CompileError) as caught:
        np.asarray(y)
    names = [entry.name for entry in traceback.extract_tb(caught.value.__traceback__)]
    assert "compile_block" in names
    cause = error_of(y).cause
    assert cause is not caught.value and type(cause) is pf.CompileError
    assert str(cause) == str(caught.value) and cause.__traceback__ is None


def test_errors_travel_between_processes():
    error = error_of(failing(start()))
    for other in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert (str(other), other.site, other.depth) == (str(error), error.site, 0)


def test_dropping_results_drops_what_they_failed_of():
    gc.collect()
    gc.disable()
    try:
        x = start()
        memory = weakref.ref(x)
        bad = failing(x)
        more = bad + 1
        pf.flush()
        claim = weakref.ref(bad._v.error.cause)
        del x
        assert memory() is None
        with contextlib.suppress(pf.ExecutionError):
            np.asarray(more)
        del bad
        assert claim() is not None
        del more
        assert claim() is None
    finally:
        gc.enable()


def test_a_failure_keeps_no_operand_alive():
    before = pf.runtime.library.load().counters()["bytes_in_use"]
    x = pf.asarray(np.ones(1 << 16, np.float32))
    bad = failing(x * 2)
    good = x + 1
    assert error_of(bad + good).depth <= 1
    del x, good
    gc.collect()
    assert pf.runtime.library.load().counters()["bytes_in_use"] == before
    assert error_of(bad).depth == 0


def test_what_was_skipped_keeps_no_operand_alive():
    counters = pf.runtime.library.load().counters
    x = pf.asarray(np.ones(1 << 16, np.float32))
    bad = failing(x)
    pf.flush()
    before = counters()["bytes_in_use"]
    big = x * 2
    skipped = bad + big
    pf.flush()
    del big
    gc.collect()
    assert counters()["bytes_in_use"] == before
    assert error_of(skipped).depth == 1


def test_writing_makes_an_array_usable_again():
    x = start()
    bad = failing(x)
    view = bad[1:]
    pf.flush()
    assert error_of(view).depth >= 1
    assert np.add(x, 1, out=bad) is bad
    assert np.asarray(bad).tolist() == [1, 2, 3, 4]
    assert np.asarray(view).tolist() == [2, 3, 4]
    bad *= 2
    assert np.asarray(bad).tolist() == [2, 4, 6, 8]


def test_a_failed_array_in_place_stays_failed():
    bad = failing(start())
    bad += 1
    assert error_of(bad).depth == 1
    assert isinstance(error_of(bad).cause, Boom)


def test_sync_raises_the_first_failure_once_and_flush_none():
    x = start()
    first, second = failing(x), failing(x)
    with pytest.raises(pf.ExecutionError, match="fails: Boom.*test_failures") as caught:
        pf.sync()
    assert caught.value.cause is error_of(first).cause
    pf.sync()
    assert error_of(second).depth == 0
    third = failing(x)
    pf.flush()
    assert third._v.stream is None
    assert error_of(third).depth == 0


def test_reading_a_failure_runs_nothing():
    x = start()
    bad = failing(x)
    pf.flush()
    y = x + 1
    assert error_of(bad).depth == 0
    assert y._v.stream is not None
    assert np.asarray(y).tolist() == [1, 2, 3, 4]


def test_recording_on_a_failure_raises_nothing_and_the_queue_goes_on():
    x = start()
    bad = failing(x)
    with pf.config.scope(max_queue=4):
        made = [bad + k for k in range(20)] + [x * k for k in range(20)]
    for k, good in enumerate(made[20:]):
        assert np.asarray(good).tolist() == [0, k, 2 * k, 3 * k]
    assert all(isinstance(error_of(b).cause, Boom) for b in made[:20])
    assert len(pf.stream.current()) == 0


# --- A failure at each step of a block ------------------------------------------------------------

rng = np.random.default_rng(0)
X, Y = (rng.normal(size=(64, 64)).astype(np.float32) for _ in range(2))


def program(x, y):
    a = x * 2 + y
    s = a.sum(axis=0)
    c = (y @ y) * s
    return a, s, c, c.T - a


def run(monkeypatch, owner, step, error, donated, strict):
    x, y = pf.asarray(X), pf.asarray(Y)
    other = x - y
    if donated:
        x, y = x + 0, y + 0
    pf.sync()
    calls = [0]
    real = owner.run

    def stepped(self, env):
        calls[0] += 1
        if calls[0] == step + 1:
            raise error
        real(self, env)

    put = engine.plans.put

    def kept(key, plan):  # a block that failed would stay on the backend
        if not isinstance(plan.optimization, OnBackend):
            put(key, plan)

    with pf.config.scope(strict=strict), monkeypatch.context() as patch:
        patch.setattr(owner, "run", stepped)
        patch.setattr(engine.plans, "put", kept)
        results = program(x, y)
        if donated:
            del x, y
        found, errors = [], []
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for r in results:
                try:
                    found.append(np.asarray(r))
                except (pf.ExecutionError, pf.CompileError, type(error)) as failure:
                    found.append(None)
                    errors.append(failure)
    np.testing.assert_array_equal(np.asarray(other * 2), (X - Y) * 2)
    return found, errors, calls[0] > step


@pytest.mark.fused
@pytest.mark.parametrize("donated", [False, True])
@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("owner", [KernelStep, BackendStep])
@pytest.mark.parametrize("kind", [Boom, MemoryError, pf.ExecutionError])
def test_a_step_that_fails(monkeypatch, owner, kind, donated, strict):
    want = [np.asarray(r) for r in program(pf.asarray(X), pf.asarray(Y))]
    lost = []
    while True:
        found, errors, failed = run(
            monkeypatch, owner, len(lost), kind("made to fail"), donated, strict
        )
        for got, right in zip(found, want, strict=True):
            if got is not None:
                np.testing.assert_allclose(got, right, rtol=1e-5, atol=1e-4)
        if not failed:
            assert not errors
            break
        lost.append(len(errors))
        claims = [e for e in errors if isinstance(e, pf.ExecutionError) and e.cause is not None]
        assert len({id(e.cause) for e in claims}) <= 1
        assert all("made to fail" in str(e) for e in errors)
    assert len(lost) >= (2 if owner is KernelStep else 1)
    if owner is KernelStep:
        assert all(lost[1:])  # something had run: what was not written has failed
        # Before that the backend can run it all, unless memory is what lacks, or an error that is
        # not the launcher's may have come after the launch, which overwrites an input.
        unsure = donated and kind is Boom
        assert bool(lost[0]) == (strict or unsure or kind is MemoryError)
    else:
        assert all(lost)
