# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the table of NumPy's functions in docs/protocols.md.

python docs/protocols.py            # write it
python docs/protocols.py --check    # exit 1 if a function is missing or stands elsewhere

What only other versions of NumPy have stays where it stands.
"""

from __future__ import annotations

import importlib
import re
import sys
import textwrap
from pathlib import Path

PAGE = Path(__file__).with_name("protocols.md")
BEGIN, END = "<!-- functions: written by docs/protocols.py -->\n", "<!-- end of functions -->"
_MODULES = ("fft", "char", "linalg", "strings", "lib.recfunctions")
# Of these all functions are refused; the table names the module.
_WHOLE = ("char.", "strings.", "lib.recfunctions.")


def functions() -> dict[str, str]:
    """What becomes of each function of this version of NumPy."""
    from numpy.testing.overrides import get_overridable_numpy_array_functions

    from pyfusion.array.numpy_functions import kind_of, name_of

    for module in _MODULES:
        importlib.import_module(f"numpy.{module}")
    found = {}
    for function in get_overridable_numpy_array_functions():
        name = name_of(function)
        whole = next((w for w in _WHOLE if name.startswith(w)), "")
        found[f"{whole}*" if whole else name] = kind_of(function)
    return found


def written(page: str) -> dict[str, str]:
    """What the page says."""
    table = page.partition(BEGIN)[2].partition(END)[0]
    found = {}
    for kind, names in re.findall(r"^\*\*(.+?)\*\*: (.*?)\.$", table, re.MULTILINE | re.DOTALL):
        found.update(dict.fromkeys(re.findall(r"`(.+?)`", names), kind))
    return found


def text(page: str) -> str:
    """The page with its table brought up to date."""
    from pyfusion.array.numpy_functions import KINDS

    known = {**written(page), **functions()}
    parts = []
    for kind in KINDS:
        names = ", ".join(f"`{name}`" for name in sorted(known) if known[name] == kind)
        line = f"**{kind}**: {names}."
        parts.append(textwrap.fill(line, 100, break_on_hyphens=False) + "\n")
    before, _, rest = page.partition(BEGIN)
    return before + BEGIN + "\n" + "\n".join(parts) + "\n" + END + rest.partition(END)[2]


def problems() -> list[str]:
    said = written(PAGE.read_text())
    return [
        f"docs/protocols.md: numpy.{name} is {kind!r}, not {said.get(name)!r}: "
        "run python docs/protocols.py"
        for name, kind in sorted(functions().items())
        if said.get(name) != kind
    ]


def main() -> int:
    if "--check" in sys.argv[1:]:
        print("\n".join(problems()) or "docs/protocols.md is true")
        return 1 if problems() else 0
    PAGE.write_text(text(PAGE.read_text()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
