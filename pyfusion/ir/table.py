# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The one table of operations.

Its rows come from the dialect's declarations: the build writes `ops.json` from the same `.td` files
that declare the operations, `{"ops": {name: {"kind", "cost", "numpy"}}}`. What a declaration cannot
say is added here: Python's operator, further names, which NumPy ufunc gives the element types.
Element-wise ufuncs of NumPy without a row join as opaque operations. Operator methods, functions,
the ufunc protocol, the backend and the tests all read this table.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ..dtypes import DType
from ..native import Coded
from ..passes.inline_bodies import bodies, claim

__all__ = [
    "OPS",
    "UFUNCS",
    "OpInfo",
    "composed_creation",
    "composite_op",
    "custom_op",
    "known_custom_op",
    "op_of_ufunc",
    "user_op",
]


class OpInfo(Coded):
    """One operation.

    Attributes:
        name: of the operation in the dialect; for an opaque one the backend's name for it.
        kind: elementwise, view, creation, reduction, contraction, opaque, region, or composite: one
            operation in records and in IR, which fusion-inline-custom replaces by several.
        cost: "cheap" or "math".
        code: a small number, in plan keys.
        numpy: the NumPy function of the same meaning, empty if there is none.
        ufunc: the NumPy ufunc whose signatures give operand and result types, or None.
        oracle: runs the operation on NumPy arrays, or None; `backends/numpy_backend.py` guards it
            where NumPy's result is not the documented one.
        operator: Python's name of the operator (`add` for `__add__`), or empty.
        aliases: names of the function other than `name` and `numpy`.
        inline: gives the IR in place of a call of an operation that `user_op` or `composite_op`
            made, or None.
        scalars: the type of the operands that are numbers; None for that of the arrays, or of the
            result.
    """

    __slots__ = (
        *("name", "kind", "cost", "numpy", "ufunc", "oracle", "operator", "aliases"),
        *("inline", "scalars", "_callee", "__weakref__"),
    )

    name: str
    kind: str
    cost: str
    numpy: str
    ufunc: np.ufunc | None
    oracle: Callable[..., Any] | None
    operator: str
    aliases: tuple[str, ...]
    inline: Callable[[Any], Any] | None
    scalars: DType | None

    def __init__(self, name: str, kind: str, cost: str, numpy: str):
        self.name = name
        self.kind = kind
        self.cost = cost
        self.code = next(_codes)
        self.numpy = numpy
        self.ufunc = self.oracle = self.inline = self.scalars = None
        self.operator = self._callee = ""
        self.aliases = ()

    @property
    def is_custom(self) -> bool:
        """Whether `user_op` made it."""
        return self.name.startswith("custom.")

    @property
    def callee(self) -> str:
        """What IR calls an opaque operation. The first of a name that is asked has the name; while
        it exists, others of that name are called `custom.norm#2` and so on."""
        if self.kind == "composite":
            return f"nn.{self.name}"
        if not self._callee:
            self._callee = claim(self) if self.is_custom else f"numpy.{self.name}"
        return self._callee

    def __repr__(self) -> str:
        return f"<{self.kind} {self.name}>"


# Not a number that is added to: operations are also made in several threads.
_codes = itertools.count()

# Rows that need more than the declarations say: operator, ufunc, further names of the function.
_OPERATORS = {
    "add": "add",
    "subtract": "sub",
    "multiply": "mul",
    "divide": "truediv",
    "floor_divide": "floordiv",
    "remainder": "mod",
    "pow": "pow",
    "matmul": "matmul",
    "bitwise_and": "and",
    "bitwise_or": "or",
    "bitwise_xor": "xor",
    "bitwise_left_shift": "lshift",
    "bitwise_right_shift": "rshift",
    "equal": "eq",
    "not_equal": "ne",
    "less": "lt",
    "less_equal": "le",
    "greater": "gt",
    "greater_equal": "ge",
    "negative": "neg",
    "abs": "abs",
    "bitwise_invert": "invert",
}
# Not ufuncs of NumPy; as cbrt they are defined for real numbers only.
_TYPED_LIKE = dict.fromkeys(("erf", "erfc", "lgamma", "rsqrt", "sigmoid", "sinc"), "cbrt")
_ALIASES = {
    "divide": ("true_divide",),
    "remainder": ("mod",),
    "bitwise_invert": ("bitwise_not",),
    "conjugate": ("conj",),
}


def _folders() -> list[Path]:
    from .. import dialects

    return dialects.folders()


def declarations() -> dict[str, dict[str, Any]]:
    """What the dialect declares of each operation, as the build wrote it. Raises ImportError."""
    tried = []
    for folder in _folders():
        path = folder / "ops.json"
        if path.is_file():
            return json.loads(path.read_text())["ops"]
        tried.append(str(folder))
    raise ImportError(
        f"ops.json not found in {', '.join(tried)}; the build makes it: "
        "set PYFUSION_NATIVE_DIR to the build folder"
    )


def _load() -> dict[str, OpInfo]:
    table = {}
    for name, row in declarations().items():
        op = OpInfo(name, row["kind"], row["cost"], row["numpy"])
        op.oracle = getattr(np, op.numpy, None)
        typed = getattr(np, _TYPED_LIKE.get(name, op.numpy), None)
        if isinstance(typed, np.ufunc):
            op.ufunc = typed
        op.operator = _OPERATORS.get(name, "")
        op.aliases = _ALIASES.get(name, ())
        table[name] = op
    return table


OPS: dict[str, OpInfo] = _load()

# The ufuncs that a row of the table runs, and every other element-wise one with one result.
UFUNCS: dict[np.ufunc, OpInfo] = {
    op.ufunc: op for op in OPS.values() if op.ufunc is not None and op.name not in _TYPED_LIKE
}


def _add_opaque_ufuncs() -> None:
    for name in sorted(vars(np)):
        ufunc = getattr(np, name)
        if not isinstance(ufunc, np.ufunc) or ufunc in UFUNCS or ufunc.__name__ != name:
            continue
        if ufunc.nout == 1 and ufunc.signature is None:
            op = custom_op(name, ufunc)
            op.ufunc = ufunc
            op.aliases = _ALIASES.get(name, ())
            UFUNCS[ufunc] = op


_custom: dict[str, OpInfo] = {}


def custom_op(name: str, run: Callable[..., Any]) -> OpInfo:
    """An operation that only the backend runs: `run(*operands, **static)` on NumPy arrays.

    The same name and function give the same operation.

    Raises:
        TypeError: the name is no str, or `run` no function.
        ValueError: there is an operation of that name with another function.
    """
    if not isinstance(name, str) or not callable(run):
        raise TypeError(f"custom_op takes a name and a function, not {name!r:.50}, {run!r:.50}")
    op = _custom.get(name)
    if op is None:
        made = OpInfo(name, "opaque", "math", name)
        made.oracle = run
        op = _custom.setdefault(name, made)  # another thread may have been first
    if op.oracle is not run:
        raise ValueError(f"an operation {name!r} with another function exists")
    return op


def user_op(
    name: str, run: Callable[..., Any], inline: Callable[[Any], Any] | None = None
) -> OpInfo:
    """An operation of a user's, `custom.` and its name. Each one is another operation, those of one
    name too; in IR that nobody recorded the name means the last one.

    `run` is given the operands as recorded, and the static arguments by name. `inline` is given a
    call in IR and returns the values of its results, or None to leave it to `run`.
    """
    op = _custom[name] = OpInfo(name, "opaque", "math", "")
    op.oracle = run
    op.inline = inline
    if inline is None:
        bodies.pop(name, None)
    else:
        bodies[name] = inline
    return op


def composed_creation(name: str, run: Callable[..., Any], scalars: DType) -> OpInfo:
    """A creation that is no row of the dialect: IR has a call of `pyfusion.NAME`, which the body of
    that name in `passes.inline_bodies` takes the place of.

    Args:
        run: `run(args, shape, dtype)` gives the elements as a NumPy array, where nothing is
            compiled.
        scalars: the type of its operands, all of them numbers.
    """
    op = OpInfo(name, "creation", "cheap", "")
    op.oracle = run
    op.scalars = scalars
    op._callee = f"pyfusion.{name}"
    return op


def composite_op(name: str, run: Callable[..., Any], inline: Callable[[Any], Any]) -> OpInfo:
    """An operation that is made of others: one in records and in IR until it is inlined.

    Its operands are arrays and then Python numbers, which are of the arrays' type, or float32 where
    that has 16 bits. `run` is given them as NumPy arrays and the static arguments by name; `inline`
    as that of `user_op`.
    """
    op = OpInfo(name, "composite", "math", "")
    op.oracle = run
    op.inline = inline
    bodies[op.callee] = inline
    return op


def known_custom_op(name: str) -> OpInfo | None:
    """The operation that `user_op` made last of that name."""
    return _custom.get(name) if name.startswith("custom.") else None


def op_of_ufunc(ufunc: np.ufunc) -> OpInfo | None:
    """The operation that runs a ufunc's calls, or None."""
    return UFUNCS.get(ufunc)


_add_opaque_ufuncs()
