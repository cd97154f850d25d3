# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times what is not computing: recording, flushing, compiling and importing.

    python bench/dispatch.py [--quick] [--json FILE]

record_us             time per operation over a mixed chain of 10, recorded and dropped unread
np_add16_us           np.add of 16 f32, between the batches of the former
warm_flush_us         the chain on 16 elements, read, less 10 x record_us
warm_flush_1000_us    the same with 1,000 other plans in the store
loop_us               a body of 30 operations, three chains, in a loop that reads nothing
loop_read_us          the same with a read after every tenth body
compile_ms            the chain, read, with an empty plan store; MLIR is loaded
compile_cold_ms       the same in a fresh process that has imported pyfusion: MLIR's import included
jax_jit_ms            the first call of the chain under jax.jit, traced and compiled anew each time
import_over_numpy_ms  import of pyfusion in a fresh process that has imported NumPy
rss_growth_mb         growth of the resident memory over 100,000 warm flushes

Compile figures are the least of 20, the others medians.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import machine


def chain(xp: Any, x: Any, y: Any) -> Any:
    """Ten operations on two arrays."""
    a = x * y  # 1
    b = xp.exp(a)  # 2
    c = b + 0.5  # 3
    d = xp.sqrt(c)  # 4
    e = d - x  # 5
    f = abs(e)  # 6
    g = f > y  # 7
    h = xp.where(g, f, y)  # 8
    i = xp.tanh(h)  # 9
    return i / 3  # 10


OPS = 10


def _inputs() -> tuple[Any, Any]:
    import numpy as np

    return np.linspace(-1, 1, 16, dtype=np.float32), np.linspace(0, 2, 16, dtype=np.float32)


def per_call_us(call: Callable[[], Any], times: int) -> float:
    start = time.perf_counter()
    for _ in range(times):
        call()
    return (time.perf_counter() - start) / times * 1e6


# -- each in a process of its own ------------------------------------------------------------------


def warm(quick: bool) -> dict[str, float]:
    import numpy as np

    import pyfusion as pf
    from pyfusion.stream import engine

    nx, ny = _inputs()
    x, y = pf.asarray(nx), pf.asarray(ny)
    expected = chain(np, nx, ny)
    result = np.asarray(chain(pf, x, y))
    np.testing.assert_allclose(result, expected, rtol=1e-5)
    out = np.empty_like(nx)

    def record() -> None:
        chain(pf, x, y)

    def flush() -> None:
        np.asarray(chain(pf, x, y))

    def add() -> None:
        np.add(nx, ny, out=out)

    def loop(bodies: int, read: int) -> None:
        a = x
        for step in range(bodies):
            a = chain(pf, chain(pf, chain(pf, a, y), y), y)
            if step % read == read - 1:
                np.asarray(a)
        np.asarray(a)

    few, full = engine.plans, filled(flush)
    loop(100, 1000)
    loop(100, 10)
    batches: dict[str, list[float]] = {
        name: [] for name in ("record", "flush", "add", "full", "loop", "loop_read")
    }
    for _ in range(7 if quick else 41):
        batches["record"].append(per_call_us(record, 300) / OPS)
        pf.sync()
        batches["add"].append(per_call_us(add, 2000))
        batches["flush"].append(per_call_us(flush, 300))
        batches["loop"].append(per_call_us(lambda: loop(100, 1000), 1) / 100)
        batches["loop_read"].append(per_call_us(lambda: loop(100, 10), 1) / 100)
        engine.plans = full
        batches["full"].append(per_call_us(flush, 300))
        engine.plans = few
    recorded = median(batches["record"])
    return {
        "record_us": recorded,
        "np_add16_us": median(batches["add"]),
        "warm_flush_us": median(batches["flush"]) - OPS * recorded,
        "warm_flush_1000_us": median(batches["full"]) - OPS * recorded,
        "loop_us": median(batches["loop"]),
        "loop_read_us": median(batches["loop_read"]),
        "rss_growth_mb": _growth(flush, 10_000 if quick else 100_000),
    }


def filled(flush: Callable[[], None]) -> Any:
    """A plan store with what `flush` needs and 1,000 plans whose keys begin alike."""
    from pyfusion.config import config
    from pyfusion.stream import engine
    from pyfusion.stream.plan import Plan
    from pyfusion.stream.plan_store import PlanStore

    few = engine.plans
    engine.plans = full = PlanStore()
    keys: list[tuple] = []
    put = full.put
    full.put = lambda key, plan: (keys.append(key), put(key, plan))  # type: ignore
    with config.scope(max_plans=2000):
        flush()
        for number in range(1000):
            put((*keys[0][:-1], number), Plan())
    engine.plans = few
    return full


def _resident_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def _growth(call: Callable[[], Any], times: int) -> float:
    for _ in range(1000):
        call()
    before = _resident_mb()
    for _ in range(times):
        call()
    return _resident_mb() - before


def compiled(quick: bool) -> dict[str, float]:
    import numpy as np

    import pyfusion as pf
    from pyfusion.stream.engine import plans

    x, y = map(pf.asarray, _inputs())
    times = []
    for _ in range(6 if quick else 21):
        plans.clear()
        start = time.perf_counter()
        with pf.testing.inspect(flush=False) as report:
            np.asarray(chain(pf, x, y))
        times.append(time.perf_counter() - start)
        if pf.config.mode == "fused" and report.compiles != 1:
            sys.exit(f"{report.compiles} compiles, not 1: clearing the plan store has no effect")
    return {"compile_ms": min(times[1:]) * 1e3}


def cold(quick: bool) -> dict[str, float]:
    import numpy as np

    import pyfusion as pf

    if "mlir" in sys.modules:
        sys.exit("importing pyfusion has loaded MLIR")
    x, y = map(pf.asarray, _inputs())
    start = time.perf_counter()
    np.asarray(chain(pf, x, y))
    return {"compile_cold_ms": (time.perf_counter() - start) * 1e3}


def imported(quick: bool) -> dict[str, float]:
    import numpy  # noqa: F401

    start = time.perf_counter()
    import pyfusion  # noqa: F401

    return {"import_over_numpy_ms": (time.perf_counter() - start) * 1e3}


def jax_jit(quick: bool) -> dict[str, float]:
    import jax
    import jax.numpy as jnp

    x, y = map(jnp.asarray, _inputs())
    jax.jit(lambda a: a + 1)(x).block_until_ready()
    times = []
    for _ in range(5 if quick else 20):
        jax.clear_caches()
        start = time.perf_counter()
        jax.jit(lambda a, b: chain(jnp, a, b))(x, y).block_until_ready()
        times.append(time.perf_counter() - start)
    return {"jax_jit_ms": min(times) * 1e3}


PARTS = {f.__name__: f for f in (warm, compiled, cold, imported, jax_jit)}


def child(part: str, quick: bool) -> dict[str, float]:
    """Runs a part in a fresh process."""
    command = [sys.executable, __file__, "--part", part] + (["--quick"] if quick else [])
    environment = {**os.environ, "JAX_PLATFORMS": "cpu"}
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"{part} failed")
    return json.loads(done.stdout.splitlines()[-1])


GATES = {
    "record_us": lambda r: 10 * r["np_add16_us"],
    "warm_flush_us": lambda r: 30 * r["np_add16_us"],
    "warm_flush_1000_us": lambda r: 1.25 * r["warm_flush_us"],
    "compile_ms": lambda r: max(120, 1.5 * (r["jax_jit_ms"] or 0)),
    "compile_cold_ms": lambda r: 500,
    "import_over_numpy_ms": lambda r: 50,
    "rss_growth_mb": lambda r: 5,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer repetitions")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the results here")
    parser.add_argument("--check", action="store_true", help="exit 1 if a gate does not hold")
    parser.add_argument("--part", choices=PARTS, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.part:
        print(json.dumps(PARTS[args.part](args.quick)))
        return 0
    fresh = 3 if args.quick else 20
    result: dict[str, Any] = {**child("warm", args.quick), **child("compiled", args.quick)}
    result["compile_cold_ms"] = min(child("cold", False)["compile_cold_ms"] for _ in range(fresh))
    result["import_over_numpy_ms"] = median(
        child("imported", False)["import_over_numpy_ms"] for _ in range(fresh)
    )
    result["jax_jit_ms"] = None
    if machine.version("jax"):
        result.update(child("jax_jit", args.quick))
    else:
        print("jax is absent: no jax_jit_ms")
    result = {k: v if v is None else round(v, 4) for k, v in result.items()}
    failed = False
    for name, value in result.items():
        limit = GATES[name](result) if name in GATES else None
        bad = limit is not None and value > limit
        failed |= bad
        note = "" if limit is None else f"  (at most {limit:.4g}{': does not hold' if bad else ''})"
        print(f"{name:<22}{'-' if value is None else f'{value:.3f}'}{note}")
    if args.json:
        args.json.parent.mkdir(parents=True, exist_ok=True)
        facts = {**machine.facts(), "quick": args.quick}
        args.json.write_text(json.dumps({"machine": facts, **result}, indent=1) + "\n")
    return 1 if args.check and failed else 0


if __name__ == "__main__":
    sys.exit(main())
