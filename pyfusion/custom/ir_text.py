# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of `fusion` operations as text: read into data that can be recorded, and checked.

Reading is done in a child process, because MLIR's assertions abort: what it says there becomes an
exception. The child compiles each function too, so that what this process compiles later has been
compiled once before.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..config import config
from ..errors import CompileError

if TYPE_CHECKING:
    from mlir import ir

_SECONDS = 300

_KINDS = ("elementwise", "view", "update", "reduction", "creation", "contraction")
_SLICE = ("static_offsets", "static_sizes", "static_steps")
_MIXED = {
    "slice": _SLICE,
    "insert_slice": _SLICE,
    "broadcast": ("static_shape",),
    "reshape": ("static_shape",),
    "full": ("static_shape",),
    "iota": ("static_shape",),
}

_CHILD = "import sys; sys.path[:0] = [sys.argv[1]]; from pyfusion.custom import ir_text; "


def read(name: str, text: str) -> list[dict[str, Any]]:
    """The functions of a text, as `_function` describes them.

    Raises:
        CompileError: the text is no IR, does not verify, holds what cannot be recorded, or does
            not compile; or the child was stopped.
    """
    root = str(Path(__file__).resolve().parents[2])
    environment = {**os.environ, "PYFUSION_DEBUG": "0"}
    if config.native_dir:
        environment["PYFUSION_NATIVE_DIR"] = config.native_dir
    command = [sys.executable, "-c", _CHILD + "ir_text.main()", root]
    try:
        done = subprocess.run(
            command,
            input=text,
            capture_output=True,
            text=True,
            env=environment,
            timeout=_SECONDS,
        )
    except subprocess.TimeoutExpired:
        raise CompileError(name, [f"its IR was not compiled in {_SECONDS} s"]) from None
    if done.returncode == 0:
        answer = json.loads(done.stdout.splitlines()[-1])
        if "error" in answer:
            raise CompileError(name, answer["error"])
        return answer["functions"]
    last = done.stderr.strip().splitlines()[-1:] or ["it said nothing"]
    how = f"signal {-done.returncode}" if done.returncode < 0 else f"code {done.returncode}"
    raise CompileError(name, [f"the process that compiled its IR ended with {how}: {last[0]}"])


# --- In the child ---------------------------------------------------------------------------------


def main() -> None:
    """The child: IR on the standard input, a line of JSON on the standard output."""
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    print(json.dumps(_answer(sys.stdin.read())))


class _Refused(Exception):
    """What the text holds cannot be recorded; the message says why."""


def _answer(text: str) -> dict[str, Any]:
    from mlir import ir

    from ..compile.context import context
    from ..passes import PipelineError

    with context(), ir.Location.unknown():
        try:
            module = ir.Module.parse(text)
            functions = [_function(op.operation) for op in module.body.operations]
            if not functions:
                raise _Refused("there is no func.func in the text")
            for op in module.body.operations:
                _compile(op.operation)
        except ir.MLIRError as error:
            said = [
                f"{str(d.location).removeprefix('loc(').removesuffix(')')}: {d.message}"
                for d in error.error_diagnostics
            ]
            return {"error": said or [str(error)]}
        except (_Refused, PipelineError, CompileError) as error:
            return {"error": [str(error)]}
    return {"functions": functions}


def _compile(func: ir.Operation) -> None:
    """The whole way to machine code, for the CPU."""
    from mlir import ir

    from ..compile.driver import Compilation

    module = ir.Module.create()
    module.body.append(func.clone())
    entry = ir.StringAttr(func.attributes["sym_name"]).value
    compilation = Compilation(None)
    compilation.module = module
    for phase in ("merged", "outlined"):
        compilation.run(phase)
    arguments = [None] * len(func.regions[0].blocks[0].arguments)
    compilation.build(arguments, [], entry)


def _function(func: ir.Operation) -> dict[str, Any]:
    """A function: name, parameters, operations in order, and the numbers of the results' values.

    Values are numbered: the parameters, then one for each operation.
    """
    from mlir import ir

    if func.name != "func.func":
        raise _Refused(f"the text may hold func.func alone, not {func.name}")
    name = ir.StringAttr(func.attributes["sym_name"]).value
    if "sym_visibility" in func.attributes:
        raise _Refused(f"@{name} is not public, and nothing can call it: leave it out")
    blocks = list(func.regions[0].blocks)
    if len(blocks) != 1:
        raise _Refused(f"@{name} has no body of one block")
    numbers: dict[ir.Value, int] = {}
    for argument in blocks[0].arguments:
        numbers[argument] = len(numbers)
    found: dict[str, Any] = {
        "name": name,
        "parameters": [_parameter(a.type) for a in blocks[0].arguments],
        "operations": [],
        "results": [],
    }
    for op in blocks[0].operations:
        o = op.operation
        if o.name == "func.return":
            found["results"] = [numbers[v] for v in o.operands]
            found["types"] = [_parameter(v.type) for v in o.operands]
            break
        found["operations"].append(_operation(o, numbers, name))
        numbers[o.result] = len(numbers)
    if not found["results"] or any(kind != "tensor" for kind, *_ in found["types"]):
        raise _Refused(f"@{name} has to return tensors, at least one")
    return found


def _parameter(type_: ir.Type) -> tuple[Any, ...]:
    """("tensor", element, extents or None where dynamic), ("number", element) or ("index",)."""
    from mlir import ir

    from ..compile.kernel_shape import element_dtype

    if isinstance(type_, ir.RankedTensorType):
        extents = [
            None if type_.is_dynamic_dim(d) else type_.get_dim_size(d) for d in range(type_.rank)
        ]
        return ("tensor", element_dtype(type_.element_type).name, extents)
    if isinstance(type_, ir.IndexType):
        return ("index",)
    return ("number", element_dtype(type_).name)


def _operation(o: ir.Operation, numbers: dict[ir.Value, int], where: str) -> dict[str, Any]:
    from mlir import ir

    from ..ir.table import OPS

    name = o.name.removeprefix("fusion.")
    if not o.name.startswith("fusion.") or name not in OPS or OPS[name].kind not in _KINDS:
        raise _Refused(
            f"@{where} holds {o.name}, but may hold element-wise operations, views, reductions, "
            "matmul and creations of the fusion dialect alone"
        )
    _, dtype, extents = _parameter(o.result.type)
    given = [numbers[v] for v in o.operands]
    found: dict[str, Any] = {"op": name, "dtype": dtype, "extents": extents}
    if name == "constant":
        from ..compile.constants import constant

        found["data"] = constant(o.attributes["value"]).tobytes().hex()
        return found
    if name in _MIXED:
        static = [list(ir.DenseI64ArrayAttr(o.attributes[key])) for key in _MIXED[name]]
        dynamic = ir.ShapedType.get_dynamic_size()
        count = len(given) - sum(e == dynamic for each in static for e in each)
        rest = iter(given[count:])
        # An extent, or the number of the value that holds it in a list.
        found["bounds"] = [[[next(rest)] if e == dynamic else e for e in each] for each in static]
        given = given[:count]
    for key in ("axes", "permutation"):
        if key in o.attributes:
            found["axes"] = list(ir.DenseI64ArrayAttr(o.attributes[key]))
    found["keepdims"] = "keepdims" in o.attributes
    found["operands"] = given
    return found
