# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels in the flat form, lowered as for the CPU and called as the launcher calls them."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

import numpy as np
from mlir import ir
from mlir.execution_engine import ExecutionEngine

from pyfusion.dialects import load
from pyfusion.passes import Pipeline
from pyfusion.passes.lower import phases

MLIR = {
    "bool": "i1",
    **{f"int{n}": f"i{n}" for n in (8, 16, 32, 64)},
    **{f"uint{n}": f"ui{n}" for n in (8, 16, 32, 64)},
    "float16": "f16",
    "float32": "f32",
    "float64": "f64",
}
AFTER_FLAT = ("linalg", "cpu", "llvm")


def mlir_type(dtype: np.dtype | type) -> str:
    return MLIR[np.dtype(dtype).name]


class Kernel:
    """The functions of a module of flat kernels; `more`: passes before those of the last phase."""

    def __init__(self, text: str, more: Sequence[str] = ()):
        load()
        parts = {name: part for name, part in phases("cpu") if name in AFTER_FLAT}
        passes = [*parts["linalg"], *parts["cpu"], *more, *parts["llvm"]]
        with ir.Context() as context, ir.Location.unknown():
            context.enable_multithreading(False)
            module = ir.Module.parse(text)
            Pipeline(passes).run(module)
            self.engine = ExecutionEngine(module)

    def call(self, name: str, *args: np.ndarray | np.generic | int) -> None:
        """Arrays are passed as memrefs, NumPy scalars and integers by value."""
        keep: list[object] = []
        pointers = []
        for arg in args:
            if isinstance(arg, np.ndarray):
                strides = [s // arg.itemsize for s in arg.strides]
                words = [arg.ctypes.data, arg.ctypes.data, 0, *arg.shape, *strides]
                descriptor = (ctypes.c_int64 * len(words))(*words)
                box = ctypes.c_int64(ctypes.addressof(descriptor))
                keep += [descriptor, box]
                pointers.append(ctypes.addressof(box))
            else:
                value = np.array(arg)
                keep.append(value)
                pointers.append(value.ctypes.data)
        packed = (ctypes.c_int64 * len(pointers))(*pointers)
        address = self.engine.raw_lookup(f"_mlir_ciface_{name}")
        ctypes.CFUNCTYPE(None, ctypes.c_void_p)(address)(ctypes.addressof(packed))


def elementwise(
    lines: Sequence[str],
    inputs: Sequence[np.ndarray | np.generic],
    results: Sequence[type],
    more: Sequence[str] = (),
) -> list[np.ndarray]:
    """Runs lines of IR on %0, %1, ...; those that define %r0, %r1, ... give the results.

    Arrays are tiles, arrays of rank 0 uniform, NumPy scalars scalars.
    """
    size = max(a.size for a in inputs)
    arguments = []
    for i, a in enumerate(inputs):
        t = mlir_type(a.dtype)
        if isinstance(a, np.ndarray):
            t = f"tensor<?x{t}>" if a.ndim else f"tensor<{t}>"
        arguments.append(f"%{'abcdef'[i]}: {t}")
    types = ", ".join(f"tensor<?x{mlir_type(t)}>" for t in results)
    names = ", ".join(f"%r{i}" for i in range(len(results)))
    body = "\n  ".join(lines)
    kernel = Kernel(
        f"func.func private @k({', '.join(arguments)}) -> ({types})\n"
        f'    attributes {{fusion.kernel = "elementwise", fusion.flat}} {{\n'
        f"  {body}\n  return {names} : {types}\n}}",
        more,
    )
    outs = [np.empty(size, t) for t in results]
    kernel.call("k", *inputs, *outs, 0, size)
    return outs
