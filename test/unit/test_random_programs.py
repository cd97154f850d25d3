# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random element-wise programs: fused and single mode agree bit for bit."""

import subprocess
import sys

import numpy as np
import pytest

import pyfusion as pf

VIEWS = ["flip", "transpose", "slice"]
UNARY = ["negative", "abs", "exp", "tanh", "sin", "floor", "round", "sqrt", "log1p", "square"]
BINARY = ["add", "subtract", "multiply", "divide", "maximum", "minimum", "atan2", "remainder"]
INTEGER_UNARY = ["negative", "abs", "bitwise_invert", "square"]
INTEGER_BINARY = ["add", "subtract", "multiply", "floor_divide", "remainder", "maximum"]
INTEGER_BINARY += ["bitwise_xor", "bitwise_left_shift", "bitwise_right_shift", "minimum"]
INTEGER_SCALARS = [0, 1, -1, 7, 31, 40, -(2**31)]
SCALARS = [0.5, -1.25, 2.0, 3.0, 1e-3, 7.0]
SHAPES = [(7,), (1, 5), (4, 5), (4, 1), (33,), (2, 3, 5), ()]
DTYPES = [np.float32, np.float64, np.float32, np.int32]
PROGRAMS = 500
BATCH = 20


def program(rng, dtype):
    """A list of steps over a growing list of values, the first three being the inputs."""
    integral = np.dtype(dtype).kind == "i"
    unary = INTEGER_UNARY if integral else UNARY
    binary = INTEGER_BINARY if integral else BINARY
    scalars = INTEGER_SCALARS if integral else SCALARS
    steps = []
    count = 3
    for _ in range(int(rng.integers(3, 9))):
        kind = rng.random()
        if kind < 0.1:
            steps.append((str(rng.choice(VIEWS)), int(rng.integers(count))))
        elif kind < 0.4:
            steps.append((str(rng.choice(unary)), int(rng.integers(count))))
        elif kind < 0.75:
            pair = int(rng.integers(count)), int(rng.integers(count))
            steps.append((str(rng.choice(binary)), *pair))
        elif kind < 0.9:
            steps.append((str(rng.choice(binary)), int(rng.integers(count)), rng.choice(scalars)))
        else:
            steps.append(("where", *(int(rng.integers(count)) for _ in range(3))))
        count += 1
    return steps


def view(name, x):
    """A view that keeps the shape, so that later steps still broadcast."""
    if name == "flip" or x.ndim < 2:
        return pf.flip(x)
    if name == "transpose" and x.shape[-1] == x.shape[-2]:
        return x.mT
    return x[::-1]


def run(steps, inputs):
    values = list(inputs)
    for name, *args in steps:
        operands = [values[a] if isinstance(a, int) else a.item() for a in args]
        if name in VIEWS:
            values.append(view(name, operands[0]))
        elif name == "where":
            values.append(pf.where(operands[0] > 0, operands[1], operands[2]))
        else:
            values.append(getattr(pf, name)(*operands))
    last = values[-1]
    return [values[-2], last, last.sum(), last.max(axis=-1) if last.ndim else last]


def cases(first, last):
    for seed in range(first, last):
        rng = np.random.default_rng(seed)
        shape = SHAPES[seed % len(SHAPES)]
        dtype = DTYPES[seed % len(DTYPES)]
        scale = 3 if dtype is not np.int32 else 2**28
        arrays = [(rng.standard_normal(shape) * scale).astype(dtype) for _ in range(3)]
        yield program(rng, dtype), arrays


def bits(array):
    """The bit pattern, all NaNs made equal."""
    if array.dtype.kind == "f":
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
