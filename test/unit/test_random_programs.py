# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random element-wise programs: fused and single mode agree bit for bit."""

import subprocess
import sys

import numpy as np
import pytest

import pyfusion as pf

UNARY = ["negative", "abs", "exp", "tanh", "sin", "floor", "round", "sqrt", "log1p", "square"]
BINARY = ["add", "subtract", "multiply", "divide", "maximum", "minimum", "atan2", "remainder"]
SCALARS = [0.5, -1.25, 2.0, 3.0, 1e-3, 7.0]
SHAPES = [(7,), (1, 5), (4, 5), (4, 1), (33,), (2, 3, 5), ()]
PROGRAMS = 500
BATCH = 20


def program(rng, shape):
    """A list of steps over a growing list of values, the first three being the inputs."""
    steps = []
    count = 3
    for _ in range(int(rng.integers(3, 9))):
        kind = rng.random()
        if kind < 0.4:
            steps.append((str(rng.choice(UNARY)), int(rng.integers(count))))
        elif kind < 0.75:
            pair = int(rng.integers(count)), int(rng.integers(count))
            steps.append((str(rng.choice(BINARY)), *pair))
        elif kind < 0.9:
            steps.append((str(rng.choice(BINARY)), int(rng.integers(count)), rng.choice(SCALARS)))
        else:
            steps.append(("where", *(int(rng.integers(count)) for _ in range(3))))
        count += 1
    return steps


def run(steps, inputs):
    values = list(inputs)
    for name, *args in steps:
        operands = [values[a] if isinstance(a, int) else float(a) for a in args]
        if name == "where":
            values.append(pf.where(operands[0] > 0, operands[1], operands[2]))
        else:
            values.append(getattr(pf, name)(*operands))
    return values[-2:]


def cases(first, last):
    for seed in range(first, last):
        rng = np.random.default_rng(seed)
        shape = SHAPES[seed % len(SHAPES)]
        dtype = np.float32 if seed % 3 else np.float64
        arrays = [(rng.standard_normal(shape) * 3).astype(dtype) for _ in range(3)]
        yield program(rng, shape), arrays


def bits(array):
    """The bit pattern, all NaNs made equal."""
    array = np.where(np.isnan(array), np.array(np.nan, array.dtype), array)
    return array.view(f"u{array.itemsize}")


def results(first, last):
    found = []
    for steps, arrays in cases(first, last):
        found.append([np.asarray(v) for v in run(steps, [pf.asarray(a) for a in arrays])])
    return found


def compare(first, last):
    with pf.config.scope(mode="fused"):
        fused = results(first, last)
    with pf.config.scope(mode="single"):
        single = results(first, last)
    for number, (a, b) in enumerate(zip(fused, single, strict=True)):
        for step, (x, y) in enumerate(zip(a, b, strict=True)):
            assert x.dtype == y.dtype and x.shape == y.shape
            np.testing.assert_array_equal(
                bits(x), bits(y), err_msg=f"program {first + number}, step {step}"
            )


@pytest.mark.skipif(pf.config.mode != "fused", reason="compares the two compiled modes")
@pytest.mark.parametrize("first", range(0, PROGRAMS, BATCH))
def test_fused_equals_single(first):
    compare(first, first + BATCH)


FLUSH_TO_ZERO = """
import ctypes, subprocess, sys, tempfile, os
source = "#include <xmmintrin.h>\\nvoid ftz(void) { _mm_setcsr(_mm_getcsr() | 0x8040); }"
folder = tempfile.mkdtemp()
path = os.path.join(folder, "ftz.c")
open(path, "w").write(source)
library = os.path.join(folder, "ftz.so")
subprocess.run(["cc", "-shared", "-fPIC", "-o", library, path], check=True)
import numpy as np
import pyfusion as pf
tiny = pf.asarray(np.full(100, 1e-40, np.float32))
ctypes.CDLL(library).ftz()
assert (np.frombuffer(np.asarray(tiny * 0.5).tobytes(), np.uint32) > 0).all()
sys.path.insert(0, sys.argv[1])
import test_random_programs
test_random_programs.compare(0, 10)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="sets a register of x86")
def test_the_callers_flush_to_zero_does_not_matter():
    from pathlib import Path
    from platform import machine

    if machine() != "x86_64":
        pytest.skip("sets a register of x86")
    here = str(Path(__file__).parent)
    subprocess.run([sys.executable, "-c", FLUSH_TO_ZERO, here], check=True)
