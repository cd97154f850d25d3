# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Targets: their names, chips and pipelines, and those of devices."""

import re
import subprocess
import sys

import pytest

from pyfusion.passes import PipelineError, Target, parse_target, phases, target_of_device
from pyfusion.passes.lower import CHIPS


@pytest.mark.parametrize(
    "text, full, wave, features",
    [
        ("cpu", "cpu", 1, ""),
        ("cuda", "cuda:sm_90", 32, "+ptx81"),
        ("cuda:sm_70", "cuda:sm_70", 32, "+ptx81"),
        ("cuda:sm_100", "cuda:sm_100", 32, "+ptx86"),
        ("rocm", "rocm:gfx942", 64, "+wavefrontsize64"),
        ("rocm:gfx90a", "rocm:gfx90a", 64, "+wavefrontsize64"),
        ("rocm:gfx1100", "rocm:gfx1100", 32, "+wavefrontsize32"),
        ("rocm:gfx1201", "rocm:gfx1201", 32, "+wavefrontsize32"),
    ],
)
def test_names(text, full, wave, features):
    target = parse_target(text)
    assert (str(target), target.wave_size, target.features) == (full, wave, features)
    assert parse_target(target) is target


@pytest.mark.parametrize(
    "text, message",
    [
        ("gpu", "no target 'gpu'; there are cpu, cuda, rocm"),
        ("cuda:", "cuda has no chip ''"),
        ("cuda:80", "did you mean 'sm_80'"),
        ("rocm:gfx941", "did you mean 'gfx942'"),
        ("cpu:", "no chips to choose from"),
    ],
)
def test_errors(text, message):
    with pytest.raises(PipelineError, match=message):
        parse_target(text)


@pytest.mark.parametrize(
    "name, arch, target",
    [
        ("cuda", "9.0", "cuda:sm_90"),
        ("cuda", "7.0", "cuda:sm_70"),
        ("cuda", "10.3", "cuda:sm_103"),
        ("cuda", "13.0", "cuda:sm_121"),
        ("rocm", "gfx942:sramecc+:xnack-", "rocm:gfx942"),
        ("rocm", "gfx1100", "rocm:gfx1100"),
    ],
)
def test_devices(name, arch, target):
    assert str(target_of_device(name, arch)) == target


def test_old_devices():
    with pytest.raises(PipelineError, match="6.1 is older than sm_70"):
        target_of_device("cuda", "6.1")
    with pytest.raises(PipelineError, match="rocm has no chip 'gfx906'"):
        target_of_device("rocm", "gfx906:xnack-")


def test_phases():
    names = {t: [p.name for p in phases(t)] for t in ("cpu", "cuda", "rocm")}
    common = ["fusion", "merged", "outlined"]
    assert names["cpu"] == [*common, "flat", "linalg", "cpu", "llvm"]
    assert names["cuda"] == [*common, "flat", "linalg", "gpu", "nvvm", "ptx", "llvm"]
    assert names["rocm"] == [*common, "flat", "linalg", "gpu", "rocdl", "hsaco", "llvm"]
    cubin = [p.name for p in phases(Target("cuda", "sm_80"), cubin=True)]
    assert cubin[-3:] == ["ptx", "cubin", "llvm"]


PTX = """
import sys
from pyfusion.tools.compile_driver import run

for chip in sys.argv[2:]:
    run(sys.argv[1], "cuda:" + chip, "ptx", "-")
    sys.stdout.flush()
"""


def test_every_chip_has_ptx(tmp_path):
    """LLVM stops the process for a version of PTX that is older than the chip."""
    file = tmp_path / "kernel.mlir"
    file.write_text("gpu.module @m { gpu.func @k() kernel { gpu.return } }")
    chips = CHIPS["cuda"]
    done = subprocess.run(
        [sys.executable, "-c", PTX, str(file), *chips], capture_output=True, text=True
    )
    assert re.findall(r"^\.target (\w+)$", done.stdout, re.M) == [*chips], done.stderr
