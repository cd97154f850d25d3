# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a random program in both compiled modes, and its steps against NumPy."""

import numpy as np
from numpy_oracle import check
from random_programs import ACCUMULATING, Number, make_inputs

import pyfusion as pf
from pyfusion.testing.compare import difference, equal_bits

MODES = ("fused", "single")


def run(function, arrays, mode, keep, device=None):
    """The results as NumPy arrays; the inputs die with the call unless `keep`."""
    with pf.config.scope(mode=mode, strict=True, device=device or pf.config.device):
        # Without a copy layouts stay, which a device's memory can't share.
        share = False if pf.config.device == "cpu" else None
        inputs = [pf.asarray(x, copy=True if x.flags.c_contiguous else share) for x in arrays]
        held = list(inputs) if keep else []
        found = function(*inputs)
        del inputs
        found = [np.asarray(x) for x in found]
        if keep:
            for x, before in zip(held, arrays, strict=True):
                if not equal_bits(np.asarray(x), before).all():
                    raise AssertionError(f"{mode} mode changed an input")
    return found


def exact_on_devices(program, values):
    """Numbers of the values that no reduction of floats goes into whose order matters."""
    exact = set(range(len(program.inputs)))
    for number, step in enumerate(program.steps, len(program.inputs)):
        ordered = step.name in ACCUMULATING and values[number].dtype.kind not in "biu"
        if not ordered and all(isinstance(o, Number) or o in exact for o in step.operands):
            exact.add(number)
    return sorted(exact)


class Checker:
    """One program, to be checked with many inputs."""

    def __init__(self, program):
        self.program = program
        self._function = program.function()
        self._everything = program.function(everything=True)

    def check(self, seed):
        """Raises AssertionError, with a program that shows it, if anything differs."""
        problem = self.problem(seed)
        if problem is not None:
            raise AssertionError(f"{problem}\n\n{snippet(self.program, seed)}")

    def problem(self, seed):
        """What differs with the inputs of that seed, or None."""
        program = self.program
        arrays = make_inputs(program, seed)
        names = program.names()
        fused = run(self._function, arrays, "fused", program.keep)
        values = run(self._everything, arrays, "single", True)
        for k, x in zip(program.outputs, fused, strict=True):
            y = values[k]
            if x.dtype != y.dtype or x.shape != y.shape:
                return f"{names[k]}: fused {x.dtype}{x.shape}, single {y.dtype}{y.shape}"
            same = equal_bits(x, y)
            if not same.all():
                return f"{names[k]} of fused and single mode: {difference(x, y, same)}"
        first = len(program.inputs)
        if pf.config.device != "cpu":
            host = run(self._everything, arrays, "single", True, "cpu")
            for k in exact_on_devices(program, values):
                same = equal_bits(values[k], host[k])
                if not same.all():
                    return f"{names[k]} of device and host: {difference(values[k], host[k], same)}"
        for number, step in enumerate(program.steps):
            operands = [o if isinstance(o, Number) else values[o] for o in step.operands]
            wrong = check(step, operands, values[first + number])
            if wrong is not None:
                return f"{names[first + number]} = {step.text(names)}: {wrong}"
        return None


def snippet(program, seed):
    """A program of its own that shows a difference."""
    lines = ["import ml_dtypes", "import numpy as np", "import pyfusion as pf", ""]
    lines += ["nan, inf, bfloat16 = np.nan, np.inf, ml_dtypes.bfloat16"]
    for k, (x, given) in enumerate(zip(make_inputs(program, seed), program.inputs, strict=True)):
        wide = x.astype(np.float32) if given.dtype == "bfloat16" else x
        text = np.array2string(wide, separator=", ", threshold=1 << 20, floatmode="unique")
        kind = "bfloat16" if given.dtype == "bfloat16" else repr(given.dtype)
        lines.append(f"x{k} = np.array({text}).reshape({x.shape}).astype({kind})")
        if given.layout != "dense":
            lines[-1] += f"  # strides of elements {[s // x.itemsize for s in x.strides]}"
    names = ", ".join(f"x{k}" for k in range(len(program.inputs)))
    lines += ["", program.source(), f"pf.testing.assert_same_everywhere(program, {names})"]
    lines += [f"for v in program({', '.join(f'pf.asarray({n})' for n in names.split(', '))}):"]
    lines += ["    print(repr(np.asarray(v)))", "", f"# {program!r}, seed {seed}"]
    return "\n".join(lines)
