# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Results as lines of text, and the speeds that are held to."""

from __future__ import annotations

from typing import Any

PEERS = ("numpy", "numexpr", "inductor", "jax")
_WIDTH = 10


def machine_line(facts: dict[str, Any]) -> str:
    packages = ", ".join(f"{n} {v}" for n, v in facts["packages"].items() if v)
    caches = ", ".join(f"{k} {v}" for k, v in facts["caches"].items())
    return (
        f"{facts['cpu']}, {facts['processors']} processors on {facts['physical_cores']} cores, "
        f"{caches}, {facts['memory_gib']} GiB; {facts['system']}; Python {facts['python']}\n"
        f"{packages}\n"
    )


def header() -> str:
    columns = ["pyfusion", *PEERS, "np.add", "/numpy", "/best"]
    return f"{'workload':<15}{'threads':>8}" + "".join(f"{c:>{_WIDTH}}" for c in columns)


def best_peer(result: dict[str, Any]) -> float | None:
    """The fastest peer, NumPy among them."""
    times = [t for t in result["peers"].values() if t is not None]
    return min(times) if times else None


def ratio(time: float | None, ours: float | None) -> str:
    """How many times faster, as text."""
    return f"{time / ours:.2f}x" if time is not None and ours is not None else "-"


def line(result: dict[str, Any]) -> str:
    """Milliseconds of each, and how many times faster than NumPy and the best peer."""
    ours = result["pyfusion_ms"]
    times = [ours, *(result["peers"][p] for p in PEERS), result["np_add_ms"]]
    cells = [f"{t:.2f}" if t is not None else "-" for t in times]
    cells += [ratio(result["peers"]["numpy"], ours), ratio(best_peer(result), ours)]
    text = f"{result['workload']:<15}{result['threads']:>8}"
    text += "".join(f"{c:>{_WIDTH}}" for c in cells)
    bad = {n: p for n, p in result["problems"].items() if p != "cannot express it"}
    return text + "".join(f"\n    {name}: {problem}" for name, problem in bad.items())


def gates(results: list[dict[str, Any]]) -> list[str]:
    """What does not hold of: all workloads run and are right; on 2 threads the element-wise ones
    are at least as fast as the best peer, at least twice as fast as NumPy from three operations on,
    and `i32//7` is no slower than NumPy; what NumPy has vector code for, written by hand, takes at
    most 1/0.8 of NumPy's time."""
    failed = []
    for result in results:
        ours, name = result["pyfusion_ms"], result["workload"]
        if ours is None:
            failed.append(f"{name}: {result['problems']['pyfusion']}")
            continue
        if result["threads"] != 2 or not result["elementwise"]:
            continue
        best, numpy = best_peer(result), result["peers"]["numpy"]
        if result["by_hand"]:
            if numpy < 0.8 * ours:
                failed.append(f"{name}: {numpy / ours:.2f}x NumPy, not 0.8x")
            continue
        if best is not None and ours > best:
            failed.append(f"{name}: {ours:.2f} ms, the best peer {best:.2f} ms")
        if numpy is None:
            continue
        wanted = 2.0 if result["ops"] >= 3 else 1.0 if name == "i32//7" else 0.0
        if numpy < wanted * ours:
            failed.append(f"{name}: {numpy / ours:.2f}x NumPy, not {wanted:.0f}x")
    return failed


def summary(results: list[dict[str, Any]], notes: list[str], failed: list[str], quick: bool) -> str:
    lines = ["", "milliseconds, median; /numpy and /best: their time over pyfusion's"]
    lines += notes
    size = " (meant for the full size)" if quick else ""
    lines.append(f"gates{size}: " + ("all hold" if not failed else "; ".join(failed)))
    return "\n".join(lines)
