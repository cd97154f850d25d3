# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command-line tools as processes: signals, standard streams, files that are not IR."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pyfusion.runtime import library

SOURCE = """
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = fusion.exp %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}
"""

TOOLS = {
    "opt": [],
    "compile": ["--target=cpu", "--emit=llvm"],
    "run": [],
}


def command(tool, *arguments):
    return [sys.executable, "-m", f"pyfusion.tools.{tool}", *map(str, arguments)]


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "file.mlir"
    path.write_text(SOURCE)
    return path


def run(tool, *arguments, **more):
    more = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | more
    done = subprocess.run(command(tool, *arguments), **more)
    errors = (done.stderr or b"").decode()
    assert "Traceback" not in errors
    return done.returncode, done.stdout, errors


# Signals


def alive(process):
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def wait_for(condition):
    end = time.monotonic() + 120  # a loaded machine takes its time
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.fixture
def compiling(tmp_path, file):
    """A compilation that waits for ptxas, and the process that ptxas, a script, waits for."""
    started = tmp_path / "started"
    ptxas = tmp_path / "ptxas"
    ptxas.write_text(
        f"#!/bin/sh\nsleep 900 &\necho $! > {started}.new\nmv {started}.new {started}\nwait\n"
    )
    ptxas.chmod(0o755)
    process = subprocess.Popen(
        command("compile", file, "--target=cuda", "--emit=cubin"),
        stderr=subprocess.PIPE,
        env=os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"},
    )
    wait_for(started.exists)
    yield process, int(started.read_text())
    process.kill()
    process.stderr.close()
    process.wait()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_signals_end_all_that_runs(compiling, number):
    process, sleeper = compiling
    process.send_signal(number)
    assert process.wait(120) == 128 + number
    wait_for(lambda: not alive(sleeper))
    said = process.stderr.read().decode()
    assert said == f"pyfusion-compile: stopped by {signal.Signals(number).name}\n"


def test_a_killed_tool_leaves_nothing(compiling):
    process, sleeper = compiling
    process.kill()
    process.wait()
    wait_for(lambda: not alive(sleeper))


STUCK = """
import ctypes, sys
from pyfusion.tools.isolate import isolated

def work(note):
    note("a pass")
    print("ready", flush=True)
    ctypes.CDLL(None).sleep(60) or ctypes.CDLL(None).sleep(60)  # a signal ends one

sys.exit(isolated("tool", work))
"""


def test_what_cannot_be_interrupted_is_killed():
    process = subprocess.Popen(
        [sys.executable, "-c", STUCK], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    with process:
        process.stdout.readline()
        process.terminate()
        assert process.wait(120) == 128 + signal.SIGTERM


# What the environment says


@pytest.mark.parametrize("tool", TOOLS)
def test_a_wrong_environment(tool, file, tmp_path):
    def said(**environment):
        code, out, errors = run(tool, file, *TOOLS[tool], env=os.environ | environment)
        assert (code, out) == (1, b"")
        return errors

    wrong = "PYFUSION_DEVICE='zzz': use one of 'cpu', 'cuda', 'cuda:N', 'rocm', 'rocm:N'"
    assert said(PYFUSION_DEVICE="zzz") == f"pyfusion-{tool}: error: {wrong}\n"
    missing = said(PYFUSION_NATIVE_DIR=str(tmp_path))
    assert missing.startswith(f"pyfusion-{tool}: error: ") and missing.count("\n") == 1
    for part in Path(library.load().path).parent.iterdir():  # all but the dialect's library
        if "PyFusionDialect" not in part.name:
            (tmp_path / part.name).symlink_to(part)
    missing = said(PYFUSION_NATIVE_DIR=str(tmp_path))
    assert missing.startswith(f"pyfusion-{tool}: error: ") and missing.count("\n") == 1


def test_tools_by_their_scripts(tmp_path):
    """A script of the name that the package installs."""
    script = tmp_path / "pyfusion-opt"
    script.write_text("from pyfusion.tools.opt import main\n")
    for path, end in ((script, "pyfusion-opt: error: "), (tmp_path / "other", "Traceback")):
        path.write_text(script.read_text())
        done = subprocess.run(
            [sys.executable, path],
            env=os.environ | {"PYFUSION_MODE": "quick"},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 1 and done.stderr.startswith(end)
        assert "PYFUSION_MODE='quick': use one of fused, single, backend\n" in done.stderr


# Standard streams


@pytest.mark.parametrize("tool", TOOLS)
def test_closed_streams(tool, file):
    def close(number):
        return lambda: os.close(number)

    code, _, said = run(tool, "-", *TOOLS[tool], preexec_fn=close(0))
    assert (code, said) == (1, f"pyfusion-{tool}: error: <stdin>: Bad file descriptor\n")
    code, _, _ = run(tool, f"{file}.none", *TOOLS[tool], preexec_fn=close(2))
    assert code == 1
    if tool != "run":
        code, _, said = run(tool, file, *TOOLS[tool], preexec_fn=close(1))
        assert (code, said) == (1, f"pyfusion-{tool}: error: <stdout>: Bad file descriptor\n")
        code, _, said = run(tool, file, *TOOLS[tool], "-o", f"{file}.out", preexec_fn=close(1))
        assert (code, said) == (0, "")


@pytest.mark.parametrize("tool", ["opt", "compile"])
def test_outputs_that_cannot_be_written(tool, file):
    reads, writes = os.pipe()
    os.close(reads)
    code, _, said = run(tool, file, *TOOLS[tool], stdout=writes)
    os.close(writes)
    assert (code, said) == (1, "")
    with open("/dev/full", "wb") as full:
        code, _, said = run(tool, file, *TOOLS[tool], stdout=full)
    assert (code, said) == (1, f"pyfusion-{tool}: error: <stdout>: No space left on device\n")


# Files


@pytest.mark.parametrize("tool", TOOLS)
def test_files_that_are_not_ir(tool, tmp_path):
    code, _, said = run(tool, tmp_path, *TOOLS[tool])
    assert (code, said) == (1, f"pyfusion-{tool}: error: {tmp_path}: Is a directory\n")
    code, _, said = run(tool, "", *TOOLS[tool])
    assert code == 1 and "takes the name of a file, not ''" in said
    code, _, said = run(tool, "-", *TOOLS[tool], input=b"func\xff")
    assert code == 1
    assert said == (f"pyfusion-{tool}: error: <stdin>: not UTF-8 at byte 4, and not bytecode\n")
    code, _, said = run(tool, "-", *TOOLS[tool], input=b"func.func @f() { bad }")
    assert code == 1 and said.startswith("<stdin>:1:18: error: custom op 'bad' is unknown")


@pytest.mark.parametrize("tool", ["compile", "run"])
def test_names_that_are_not_utf8(tool):
    code, _, said = run(tool, "-", *TOOLS[tool], input=b'func.func @"a\\FF"() { return }')
    assert code == 1
    assert said.endswith('<stdin>: the name of a func.func is not UTF-8: "a\\FF"\n')


@pytest.mark.parametrize("tool", TOOLS)
def test_versions(tool):
    code, out, _ = run(tool, "--version")
    assert (code, out.decode().split(" ")[0]) == (0, "pyfusion")


def test_run_says_where_it_runs():
    _, out, _ = run("run", "--help")
    assert "on the CPU whatever PYFUSION_DEVICE says" in " ".join(out.decode().split())


@pytest.fixture(scope="module")
def bytecode(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bytecode")
    (folder / "file.mlir").write_text(SOURCE)
    out = folder / "file.mlirbc"
    assert run("opt", folder / "file.mlir", "--emit-bytecode", "-o", out)[0] == 0
    return out.read_bytes()


@pytest.mark.parametrize("tool", TOOLS)
def test_damaged_bytecode(tool, bytecode):
    """A name that is no UTF-8, which the bindings cannot repeat."""
    damaged = bytecode.replace(b"tensor<?xf32>", b"tens\xff\xfe<?xf32>").replace(b"exp", b"e\xffp")
    assert damaged != bytecode
    for data in (damaged, bytecode[: len(bytecode) // 2]):
        code, _, said = run(tool, "-", *TOOLS[tool], input=data)
        assert code == 1
        assert "error: " in said and "should not happen" not in said


def test_bytecode_runs(bytecode):
    code, _, said = run("run", "-", input=bytecode)
    assert code == 1 and "1 arguments, not 0" in said


def test_the_same_bytes_twice(file):
    """Also of what MLIR notes the time that it took."""
    for flags in (["--target=cuda"], ["--target=cuda", "--stop-after=ptx", "--emit-bytecode"]):
        outputs = [run("opt", file, *flags)[1] for _ in range(2)]
        assert outputs[0] == outputs[1] != b""
        assert b"TimeInMs" not in outputs[0]


def test_test_runs_without_the_default_device():
    """Tests are skipped with the reason; the runs of random programs end with one line."""
    root = Path(__file__).resolve().parents[2]
    code = "import sys\n"
    for program, want, said in [
        ("import pytest; sys.exit(pytest.main(['-q', 'test/unit/test_config.py']))", 0, "skipped"),
        (
            "sys.argv = ['run.py']; import runpy; runpy.run_path('test/fuzz/run.py', run_name="
            "'__main__')",
            1,
            "run.py: pyfusion.errors.DeviceError: ",
        ),
    ]:
        done = subprocess.run(
            [sys.executable, "-c", code + program],
            cwd=root,
            env=os.environ | {"PYFUSION_DEVICE": "cuda:77"},
            capture_output=True,
            text=True,
        )
        assert done.returncode == want and "failed" not in done.stdout
        assert said in done.stdout + done.stderr and "Traceback" not in done.stderr
        assert "device 'cuda:77' " in done.stdout + done.stderr


@pytest.mark.host
def test_programs_are_compiled_ahead_of_time(tmp_path):
    """From `lower` to code, also with the comment on what is left out."""
    import pyfusion as pf

    x = pf.ones((4, 8), dtype="float32")
    lowered = pf.lower(lambda x: ((pf.exp(x) * 2).sum(axis=1), pf.unique(x)), x)
    assert lowered.at_once == ["unique"]
    source = tmp_path / "program.mlir"
    source.write_text(lowered.as_text("fusion"))
    code, out, said = run("compile", source, "--target=cuda:sm_90", "--emit=ptx")
    assert (code, said) == (0, "") and b".entry kernel_0_reduce(" in out
    code, out, said = run("compile", source, "--target=cuda:sm_90", "--emit=obj")
    assert (code, said) == (0, "") and b"_mlir_ciface_kernel_0_reduce" in out
