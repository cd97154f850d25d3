# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Puts the results of bench/cpu.py into the README, between its two `bench` comments.

python bench/table.py bench/results/cpu.json [README.md]
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import report


def table(data: dict[str, Any]) -> str:
    """The results on the largest number of threads, in Markdown."""
    threads = max(r["threads"] for r in data["results"])
    rows = [r for r in data["results"] if r["threads"] == threads]
    machine, packages = data["machine"], data["machine"]["packages"]
    peers = ["NumPy", "numexpr", "torch.compile", "JAX"]
    versions = ", ".join(f"{n} {packages[n]}" for n in ("numpy", "numexpr", "torch", "jax"))
    lines = [
        f"Milliseconds on {threads} threads of {machine['cpu']}, {rows[0]['elements']:,} elements,"
        f" median; {versions}:",
        "",
        "| workload | pyfusion | " + " | ".join(peers) + " | over NumPy | over the best |",
        "|---|" + "---:|" * (len(peers) + 3),
    ]
    for r in rows:
        ours, times = r["pyfusion_ms"], [r["peers"][p] for p in report.PEERS]
        cells = [f"{t:.1f}" if t is not None else "" for t in (ours, *times)]
        cells += [report.ratio(times[0], ours), report.ratio(report.best_peer(r), ours)]
        lines.append(f"| `{r['workload']}` | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main() -> None:
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    text = table(json.loads(Path(sys.argv[1]).read_text()))
    readme = Path(sys.argv[2] if len(sys.argv) == 3 else Path(__file__).parents[1] / "README.md")
    marks = re.compile(r"(<!-- bench:.*?-->\n).*?(<!-- end of bench -->)", re.DOTALL)
    new, count = marks.subn(lambda m: f"{m[1]}\n{text}\n\n{m[2]}", readme.read_text())
    if count != 1:
        sys.exit(f"{readme} has no place for the table")
    readme.write_text(new)


if __name__ == "__main__":
    main()
