# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations whose body is a function of `fusion` operations, given as text."""

from __future__ import annotations

import re
import sys
import textwrap
from typing import Any

import numpy as np

from ..array import Array
from ..array.core import wrap
from ..array.creation import asarray
from ..array.promote import scalar
from ..dtypes import DTYPES, DType
from ..errors import DTypeError, ShapeError
from ..ir.value import Value, device_of
from ..passes.inline_bodies import bodies
from ..runtime import devices
from .ops import claim_name
from .recorder import Recorder


def from_ir(text: str, *, name: str | None = None) -> IrOp:
    """An operation from IR: one `func.func` of operations of the dialect, or several of them.

    The operation is called with the function's arguments in order: arrays for tensors, Python
    numbers for scalars and for `index`. An array has to have exactly the element type, the rank and
    the static extents of its parameter, and a tensor of rank 0 takes a number too. As in all of the
    dialect, extents that are `?` and that meet in an element-wise operation have to be equal. With
    several functions the first one is called whose tensors fit.

    The text is read, verified and compiled at the first call, in a child process. What it computes
    is then recorded like the operations of the library: it fuses with what is before and after it,
    on every device. In `pyfusion-opt --load`, calls of `custom.NAME` become the function's body.

    Args:
        text: the functions. They hold element-wise operations, views, reductions, `matmul` and
            creations.
        name: what IR calls the operation behind `custom.`; that of the first function by default.

    Raises:
        ValueError: the text names no function, or the name is another operation's.

    A call raises CompileError if the text is wrong, TypeError, DTypeError, ShapeError or
    OverflowError if the arguments are.

    Example:
        >>> import pyfusion as pf
        >>> halved = pf.custom.from_ir('''
        ...   func.func @halved(%x: tensor<?xf32>, %s: f32) -> tensor<?xf32> {
        ...     %0 = fusion.full %s [] : f32 to tensor<f32>
        ...     %1 = fusion.multiply %x, %0 : tensor<?xf32>, tensor<f32>
        ...     return %1 : tensor<?xf32>
        ...   }''')
        >>> halved(pf.asarray([1.0, 3.0], dtype=pf.float32), 0.5).tolist()
        [0.5, 1.5]
    """
    if not isinstance(text, str):
        raise TypeError(f"the IR of a custom operation is a str, not {type(text).__name__}")
    found = re.search(r"func\.func\s+@([A-Za-z0-9_.$-]+)", text)
    if found is None:
        raise ValueError("the IR of a custom operation holds no func.func @NAME")
    caller = sys._getframe(1)
    module = caller.f_globals.get("__name__", "__main__")
    return IrOp(textwrap.dedent(text), found[1] if name is None else name, module)


class IrOp:
    """An operation with a body of IR; made by `from_ir`.

    Attributes:
        name: what IR calls it, `custom.` and its name.
        text: the functions.
    """

    def __init__(self, text: str, name: str, module: str):
        self.name = claim_name(name, module, f"from_ir({name})")
        self.text = text
        self._functions: list[dict[str, Any]] | None = None
        bodies[self.name] = self._inline

    def __repr__(self) -> str:
        return f"<IrOp {self.name}>"

    def functions(self) -> list[dict[str, Any]]:
        """The functions as data, read when they are first asked for. Raises CompileError."""
        if self._functions is None:
            from .ir_text import read

            self._functions = read(self.name, self.text)
        return self._functions

    def constants(self) -> list[Value]:
        """The values that calls have kept of the data in the text."""
        operations = [o for f in self._functions or () for o in f["operations"]]
        return [v for o in operations for v in o.get("kept", {}).values()]

    def __call__(self, *args: Any) -> Any:
        functions = self.functions()
        try:
            given = [asarray(a) if isinstance(a, np.ndarray) else a for a in args]
        except TypeError as error:
            raise TypeError(f"{self.name}: an argument: {error}") from None
        problems: list[Exception] = []
        for function in functions:
            try:
                values = self._arguments(function, given)
            except (TypeError, ShapeError, OverflowError) as error:
                problems.append(error)
                continue
            arrays = [v for v in values if isinstance(v, Value)]
            device = device_of(arrays[0]) if arrays else devices.default()
            found = Recorder(self.name, function, values, device).run()
            return wrap(found[0]) if len(found) == 1 else tuple(map(wrap, found))
        if len(problems) == 1:
            raise problems[0]
        listed = "\n".join(f"  @{f['name']}({_parameters(f)})" for f in functions)
        kinds = ", ".join(_kind(a) for a in given)
        raise DTypeError(f"{self.name} takes no ({kinds}); its functions are\n{listed}")

    def _arguments(self, function: dict[str, Any], given: list[Any]) -> list[Any]:
        parameters = function["parameters"]
        if len(parameters) != len(given):
            raise TypeError(f"{self.name} takes {len(parameters)} arguments, not {len(given)}")
        return [self._argument(*pair) for pair in enumerate(zip(parameters, given, strict=True))]

    def _argument(self, number: int, pair: tuple[Any, Any]) -> Any:
        """What is recorded for an argument: a value, or a number."""
        parameter, given = pair
        kind = parameter[0]
        where = f"{self.name}: argument {number} is {_type(parameter)}, not {_kind(given)}"
        if isinstance(given, np.generic):
            given = given.item()
        if kind == "index":
            if not isinstance(given, int) or isinstance(given, bool):
                raise TypeError(where)
            if not -(1 << 63) <= given < 1 << 63:
                raise OverflowError(f"{where}, which has 64 bits")
            return given
        dtype = DTYPES[parameter[1]]
        if kind == "number":
            kinds: Any = {"b": bool, "i": int, "u": int, "f": (int, float)}.get(dtype.kind, complex)
            if not isinstance(given, kinds) or (isinstance(given, bool) and dtype.kind != "b"):
                raise TypeError(where)
            return _number(where, given, dtype)
        if isinstance(given, (bool, int, float, complex)) and not parameter[2]:
            given = asarray(_number(where, given, dtype), dtype=dtype)
        if not isinstance(given, Array):
            raise TypeError(where)
        if given.dtype is not dtype:
            raise DTypeError(where)
        extents = parameter[2]
        if len(extents) != given.ndim or any(
            e is not None and e != d for e, d in zip(extents, given.shape, strict=True)
        ):
            raise ShapeError(where)
        return given._v

    def _inline(self, call: Any) -> Any:
        """The body in place of a call in IR; called by the pass, which no block leads to."""
        from mlir import ir

        from ..passes import InputError

        wanted = [v.type for v in call.operands]
        module = ir.Module.parse(self.text, call.context)
        there = []
        for op in module.body.operations:
            blocks = list(op.operation.regions[0].blocks)
            if not blocks:
                raise InputError(
                    f"{self.name}: its text holds a function without a body", call.location
                )
            block = blocks[0]
            types = [a.type for a in block.arguments]
            there.append(f"({', '.join(map(str, types))})")
            if types != wanted:
                continue
            values: dict[ir.Value, ir.Value] = dict(
                zip(block.arguments, call.operands, strict=True)
            )
            for inner in block.operations:
                o = inner.operation
                if o.name == "func.return":
                    return [values[v] for v in o.operands]
                copy = o.clone()
                for place, operand in enumerate(o.operands):
                    copy.operands[place] = values[operand]
                values.update(zip(o.results, copy.results, strict=True))
        raise InputError(
            f"{self.name} takes {' or '.join(there)}, not ({', '.join(map(str, wanted))})",
            call.location,
        )


def _number(where: str, given: Any, dtype: DType) -> Any:
    try:
        return scalar(given, dtype)
    except OverflowError as error:
        raise OverflowError(f"{where}: {error}") from None


def _type(parameter: Any) -> str:
    kind = parameter[0]
    if kind == "index":
        return "an index"
    if kind == "number":
        return f"a number of {parameter[1]}"
    extents = ", ".join("?" if e is None else str(e) for e in parameter[2])
    return f"an array of {parameter[1]}[{extents}]"


def _parameters(function: dict[str, Any]) -> str:
    return ", ".join(map(_type, function["parameters"]))


def _kind(given: Any) -> str:
    if isinstance(given, Array):
        return f"an array of {given.dtype.name}{list(given.shape)}"
    return f"{given!r:.40}" if isinstance(given, (int, float, complex)) else type(given).__name__
