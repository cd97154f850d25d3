# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that the documentation shows what the program prints.

    python docs/check.py

docs/flags.md, docs/operations.md and the tables of docs/semantics.md are what the scripts beside
them write, the examples of the latter have the values that they show, docs/gpu.md lists what
libraries run, docs/protocols.md what becomes of each of NumPy's functions, docs/clients.md the
calls that are tested, the IR in docs/architecture.md is that of its example, the programs of
docs/engine.md run, tests that are named exist, the README's example prints what stands below it,
and links lead to files.
"""

from __future__ import annotations

import contextlib
import fnmatch
import io
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def blocks(page: Path, language: str) -> list[str]:
    """The code blocks of a language."""
    return re.findall(rf"```{language}\n(.*?)```", page.read_text(), re.DOTALL)


def squeezed(text: str) -> str:
    return " ".join(text.split())


def flags() -> list[str]:
    import flags

    page = ROOT / "docs" / "flags.md"
    return [] if page.read_text() == flags.text() else ["docs/flags.md: run python docs/flags.py"]


def operations() -> list[str]:
    import operations

    page = ROOT / "docs" / "operations.md"
    if page.read_text() == operations.text():
        return []
    return ["docs/operations.md: run python docs/operations.py"]


def semantics() -> list[str]:
    import semantics

    return semantics.problems()


def gpu() -> list[str]:
    from pyfusion.backends.on_device import GROUPS

    text = (ROOT / "docs" / "gpu.md").read_text()
    rows = [f"| {group} | {names} |" for group, names in GROUPS.items()]
    return [f"docs/gpu.md: no row {row}" for row in rows if row not in text]


def clients() -> list[str]:
    import clients

    return clients.problems()


def protocols() -> list[str]:
    import protocols

    return protocols.problems()


def architecture() -> list[str]:
    import pyfusion as pf

    page = ROOT / "docs" / "architecture.md"
    x, y = (pf.asarray([[1.0, 2.0, v]] * 2, dtype=pf.float32) for v in (3.0, 4.0))
    lowered = pf.lower(lambda x, y: 1 / (x * y + 2), x, y)
    printed = squeezed("\n".join(lowered.as_text(stage) for stage in lowered.stages))
    return [
        f"docs/architecture.md: not what is printed:\n{block}"
        for block in blocks(page, "mlir")
        if squeezed(block) not in printed
    ]


def readme() -> list[str]:
    page = ROOT / "README.md"
    program, wanted = blocks(page, "python")[0], blocks(page, "text")[0]
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(compile(program, "README.md", "exec"), {})
    if output.getvalue() == wanted:
        return []
    return [f"README.md: the example prints\n{output.getvalue()}not\n{wanted}"]


def engine() -> list[str]:
    """The examples run."""
    page = ROOT / "docs" / "engine.md"
    problems = []
    for number, program in enumerate(blocks(page, "python")):
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compile(program, f"engine.md, program {number}", "exec"), {})
        except Exception as error:
            problems.append(f"docs/engine.md: program {number}: {type(error).__name__}: {error}")
    return problems


def pages() -> list[Path]:
    return [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def tests() -> list[str]:
    """Each test that is named is named with its file, `test_x.py::test_name`, and both exist."""
    names = {
        path.name: set(
            re.findall(r"^ *(?:async )?def (test_\w+)\(", path.read_text(), re.MULTILINE)
        )
        for path in (ROOT / "test").rglob("test_*.py")
    }
    problems = []
    for page in pages():
        text = page.read_text()
        for found in re.finditer(r"\b(test_\w+)(\.py|\*\.py)?(?:::(\w*))?", text):
            stem, end, name = found.groups()
            if end is None:
                problems.append(f"{page.name}: {stem} is named without its file")
            elif not fnmatch.filter(names, stem + end):
                problems.append(f"{page.name}: no file {stem}{end}")
            elif name is not None and name not in names.get(f"{stem}.py", ()):
                problems.append(f"{page.name}: no test {found[0]}")
    return problems


def intents() -> list[str]:
    """No intent stands twice in the table of docs/engine.md, and its tests are named one by one."""
    text = (ROOT / "docs" / "engine.md").read_text()
    table = text.partition("## Intents")[2].partition("\n## ")[0]
    rows = [re.findall(r"^\| (.+?) \| (.+) \|$", line) for line in table.splitlines()]
    found = [row[0] for row in rows if row]
    twice = {intent for intent, _ in found if [i for i, _ in found].count(intent) > 1}
    problems = [f"docs/engine.md: the intent {intent!r} stands twice" for intent in sorted(twice)]
    for intent, where in found:
        if re.search(r"test_\w+\.py(?!::)", where):
            problems.append(f"docs/engine.md: {intent!r} names a file without a test")
    return problems


def links() -> list[str]:
    problems = []
    for page in pages():
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
            if "://" not in target and not (page.parent / target).exists():
                problems.append(f"{page.name}: no file {target}")
    return problems


def main() -> int:
    checks = (
        flags,
        operations,
        semantics,
        gpu,
        protocols,
        clients,
        architecture,
        engine,
        tests,
        intents,
        readme,
        links,
    )
    problems = [p for check in checks for p in check()]
    print("\n".join(problems) or "the documentation is true")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
