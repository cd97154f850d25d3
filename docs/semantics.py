# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the tables of functions in docs/semantics.md, and runs its examples.

    python docs/semantics.py            # write them
    python docs/semantics.py --check    # exit 1 if they are old or an example has another value

Errors are those that bench/accuracy.py recorded in bench/results/accuracy-f32.json and -f64.json,
results for special values those that test/unit/test_special_cases.py tests. An example is
"`expression` → `value`" in the page.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "semantics.md"
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "test" / "unit")]

from accuracy_table import FUNCTIONS  # noqa: E402
from special_cases import CASES, EXTENSIONS, cases  # noqa: E402

# Bars separate the cells of a table.
WORDS = {
    "|1|": "±1",
    "|>1|": "beyond ±1",
    "|<1|": "within ±1",
    "not1": "not 1",
    "number": "not nan",
    "integer": "whole",
    "integer<0": "whole < 0",
    "integer≠0": "whole ≠ 0",
    "nonzero": "finite ≠ 0",
    "finite>0": "finite > 0",
    "finite<0": "finite < 0",
    ">0": "> 0",
    "<0": "< 0",
    ">1": "> 1",
    "<1": "< 1",
    "<-1": "< -1",
    "odd>0": "odd > 0",
    "odd<0": "odd < 0",
    "other>0": "> 0 not odd",
    "other<0": "< 0 not odd",
    "fraction": "not whole",
    "|x|": "abs(x)",
    "-|x|": "-abs(x)",
    "|y|": "abs(y)",
    "zero": "0",
    "positive": "sign +",
    "negative": "sign -",
}


def recorded(kind: str) -> dict[str, dict[str, Any]]:
    path = ROOT / "bench" / "results" / f"accuracy-{kind}.json"
    return json.loads(path.read_text())["functions"] if path.exists() else {}


def _figure(row: dict[str, Any] | None, key: str) -> str:
    value = (row or {}).get(key)
    if value is None:
        return ""
    return "> 1000" if value > 1000 else f"{value:.3g}" if value >= 10 else f"{value:.2f}"


def errors() -> str:
    """The table of domains and largest errors."""
    single, double = recorded("f32"), recorded("f64")
    lines = [
        "| function | domain | float32 | limit | NumPy | float64 | limit | NumPy |",
        "|---|---|---:|---:|---:|---:|---:|---:|",
    ]
    for name, f in FUNCTIONS.items():
        cells = [f"`{name}`", f.domain]
        for rows, limit in ((single, f.ulp32), (double, f.ulp64)):
            row = rows.get(name)
            if row and (row["ulp"] > limit + 1e-6 or row["wrong"]):
                sys.exit(f"{name}: {row['ulp']} ulp were recorded, {row['wrong']} wrong results")
            cells += [_figure(row, "ulp"), f"{limit:g}", _figure(row, "numpy_ulp")]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _word(token: str) -> str:
    return WORDS.get(token, token)


def _case_row(name: str) -> str:
    """Operands by result."""
    by_result: dict[str, list[str]] = {}
    for case in cases(name):
        words = [_word(t) for t in case.operands]
        text = words[0] if len(words) == 1 else f"({', '.join(words)})"
        by_result.setdefault(_word(case.result), []).append(text)
    parts = [f"**{result}**: {', '.join(given)}" for result, given in by_result.items()]
    return f"| `{name}` | {'; '.join(parts)} |"


def _case_table(names: list[str]) -> str:
    return "\n".join(["| function | **result**: operands |", "|---|---|", *map(_case_row, names)])


def special_math() -> str:
    return _case_table(list(FUNCTIONS))


def special_others() -> str:
    return _case_table([name for name in sorted({**CASES, **EXTENSIONS}) if name not in FUNCTIONS])


SECTIONS = {"errors": errors, "special math": special_math, "special others": special_others}


def text() -> str:
    """The page with its tables brought up to date."""
    page = PAGE.read_text()
    for name, table in SECTIONS.items():
        marks = re.compile(rf"(<!-- {name}: .*?-->\n).*?(<!-- end of {name} -->)", re.DOTALL)
        body = table()
        page, count = marks.subn(lambda m, body=body: f"{m[1]}\n{body}\n\n{m[2]}", page)
        if count != 1:
            sys.exit(f"{PAGE} has no place for the table {name!r}")
    return page


# --- Examples -------------------------------------------------------------------------------------

TYPES = {
    "b": "bool", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64", "u8": "uint8",
    "u32": "uint32", "u64": "uint64", "f16": "float16", "bf16": "bfloat16", "f32": "float32",
    "f64": "float64", "c64": "complex64",
}  # fmt: skip


def _names() -> dict[str, Any]:
    import numpy as np

    import pyfusion as pf

    def maker(dtype: str) -> Any:
        return lambda *v: pf.asarray(v[0] if len(v) == 1 else list(v), dtype=dtype)

    known: dict[str, Any] = {short: maker(dtype) for short, dtype in TYPES.items()}
    return known | {"pf": pf, "np": np, "inf": float("inf"), "nan": float("nan")}


def _shown(value: Any) -> str:
    import numpy as np

    from pyfusion.dtypes import DType

    if isinstance(value, DType):
        return value.name
    array = np.asarray(value)
    return str(array[()]) if array.ndim == 0 else f"[{', '.join(map(str, array))}]"


def wrong_examples() -> list[str]:
    """Examples that give another value than they say."""
    names = _names()
    problems = []
    found = re.findall(r"`([^`]+)` → `([^`]+)`", PAGE.read_text())
    if not found:
        return [f"{PAGE} has no examples"]
    for expression, said in found:
        try:
            got = _shown(eval(expression, names))
        except Exception as error:
            got = type(error).__name__
        if got != said:
            problems.append(f"docs/semantics.md: `{expression}` is {got}, not {said}")
    return problems


def problems() -> list[str]:
    old = [] if PAGE.read_text() == text() else ["docs/semantics.md: run python docs/semantics.py"]
    return old + wrong_examples()


def main() -> int:
    if "--check" in sys.argv[1:]:
        found = problems()
        print("\n".join(found) or "docs/semantics.md is true")
        return 1 if found else 0
    PAGE.write_text(text())
    return 0


if __name__ == "__main__":
    sys.exit(main())
