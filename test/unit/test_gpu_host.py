# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Host code of GPU kernels in the execution engine: what it asks of a run time, with what."""

import os
import subprocess
import sys
import textwrap

import pytest
from native_kernels import in_child

from pyfusion.errors import CompileError
from pyfusion.toolchains import cuda, rocm

# In a process of its own: the engine runs what it has loaded when it is destroyed, too.
PROGRAM = textwrap.dedent(
    """
    import ctypes, sys
    from ctypes import CFUNCTYPE, POINTER, addressof, c_double, c_int, c_int64, c_size_t, c_void_p
    from pyfusion.dialects import load
    from pyfusion.passes import Pipeline, phases

    load()
    from mlir import ir
    from mlir.execution_engine import ExecutionEngine

    class Memref(ctypes.Structure):
        _fields_ = [("allocated", c_void_p), ("aligned", c_void_p)]
        _fields_ += [(name, c_int64) for name in ("offset", "size", "stride")]

    def load_module(data, size):
        print("load", ctypes.string_at(data, 4), size > 1000)
        return 11

    def load_text(data, level):
        print("load", ctypes.string_at(data).count(b".entry"), level)
        return 11

    def get_function(module, name):
        print("get", module, ctypes.string_at(name))
        return 22

    def launch(f, gx, gy, gz, bx, by, bz, shared, stream, arguments, extra, count):
        print("launch", f, (gx, gy, gz), (bx, by, bz), shared, hex(stream), count)
        words = [ctypes.cast(arguments[i], POINTER(c_int64))[0] for i in range(count - 1)]
        print(words, ctypes.cast(arguments[count - 1], POINTER(c_double))[0])

    def unload(module):
        print("unload", module)

    names = {
        "mgpuModuleLoad": CFUNCTYPE(c_void_p, c_void_p, c_size_t)(load_module),
        "mgpuModuleLoadJIT": CFUNCTYPE(c_void_p, c_void_p, c_int)(load_text),
        "mgpuModuleGetFunction": CFUNCTYPE(c_void_p, c_void_p, c_void_p)(get_function),
        "mgpuModuleUnload": CFUNCTYPE(None, c_void_p)(unload),
        "mgpuLaunchKernel": CFUNCTYPE(
            None, c_void_p, *[c_int64] * 6, c_int, c_void_p, POINTER(c_void_p), c_void_p, c_size_t
        )(launch),
    }
    file, target, cubin = sys.argv[1:]
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(open(file).read())
        known = phases(target, cubin=cubin == "True")
        after = [phase.name for phase in known].index("gpu") + 1
        for phase in known[after:]:
            Pipeline(phase.passes).run(module)
        engine = ExecutionEngine(module, opt_level=3)
        for name, callback in names.items():
            engine.raw_register_runtime(name, ctypes.cast(callback, c_void_p))
        engine.initialize()
        address = engine.raw_lookup("_mlir_ciface_kernel_0_flat")
        x = ctypes.pointer(Memref(64, 128, 0, 7, 1))
        values = [c_void_p(0xABC), c_int64(5), c_int64(7), x, c_double(2.5)]
        pointers = (c_void_p * len(values))(*map(addressof, values))
        CFUNCTYPE(None, c_void_p)(address)(addressof(pointers))
        del engine
    """
)

INPUT = """
module attributes {gpu.container_module} {
  func.func @kernel_0_flat(%stream: !llvm.ptr, %grid: index, %n: index, %x: memref<?xf64, 1>,
                           %s: f64) attributes {llvm.emit_c_interface} {
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index
    %token = builtin.unrealized_conversion_cast %stream : !llvm.ptr to !gpu.async.token
    %done = gpu.launch_func async [%token] @kernel_0::@kernel_0_flat
        blocks in (%grid, %c1, %c1) threads in (%c256, %c1, %c1)
        args(%n : index, %x : memref<?xf64, 1>, %s : f64)
    return
  }
  gpu.module @kernel_0 {
    gpu.func @kernel_0_flat(%n: index, %x: memref<?xf64, 1>, %s: f64) kernel {
      %i = gpu.thread_id x
      memref.store %s, %x[%i] : memref<?xf64, 1>
      gpu.return
    }
  }
}
"""


def need(feature, find):
    """Skips the test without the program, unless PYFUSION_TEST_REQUIRE names it."""
    try:
        find()
    except CompileError as error:
        if feature in os.environ.get("PYFUSION_TEST_REQUIRE", "").split(","):
            raise
        pytest.skip(str(error))


def test_what_is_required_is_not_skipped(monkeypatch):
    def find():
        raise CompileError("ptxas", ["there is none"])

    monkeypatch.setenv("PYFUSION_TEST_REQUIRE", "llvm-amdgpu")
    with pytest.raises(pytest.skip.Exception):
        need("ptxas", find)
    monkeypatch.setenv("PYFUSION_TEST_REQUIRE", "llvm-amdgpu,ptxas")
    with pytest.raises(CompileError):
        need("ptxas", find)


@pytest.mark.parametrize("target, cubin", [("cuda", False), ("cuda", True), ("rocm", False)])
def test_launch(tmp_path, target, cubin):
    """The caller's stream and grid, the kernel's arguments; nothing else is called."""
    if cubin:
        need("ptxas", cuda.find)
    if target == "rocm":
        need("llvm-amdgpu", rocm.find)
    file = tmp_path / "kernel.mlir"
    file.write_text(INPUT)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(file), target, str(cubin)],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    text = target == "cuda" and not cubin
    assert done.stdout.splitlines() == [
        "load 1 3" if text else r"load b'\x7fELF' True",
        "get 11 b'kernel_0_flat'",
        "launch 22 (5, 1, 1) (256, 1, 1) 0 0xabc 7",
        "[7, 64, 128, 0, 7, 1] 2.5",
        "unload 11",
    ]


UNWINDING = """
    import ctypes, sys
    from pyfusion.dialects import load
    from pyfusion.passes import Pipeline, phases

    load()
    from mlir import ir
    from pyfusion.compile.jit import Engine
    from pyfusion.runtime import library

    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(open(sys.argv[1]).read())
        known = phases("cuda")
        for phase in known[[phase.name for phase in known].index("gpu") + 1 :]:
            Pipeline(phase.passes).run(module)
        engine = Engine(module, launches=library.load().path)
        find = ctypes.CDLL("libgcc_s.so.1")._Unwind_Find_FDE
        find.argtypes, find.restype = [ctypes.c_void_p, ctypes.c_void_p], ctypes.c_void_p
        for name in ("kernel_0_flat", "_mlir_ciface_kernel_0_flat"):
            address = engine._engine.raw_lookup(name)
            print(bool(address), find(address + 1, (ctypes.c_void_p * 3)()))
"""


def test_the_unwinder_knows_nothing_of_host_code(tmp_path):
    """Neither of its functions nor of what MLIR and LLVM generate beside them."""
    file = tmp_path / "kernel.mlir"
    file.write_text(INPUT)
    done = in_child(f"import sys; sys.argv[1:] = [{str(file)!r}]\n" + textwrap.dedent(UNWINDING))
    assert done.splitlines() == ["True None"] * 2
