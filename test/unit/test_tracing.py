# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Spans of OpenTelemetry: names, nesting, errors, and that there are none without the flag."""

import subprocess
import sys

import numpy as np
import pytest

import pyfusion as pf
from pyfusion import tracing
from pyfusion.stream import engine, watching

trace = pytest.importorskip("opentelemetry.trace")


class Span(trace.NonRecordingSpan):
    def __init__(self, name, parent, attributes, start_time):
        super().__init__(trace.INVALID_SPAN_CONTEXT)
        self.name = name
        self.parent = parent
        self.attributes = dict(attributes or {})
        self.start_time = start_time
        self.errors = []
        self.ended = 0
        self.status = None

    def is_recording(self):
        return True

    def set_attribute(self, key, value):
        self.attributes[key] = value

    def record_exception(self, exception, *about, **more):
        self.errors.append(exception)

    def set_status(self, status, description=None):
        self.status = status

    def end(self, end_time=None):
        self.ended += 1

    def path(self):
        names = [self.name]
        span = self
        while isinstance(span.parent, Span):
            span = span.parent
            names.append(span.name)
        return "/".join(name.removeprefix("pyfusion.") for name in reversed(names))


class Tracer:
    """What is asked of a tracer here, kept in a list."""

    def __init__(self):
        self.spans = []

    def start_span(self, name, context=None, attributes=None, start_time=None):
        span = Span(name, trace.get_current_span(context), attributes, start_time)
        self.spans.append(span)
        return span


@pytest.fixture
def tracer(monkeypatch):
    found = Tracer()
    monkeypatch.setattr(trace, "get_tracer", lambda name, version: found)
    pf.sync()
    with pf.config.scope(tracing=True):
        yield found
        pf.sync()
    assert tracing.tracer is None and watching.watchers == []
    assert all(span.ended == 1 for span in found.spans)
    assert trace.get_current_span() is trace.INVALID_SPAN


def array():
    x = pf.asarray(np.arange(4, dtype=np.float32))
    pf.sync()
    return x


@pytest.mark.fused
def test_a_block_that_is_compiled(tracer):
    x = array()
    engine.plans.clear()
    y = x * 2 + 1
    assert tracer.spans == []
    assert np.asarray(y).tolist() == [1, 3, 5, 7]
    paths = [span.path() for span in tracer.spans]
    assert paths[:4] == ["block", "block/record", "block/plan", "block/plan/compile"]
    phases = [p.removeprefix("block/plan/compile/compile.") for p in paths[4:-2]]
    assert phases[:3] == ["fusion", "merged", "outlined"] and phases[-1] == "jit"
    assert paths[-2:] == ["block/run", "block/run/launch"]
    block, record, plan = tracer.spans[:3]
    assert block.attributes == {"pyfusion.operations": 2, "pyfusion.device": "cpu"}
    assert record.start_time > 0
    assert plan.attributes == {"pyfusion.compiled": True, "pyfusion.loaded": False}
    assert tracer.spans[-1].attributes == {
        "pyfusion.step": "kernel_0",
        "pyfusion.ops": ("multiply", "add"),
    }


@pytest.mark.fused
def test_a_block_that_is_known(tracer):
    x = array()
    np.asarray(x * 2 + 1)
    tracer.spans.clear()
    outer = Span("mine", None, None, None)
    with trace.use_span(outer):
        np.asarray(x * 2 + 1)
    assert [span.path() for span in tracer.spans] == [
        "mine/block",
        "mine/block/record",
        "mine/block/plan",
        "mine/block/run",
        "mine/block/run/launch",
    ]
    assert tracer.spans[2].attributes["pyfusion.compiled"] is False


def test_a_failure_is_in_the_spans(tracer):
    @pf.custom.op(name="test.traced")
    def bad(x):
        raise ArithmeticError("made to fail")

    x = array()
    tracer.spans.clear()
    with pytest.raises(pf.ExecutionError):
        np.asarray(bad(x))
    assert "made to fail" in str(tracer.spans[0].errors[0])
    assert tracer.spans[0].status.status_code is trace.StatusCode.ERROR


def test_without_the_flag_nothing_is_traced(monkeypatch):
    found = Tracer()
    monkeypatch.setattr(trace, "get_tracer", lambda name, version: found)
    np.asarray(array() * 7 + 2)
    with pf.config.scope(tracing=True):
        pass
    np.asarray(array() * 7 + 2)
    assert found.spans == [] and watching.watchers == []


def test_without_opentelemetry_the_flag_raises(monkeypatch):
    monkeypatch.setitem(sys.modules, "opentelemetry", None)
    with pytest.raises(ImportError, match="pip install opentelemetry-api"):
        pf.config.tracing = True
    assert pf.config.tracing is False
    with pytest.raises(ImportError), pf.config.scope(tracing=True):
        pass
    assert pf.config.tracing is False and watching.watchers == []


def test_the_flag_in_the_environment():
    import os

    code = (
        "import pyfusion as pf; from pyfusion import tracing\n"
        "assert tracing.tracer is not None; print(float(pf.ones(2).sum()))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, "PYFUSION_TRACING": "1"},
    )
    assert (done.stdout, done.stderr) == ("2.0\n", "")
