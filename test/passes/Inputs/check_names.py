# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that a pass, its file and its test have one name, and that MLIR is imported late."""

import sys
from pathlib import Path

from pyfusion import passes

assert "mlir" not in sys.modules, "importing pyfusion.passes imports MLIR"
tests = {path.stem for path in Path(sys.argv[1]).glob("*.mlir")}
for name in passes.pass_names():
    cls = passes.pass_class(name)
    stem = name.removeprefix("fusion-")
    assert cls.name == name, name
    assert cls.__name__.lower() == stem.replace("-", ""), cls
    assert cls.__module__ == f"pyfusion.passes.{stem.replace('-', '_')}", cls
    assert stem in tests, f"no test {stem}.mlir"
    assert str(passes.create_pass(name)) == name, name
text = "builtin.module(cse,fusion-merge-elementwise{max-ops=8},func.func(canonicalize,cse))"
assert str(passes.parse_pipeline(text)) == text
print(*passes.fusion_pipeline(), sep="\n")
