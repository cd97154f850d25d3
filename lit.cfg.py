# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Settings of lit for the tests on IR: `lit test`, or any file or folder below it.

The tools run in the Python that runs lit, on the installed package, or with `PYTHONPATH=.` and
PYFUSION_NATIVE_DIR on this folder and a build.
"""

import importlib.util
import os
import shlex
import sys
from pathlib import Path

import lit.formats

config.name = "pyfusion"  # noqa: F821
config = config  # noqa: F821  lit defines it
config.test_format = lit.formats.ShTest()
config.suffixes = [".mlir"]
config.excludes = ["bench", "build", "docs", "examples", "pyfusion", ".venv"]
root = Path(__file__).parent
config.test_exec_root = os.environ.get("PYFUSION_TEST_OUT", str(root / "build" / "lit"))

TOOLKITS = ("CUDA_HOME", "CUDA_PATH", "ROCM_PATH")

python = shlex.quote(sys.executable)
for tool in ("compile", "opt", "run"):
    # Not where the name is part of a longer word, as in a path.
    config.substitutions.append(
        (rf"(?<![\w/.-])pyfusion-{tool}(?![\w/.-])", f"{python} -m pyfusion.tools.{tool}")
    )
config.substitutions.append(("%python", python))

# FileCheck, not and count come with the wheel of the LLVM tools.
llvm = importlib.util.find_spec("llvm")
tools = [str(Path(p, "bin")) for p in (llvm.submodule_search_locations if llvm else ())]
config.environment["PATH"] = os.pathsep.join([*tools, os.environ.get("PATH", "")])

# Programs that only some tests need. PYFUSION_TEST_REQUIRE names those that have to be there.
sys.path.append(str(root))
from pyfusion.errors import CompileError  # noqa: E402
from pyfusion.toolchains import cuda, rocm  # noqa: E402

for feature, find in (("ptxas", cuda.find), ("llvm-amdgpu", rocm.find)):
    try:
        found = find()
    except CompileError as error:
        if feature in os.environ.get("PYFUSION_TEST_REQUIRE", "").split(","):
            lit_config.fatal(f"{feature}: {error}")  # noqa: F821  lit defines it
        lit_config.note(f"no {feature}: {error}")  # noqa: F821
        continue
    config.available_features.add(feature)
    if feature == "llvm-amdgpu":
        config.substitutions.append(("%amdgpu", shlex.quote(str(found.llc.resolve().parent))))

# lit starts tests with an environment of its own, in other folders.
for name, value in os.environ.items():
    if name in ("PYTHONPATH", "PYFUSION_NATIVE_DIR", "PYFUSION_DUMP_DIR"):
        paths = [os.path.abspath(path) for path in value.split(os.pathsep) if path]
        config.environment[name] = os.pathsep.join(paths)
    elif name.startswith("PYFUSION_") or name in (
        "HOME",
        "LD_LIBRARY_PATH",
        "VIRTUAL_ENV",
        *TOOLKITS,
    ):
        config.environment[name] = value
