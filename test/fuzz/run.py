# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks many random programs with many inputs, in runs that can be interrupted and resumed.

    python test/fuzz/run.py --programs 10000 --inputs 20 [--jobs 16]

Each program is run in fused and in single mode, whose results must be equal bit for bit, and each
of its steps is compared with NumPy. With PYFUSION_DEVICE=cuda the results of the GPU must also be
those of the host, bit for bit where nothing is summed. Half of a program's inputs have other
extents and numbers, where that is defined. A chunk of programs runs in a process of its own, so
that memory is bounded and a crash is one more difference; the state file is written after each
round of chunks, one for each job. The result goes to bench/results/random.json. Exit status 1:
there were differences.
"""

import argparse
import hashlib
import json
import subprocess
import sys
import time
import traceback
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CHUNK = 250
MOST_PLANS = 700
COUNTS = ("programs", "pairs", "difference_count")
SHOWN = 20  # differences kept with their text

sys.path.insert(0, str(ROOT / "bench"))
import machine  # noqa: E402

# --- The process that checks a chunk --------------------------------------------------------------


def check_chunk(first, last, inputs):
    """A line of JSON for each program: its number, digest, pairs checked, differences."""
    from compare_modes import Checker
    from random_programs import Seeded, generate, sibling

    import pyfusion as pf

    pf.config.max_plans = MOST_PLANS
    for number in range(first, last):
        print(json.dumps({"started": number}), flush=True)
        program = generate(Seeded(number))
        other = sibling(program)
        checkers = [Checker(program), *([Checker(other)] if other is not None else [])]
        differences = []
        for seed in range(inputs):
            try:
                checkers[seed % len(checkers)].check(seed * 1_000_003 + number)
            except Exception as error:
                known = isinstance(error, AssertionError)
                differences.append(str(error) if known else traceback.format_exc())
                break
        digest = hashlib.sha256(repr(program).encode()).hexdigest()[:16]
        done = {"number": number, "digest": digest, "pairs": seed + 1, "differences": differences}
        print(json.dumps(done), flush=True)


# --- The process that hands them out --------------------------------------------------------------


def run_chunk(state, first, last, inputs):
    """Has a chunk checked and adds to the state what it found."""
    command = [sys.executable, __file__, "--chunk", str(first), str(last), "--inputs", str(inputs)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    started = first
    for line in process.stdout:
        row = json.loads(line)
        if "started" in row:
            started = row["started"]
            continue
        state["digests"].append(row["digest"])
        state["programs"] += 1
        state["pairs"] += row["pairs"]
        for text in row["differences"]:
            state["difference_count"] += 1
            state["differences"].append({"program": row["number"], "text": text})
        state["next"] = row["number"] + 1
    if process.wait():
        state["difference_count"] += 1
        text = f"the process ended with status {process.returncode}"
        state["differences"].append({"program": started, "text": text})
        state["next"] = started + 1


def run_round(state, jobs, left, inputs):
    """Chunks for all jobs at once; they are added to the state in order."""
    size = min(CHUNK, -(-left // jobs))

    def work(first):
        part = empty(first, inputs)
        while part["next"] < first + size:  # goes on after a crash
            run_chunk(part, part["next"], first + size, inputs)
        return part

    firsts = range(state["next"], state["next"] + size * jobs, size)
    with ThreadPoolExecutor(jobs) as pool:
        for part in pool.map(work, firsts):
            for count in COUNTS:
                state[count] += part[count]
            state["digests"] = sorted({*state["digests"], *part["digests"]})
            state["differences"] = (state["differences"] + part["differences"])[:SHOWN]
            state["next"] = part["next"]


def empty(first, inputs):
    """A state before its first program."""
    counts = dict.fromkeys(COUNTS, 0)
    lists = {"commits": [], "digests": [], "differences": []}
    return {"first": first, "next": first, "inputs": inputs, "seconds": 0.0, **counts, **lists}


def load(path, first, inputs):
    if not path.exists():
        return empty(first, inputs)
    state = json.loads(path.read_text())
    for name, given in (("first", first), ("inputs", inputs)):
        if state.get(name) != given:
            sys.exit(f"{path} was begun with --{name} {state.get(name)}, not {given}")
    return state


def save(path, state):
    beside = path.with_name(path.name + ".new")
    beside.write_text(json.dumps(state))
    beside.replace(path)


def report(state, path):
    """The result without the digests, beside what the machine is."""
    result = {
        "programs": state["programs"],
        "distinct_programs": len(state["digests"]),
        "inputs_each": state["inputs"],
        "pairs": state["pairs"],
        "differences": state["difference_count"],
        "examples": state["differences"],
        "first_seed": state["first"],
        "last_seed": state["next"] - 1,
        "seconds": round(state["seconds"]),
        "commits": state["commits"],
        "machine": machine.facts(),
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(result, indent=1) + "\n")


def what_is_missing():
    """Why there is no default device, or nothing; asked in a process of its own, as GPUs do not
    survive a fork."""
    ask = "from pyfusion.runtime import devices; devices.default()"
    done = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True)
    return done.stderr.strip().rpartition("\n")[2] if done.returncode else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--programs", type=int, default=10_000, help="distinct programs to check")
    parser.add_argument("--inputs", type=int, default=20, help="inputs of each program")
    parser.add_argument("--jobs", type=int, default=1, help="chunks that run at once")
    parser.add_argument("--first", type=int, default=0, help="the first program's seed")
    parser.add_argument("--state", type=Path, default=ROOT / "out" / "random-state.json")
    parser.add_argument("--out", type=Path, default=ROOT / "bench" / "results" / "random.json")
    parser.add_argument("--chunk", type=int, nargs=2, metavar=("FIRST", "LAST"))
    options = parser.parse_args()
    if options.chunk:
        check_chunk(*options.chunk, options.inputs)
        return 0
    if min(options.programs, options.inputs, options.jobs) < 1:
        parser.error("--programs, --inputs and --jobs take numbers from 1 on")
    if missing := what_is_missing():
        sys.exit(f"run.py: {missing}")
    state = load(options.state, options.first, options.inputs)
    options.state.parent.mkdir(parents=True, exist_ok=True)
    while len(state["digests"]) < options.programs:
        if (now := machine.commit()) not in state["commits"]:
            state["commits"].append(now)
        start = time.time()
        left = options.programs - len(state["digests"])
        run_round(state, options.jobs, left, options.inputs)
        state["seconds"] += time.time() - start
        save(options.state, state)
        print(
            f"{len(state['digests'])} distinct programs, {state['pairs']} pairs, "
            f"{state['difference_count']} differences, {state['seconds']:.0f} s",
            flush=True,
        )
    report(state, options.out)
    return 1 if state["difference_count"] else 0


if __name__ == "__main__":
    sys.exit(main())
