# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Drivers, modules and errors of GPU launches, against a driver that writes down its calls."""

from __future__ import annotations

import ctypes
import threading

import pytest
from gpu_fakes import ARCHS, HOST, Module, address, driver_file, fresh, words

from pyfusion.errors import CompileError, ExecutionError, OutOfMemoryError
from pyfusion.runtime import gpu_library as gpu
from pyfusion.runtime import library as rt

NAMES = {
    "cuda": {
        "load": "cuModuleLoadDataEx",
        "find": "cuModuleGetFunction",
        "launch": "cuLaunchKernel",
    },
    "rocm": {
        "load": "hipModuleLoadData",
        "find": "hipModuleGetFunction",
        "launch": "hipModuleLaunchKernel",
    },
}


@pytest.fixture(params=["cuda", "rocm"])
def api(request):
    return request.param


@pytest.fixture
def fake(api):
    with fresh(api) as driver:
        yield driver


def kernel(module: Module, api: str, name: str = "k", device: int = 0):
    """Launches `name` with the values 3 and 4; keeps its host function alive."""
    host = HOST(lambda args: module.launch(name, 7, 128, 0xABC, 3, 4))
    made = gpu.GpuKernel(
        "kernel_0", {"flat": gpu.Variant(address(host), 4, 1, 128)}, api=api, device=device,
        dims=(1, 0, 0), operands=[gpu.Operand(rt.OUT, 4)],
    )  # fmt: skip
    made.host = host
    return made


def code_for(api: str, device: int = 0, functions: str = "k:8,8") -> str:
    return f"FAKE {ARCHS[api][device]} {functions}"


RUN = words(100, 4096)


# --- devices --------------------------------------------------------------------------------------


def test_devices(fake, api):
    assert gpu.count(api) == 2
    assert [gpu.arch(api, i) for i in (0, 1)] == list(ARCHS[api])
    assert gpu.name(api, 1).startswith("Fake GPU 1")
    for ordinal in (2, -1):
        with pytest.raises(ExecutionError, match=f"no (CUDA|HIP) device {ordinal}: there are 2"):
            gpu.name(api, ordinal)
    buffer = b"xxxxxxxx"
    assert gpu._functions()["pf_gpu_arch"](gpu.APIS[api], 0, buffer, 4) == len(ARCHS[api][0])
    assert buffer[:4] == ARCHS[api][0][:3].encode() + b"\0"


def test_no_library(api, tmp_path):
    with fresh(api, file=str(tmp_path / "missing.so")):
        for _ in range(2):
            with pytest.raises(ExecutionError, match=r"no (CUDA|HIP) driver: .*missing\.so"):
                gpu.count(api)
        with pytest.raises(ExecutionError, match=r"kernel_0: no (CUDA|HIP) driver"):
            kernel(Module("FAKE"), api).launch(RUN)


def test_a_library_without_a_function(api):
    with (
        fresh(api, file=driver_file(api, old=True)),
        pytest.raises(
            ExecutionError, match="has no function (cu|hip)ModuleGetFunction: it is too old"
        ),
    ):
        gpu.count(api)


def test_the_other_library(api):
    other = driver_file("rocm" if api == "cuda" else "cuda")
    with (
        fresh(api, file=other),
        pytest.raises(ExecutionError, match="has no function (cu|hip)Init"),
    ):
        gpu.count(api)


def test_no_device(fake, api):
    fake.reset(devices=0)
    assert gpu.count(api) == 0
    with pytest.raises(ExecutionError, match=r"kernel_0: the (CUDA|HIP) driver .* finds no device"):
        kernel(Module(code_for(api)), api).launch(RUN)


def test_a_driver_that_does_not_start_is_tried_again(fake, api):
    fake.inject("cuInit" if api == "cuda" else "hipInit", 999, times=1)
    with pytest.raises(ExecutionError, match="(cu|hip)Init: .*error 999"):
        gpu.count(api)
    assert gpu.count(api) == 2


def test_unknown_apis():
    assert gpu._functions()["pf_gpu_count"](2) == rt.INVALID
    assert gpu.error_text() == "no API has the number 2"


# --- modules and launches -------------------------------------------------------------------------


@pytest.mark.parametrize("jit", [False, True])
def test_code_is_loaded_once_and_functions_are_found_once(fake, api, jit):
    before = gpu.counters()
    module = Module(code_for(api, functions="k:8,8 other:4"), jit)
    one, two = kernel(module, api), kernel(module, api, "other")
    assert fake.log() == []  # no driver is needed so far
    for _ in range(5):
        one.launch(RUN, stream=5)
        two.launch(RUN)
    assert fake.calls("load") == [["0"]]
    assert fake.calls("find") == [["k"], ["other"]]
    hexadecimal = "0300000000000000,0400000000000000"
    launched = ["k", "0", "7,1,1", "128,1,1", "0", str(0xABC), hexadecimal]
    assert fake.calls("launch")[::2] == [launched] * 5
    after = gpu.counters()
    grown = {name: after[name] - before[name] for name in after}
    assert grown == dict.fromkeys(after, 0) | {
        "calls": 10,
        "flat": 10,
        "modules": 1,
        "functions": 2,
    }
    module.unload()
    assert fake.calls("unload") == [["0"]]


def test_a_module_on_two_devices(fake, api):
    module = Module(code_for(api))
    kernel(module, api).launch(RUN)
    with pytest.raises(ExecutionError, match="kernel_0: .* is for another GPU"):
        kernel(module, api, device=1).launch(RUN)
    fits = Module(code_for(api, device=1))
    kernel(fits, api, device=1).launch(RUN)
    kernel(module, api).launch(RUN)
    assert fake.calls("load") == [["0"], ["1"]]
    assert [call[1] for call in fake.calls("launch")] == ["0", "1", "0"]
    fits.unload()
    assert fake.calls("unload") == [["1"]]


@pytest.mark.parametrize("api", ["cuda"], indirect=True)
def test_the_context_is_pushed_only_when_another_is_current(fake, api):
    kernel(Module(code_for(api)), api).launch(RUN)
    assert fake.calls("retain") == [["0"]]
    assert len(fake.calls("push")) == len(fake.calls("pop")) == 3  # to load, to find, to launch
    context = ctypes.c_void_p()
    fake._lib.cuDevicePrimaryCtxRetain(ctypes.byref(context), 40)
    fake._lib.cuCtxPushCurrent_v2(context)
    fake.reset()
    kernel(Module(code_for(api)), api).launch(RUN)
    assert fake.calls("push") == fake.calls("pop") == fake.calls("retain") == []
    fake._lib.cuCtxPopCurrent_v2(ctypes.byref(context))


@pytest.mark.parametrize("api", ["rocm"], indirect=True)
def test_the_current_device_comes_back(fake, api):
    first, second = Module(code_for(api)), Module(code_for(api, 1))
    kernel(first, api).launch(RUN)
    assert fake.calls("set") == []
    kernel(second, api, device=1).launch(RUN)
    assert fake.calls("set") == [["1"], ["0"]] * 3


def test_preloading_launches_nothing(fake, api):
    made = kernel(Module(code_for(api)), api)
    made.preload()
    assert (len(fake.calls("load")), len(fake.calls("find")), fake.calls("launch")) == (1, 1, [])
    made.launch(RUN)
    assert (len(fake.calls("load")), len(fake.calls("find"))) == (1, 1)
    with pytest.raises(CompileError, match="loading kernel_0: the kernel's binary is damaged"):
        kernel(Module("what is this"), api).preload()
    with pytest.raises(CompileError, match="the kernel's code has no function absent"):
        kernel(Module(code_for(api)), api, "absent").preload()


def test_sixteen_threads_load_once(fake, api):
    made = kernel(Module(code_for(api)), api)
    barrier = threading.Barrier(16)
    failures = []

    def work():
        try:
            barrier.wait()
            for _ in range(20):
                made.launch(RUN)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert (len(fake.calls("load")), len(fake.calls("find"))) == (1, 1)
    assert len(fake.calls("launch")) == 320


# --- errors ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("step", "error", "exception", "text"),
    [
        ("load", 2, OutOfMemoryError, r"OutOfMemory|OUT_OF_MEMORY.*out of memory"),
        ("load", 209, ExecutionError, r"Fake GPU 0.*device 0\) needs code for {arch}"),
        ("load", 200, ExecutionError, r"damaged or not for (CUDA|HIP)"),
        ("load", 999, ExecutionError, r"(cuModuleLoadDataEx|hipModuleLoadData): .*999"),
        ("find", 500, ExecutionError, r"no function k"),
        ("find", 999, ExecutionError, r"ModuleGetFunction of k: .*999"),
        ("launch", 2, OutOfMemoryError, r"LaunchKernel of k: .*out of memory"),
        ("launch", 999, ExecutionError, r"LaunchKernel of k: .*999"),
    ],
)
def test_errors_have_texts_and_pass(fake, api, step, error, exception, text):
    made = kernel(Module(code_for(api)), api)
    fake.inject(NAMES[api][step], error, times=1)
    before = gpu.counters()["calls"]
    with pytest.raises(exception, match="kernel_0: .*" + text.format(arch=ARCHS[api][0])):
        made.launch(RUN)
    assert gpu.counters()["calls"] == before
    if api == "rocm":
        assert fake.last_error() == 0
    made.launch(RUN)
    assert len(fake.calls("launch")) == 1


@pytest.mark.parametrize("api", ["cuda"], indirect=True)
@pytest.mark.parametrize(
    ("error", "text"),
    [
        (
            218,
            r"driver, for CUDA 12\.2, does not compile .*sm_90: ptxas: line 7: unexpected token$",
        ),
        (
            222,
            r"driver, for CUDA 12\.2, does not know: a newer driver is needed, or a sm_90 binary",
        ),
        (221, r"the driver compiles no PTX here .*: a sm_90 binary is needed"),
    ],
)
def test_errors_of_the_ptx_compiler(fake, api, error, text):
    fake.inject("cuModuleLoadDataEx", error)
    with pytest.raises(CompileError, match=text):
        kernel(Module(code_for(api), jit=True), api).preload()


@pytest.mark.parametrize("api", ["cuda"], indirect=True)
@pytest.mark.parametrize(
    "function",
    [
        "cuDeviceGetCount",
        "cuDeviceGet",
        "cuDevicePrimaryCtxRetain",
        "cuCtxGetCurrent",
        "cuCtxPushCurrent",
    ],
)
def test_other_errors_of_cuda(fake, api, function):
    made = kernel(Module(code_for(api)), api)
    fake.inject(function, 719, times=1)
    text = rf"kernel_0: {function}: CUDA_ERROR_LAUNCH_FAILED \(unspecified launch failure\)"
    with pytest.raises(ExecutionError, match=text):
        made.launch(RUN)
    made.launch(RUN)
    assert len(fake.calls("push")) == len(fake.calls("pop"))


@pytest.mark.parametrize("api", ["rocm"], indirect=True)
@pytest.mark.parametrize("function", ["hipGetDeviceCount", "hipGetDevice"])
def test_other_errors_of_hip(fake, api, function):
    made = kernel(Module(code_for(api)), api)
    fake.inject(function, 719, times=1)
    with pytest.raises(ExecutionError, match="kernel_0: .*HIP error 719"):
        made.launch(RUN)
    made.launch(RUN)


def test_errors_belong_to_their_thread(fake, api):
    fake.inject(NAMES[api]["launch"], 999, times=1)
    made = kernel(Module(code_for(api)), api)
    with pytest.raises(ExecutionError):
        made.launch(RUN)
    seen = []
    thread = threading.Thread(target=lambda: seen.append(gpu.error_text()))
    thread.start()
    thread.join()
    assert seen == [""] and "999" in gpu.error_text()


def test_what_host_code_may_not_do(fake, api):
    module = Module(code_for(api))
    module.launch("k", 1, 1, 0, 1)  # no launch is under way
    assert "k was called outside of pf_gpu_launch" in gpu.error_text()
    host = HOST(lambda args: module.lib.mgpuMemAlloc(8, None, 0) and None)
    made = gpu.GpuKernel(
        "kernel_1", {"flat": gpu.Variant(address(host), 1, 1, 32)}, api=api,
        dims=(1, 0, 0), operands=[gpu.Operand(rt.OUT, 4)],
    )  # fmt: skip
    with pytest.raises(
        ExecutionError, match="kernel_1: compiled host code may not call mgpuMemAlloc"
    ):
        made.launch(RUN)
    unloaded = Module(code_for(api))
    unloaded.handle = None
    with pytest.raises(ExecutionError, match="the code of the function k is not there: its const"):
        kernel(unloaded, api).launch(RUN)
    assert fake.calls("launch") == []
