# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Host code that MLIR compiles for a gpu.binary, run by the native run time on a fake driver."""

from __future__ import annotations

import textwrap

import pytest
from gpu_fakes import VARIABLES, driver_file
from native_kernels import in_child

PROGRAM = """
    import sys
    from pyfusion.dialects import load
    from pyfusion.passes import Pipeline
    from pyfusion.passes.lower.gpu import HOST
    load()
    from mlir import ir
    from mlir.execution_engine import ExecutionEngine
    from gpu_fakes import Fake, words
    from pyfusion.runtime import gpu_library as gpu, library as rt
    api, form, asynchronous, file = sys.argv[1:]
    TEXT = '''
    module attributes {gpu.container_module} {
      gpu.binary @kernels [#gpu.object<#nvvm.target, FORM "CODE">]
      func.func @k_flat(%s: !llvm.ptr, %grid: index, %n: index, %aligned: index,
                        %x: memref<?xf32, 1>, %a: f32, %out: memref<?xf32, 1>)
          attributes {llvm.emit_c_interface} {
        %c1 = arith.constant 1 : index
        %c256 = arith.constant 256 : index
        %t = builtin.unrealized_conversion_cast %s : !llvm.ptr to !gpu.async.token
        LAUNCH @kernels::@k blocks in (%grid, %c1, %c1) threads in (%c256, %c1, %c1)
          args(%n : index, %aligned : index, %x : memref<?xf32, 1>, %a : f32,
               %out : memref<?xf32, 1>)
        return
      }
    }'''
    memref = "8,8,8,8,8"
    sizes = f"k:8,8,{memref},4,{memref}"
    code = {"cuda": f"FAKE sm_90 {sizes}", "rocm": f"FAKE gfx942 {sizes}"}[api]
    launch = "%t2 = gpu.launch_func async [%t]" if asynchronous == "1" else "gpu.launch_func"
    text = TEXT.replace("FORM", form + " =").replace("CODE", code).replace("LAUNCH", launch)
    fake = Fake(file)
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        Pipeline(HOST).run(module)
        engine = ExecutionEngine(module, shared_libs=[rt.load().path])
        engine.initialize()  # runs the constructors
        entry = engine.raw_lookup("_mlir_ciface_k_flat")
    kernel = gpu.GpuKernel(
        "k", {"flat": gpu.Variant(entry, 4, 2, 256)}, api=api, dims=(1, 0, 0),
        operands=[gpu.Operand(0, 4), gpu.Operand(5, 4), gpu.Operand(2, 4)],
    )
    kernel.preload()
    assert fake.calls("launch") == [] and len(fake.calls("find")) == 1
    for n in (5000, 1):
        kernel.launch(words(n, 0x1000, 0x40000000, 0x2004), stream=0x77)
    assert len(fake.calls("load")) == len(fake.calls("find")) == 1
    calls = fake.calls("launch")
    fake.reset()
    kernel.close()
    if asynchronous == "1":
        del engine  # else as the process ends
        assert fake.calls("unload") == [["0"]]
    for call in calls:
        print(" ".join(call))
"""


@pytest.mark.parametrize("api", ["cuda", "rocm"])
@pytest.mark.parametrize("asynchronous", ["1", "0"], ids=["async", "sync"])
@pytest.mark.parametrize("form", ["bin", "assembly"])
def test_host_code_of_mlir(api, form, asynchronous):
    """Compiled by its ExecutionEngine, on the stream of the launch with and without a token."""
    file = driver_file(api)
    argv = f"import sys; sys.argv[1:] = {[api, form, asynchronous, file]!r}\n"
    calls = in_child(argv + textwrap.dedent(PROGRAM), **{VARIABLES[api]: file}).splitlines()

    def word(value, size=8):
        return value.to_bytes(size, "little").hex()

    def memref(address, n):
        return [word(value) for value in (address, address, 0, n, 1)]

    expected = []
    for grid, n in [(3, 5000), (1, 1)]:
        aligned, scalar = word(0), word(0x40000000, 4)
        values = [word(n), aligned, *memref(0x1000, n), scalar, *memref(0x2004, n)]
        expected.append(["k", "0", f"{grid},1,1", "256,1,1", "0", str(0x77), ",".join(values)])
    assert [call.split() for call in calls] == expected
