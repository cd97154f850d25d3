# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Observers: what they are told, in which order, and what they may do."""

import threading
import warnings

import fake_fusers
import numpy as np
import pytest

import pyfusion as pf
from pyfusion.stream import watching


class Log(pf.observer.FusionObserver):
    def __init__(self, log=None, name=""):
        self.log = [] if log is None else log
        self.name = name

    def registered(self, operation):
        self.log.append((self.name, "registered", operation))

    def block_starts(self, block):
        self.log.append((self.name, "starts", block))

    def block_ran(self, block, error):
        self.log.append((self.name, "ran", error))

    def events(self):
        return [event for _, event, _ in self.log]


@pytest.fixture
def x():
    x = pf.asarray(np.arange(4, dtype=np.float32))
    pf.sync()
    with pf.config.scope(mode="fused"):  # in single mode each operation is a block
        yield x
    assert watching.watchers == [] and watching._open == []


def test_operations_and_blocks(x):
    with pf.observer.install(Log()) as guard:
        y = x * 2 + 1
        np.asarray(y)
    log = guard.observer
    assert log.events() == ["registered", "registered", "starts", "ran"]
    first, second = log.log[0][2], log.log[1][2]
    assert (first.op.name, second.op.name) == ("multiply", "add")
    assert first.inputs[0].shape == (4,) and first.inputs[1] == 2.0
    assert second.inputs[0].id == first.output.id != first.inputs[0].id
    assert "test_observer.py" in first.site
    block = log.log[2][2]
    assert [o.op.name for o in block.operations] == ["multiply", "add"]
    assert block.operations[0].inputs[0].id == -1 and block.operations[1].inputs[0].id == 0
    assert (block.device, block.results) == (x.device, (1,))
    assert log.log[3][2] is None
    np.asarray(x - 1)
    assert len(log.log) == 4


def _identity(x):
    return x


@pytest.mark.fused
def test_how_each_part_runs(x):
    same = pf.custom.op(name="test.part")(_identity)
    with pf.observer.install(Log()) as guard:
        np.asarray(same(x * 2 + 1) * 3)
    (block,) = [given for _, event, given in guard.observer.log if event == "starts"]
    assert [part.runs for part in block.parts] == ["kernel", "backend", "kernel"]
    assert block.parts[1].name == "custom.test.part"
    assert block.parts[0].ops == ("multiply", "add") and block.parts[2].ops == ("multiply",)


def test_the_backends_mode(x):
    with pf.config.scope(mode="backend"), pf.observer.install(Log()) as guard:
        np.asarray(x * 2 + 1)
    block = guard.observer.log[2][2]
    assert [tuple(p) for p in block.parts] == [
        ("backend", "multiply", ("multiply",)),
        ("backend", "add", ("add",)),
    ]


def test_a_full_queue_tells_of_the_operation_first(x):
    with pf.config.scope(max_queue=1), pf.observer.install(Log()) as guard:
        y = x * 2
    assert guard.observer.events() == ["registered", "starts", "ran"]
    assert np.asarray(y)[3] == 6


def test_several_observers_in_order_each_removes_only_itself(x):
    log = []
    same = Log(log, "b")
    a = pf.observer.install(Log(log, "a"))
    b = pf.observer.install(same)
    c = pf.observer.install(same)
    x + 1
    assert [name for name, *_ in log] == ["a", "b", "b"]
    b.remove()
    b.remove()
    log.clear()
    x + 1
    assert [name for name, *_ in log] == ["a", "b"]
    a.remove()
    log.clear()
    x + 1
    assert [name for name, *_ in log] == ["b"]
    c.remove()
    log.clear()
    np.asarray(x + 1)
    assert log == []


def test_what_failed_is_told(x):
    @pf.custom.op(name="test.observed")
    def bad(x):
        raise ArithmeticError("made to fail")

    with pf.observer.install(Log()) as guard:
        y = bad(x)
        z = y + 1
        with pytest.raises(pf.ExecutionError):
            np.asarray(z)
    errors = [given for _, event, given in guard.observer.log if event == "ran"]
    assert "made to fail" in str(errors[-1])
    with pf.observer.install(Log()) as guard, pytest.raises(pf.ExecutionError):
        np.asarray(y * 2 + x)
    (block,) = [given for _, event, given in guard.observer.log if event == "starts"]
    assert [part.runs for part in block.parts] == ["skipped"]
    (error,) = [given for _, event, given in guard.observer.log if event == "ran"]
    assert "made to fail" in str(error)


def test_an_exception_through_a_block_is_told(x, monkeypatch):
    from pyfusion.stream import engine

    def stop(*about):
        raise KeyboardInterrupt

    y = x * 5
    with pf.config.scope(mode="fused"), pf.observer.install(Log()) as guard:
        with monkeypatch.context() as patch:
            patch.setattr(engine, "run_plan", stop)
            with pytest.raises(KeyboardInterrupt):
                np.asarray(y)
        assert type(guard.observer.log[-1][2]) is KeyboardInterrupt
        assert np.asarray(y)[1] == 5
    assert guard.observer.log[-1][2] is None


def test_an_exception_that_is_handled_outside_is_none_of_a_block(x):
    with pf.observer.install(Log()) as guard:
        try:
            raise LookupError("of the program's own")
        except LookupError:
            assert np.asarray(x * 2)[1] == 2
    assert guard.observer.log[-1][1:] == ("ran", None)


@pytest.mark.fused
def test_what_runs_after_a_failure_is_told_of_as_well(x):
    @pf.custom.op(name="test.fails_first")
    def bad(x):
        raise ArithmeticError("made to fail")

    with pf.observer.install(Log()) as guard:
        spoiled = bad(x)
        assert np.asarray(x * 3)[1] == 3
    log = guard.observer.log
    started = [
        [o.op.name for o in about.operations] for _, event, about in log if event == "starts"
    ]
    assert started == [["custom.test.fails_first", "multiply"], ["multiply"]]
    inner, outer = [error for _, event, error in log if event == "ran"]
    assert inner is None and "made to fail" in str(outer)
    del spoiled


def test_an_observer_that_raises_is_contained(x):
    class Bad:
        calls = 0

        def registered(self, operation):
            self.calls += 1
            raise LookupError("made to raise")

        block_starts = block_ran = lambda self, *about: 1 // 0

    log = Log()
    with (
        pf.observer.install(Bad()) as guard,
        pf.observer.install(log),
        pytest.warns(RuntimeWarning, match="LookupError: made to raise .at .*test_obs") as said,
    ):
        assert np.asarray(x * 2 + 1).tolist() == [1, 3, 5, 7]
    assert len(said) == 1 and guard.observer.calls == 2
    assert log.events() == ["registered", "registered", "starts", "ran"]


def test_an_observer_that_cannot_be_shown_is_contained(x):
    class Unshown(Exception):
        def __str__(self):
            raise ArithmeticError

    class Bad:
        def __repr__(self):
            raise LookupError

        def registered(self, operation):
            raise Unshown

    match = "the observer <Bad, whose __repr__ raised LookupError> raised Unshown: <no message"
    with pf.observer.install(Bad()), pytest.warns(RuntimeWarning, match=match):
        assert np.asarray(x * 2).tolist() == [0, 2, 4, 6]
    del Bad.registered
    with pytest.raises(TypeError, match="not <Bad, whose __repr__ raised"):
        pf.observer.install(Bad())
    Bad.registered, Bad.block_ran = None, 3
    with pytest.raises(TypeError, match="block_ran of the observer <Bad.* is no method"):
        pf.observer.install(Bad())


@pytest.mark.fused
@pytest.mark.parametrize("name", ["fallback", "unfused"])
def test_fusers_that_are_called_as_the_engine_calls_its_own(x, name):
    with (
        pf.fusers.register(fake_fusers.Pattern(name, "exp add")),
        pf.observer.install(Log()) as told,
    ):
        np.asarray(pf.exp(x) + x)
    (block,) = [about for _, event, about in told.observer.log if event == "starts"]
    assert [(part.runs, part.name, part.ops) for part in block.parts] == [
        ("fused", name, ("exp", "add"))
    ]


def test_an_observer_may_record_and_read(x):
    class Busy(Log):
        kept = None

        def registered(self, operation):
            super().registered(operation)
            assert float((pf.ones(3) * 2).sum()) == 6
            assert np.asarray(x)[1] == 1

        def block_starts(self, block):
            super().block_starts(block)
            self.kept = pf.ones(3) * 3

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pf.observer.install(Busy()) as guard, pf.observer.install(Log()) as other:
            assert np.asarray(x * 2).tolist() == [0, 2, 4, 6]
            kept = np.asarray(guard.observer.kept)
    assert kept.tolist() == [3, 3, 3]
    assert guard.observer.events() == other.observer.events() == ["registered", "starts", "ran"]


def test_an_observer_is_not_told_of_what_it_records_on_a_device(gpu):
    class Busy(Log):
        def block_starts(self, block):
            super().block_starts(block)
            self.kept = pf.ones(3, device="cuda:0") * 3

    ones = pf.ones(3, device="cuda:0")
    pf.sync()
    y = ones + 1
    with pf.observer.install(Busy()) as guard:
        np.asarray(y)
        np.asarray(guard.observer.kept)
    assert guard.observer.events() == ["starts", "ran"]


def test_what_an_observer_recorded_is_an_operand_like_others(x):
    class Maker:
        def registered(self, operation):
            self.made = pf.ones(4, dtype=pf.float32) * 2

    maker = Maker()
    with pf.observer.install(maker):
        y = x * 2
    assert np.asarray(y + maker.made).tolist() == [2, 4, 6, 8]


def test_a_read_while_a_block_runs_is_contained(x):
    class Reader:
        def block_starts(self, block):
            np.asarray(pf.ones(3) * 2)

    inside = "inside the flush"
    with pf.observer.install(Reader()), pytest.warns(RuntimeWarning, match=inside):
        assert np.asarray(x * 2).tolist() == [0, 2, 4, 6]
    assert np.asarray(x * 3).tolist() == [0, 3, 6, 9]


def test_threads_are_told_of(x):
    names = []

    class Names:
        def registered(self, operation):
            names.append(threading.current_thread().name)

    with pf.observer.install(Names()):
        thread = threading.Thread(target=lambda: np.asarray(pf.ones(3) + 1), name="other")
        thread.start()
        thread.join()
        x + 1
    assert names == ["other", "other", names[-1]] and names[-1] != "other"


def test_lower_and_explain_are_not_observed(x):
    with pf.observer.install(Log()) as guard:
        pf.lower(lambda x: x * 2, x)
    assert guard.observer.log == []


@pytest.mark.fused
def test_watching_changes_no_plan_and_takes_no_buffer(x):
    def counts():
        y = pf.asarray(np.ones(1000, np.float32))
        with pf.testing.inspect() as report:
            y = y * 2
            np.asarray(y + 1)
        return repr(report)

    counts()
    plain = counts()
    with pf.observer.install(Log()):
        assert counts() == plain


def test_what_is_no_observer():
    for wrong in (object(), Log, None):
        with pytest.raises(TypeError, match="an observer is an object with"):
            pf.observer.install(wrong)
