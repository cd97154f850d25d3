# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs: fused and single mode agree bit for bit, each step agrees with NumPy.

`test/fuzz` makes and checks them; `test/fuzz/run.py` checks as many as there is time for.
"""

import platform
import subprocess
import sys

import hypothesis
import hypothesis.strategies as st
import numpy as np
import pytest
from compare_modes import Checker, run
from numpy_oracle import check
from random_programs import Input, Number, Program, Seeded, Step, generate, sibling

import pyfusion as pf

PARTS = 40
PROGRAMS = 25  # of each part, and as many siblings

pytestmark = pytest.mark.fused


class Drawn:
    """Choices by hypothesis, which makes a failing program smaller."""

    def __init__(self, draw):
        self._draw = draw

    def pick(self, options):
        return self._draw(st.sampled_from(options))

    def integer(self, low, high):
        return self._draw(st.integers(low, high))


@st.composite
def programs(draw):
    return generate(Drawn(draw))


class Fresh:
    """Programs that were not checked yet; all of them once one has failed, so that it shrinks."""

    def __init__(self):
        self.seen = set()
        self.failed = False

    def __contains__(self, program):
        return self.failed or program not in self.seen


@pytest.fixture(autouse=True, scope="module")
def many_plans():
    """Plans of single operations are shared by the programs, if they are kept."""
    with pf.config.scope(max_plans=1000, max_plan_bytes=1 << 31):
        yield
        pf.stream.engine.plans.clear()


@pytest.mark.parametrize("part", range(PARTS))
def test_modes_and_numpy_agree(part):
    agree_on(part, Fresh())


def agree_on(part, fresh):
    @hypothesis.seed(part)
    @hypothesis.settings(
        max_examples=PROGRAMS,
        database=None,
        deadline=None,
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    @hypothesis.given(programs(), st.integers(0, 2**16))
    def agree(program, seed):
        hypothesis.assume(program in fresh)
        fresh.seen.add(program)
        try:
            Checker(program).check(seed)
            other = sibling(program)
            if other is not None:
                Checker(other).check(seed)
        except BaseException:
            fresh.failed = True
            raise

    agree()


def test_a_difference_fails_with_a_small_program(monkeypatch):
    """A wrong result of one mode is found, and shown as a program that runs."""
    import compare_modes

    def wrong(function, arrays, mode, keep):
        found = run(function, arrays, mode, keep)
        if mode == "single":
            return found
        return [x + 1 if x.dtype.kind == "i" else x for x in found]

    monkeypatch.setattr(compare_modes, "run", wrong)
    with pytest.raises(AssertionError, match="of fused and single mode") as caught:
        agree_on(0, Fresh())
    text = str(caught.value)
    assert text.count("    v") <= 2, text  # shrunk to a step or two
    shown = [sys.executable, "-c", text[text.index("import ml_dtypes") :]]
    found = subprocess.run(shown, capture_output=True, text=True, check=True)
    assert "array(" in found.stdout


X = np.array([1.5, -0.0, np.nan, 300.0], np.float32)
I8 = np.array([-128, 127, 5, 0], np.int8)


@pytest.mark.parametrize(
    "step, arrays, wrong",
    [
        (Step("add", (0, 0)), (X,), np.nextafter(X + X, np.float32(9))),
        (Step("add", (0, 0)), (X,), (X + X).astype(np.float64)),
        (Step("negative", (0,)), (X,), np.abs(X)),
        (Step("maximum", (0, 1)), (X, -X), np.array([1.5, -0.0, np.nan, 300], np.float32)),
        (Step("maximum", (0, 1)), (X, I8), np.fmax(X, I8.astype(np.float32))),
        (Step("exp", (0,)), (I8 / np.float32(64),), np.exp(I8 / np.float32(64)) * (1 + 4e-7)),
        (Step("pow", (0, Number(0.5))), (X,), np.sqrt(X)),
        (Step("sum", (0,), (("axis", 0), ("keepdims", False))), (I8 / 8,), np.array(0.501)),
        (Step("sum", (0,), (("axis", 0), ("keepdims", False))), (I8,), np.array(4, np.int8)),
        (Step("max", (0,), (("axis", 0), ("keepdims", False))), (X,), np.array(300, np.float32)),
        (Step("astype", (0,), ("uint8",)), (X,), np.array([1, 0, 0, 44], np.uint8)),
        (Step("astype", (0,), ("int8",)), (X,), np.array([1, 0, -128, 127], np.int8)),
        (Step("abs", (0,)), (I8,), np.array([127, 127, 5, 0], np.int8)),
        (Step("bitwise_left_shift", (0, Number(8))), (I8,), I8),
        (Step("clip", (0, Number(0.0), Number(2.0))), (X,), np.float32([1.5, 0, 0, 2])),
        (Step("index", (0,), ("::-1",)), (X,), X),
        (Step("reshape", (0,), ("(1, {x}.size)",)), (X,), X),
        (Step("argmax", (0,), (("axis", 0), ("keepdims", False))), (X,), np.array(3)),
    ],
)
def test_the_oracle_refuses(step, arrays, wrong):
    inputs = tuple(Input("float32", x.shape, "dense") for x in arrays)
    function = Program(inputs, (step,), (1,), True).function(everything=True)
    right = np.asarray(function(*map(pf.asarray, arrays))[-1])
    operands = [o if isinstance(o, Number) else arrays[o] for o in step.operands]
    assert check(step, operands, right) is None
    assert check(step, operands, np.asarray(wrong)) is not None


FLUSH_TO_ZERO = """
import ctypes, subprocess, sys, tempfile, os
source = "#include <xmmintrin.h>\\nvoid ftz(void) { _mm_setcsr(_mm_getcsr() | 0x8040); }"
folder = tempfile.mkdtemp()
path = os.path.join(folder, "ftz.c")
open(path, "w").write(source)
library = os.path.join(folder, "ftz.so")
compiler = os.environ.get("CC", "cc")
subprocess.run([compiler, "-shared", "-fPIC", "-o", library, path], check=True)
import numpy as np
import pyfusion as pf
tiny = pf.asarray(np.full(100, 1e-40, np.float32))
ctypes.CDLL(library).ftz()
assert (np.frombuffer(np.asarray(tiny * 0.5).tobytes(), np.uint32) > 0).all()
sys.path.insert(0, sys.argv[1])
from compare_modes import run
from random_programs import Seeded, generate, make_inputs
for seed in range(8):
    program = generate(Seeded(seed))
    arrays = make_inputs(program, seed)
    results = [run(program.function(), arrays, mode, True) for mode in ("fused", "single")]
    for x, y in zip(*results):
        same = (x == y) | ((x != x) & (y != y))
        assert x.dtype == y.dtype and same.all()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="sets a register of x86")
@pytest.mark.skipif(platform.machine() != "x86_64", reason="sets a register of x86")
def test_the_callers_flush_to_zero_does_not_matter():
    from pathlib import Path

    import random_programs

    here = str(Path(random_programs.__file__).parent)
    subprocess.run([sys.executable, "-c", FLUSH_TO_ZERO, here], check=True)


def test_programs_are_many_and_of_every_kind():
    """The seeds of the long run: what they make is varied."""
    made = [generate(Seeded(seed)) for seed in range(600)]
    assert len(set(made)) > 590
    names = {step.name for program in made for step in program.steps}
    assert {"index", "reshape", "broadcast_to", "sum", "argmax", "where", "clip", "exp"} <= names
    dtypes = {given.dtype for program in made for given in program.inputs}
    assert len(dtypes) == 13
    shapes = {given.shape for program in made for given in program.inputs}
    assert {(), (1,), (0, 3), (3, 0), (1, 4)} <= shapes
    sums = [program for program in made if any(s.name == "sum" for s in program.steps)]
    assert len(sums) > 20
