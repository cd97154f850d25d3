# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the tables of docs/clients.md: what was called with arrays of pyfusion, and what it ran.

    python docs/clients.py            # run the calls and write them; needs the extra `clients`
    python docs/clients.py --check    # exit 1 if the tables list other calls than are tested

Counts are those of the versions that the page names; another release may run other operations.
"""

from __future__ import annotations

import re
import sys
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import ModuleType
from typing import Any

from packaging.version import Version

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "clients.md"
sys.path[:0] = [str(ROOT / "test" / "unit")]

# Their titles, and the names of their distributions.
PROGRAMS = {
    "scipy": ("SciPy", "scipy"),
    "sklearn": ("scikit-learn", "scikit-learn"),
    "einops": ("einops", "einops"),
    "matplotlib": ("Matplotlib", "matplotlib"),
}


def usable(program: str) -> bool:
    """Whether it is installed, and new enough for the calls."""
    from client_calls import VERSIONS

    try:
        return Version(version(PROGRAMS[program][1])) >= Version(VERSIONS[program])
    except PackageNotFoundError:
        return False


def calls(program: str) -> ModuleType:
    """The module with a program's calls; importing it imports the program."""
    return import_module(f"client_calls_{program}")


def counted(call: Any) -> str:
    """Kernels, calls of the backend and compiles of a call that finds no plans."""
    import pyfusion as pf

    inputs = [pf.asarray(array) for array in call.inputs]
    pf.sync()
    pf.stream.engine.plans.clear()
    with pf.testing.inspect() as report:
        result = call.run(*inputs)
        pf.sync()
    del result  # what nobody holds is not run
    return f"{report.kernels} | {len(report.unfused)} | {report.compiles}"


def table() -> str:
    lines = []
    for program, (title, distribution) in PROGRAMS.items():
        lines += [
            f"### {title} {version(distribution)}",
            "",
            "| call | result | kernels | unfused | compiles |",
            "|---|---|---:|---:|---:|",
        ]
        for name, call in calls(program).CALLS.items():
            lines.append(f"| `{name}` | {call.gives} | {counted(call)} |")
        lines.append("")
    return "\n".join(lines[:-1])


def _raised(call: Any) -> str:
    import pyfusion as pf

    try:
        call.run(*map(pf.asarray, call.inputs))
    except Exception as error:
        return type(error).__name__
    sys.exit("a call that docs/clients.md says to fail works: move it to the calls")


def failures() -> str:
    lines = ["| call | raises | why |", "|---|---|---|"]
    for program, (title, _) in PROGRAMS.items():
        for name, (call, why) in getattr(calls(program), "FAILS", {}).items():
            lines.append(f"| {title}: `{name}` | {_raised(call)} | {why} |")
    return "\n".join(lines)


def text() -> str:
    """The page with its tables written anew."""
    page = PAGE.read_text()
    for name, body in (("calls", table()), ("failures", failures())):
        marks = re.compile(rf"(<!-- {name}: .*?-->\n).*?(<!-- end of {name} -->)", re.DOTALL)
        page, count = marks.subn(lambda m, body=body: f"{m[1]}\n{body}\n\n{m[2]}", page)
        if count != 1:
            sys.exit(f"{PAGE} has no place for the table {name!r}")
    return page


def problems() -> list[str]:
    """Tables that list other calls than those that are tested; of programs that are usable."""
    sections = re.split(r"^### ", PAGE.read_text(), flags=re.MULTILINE)[1:]
    found = {part.split()[0]: part for part in sections}
    wrong = []
    for program, (title, _) in PROGRAMS.items():
        if not usable(program):
            continue
        known = calls(program).CALLS
        rows = re.findall(r"^\| `(.+?)` \| ([^|]+) \|", found.get(title, ""), re.MULTILINE)
        wanted = [(name, call.gives) for name, call in known.items()]
        if rows != wanted:
            wrong.append(f"docs/clients.md: calls of {title}: run python docs/clients.py")
    return wrong


def main() -> int:
    if "--check" in sys.argv[1:]:
        found = problems()
        print("\n".join(found) or "docs/clients.md is true")
        return 1 if found else 0
    PAGE.write_text(text())
    return 0


if __name__ == "__main__":
    sys.exit(main())
