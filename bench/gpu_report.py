# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Results of bench/gpu.py as lines of text, and the speeds that are held to."""

from __future__ import annotations

from typing import Any

PEERS = ("eager", "inductor", "jax")

# Workload: (gate, target), as speed over the best peer's.
AT_LEAST = {
    "axpy": (0.95, 1.0),
    "gelu_tanh": (0.95, 1.0),
    "bf16_swiglu": (0.95, 1.0),
    "bias_relu": (0.95, 1.0),
    "row_sum": (0.9, 1.0),
    "column_sum": (0.9, 1.0),
    "sum_of_squares": (0.9, 1.0),
    "x+x.T": (1.0, 1.2),
}

_NAME, _WIDTH = 26, 10


def machine_line(facts: dict[str, Any]) -> str:
    packages = ", ".join(f"{n} {v}" for n, v in facts["packages"].items() if v)
    gpu = "no GPU"
    if facts["gpu"]:
        gpu = (
            f"{facts['gpu']}, compute capability {facts['compute_capability']}, "
            f"{facts['multiprocessors']} multiprocessors, {facts['gpu_memory_gib']} GiB, L2 "
            f"{facts['l2_mib']} MiB"
        )
    return f"{gpu}; {facts['cpu']}; Python {facts['python']}\n{packages}\n"


def header() -> str:
    columns = ["pyfusion", *PEERS, "copy", "/best", "/copy", "kernels"]
    return f"{'workload':<{_NAME}}" + "".join(f"{c:>{_WIDTH}}" for c in columns)


def in_time(result: dict[str, Any]) -> bool:
    return "pyfusion_us" in result


def ours(result: dict[str, Any]) -> float | None:
    return result["pyfusion_us" if in_time(result) else "pyfusion_gbs"]


def best_peer(result: dict[str, Any]) -> float | None:
    found = [p for p in result["peers"].values() if p is not None]
    if not found:
        return None
    return min(found) if in_time(result) else max(found)


def over_best(result: dict[str, Any]) -> float | None:
    """pyfusion's speed over the best peer's."""
    mine, best = ours(result), best_peer(result)
    if mine is None or best is None:
        return None
    return best / mine if in_time(result) else mine / best


def line(result: dict[str, Any]) -> str:
    mine, copy = ours(result), None if in_time(result) else result["copy_gbs"]
    figures = [mine, *(result["peers"][p] for p in PEERS), copy]
    digits = 1 if in_time(result) else 0
    cells = [f"{f:.{digits}f}" if f is not None else "-" for f in figures]
    over_copy = mine / copy if mine is not None and copy else None
    cells += [f"{r:.2f}x" if r is not None else "-" for r in (over_best(result), over_copy)]
    kernels = result["kernels"]
    cells.append("-" if kernels is None else str(kernels))
    text = f"{result['workload'] + (' (us)' if in_time(result) else ''):<{_NAME}}"
    text += "".join(f"{c:>{_WIDTH}}" for c in cells)
    more = []
    if result.get("variants"):
        more.append("kernels: " + ", ".join(f"{n} {v}" for v, n in result["variants"].items()))
    if result.get("tflops"):
        more.append(f"{result['tflops']:.0f} TFLOP/s")
    if result.get("record_us"):
        more.append(
            f"recording {result['record_us']:.2f} us an operation, the rest of a call "
            f"{result['rest_us']:.1f} us"
        )
    for kind in ("ptx", "cubin"):
        if f"pyfusion_{kind}_us" in result:
            more.append(f"with {kind} {result[f'pyfusion_{kind}_us'] / 1e3:.1f} ms")
    more += [f"{name}: {problem}" for name, problem in result["problems"].items()]
    return text + "".join(f"\n    {m}" for m in more)


def failures(results: list[dict[str, Any]]) -> list[str]:
    """Workloads that pyfusion did not run, or got wrong."""
    return [
        f"{r['workload']}: {r['problems'].get('pyfusion', 'no figure')}"
        for r in results
        if ours(r) is None
    ]


def short_of(results: list[dict[str, Any]], which: int) -> list[str]:
    """What does not hold of the gates (0) or the targets (1) of the workloads that ran."""
    short = []
    for r in results:
        if r["workload"] not in AT_LEAST:
            continue
        if ours(r) is None:
            short.append(f"{r['workload']}: no figure")
            continue
        wanted, found = AT_LEAST[r["workload"]][which], over_best(r)
        if found is None:
            short.append(f"{r['workload']}: no peer to compare with")
        elif found < wanted:
            short.append(f"{r['workload']}: {found:.3f}x the best peer, not {wanted}x")
    return short


def time_targets(results: list[dict[str, Any]]) -> list[str]:
    """What does not hold of: 20 us for a block of 20 operations beside their recording; a first
    compile takes 60 ms with PTX, 120 ms with cubin."""
    short = []
    for r in results:
        if r.get("rest_us") is not None and r["rest_us"] > 20:
            short.append(f"{r['workload']}: {r['rest_us']:.1f} us beside recording, not 20")
        for kind, limit in (("ptx", 60), ("cubin", 120)):
            time = r.get(f"pyfusion_{kind}_us")
            if time is not None and time > limit * 1e3:
                short.append(f"{r['workload']} with {kind}: {time / 1e3:.0f} ms, not {limit}")
    return short


def summary(results: list[dict[str, Any]], notes: list[str], on_gpu: bool) -> str:
    lines = [
        "",
        "GB/s of inputs and results, each counted once, or microseconds (us); medians.",
        "copy: a device copy that moves as many bytes. /best and /copy: pyfusion's speed over it.",
        "pyfusion, eager, inductor and copy are timed by events on their stream, a call at a time,",
        "jax by the host's clock over calls in a row, chain_20 all of them so.",
        *notes,
    ]
    place = "" if on_gpu else " (meant for a GPU)"
    failed, missed = short_of(results, 0), short_of(results, 1) + time_targets(results)
    broken = failures(results)
    if broken:
        lines.append("failed: " + "; ".join(broken))
    lines.append(f"gates{place}: " + ("; ".join(failed) or "all that ran hold"))
    lines.append(f"targets{place}: " + ("; ".join(missed) or "all that ran hold"))
    return "\n".join(lines)
