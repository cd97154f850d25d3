# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that compile for GPUs: where they are looked for, what is said when they fail."""

import time

import pytest

from pyfusion.errors import CompileError
from pyfusion.toolchains import cuda, programs, rocm


def script(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def llvm(folder, version=22, targets="amdgcn", suffix=""):
    """An LLVM that says what it is, and does nothing."""
    for name in ("opt", "llc", "ld.lld"):
        script(folder / (name + suffix), f"echo 'LLVM version {version}.1.8'; echo '{targets}'")
    return folder


@pytest.fixture
def nothing(monkeypatch):
    """A machine without any of the programs."""
    for name in ("ROCM_PATH", "CUDA_HOME", "CUDA_PATH"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(rocm, "_FOLDERS", ())
    monkeypatch.setattr(cuda, "_FOLDERS", ())
    monkeypatch.setattr(cuda, "_WHEELS", ())
    return monkeypatch


def test_missing(nothing):
    with pytest.raises(CompileError, match="apt-get install llvm-22 lld-22"):
        rocm.find()
    with pytest.raises(CompileError, match="pip install nvidia-cuda-nvcc"):
        cuda.find()


def test_llvm_is_refused_with_a_reason(nothing, tmp_path):
    old = llvm(tmp_path / "old" / "llvm" / "bin", version=19)
    other = llvm(tmp_path / "other", targets="x86-64")
    nothing.setenv("ROCM_PATH", str(tmp_path / "old"))
    nothing.setenv("PATH", str(other))
    with pytest.raises(CompileError) as caught:
        rocm.find()
    assert caught.value.diagnostics[1:] == [
        f"{old / 'llc'}: LLVM 19",
        f"{other / 'llc'}: has no AMDGPU target",
    ]


def test_order_of_llvms(nothing, tmp_path):
    folder = llvm(tmp_path / "folder")
    nothing.setattr(rocm, "_FOLDERS", (str(folder),))
    assert rocm.find().llc == folder / "llc"
    path = llvm(tmp_path / "path", suffix="-22")
    nothing.setenv("PATH", str(path))
    assert rocm.find().lld == path / "ld.lld-22"
    root = llvm(tmp_path / "rocm" / "llvm" / "bin", version=23)
    nothing.setenv("ROCM_PATH", str(tmp_path / "rocm"))
    assert rocm.find().opt == root / "opt"


def test_order_of_ptxas(nothing, tmp_path):
    wheel = script(tmp_path / "nvidia" / "cu13" / "bin" / "ptxas", "")
    nothing.syspath_prepend(tmp_path)
    nothing.setattr(cuda, "_WHEELS", (("nvidia", "cu*/bin/ptxas"),))
    assert wheel in [*cuda._in_wheels(cuda._WHEELS)]
    home = script(tmp_path / "home" / "bin" / "ptxas", "")
    nothing.setenv("CUDA_HOME", str(tmp_path / "home"))
    assert cuda.find() == home
    path = script(tmp_path / "path" / "ptxas", "")
    nothing.setenv("PATH", str(path.parent))
    assert cuda.find() == path


def test_failures_of_a_program(tmp_path):
    fails = script(tmp_path / "fails", "echo what is wrong >&2; exit 3")
    with pytest.raises(CompileError, match="fails: exit code 3\nwhat is wrong"):
        programs.run(fails)
    killed = script(tmp_path / "killed", "kill -SEGV $$")
    with pytest.raises(CompileError, match="killed: signal 11"):
        programs.run(killed)
    with pytest.raises(CompileError, match="none: No such file"):
        programs.run(tmp_path / "none")
    slow = script(tmp_path / "slow", "exec sleep 30")
    start = time.monotonic()
    with pytest.raises(CompileError, match=r"took over 0\.2 s"):
        programs.run(slow, timeout=0.2)
    assert time.monotonic() - start < 10


def test_ptxas_without_the_chip(nothing, tmp_path):
    said = "ptxas fatal   : Value 'sm_70' is not defined for option 'gpu-name'"
    ptxas = script(tmp_path / "ptxas", f'echo "{said}" >&2; exit 255')
    nothing.setenv("PATH", f"{tmp_path}:/bin")
    with pytest.raises(CompileError, match=r"does not compile for sm_70 \(that of CUDA 13 does"):
        cuda.cubin(b"", "sm_70")
    text = "--gpu-name <name>\n  values: 'lto_80','sm_80','sm_100',\n  'sm_100a'.\n\n--help\n"
    script(ptxas, f'[ $1 = --help ] && echo "{text}" || {{ echo "{said}" >&2; exit 255; }}')
    with pytest.raises(CompileError, match=r"not compile for sm_70 but for sm_80, sm_100 \("):
        cuda.cubin(b"", "sm_70")
    script(ptxas, 'echo "ptxas fatal   : something else" >&2; exit 255')
    with pytest.raises(CompileError, match="something else$"):
        cuda.cubin(b"", "sm_70")


@pytest.mark.parametrize("body, said", [("", "No such file"), (": > $5", "is empty")])
def test_programs_that_leave_no_result(nothing, tmp_path, body, said):
    script(tmp_path / "ptxas", body)
    nothing.setenv("PATH", str(tmp_path))
    with pytest.raises(CompileError, match=f"^ptxas: .* ended well, but .*{said}"):
        cuda.cubin(b"", "sm_90")


def test_data_goes_through(tmp_path):
    cat = script(tmp_path / "cat", 'exec cat "$@"')
    assert programs.run(cat, "-", data=b"\0ELF") == b"\0ELF"
