# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random array programs over every compiled type, with views, scalars and reductions.

A program is data: inputs, steps and which values it returns. `source()` is its text, which is what
runs and what a failure shows. Choices come from a seed (`Seeded`) or from hypothesis.
"""

import random
from typing import Any, NamedTuple

import numpy as np

import pyfusion as pf
from pyfusion.ir.table import OPS

INTEGERS = ("int32", "uint8", "int64", "int8", "uint32", "int16", "uint64", "uint16")
FLOATS = ("float32", "float64", "float16", "bfloat16")
DTYPES = ("bool", *INTEGERS, *FLOATS)

# What the inputs of one program are made of: mostly one type, so that programs share plans.
THEMES = (
    *[(name,) for name in (*FLOATS, *INTEGERS, "float32", "float64", "float32")],
    ("float32", "bool"),
    ("float32", "int32"),
    ("int8", "uint8"),
    ("float16", "float32"),
    ("bfloat16", "float32"),
    ("int64", "float64"),
    ("bool",),
    DTYPES,
)
SHAPES = ((3,), (2, 3), (5, 5), (33,), (4, 5), (), (1, 4), (4, 1), (0, 3), (3, 0), (2, 3, 4), (1,))
LAYOUTS = ("dense", "dense", "dense", "dense", "turned", "reversed", "strided", "repeated")
INT_NUMBERS = (1, 2, 0, -1, 3, 7, 31, 64, 127, -128, 255, -7, 65535, -(2**31), 2**31 - 1, 2**63)
FLOAT_NUMBERS = (0.5, 2.0, -1.25, 0.0, -0.0, 1e-3, 7.0, 1e30, -1e-40, float("inf"), float("nan"))
INDICES = (":", "::-1", "1:", ":-1", "::2", "::-2", "1:2", "2:2")
# Shapes, written so that they hold for other extents as well.
SHAPED = {
    "reshape": ("(-1,)", "{x}.shape[::-1]", "(*{x}.shape, 1)", "(1, {x}.size)"),
    "broadcast_to": ("(2, *{x}.shape)", "tuple([3 if n == 1 else n for n in {x}.shape])"),
}
OTHER_EXTENTS = {2: 3, 3: 5, 4: 7, 5: 6, 33: 40}
MOST_STEPS = 7
LARGEST = 4096  # elements of a value


class Number(NamedTuple):
    """A Python number as an operand."""

    value: Any

    def text(self) -> str:
        value = self.value
        finite = not isinstance(value, float) or abs(value) < float("inf")
        return repr(value) if finite else f"float({str(value)!r})"


class Input(NamedTuple):
    dtype: str
    shape: tuple[int, ...]
    layout: str


class Step(NamedTuple):
    """One operation: its operands are numbers of earlier values, or Python numbers."""

    name: str
    operands: tuple
    options: tuple = ()

    def text(self, names) -> str:
        x, *rest = [o.text() if isinstance(o, Number) else names[o] for o in self.operands]
        if self.name == "index":
            return f"{x}[{self.options[0]}]"
        if self.name in SHAPED:
            return f"pf.{self.name}({x}, {self.options[0].format(x=x)})"
        if self.name == "astype":
            return f"{x}.astype({self.options[0]!r})"
        given = [f"{key}={value!r}" for key, value in self.options]
        return f"pf.{self.name}({', '.join([x, *rest, *given])})"


class Program(NamedTuple):
    inputs: tuple[Input, ...]
    steps: tuple[Step, ...]
    outputs: tuple[int, ...]
    keep: bool  # whether the caller still holds the inputs when the program runs

    def names(self):
        count = len(self.inputs)
        return [f"{'x' if k < count else 'v'}{k}" for k in range(count + len(self.steps))]

    def source(self, everything=False) -> str:
        """The program as the text of a function; `everything`: it returns all of its values."""
        names = self.names()
        count = len(self.inputs)
        lines = [f"def program({', '.join(names[:count])}):"]
        for name, step in zip(names[count:], self.steps, strict=True):
            lines.append(f"    {name} = {step.text(names)}")
        wanted = range(len(names)) if everything else self.outputs
        return "\n".join([*lines, f"    return [{', '.join(names[k] for k in wanted)}]", ""])

    def function(self, everything=False):
        space = {"pf": pf}
        exec(compile(self.source(everything), "<random program>", "exec"), space)
        return space["program"]


# --- Inputs ---------------------------------------------------------------------------------------

_NUMBERS = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.5, 1e-3, 7.0, -7.0, 100.25, 1e4, -1e4, 0.1, 2.0, 3.0]
_EXTREME = [np.nan, np.inf, -np.inf, 1e30, -1e30, 1e-40, -1e-40, 6e-8, 65504.0, -129.0, 88.9, 1e300]


def elements(dtype, count, rng):
    """Random elements, the values where things go wrong among them."""
    dtype = getattr(pf, dtype).numpy
    if dtype.kind == "b":
        return rng.integers(0, 2, count).astype(bool)
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        known = [0, 1, 2, 3, 7, 8, 31, 64, info.max, info.min, info.max - 1]
        known += [-1, -2, -7, info.min + 1] if info.min else []
        small = rng.integers(max(info.min, -100), min(info.max, 100), count, endpoint=True)
        large = rng.integers(info.min, info.max, count, dtype, endpoint=True)
        pool = np.where(rng.random(count) < 0.7, small.astype(dtype), large)
    else:
        known = _NUMBERS + (_EXTREME if rng.random() < 0.5 else [])
        with np.errstate(all="ignore"):
            pool = (rng.standard_normal(count) * rng.choice([1, 3, 100])).astype(dtype)
    with np.errstate(all="ignore"):
        known = np.array(known).astype(dtype) if dtype.kind not in "iu" else np.array(known, dtype)
    return np.where(rng.random(count) < 0.4, rng.choice(known, count), pool)


def make_inputs(program, seed):
    """NumPy arrays for the program's inputs, in their layouts."""
    rng = np.random.default_rng(seed)
    found = []
    for dtype, shape, layout in program.inputs:
        if layout == "repeated" and shape:
            x = elements(dtype, int(np.prod(shape[1:])), rng).reshape(1, *shape[1:])
            x = np.broadcast_to(x, shape)
        else:
            x = elements(dtype, int(np.prod(shape)), rng).reshape(shape)
            if layout == "turned":
                x = x.T.copy().T
            elif layout == "reversed":
                x = x[::-1].copy()[::-1] if shape else x
            elif layout == "strided" and shape:
                x = np.repeat(x, 2, axis=-1)[..., ::2]
        found.append(x)
    return found


# --- Choices --------------------------------------------------------------------------------------


class Seeded:
    """Choices by a seed."""

    def __init__(self, seed):
        self._random = random.Random(seed)
        self.pick = self._random.choice
        self.integer = self._random.randint


def _names(arity):
    found = [
        op.name
        for op in OPS.values()
        if op.kind == "elementwise" and op.ufunc is not None and op.ufunc.nin == arity
    ]
    return tuple(sorted(found, key=lambda name: (OPS[name].cost != "cheap", name)))


UNARY, BINARY = _names(1), _names(2)
COMMON = ("add", "multiply", "subtract", "maximum", "divide", "less")
REDUCTIONS = ("sum", "max", "min", "any", "all", "mean", "prod", "sum", "var")
# Of floats the bits depend on the order, which is another one on each device.
ACCUMULATING = {"sum", "mean", "prod", "var"}
SEARCHES = ("argmax", "argmin", "count_nonzero")
VIEWS = ("index", "permute_dims", "flip", "reshape", "expand_dims", "squeeze", "broadcast_to")
KINDS = (
    *["binary"] * 5,
    *["unary"] * 4,
    *["number"] * 3,
    *["view"] * 3,
    *["reduction"] * 2,
    "select",
    "clip",
    "astype",
    "astype",
)


def _number(source, x):
    return Number(source.pick(FLOAT_NUMBERS if x.dtype.kind == "f" else INT_NUMBERS))


def _broadcastable(x, y):
    pairs = zip(x.shape[::-1], y.shape[::-1], strict=False)
    return all(a == b or a == 1 or b == 1 for a, b in pairs)


def _partner(source, values, k):
    return source.pick([i for i, v in enumerate(values) if _broadcastable(values[k], v)])


def _view(source, k, x):
    name = source.pick(VIEWS)
    rank = x.ndim
    if name == "index":
        if not rank:
            return None
        return Step(name, (k,), (", ".join(source.pick(INDICES) for _ in x.shape),))
    if name == "permute_dims":
        axes = list(range(rank))
        order = tuple(axes.pop(source.integer(0, len(axes) - 1)) for _ in x.shape)
        return Step(name, (k,), (("axes", order),))
    if name == "flip":
        return Step(name, (k,), (("axis", source.pick([None, *range(rank)])),))
    if name in SHAPED:
        return Step(name, (k,), (source.pick(SHAPED[name]),)) if rank < 4 else None
    if name == "expand_dims":
        return Step(name, (k,), (("axis", source.integer(0, rank)),)) if rank < 4 else None
    axes = [axis for axis, extent in enumerate(x.shape) if extent == 1]
    return Step(name, (k,), (("axis", source.pick(axes)),)) if axes else None


def _reduction(source, k, x):
    name = source.pick(REDUCTIONS + SEARCHES)
    axes = [None, *range(x.ndim)]
    if name not in ("argmax", "argmin") and x.ndim > 1:
        axes.append((0, x.ndim - 1))
    options = ("axis", source.pick(axes)), ("keepdims", bool(source.integer(0, 1)))
    return Step(name, (k,), options)


def _step(source, values):
    kind = source.pick(KINDS)
    # Later values more often, so that steps make chains.
    k = max(source.integer(0, len(values) - 1), source.integer(0, len(values) - 1))
    x = values[k]
    if kind == "view":
        return _view(source, k, x)
    if kind == "reduction":
        return _reduction(source, k, x)
    if kind == "unary":
        return Step(source.pick(UNARY), (k,))
    if kind == "astype":
        return Step("astype", (k,), (source.pick(DTYPES),))
    if kind == "clip":
        return Step("clip", (k, _number(source, x), _number(source, x)))
    if kind == "select":
        return Step("where", (k, _partner(source, values, k), _partner(source, values, k)))
    name = source.pick(COMMON if source.integer(0, 1) else BINARY)
    if kind == "number":
        number = _number(source, x)
        return Step(name, (number, k) if source.integer(0, 3) == 0 else (k, number))
    return Step(name, (k, _partner(source, values, k)))


def generate(source) -> Program:
    """A program whose steps are all defined for the types and shapes of their operands.

    Args:
        source: has `pick(options)` and `integer(low, high)`, as `Seeded` does. The simplest
            options come first.
    """
    theme, base = source.pick(THEMES), source.pick(SHAPES)
    inputs = []
    for number in range(source.integer(1, 3)):
        shape = base
        if number and base and source.integer(0, 2) == 2:  # an operand to broadcast
            axis = source.integer(0, len(base) - 1)
            shape = base[1:] if axis == 0 else (*base[:axis], 1, *base[axis + 1 :])
        inputs.append(Input(source.pick(theme), shape, source.pick(LAYOUTS)))
    with pf.config.scope(mode="backend"):  # steps that read at once must not compile
        program = Program(tuple(inputs), (), (), True)
        values = [pf.asarray(x) for x in make_inputs(program, 0)]
        steps = []
        for _ in range(source.integer(2, MOST_STEPS)):
            step = _step(source, values)
            result = step and _record(step, values)
            if result is not None and result.size <= LARGEST:
                steps.append(step)
                values.append(result)
    if not steps:
        steps.append(Step("logical_not", (0,)))
        values.append(values[0])
    read = {o for step in steps for o in step.operands}
    outputs = []
    for k in range(len(inputs), len(values)):
        # What no step reads has to be a result; of the rest a few are.
        if k not in read or source.integer(0, 4) == 4:
            outputs.append(k)
    return Program(tuple(inputs), tuple(steps), tuple(outputs), bool(source.integer(0, 1)))


def _record(step, values):
    """The step recorded, not run; None if it is not defined for its operands."""
    names = [f"values[{k}]" for k in range(len(values))]
    try:
        return eval(step.text(names), {"pf": pf, "values": values})
    except (TypeError, ValueError, OverflowError):
        return None


def sibling(program):
    """Another program with the same plan: other extents, other numbers; None if it is undefined."""
    inputs = [
        given._replace(shape=tuple([OTHER_EXTENTS.get(n, n) for n in given.shape]))
        for given in program.inputs
    ]
    steps = []
    for step in program.steps:
        operands = [_other(o) if isinstance(o, Number) else o for o in step.operands]
        steps.append(step._replace(operands=tuple(operands)))
    found = program._replace(inputs=tuple(inputs), steps=tuple(steps))
    try:
        found.function()(*map(pf.asarray, make_inputs(found, 0)))
    except (ValueError, OverflowError):  # a slice has an extent that does not broadcast any more
        return None
    return found


def _other(number):
    if isinstance(number.value, int):  # stays within the types that held it
        return Number(number.value // 2)
    later = [n for n in FLOAT_NUMBERS if n > number.value] or [FLOAT_NUMBERS[0]]
    return Number(later[0])
