# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An interrupt at each point of recording, flushing, compiling and launching where one can come.

The interpreter looks for signals when a Python function is entered, when one of C has returned and
when a loop goes round. Hooks for profiling and tracing are called at these points, and may raise.
A hook is also called before each instruction, which is stricter.
`PYFUSION_INTERRUPT_POINTS` sets how many points of a first compile are tried,
`PYFUSION_INTERRUPT_STRIDE` that each so many-th instruction is.
"""

import contextlib
import dis
import functools
import gc
import linecache
import os
import random
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import pyfusion as pf
from pyfusion.ir.value import Value
from pyfusion.runtime import library
from pyfusion.stream import block, engine, locks

pytestmark = pytest.mark.host

PACKAGE = str(Path(pf.__file__).parent)
COLD_POINTS = int(os.environ.get("PYFUSION_INTERRUPT_POINTS", "25"))
STRIDE = int(os.environ.get("PYFUSION_INTERRUPT_STRIDE", "7"))

X = np.arange(64, dtype=np.float32).reshape(8, 8)


@functools.cache
def looks_before(code):
    """Offsets of the instructions before which the interpreter has just looked for signals."""
    found, called = set(), False
    for i in dis.get_instructions(code):
        if called or i.opname == "RESUME":
            found.add(i.offset)
        called = i.opname.startswith("CALL")
        if i.opcode in dis.hasjrel and i.argval < i.offset:  # a loop goes round
            found.add(i.argval)
    return found


class Points:
    """Raises KeyboardInterrupt at the point number `at` inside of the package; `kind` is that of
    the points: calls, loops or instructions."""

    def __init__(self, at, kind="calls"):
        self.at, self.count, self.kind = at, 0, kind

    def profile(self, frame, event, argument):
        if event in ("call", "c_return"):
            self.point(frame)

    def trace(self, frame, event, argument):
        if frame.f_code.co_filename.startswith(PACKAGE):
            frame.f_trace_opcodes = self.kind == "instructions"
            if event == "opcode" and self.is_fair(frame):
                self.point(frame)
            elif event == "line" and self.kind == "loops":
                line = linecache.getline(frame.f_code.co_filename, frame.f_lineno).lstrip()
                if line.startswith(("for ", "while ")):
                    self.point(frame)
            return self.trace
        return None

    @staticmethod
    def is_fair(frame):
        """Whether an interrupt can come here. It cannot between two instructions of which the
        first calls nothing. That is counted on in two functions: a `with` statement takes a lock
        and begins, and a leaf is numbered and kept."""
        code = frame.f_code
        return code.co_name not in ("flush", "_number") or frame.f_lasti in looks_before(code)

    def point(self, frame):
        # An exception of a destructor is ignored: no interrupt comes from there.
        code = frame.f_code
        if code.co_filename.startswith(PACKAGE) and code.co_name not in ("__del__", "<genexpr>"):
            self.count += 1
            if self.count == self.at:
                self.where = f"{frame.f_code.co_filename}:{frame.f_lineno}, {frame.f_lasti}"
                self.stop()
                raise KeyboardInterrupt

    def stop(self):
        sys.setprofile(None)
        sys.settrace(None)

    def __enter__(self):
        sys.setprofile(self.profile) if self.kind == "calls" else sys.settrace(self.trace)

    def __exit__(self, *about):
        self.stop()


def start(donated):
    x, y = pf.asarray(X), pf.asarray(X)
    if donated:
        x, y = x + 0, y + 0
    pf.sync()
    return x, y


def record(kept, x, y):
    kept.append(x * 2 + y)
    kept.append(pf.exp(kept[0] * 0) + kept[0])
    kept.append(kept[1].sum(axis=0))
    kept.append(kept[0] @ y)


A = X * 2 + X
WANT = [A, A + 1, (A + 1).sum(axis=0), A @ X]


def check(kept):
    """Each result is right, or says that it was interrupted."""
    lost = 0
    for got, want in zip(kept, WANT, strict=False):
        try:
            np.testing.assert_allclose(np.asarray(got), want, rtol=1e-6)
        except pf.ExecutionError as error:
            assert isinstance(error.cause, KeyboardInterrupt)
            lost += 1
    return lost


def interrupted(at, donated, kind="calls"):
    """Runs the program with an interrupt; returns whether the program got that far, and losses."""
    x, y = start(donated)
    kept = []
    points = Points(at, kind)
    came = False
    try:
        with points:
            record(kept, x, y)
            if donated:
                del x, y
            for array in kept:
                np.asarray(array)
    except KeyboardInterrupt:
        came = True
    assert came == (points.count >= at)
    x = y = None
    try:
        lost = check(kept)
        assert not locks.busy.locked()
        free = []
        thread = threading.Thread(target=lambda: free.append(locks.lock.acquire(timeout=5)))
        thread.start()
        thread.join()
        assert free == [True]
        locks.lock = threading.RLock()
        # The stream goes on as if nothing had been.
        again = []
        record(again, *start(donated))
        assert check(again) == 0
        assert len(pf.stream.current()) == 0
        assert block.unclosed == [] and pf.stream.current().parts == []
    except BaseException as error:
        error.args = (f"interrupted at {points.where}: {error}",)
        raise
    return came, lost


def no_numbers_left():
    gc.collect()
    return not [
        v for v in gc.get_objects() if v.__class__ is Value and getattr(v, "slot", -1) != -1
    ]


@pytest.mark.parametrize(
    "kind, stride, least", [("calls", 1, 100), ("loops", 1, 20), ("instructions", STRIDE, 1000)]
)
@pytest.mark.parametrize("donated", [False, True])
def test_at_each_point_of_a_warm_program(donated, kind, stride, least):
    interrupted(1 << 40, donated)  # compiles
    pf.sync()
    gc.collect()
    in_use = library.load().counters()["bytes_in_use"]
    at, lost = 1, 0
    while True:
        came, n = interrupted(at, donated, kind)
        if not came:
            break
        lost += n
        at += stride
        assert library.load().counters()["bytes_in_use"] == in_use
    assert at > least
    # Nothing is lost where nothing was overwritten. Run one by one, steps take over each other's.
    assert donated or not lost or pf.config.mode == "single"
    assert lost or not donated or pf.config.mode == "backend"
    assert no_numbers_left()


@pytest.mark.fused
def test_at_points_of_a_first_compile():
    count = Points(1 << 40)
    interrupted(1 << 40, False)
    engine.plans.clear()
    kept = []
    x, y = start(False)
    with count:
        record(kept, x, y)
        np.asarray(kept[-1])
    assert count.count > 1000
    choose = random.Random(0)
    for _ in range(COLD_POINTS):
        engine.plans.clear()
        came, lost = interrupted(choose.randrange(1, count.count), False)
        assert came and not lost
    with contextlib.suppress(KeyboardInterrupt):
        pf.sync()
