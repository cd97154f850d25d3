# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The examples of extensions run, and say what they are there to say."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import pyfusion as pf

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"

SAID = {
    "own_op.py": ["kernels=1, compiles=1", "unfused=[]"],
    "own_observer.py": ["backend matmul", "'matmul': 3"],
    "own_pass.py": ["fusion.add %arg0, %arg0", "fusion.multiply"],
}

pytestmark = [
    pytest.mark.skipif(pf.config.mode != "fused", reason="they show what is fused"),
    pytest.mark.host,
]


@pytest.mark.parametrize("name", SAID)
def test_an_example_runs(name):
    code = (EXAMPLES / name).read_text()
    assert len(code.splitlines()) < 80
    done = subprocess.run(
        [sys.executable, EXAMPLES / name], capture_output=True, text=True, env=dict(os.environ)
    )
    assert (done.returncode, done.stderr) == (0, "")
    for text in SAID[name]:
        assert text in done.stdout
