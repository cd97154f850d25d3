# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The examples of extending pyfusion run, and print what they say. `make demo` runs the others."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
PRINTS = {
    "own_backend": ["files:0: sum 1398717, 1 kernel", "the backend ran ['nextafter'], 2 files"],
    "own_fuser": ["4160: 3 blocks, 1 kernel"],
}


def test_every_example_of_extending_is_here():
    assert {path.stem for path in EXAMPLES.glob("own_*.py")} == set(PRINTS)


@pytest.mark.host
@pytest.mark.parametrize("name", sorted(PRINTS))
def test_example(name):
    path = EXAMPLES / f"{name}.py"
    assert len(path.read_text().splitlines()) < 80
    env = {**os.environ, "PYFUSION_MODE": "fused"}
    done = subprocess.run(
        [sys.executable, str(path)], env=env, capture_output=True, text=True, timeout=120
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == PRINTS[name]
