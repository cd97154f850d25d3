# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Imports point one way: a part imports only itself and the parts after it in the list."""

import ast
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import pyfusion

# From what users touch down to what imports nothing. Parts on one line do not know each other.
LAYERS = [
    ["tools", "testing", "einops"],
    ["__init__"],
    ["inspection", "fusion", "custom", "nn", "random"],
    ["array"],
    ["client", "observer"],
    ["stream"],
    ["fusers"],
    ["compile"],
    ["runtime"],
    ["backends"],
    ["ir"],
    ["passes"],
    ["dtypes", "dialects", "toolchains"],
    ["tracing"],
    ["native"],
    ["config", "errors", "startup"],
]
RANK = {name: rank for rank, layer in enumerate(LAYERS) for name in layer}


def sources():
    root = Path(pyfusion.__file__).parent
    for path in sorted(root.rglob("*.py")):
        yield root, path


def part_of(root, path):
    return path.relative_to(root).parts[0].removesuffix(".py")


def imported_parts(root, path):
    """The top-level parts of pyfusion that a file imports, wherever in it."""
    package = ["pyfusion", *path.relative_to(root).parts[:-1]]
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names = [alias.name.split(".") for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            base = base + (node.module.split(".") if node.module else [])
            deeper = base == ["pyfusion"]
            names = [[*base, a.name] for a in node.names] if deeper else [base]
        else:
            continue
        for name in names:
            if name[0] == "pyfusion" and len(name) > 1 and name[1] in RANK:
                yield name[1]


def test_every_part_has_a_layer():
    root = Path(pyfusion.__file__).parent
    parts = {part_of(root, path) for root, path in sources()}
    assert parts <= set(RANK), f"not in a layer: {sorted(parts - set(RANK))}"
    assert root.is_dir()


@pytest.mark.parametrize("part", sorted(RANK))
def test_imports_point_one_way(part):
    wrong = []
    for root, path in sources():
        if part_of(root, path) != part:
            continue
        for other in imported_parts(root, path):
            if other != part and RANK[other] <= RANK[part]:
                wrong.append(f"{path.relative_to(root)} imports {other}")
    assert not wrong


@pytest.mark.parametrize("part", ["backends", "custom", "ir", "runtime", "stream"])
def test_the_files_of_a_part_import_one_way(part):
    """Wherever in a file the import stands; `graphlib.CycleError` names the files of a cycle."""
    folder = Path(pyfusion.__file__).parent / part
    graph = {}
    for path in folder.glob("*.py"):
        if path.stem != "__init__":
            nodes = ast.walk(ast.parse(path.read_text()))
            found = [n for n in nodes if isinstance(n, ast.ImportFrom) and n.level == 1]
            names = [[n.module] if n.module else [a.name for a in n.names] for n in found]
            graph[path.stem] = set(sum(names, []))
    TopologicalSorter({name: graph[name] & graph.keys() for name in graph}).prepare()
