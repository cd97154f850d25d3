# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The examples of extensions run, and say what they are there to say. `make demo` runs others."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"

SAID = {
    "own_backend": ["files:0: sum 1398717, 1 kernel", "the backend ran ['nextafter'], 2 files"],
    "own_fuser": ["4160: 3 blocks, 1 kernel"],
    "own_observer": ["backend matmul", "'matmul': 3"],
    "own_op": ["kernels=1, compiles=1", "unfused=[]"],
    "own_pass": ["fusion.add %arg0, %arg0", "fusion.multiply"],
}

pytestmark = [
    pytest.mark.fused,
    pytest.mark.host,
]


def test_every_extension_has_an_example():
    assert {path.stem for path in EXAMPLES.glob("own_*.py")} == set(SAID)


@pytest.mark.parametrize("name", SAID)
def test_an_example_runs(name):
    path = EXAMPLES / f"{name}.py"
    assert len(path.read_text().splitlines()) < 80
    done = subprocess.run([sys.executable, path], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert all(line.startswith("pyfusion: ") for line in done.stderr.splitlines()), done.stderr
    for text in SAID[name]:
        assert text in done.stdout + done.stderr
