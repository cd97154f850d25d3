# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times pyfusion against NumPy, numexpr, torch.compile and JAX on the CPU.

    python bench/cpu.py [--quick] [--json FILE] [--threads 1,2] [--only NAME ...]

One process for each thread count, tied to that many processors. In it the contestants take turns:
each round calls every one once, in an order that rotates, and the median over the rounds counts.
Each returns a fresh array, which is dropped before its next call, and each first result is compared
with NumPy's. `np.add` is `np.add(x, y, out=o)` of as many f32: the speed of memory on one thread.
A contestant that is not installed, cannot express a workload or gets it wrong has no figure.
Blocks that pyfusion cannot compile are errors here, not runs of its backend.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

import machine
import report

FULL = 1 << 24
QUICK = 1 << 20


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="1M elements and few rounds")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the results here")
    parser.add_argument("--threads", default="1,2", help="thread counts (default: 1,2)")
    parser.add_argument(
        "--only", action="append", default=[], metavar="NAME", help="only this workload; repeatable"
    )
    parser.add_argument("--check", action="store_true", help="exit 1 if a gate does not hold")
    parser.add_argument("--worker", type=int, help=argparse.SUPPRESS)
    args = parser.parse_args()
    try:
        args.thread_counts = sorted({int(t) for t in args.threads.split(",")})
    except ValueError:
        parser.error(f"--threads takes numbers, as 1,2: not {args.threads!r}")
    return args


# -- a worker: one thread count --------------------------------------------------------------------


def work_on(threads: int, args: argparse.Namespace) -> None:
    """Runs every workload; writes a list of results as JSON."""
    import peers
    from workloads import WORKLOADS

    contestants = []
    notes = []
    for kind in peers.CONTESTANTS:
        try:
            contestants.append(kind(threads))
        except ImportError as error:
            if kind is peers.Pyfusion:
                sys.exit(f"pyfusion cannot be imported ({error}); install it: pip install .")
            notes.append(f"{kind.name} is absent: {error}")
    results = []
    for work in WORKLOADS:
        if args.only and work.name not in args.only:
            continue
        result = measure(work, contestants, threads, QUICK if args.quick else FULL, args.quick)
        results.append(result)
        print(report.line(result), flush=True)
    args.json.write_text(json.dumps({"results": results, "notes": notes}))


def measure(work: Any, contestants: list, threads: int, elements: int, quick: bool) -> dict:
    import numpy as np
    from peers import numpy_namespace
    from workloads import difference

    rng = np.random.default_rng(1)
    arrays = work.make(elements, rng)
    with np.errstate(all="ignore"):
        expected = np.asarray(work.run(numpy_namespace(), *arrays))
    calls, problems, estimate = {}, {}, {}
    for one in contestants:
        try:
            call = one.prepare(work, arrays)
            if call is None:
                problems[one.name] = "cannot express it"
                continue
            wrong = difference(work, one.to_numpy(call()), expected)
            if wrong is None:
                start = time.perf_counter()
                call()
                estimate[one.name] = time.perf_counter() - start
        except Exception as error:  # must not end the run
            wrong = f"{type(error).__name__}: {error}".splitlines()[0]
        if wrong is None:
            calls[one.name] = call
        else:
            problems[one.name] = wrong
    x, y = (rng.uniform(-2, 2, elements).astype(np.float32) for _ in range(2))
    out = np.empty_like(x)
    calls["np_add"] = lambda: np.add(x, y, out=out)
    budget = 2.0 if quick else 12.0
    rounds = int(min(41, max(5 if quick else 9, budget / max(sum(estimate.values()), 1e-9))))
    times = take_turns(calls, rounds)
    result = {
        "workload": work.name,
        "threads": threads,
        "pyfusion_ms": times.pop("pyfusion", None),
        "np_add_ms": times.pop("np_add"),
        "peers": {one.name: times.get(one.name) for one in contestants if one.name in times},
        "elements": elements,
        "dtype": str(expected.dtype),
        "shapes": [list(a.shape) for a in arrays],
        "ops": work.ops,
        "elementwise": work.elementwise,
        "by_hand": work.by_hand,
        "rounds": rounds,
        "problems": problems,
    }
    for name in report.PEERS:
        result["peers"].setdefault(name, None)
    return result


def take_turns(calls: dict[str, Any], rounds: int) -> dict[str, float]:
    """Median milliseconds of each call."""
    names = list(calls)
    times: dict[str, list[float]] = {name: [] for name in names}
    gc.collect()
    gc.disable()
    try:
        for number in range(rounds):
            shift = number % len(names)
            for name in names[shift:] + names[:shift]:
                call = calls[name]
                start = time.perf_counter()
                result = call()
                end = time.perf_counter()
                times[name].append(end - start)
                del result
                # Worker threads of the one before may still spin for a while.
                time.sleep(0.003)
    finally:
        gc.enable()
    return {name: round(median(t) * 1e3, 4) for name, t in times.items()}


# -- the parent ------------------------------------------------------------------------------------


def start_worker(threads: int, args: argparse.Namespace) -> dict:
    cpus = machine.cores()[:threads]
    if len(cpus) < threads:
        print(f"{threads} threads: this process may use {len(cpus)} processors only; left out")
        return {"results": [], "notes": [f"{threads} threads: too few processors"]}
    count = str(threads)
    environment = {
        **os.environ,
        "PYFUSION_THREADS": count,
        "NUMEXPR_NUM_THREADS": count,
        "NUMEXPR_MAX_THREADS": count,
        "OMP_NUM_THREADS": count,
        "OPENBLAS_NUM_THREADS": count,
        "MKL_NUM_THREADS": count,
        "JAX_PLATFORMS": "cpu",
    }
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "results.json"
        command = [sys.executable, __file__, "--worker", count, "--json", str(file)]
        command += ["--quick"] if args.quick else []
        for name in args.only:
            command += ["--only", name]
        before = os.sched_getaffinity(0)
        os.sched_setaffinity(0, cpus)  # inherited: the peers count processors when they start
        try:
            done = subprocess.run(command, env=environment)
        finally:
            os.sched_setaffinity(0, before)
        if done.returncode:
            sys.exit(done.returncode)
        return json.loads(file.read_text())


def main() -> int:
    args = arguments()
    if args.worker:
        work_on(args.worker, args)
        return 0
    facts = machine.facts()
    facts["quick"] = args.quick
    print(report.machine_line(facts))
    print(report.header(), flush=True)
    results, notes = [], []
    for threads in args.thread_counts:
        part = start_worker(threads, args)
        results += part["results"]
        notes += [n for n in part["notes"] if n not in notes]
    if not results:
        sys.exit(f"no workload ran; --only {' '.join(args.only)}")
    facts["notes"] = notes
    failed = report.gates(results)
    print(report.summary(results, notes, failed, args.quick))
    if args.json:
        args.json.parent.mkdir(parents=True, exist_ok=True)
        args.json.write_text(json.dumps({"machine": facts, "results": results}, indent=1) + "\n")
    return 1 if args.check and failed else 0


if __name__ == "__main__":
    sys.exit(main())
