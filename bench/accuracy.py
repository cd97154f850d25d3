# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The largest errors of the elementary functions.

    python bench/accuracy.py --f32 [NAME ...] [--json FILE] [--jobs N] [--quick] [--resume]
    python bench/accuracy.py --f64 [NAME ...] [...]
    python bench/accuracy.py --half [NAME ...]

--f32: every float32 for functions of one operand, 2^27 pairs and all pairs of special values for
those of two, against the C library's double functions; needs a C compiler. --f64: 10^6 operands of
several kinds and special values, against mpmath. --half: every float16 and bfloat16 gives the
float32 result rounded once. Errors are in units in the last place of the exact result. NumPy's are
found beside ours. The exit status is 1 if an error is above its limit or a special value is wrong.
FILE is brought up to date after each function; --resume skips the functions that it has.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import platform
import sys
import time
from pathlib import Path
from typing import Any

import machine
import numpy as np
from accuracy_table import FUNCTIONS, Function, compiled

BLOCK = 1 << 20
TASK = 1 << 24
PAIRS = 1 << 27
TASK64 = 4096


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    kinds = parser.add_mutually_exclusive_group(required=True)
    for kind in ("f32", "f64", "half"):
        kinds.add_argument(f"--{kind}", nargs="*", metavar="NAME", help="default: all functions")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the results here")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), metavar="N")
    parser.add_argument("--count", type=int, default=10**6, help="operands of --f64")
    parser.add_argument("--quick", action="store_true", help="a 256th of the float32 operands")
    parser.add_argument("--resume", action="store_true", help="skip what FILE has")
    args = parser.parse_args()
    args.kind = next(k for k in ("f32", "f64", "half") if getattr(args, k) is not None)
    names = getattr(args, args.kind) or list(FUNCTIONS)
    unknown = [n for n in names if n not in FUNCTIONS]
    if unknown:
        parser.error(f"no function {', '.join(unknown)}; there are {', '.join(FUNCTIONS)}")
    args.names = names
    return args


# --- In a worker ----------------------------------------------------------------------------------


def start_worker() -> None:
    import pyfusion as pf

    pf.config.threads = 1
    pf.config.strict = True


def ours(f: Function, *columns: np.ndarray) -> np.ndarray:
    """pyfusion's result."""
    import pyfusion as pf

    return np.asarray(getattr(pf, f.name)(*map(pf.asarray, columns)))


def theirs(f: Function, *columns: np.ndarray) -> np.ndarray | None:
    """NumPy's result, None if it has no such function."""
    if not f.numpy:
        return None
    with np.errstate(all="ignore"):
        return np.asarray(getattr(np, f.numpy)(*columns)).astype(columns[0].dtype, copy=False)


def work_f32(task: tuple[str, int, int]) -> tuple[str, int, Any, Any]:
    """A range of all float32 (every 257th if it is a short one), or one of the seeds of pairs."""
    from accuracy_f32 import compare, merge, special_arguments, spread

    name, first, count = task
    f = FUNCTIONS[name]
    found = other = None
    rng = np.random.default_rng(first)
    step = 1 if count == TASK else 257
    for start in range(first, first + count * step, BLOCK * step):
        size = min(BLOCK, count)
        if f.arity == 1:
            bits = np.arange(start, start + size * step, step)
            columns = (bits.astype(np.uint32).view(np.float32),)
        else:
            columns = spread(f, size, rng)
            if start == 0:
                pairs = special_arguments(f)
                for column, part in zip(columns, pairs, strict=True):
                    column[: part.size] = part
        a, b = compare(f, columns, ours(f, *columns), theirs(f, *columns))
        found, other = merge(found, a), merge(other, b)
    return name, count, found, other


def work_f64(task: tuple[str, int, int]) -> tuple[str, int, Any, Any]:
    """Spread operands made from a seed; seed 0: the special values."""
    from accuracy_f32 import special_arguments, spread
    from accuracy_f64 import errors, reference, worst

    name, seed, count = task
    f = FUNCTIONS[name]
    if seed:
        columns = spread(f, count, np.random.default_rng(seed), "float64")
    else:
        columns = special_arguments(f, "float64")
    want = reference(f, *columns)
    other = theirs(f, *columns)
    found = worst(f, columns, errors(want, ours(f, *columns), f.free_zero))
    numpys = worst(f, columns, errors(want, other, f.free_zero)) if other is not None else None
    return name, columns[0].size, found, numpys


def half_differences(f: Function, dtype: str) -> tuple[int, int]:
    """How many results are not the float32 result rounded once, and of how many."""
    import pyfusion as pf

    kind = pf.dtypes.DTYPES[dtype].numpy
    bits = np.arange(1 << 16, dtype=np.uint16).view(kind)
    if f.arity == 1:
        columns = [bits]
    else:
        rng = np.random.default_rng(0)
        columns = [np.concatenate([rng.permutation(bits) for _ in range(16)]) for _ in range(2)]
    got = np.asarray(getattr(pf, f.name)(*map(pf.asarray, columns)))
    with np.errstate(all="ignore"):
        wide = np.asarray(getattr(pf, f.name)(*(pf.asarray(c.astype(np.float32)) for c in columns)))
        want = wide.astype(kind)
    if got.dtype != kind:
        return got.size, got.size
    same = (got.view(np.uint16) == want.view(np.uint16)) | (np.isnan(got) & np.isnan(want))
    return int((~same).sum()), got.size


def work_half(task: tuple[str, int, int]) -> tuple[str, int, Any, Any]:
    name, _, _ = task
    found = {dtype: half_differences(FUNCTIONS[name], dtype) for dtype in ("float16", "bfloat16")}
    return name, sum(size for _, size in found.values()), found, None


# --- In the parent --------------------------------------------------------------------------------


def tasks_of(args: argparse.Namespace, names: list[str]) -> list[tuple[str, int, int]]:
    tasks = []
    for name in names:
        if args.kind == "half":
            tasks.append((name, 0, 0))
        elif args.kind == "f32":
            total = 1 << 32 if FUNCTIONS[name].arity == 1 else PAIRS
            count = TASK // 257 if args.quick else TASK
            tasks += [(name, start, count) for start in range(0, total, TASK)]
        else:
            rest = args.count // (256 if args.quick else 1)
            tasks.append((name, 0, 0))
            seeds = -(-rest // TASK64)
            tasks += [(name, seed, min(TASK64, rest - (seed - 1) * TASK64))
                      for seed in range(1, seeds + 1)]  # fmt: skip
    return tasks


def confirmed(f: Function, worst: Any) -> float:
    """The worst float32 error by mpmath, where it is installed."""
    try:
        from accuracy_f64 import reference
    except ImportError:
        return worst.error
    columns = tuple(np.array([v], np.float32) for v in worst.at)
    want = reference(f, *(c.astype(np.float64) for c in columns))
    if want.known[0]:
        return worst.error
    exact = (float(want.value[0]), float(want.rest[0]), int(want.exponent[0]))
    size = max(
        abs(np.ldexp(exact[0], exact[2])), f.floor if eval(f.floored, {"x": worst.at[0]}) else 0
    )
    unit = max(int(np.frexp(size)[1]) - 24, -149)
    got = float(ours(f, *columns)[0])
    got = np.copysign(2.0**128, got) if np.isinf(got) else got
    shift = exact[2] - unit
    return float(abs(np.ldexp(got, -unit) - np.ldexp(exact[0], shift) - np.ldexp(exact[1], shift)))


def entry(f: Function, kind: str, count: int, found: Any, other: Any, seconds: float) -> dict:
    """A function's line of the results."""
    if kind == "half":
        return {t: {"differences": n, "operands": size} for t, (n, size) in found.items()}
    limit = f.ulp("float32" if kind == "f32" else "float64")
    row = {
        "ulp": round(found.error, 4),
        "at": [repr(v) for v in found.at],
        "limit": limit,
        "wrong": found.wrong,
        "operands": count,
        "numpy_ulp": round(other.error, 4) if other is not None else None,
        "cpu_seconds": round(seconds, 1),
    }
    if kind == "f32":
        row["confirmed_ulp"] = round(confirmed(f, found), 4)
    if found.wrong:
        row["wrong_at"] = [repr(v) for v in found.wrong_at]
    if other is not None and other.wrong:
        row["numpy_wrong"] = other.wrong
    return row


def good(row: dict) -> bool:
    if "ulp" not in row:
        return not any(part["differences"] for part in row.values())
    # The C reference itself has errors of 1e-8.
    return row["ulp"] <= row["limit"] + 1e-6 and not row["wrong"]


def show(name: str, row: dict) -> None:
    if "ulp" in row:
        numpys = f"  numpy {row['numpy_ulp']}" if row["numpy_ulp"] is not None else ""
        wrong = f"  {row['wrong']} WRONG, as {row['wrong_at']}" if row["wrong"] else ""
        text = f"{row['ulp']:8.4f} ulp at {', '.join(row['at'])}{numpys}{wrong}"
    else:
        text = ", ".join(f"{t}: {p['differences']} of {p['operands']}" for t, p in row.items())
    print(f"{name:10} {text}{'' if good(row) else '  ABOVE ITS LIMIT'}", flush=True)


def reference_of(kind: str) -> str:
    """What the results were compared with."""
    if kind == "f64":
        return f"mpmath {machine.version('mpmath')}"
    return "float32" if kind == "half" else "double functions of " + " ".join(platform.libc_ver())


def save(path: Path, rows: dict, args: argparse.Namespace) -> None:
    order = [name for name in FUNCTIONS if name in rows]
    data = {
        "what": f"bench/accuracy.py --{args.kind}",
        "reference": reference_of(args.kind),
        "commit": machine.commit(),
        "machine": machine.facts(),
        "functions": {name: rows[name] for name in order},
    }
    temporary = path.with_suffix(".part")
    temporary.write_text(json.dumps(data, indent=1) + "\n")
    temporary.replace(path)


def main() -> int:
    args = arguments()
    rows: dict[str, dict] = {}
    if args.json and args.json.exists():
        rows = json.loads(args.json.read_text())["functions"]
    dtype = {"f32": "float32", "f64": "float64", "half": "float16"}[args.kind]
    known = compiled(dtype)
    missing = [name for name in args.names if name not in known]
    if missing:
        print(f"not compiled for {dtype}: {', '.join(missing)}", flush=True)
    names = [n for n in args.names if n in known and not (args.resume and n in rows)]
    tasks = tasks_of(args, names)
    left = {name: sum(task[0] == name for task in tasks) for name in names}
    partial: dict[str, list] = {name: [0, None, None, 0.0] for name in names}
    for name, count, found, other, seconds in run(tasks, args):
        part = partial[name]
        if args.kind == "half":
            part[1] = found
        else:
            from accuracy_f32 import merge

            part[1], part[2] = merge(part[1], found), merge(part[2], other)
        part[0] += count
        part[3] += seconds
        left[name] -= 1
        if not left[name]:
            rows[name] = entry(FUNCTIONS[name], args.kind, *part)
            show(name, rows[name])
            if args.json:
                save(args.json, rows, args)
    bad = [name for name in names if not good(rows[name])]
    return 1 if bad or missing else 0


def run(tasks: list, args: argparse.Namespace) -> Any:
    """Results of the tasks, in any order."""
    work = {"f32": timed_f32, "f64": timed_f64, "half": timed_half}[args.kind]
    if args.jobs <= 1:
        start_worker()
        yield from map(work, tasks)
        return
    context = multiprocessing.get_context("spawn")
    with context.Pool(min(args.jobs, max(len(tasks), 1)), start_worker) as pool:
        yield from pool.imap_unordered(work, tasks)


def _timed(work: Any, task: tuple) -> tuple:
    start = time.process_time()
    return (*work(task), time.process_time() - start)


def timed_f32(task: tuple) -> tuple:
    return _timed(work_f32, task)


def timed_f64(task: tuple) -> tuple:
    return _timed(work_f64, task)


def timed_half(task: tuple) -> tuple:
    return _timed(work_half, task)


if __name__ == "__main__":
    sys.exit(main())
