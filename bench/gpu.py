# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times pyfusion against PyTorch, torch.compile and JAX on an NVIDIA GPU.

    python bench/gpu.py [--json FILE] [--only NAME ...]

One process, the contestants take turns: each round calls every one once, in an order that rotates,
and the median over the rounds counts. All read the same random tensors; each result is compared
with PyTorch's in float64 before it is timed. A call returns a fresh array, which is dropped before
the next one. PyTorch, torch.compile, pyfusion and a device copy of as many bytes are timed by
events around the call, each time with a cold cache; JAX, whose stream is its own, by the host's
clock over calls in a row. What the host does counts where the device waits for it.

Exit status: 1 if pyfusion fails at a workload or gets it wrong, or, with --check, if a gate does
not hold; 2 without a GPU. `--device cpu --scale 1e-4` tries the program out without one.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
import time
import traceback
from pathlib import Path
from typing import Any

import gpu_device
import gpu_report

ROUNDS = 31
BATCH_SECONDS = 0.008


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the results here")
    parser.add_argument(
        "--only", action="append", default=[], metavar="NAME", help="only this workload; repeatable"
    )
    parser.add_argument("--check", action="store_true", help="exit 1 if a gate does not hold")
    parser.add_argument(
        "--limit",
        type=float,
        default=210,
        metavar="SECONDS",
        help="no workload is begun after this time (default: 210)",
    )
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda", help=argparse.SUPPRESS)
    parser.add_argument("--scale", type=float, default=1.0, help=argparse.SUPPRESS)
    parser.add_argument("--rounds", type=int, default=ROUNDS, help=argparse.SUPPRESS)
    return parser.parse_args()


def environment() -> None:
    """What the libraries read when they are imported."""
    os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"
    os.environ["CUDA_CACHE_DISABLE"] = "1"  # else PTX is compiled only in the first run of all
    # One kernel at a time is compiled here: other processes for it would only disturb.
    os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")


class Wrong(ArithmeticError):
    """A result that is not the expected one."""


class Bench:
    """The libraries, loaded, and what they are run with."""

    def __init__(self, args: argparse.Namespace):
        import gpu_peers
        import torch

        torch.set_grad_enabled(False)
        self.torch, self.args, self.notes = torch, args, []
        self.device: Any = (gpu_device.Cuda if args.device == "cuda" else gpu_device.Cpu)(torch)
        self.generator = torch.Generator(device=args.device)
        self.generator.manual_seed(1)
        self.ours = gpu_peers.Pyfusion(self.device, torch)
        self.peers: list[Any] = []
        kinds: list[Any] = gpu_peers.PEERS
        for kind in kinds:
            try:
                self.peers.append(kind(self.device, torch))
            except Exception as error:  # absent, or it finds no device
                self.notes.append(f"{kind.name} is absent: {type(error).__name__}: {error}")

    def make(self, shape: tuple[int, ...], dtype: str, low: float, high: float) -> Any:
        torch, device = self.torch, self.args.device
        kind = {"dtype": getattr(torch, dtype), "device": device}
        if low == high:
            return torch.randn(shape, generator=self.generator, **kind)
        return torch.empty(shape, **kind).uniform_(low, high, generator=self.generator)

    def difference(self, result: Any, wanted: Any, dtype: Any, tolerance: float) -> str | None:
        """What is wrong with a result, or None."""
        if result.shape != wanted.shape:
            return f"wrong: shape {tuple(result.shape)}, not {tuple(wanted.shape)}"
        if result.dtype != dtype:
            return f"wrong: {result.dtype}, not {dtype}"
        scale = float(wanted.abs().max())
        error = float((result.double() - wanted).abs().max())
        if error <= tolerance * scale:  # not of NaN
            return None
        return f"wrong: off by {error:.3g} at a scale of {scale:.3g}"

    # -- one workload ------------------------------------------------------------------------------

    def measure(self, work: Any) -> dict[str, Any]:
        problems: dict[str, str] = {}
        unit = "pyfusion_us" if work.in_time else "pyfusion_gbs"
        result: dict[str, Any] = {
            "workload": work.name,
            unit: None,
            "kernels": None,
            "copy_gbs": None,
            "peers": dict.fromkeys(gpu_report.PEERS),
            "dims": list(work.dims),
            "rounds": self.args.rounds,
            "problems": problems,
        }
        tensors = [self.make(i.shape, i.dtype, i.low, i.high) for i in work.inputs(*work.dims)]
        wanted = work.torch(self.torch, *[t.double() for t in tensors])
        calls: dict[str, Any] = {}
        for one in (self.ours, *self.peers):
            try:
                call = one.prepare(work, tensors)
                first = one.to_torch(call())
                # The inputs have one type, or the first has that of the result.
                wrong = self.difference(first, wanted, tensors[0].dtype, work.tolerance)
                if wrong is not None:
                    raise Wrong(wrong)
                del first
                for _ in range(3):
                    call()
                if one is self.ours:
                    result.update(one.kernels(work, call))
                self.device.synchronize()
                calls[one.name] = call
            except Exception as error:  # must not end the run
                self._problem(problems, one.name, error)
        nbytes = sum(t.nbytes for t in tensors) + wanted.numel() * tensors[0].element_size()
        del wanted
        self.device.tidy()
        seconds = self._race(work, calls, nbytes, problems)
        result["bytes"] = nbytes
        result["timed"] = {
            name: "host clock" if work.by_host or name == "jax" else "events" for name in seconds
        }
        in_unit = (lambda s: round(s * 1e6, 2)) if work.in_time else lambda s: nbytes / s / 1e9
        for name, figure in seconds.items():
            if name == "copy":
                result["copy_gbs"] = round(nbytes / figure / 1e9, 1)
            elif name == "pyfusion":
                result[unit] = round(in_unit(figure), 2)
            else:
                result["peers"][name] = round(in_unit(figure), 2)
        if work.name == "bf16_linear_gelu" and "pyfusion" in seconds:
            result["tflops"] = round(2 * math.prod(work.dims) / seconds["pyfusion"] / 1e12, 1)
        if work.by_host and "pyfusion" in seconds:
            result.update(self._recording(work, tensors, seconds["pyfusion"]))
        return result

    def _problem(self, problems: dict[str, str], name: str, error: Exception) -> None:
        problems[name] = described(error)
        if name == "pyfusion" and not isinstance(error, Wrong):
            traceback.print_exception(error, file=sys.stderr)

    def _race(
        self, work: Any, calls: dict[str, Any], nbytes: int, problems: dict[str, str]
    ) -> dict[str, float]:
        device = self.device
        timers: dict[str, Any] = {}
        for name, call in calls.items():
            if not work.by_host and name != "jax":
                timers[name] = lambda call=call: device.timed(call)
                continue
            try:
                timers[name] = self._in_batches(call, name == "jax", work.by_host)
            except Exception as error:  # must not end the run
                self._problem(problems, name, error)
        if not work.in_time:
            shape, kind = (2, nbytes // 2), self.torch.uint8
            half = self.torch.empty(shape, dtype=kind, device=self.args.device).zero_()
            timers["copy"] = lambda: device.timed(lambda: half[0].copy_(half[1]))
        seconds, errors = gpu_device.take_turns(timers, self.args.rounds)
        for name, raised in errors.items():
            self._problem(problems, name, raised)
        return seconds

    def _in_batches(self, call: Any, of_jax: bool, by_host: bool) -> Any:
        """A timer by the host's clock: of as many calls as take some milliseconds."""

        def wait(result: Any) -> None:
            if of_jax:
                result.block_until_ready()
            else:
                self.device.synchronize()

        one = min(gpu_device.batch_seconds(call, 4, wait) for _ in range(2))
        count = 200 if by_host else min(200, max(4, math.ceil(BATCH_SECONDS / one)))
        return lambda: gpu_device.batch_seconds(call, count, wait)

    def _recording(self, work: Any, tensors: list[Any], whole: float) -> dict[str, float]:
        """What of a call is recording, by operation, and the rest."""
        from gpu_workloads import CHAIN_OPS

        call = self.ours.record(work, tensors)
        drop = lambda result: None  # noqa: E731
        timer = {"record": lambda: gpu_device.batch_seconds(call, 200, drop)}
        found, errors = gpu_device.take_turns(timer, self.args.rounds)
        for error in errors.values():
            raise error
        self.ours.pf.sync()
        return {
            "record_us": round(found["record"] / CHAIN_OPS * 1e6, 3),
            "rest_us": round((whole - found["record"]) * 1e6, 2),
        }


def described(error: Exception) -> str:
    first = (str(error).strip().splitlines() or [""])[0]
    return first if isinstance(error, Wrong) else f"{type(error).__name__}: {first}"


def failed_row(name: str, in_time: bool, error: Exception) -> dict[str, Any]:
    return {
        "workload": name,
        "pyfusion_us" if in_time else "pyfusion_gbs": None,
        "kernels": None,
        "copy_gbs": None,
        "peers": dict.fromkeys(gpu_report.PEERS),
        "problems": {"pyfusion": described(error)},
    }


def write(file: Path | None, facts: dict[str, Any], results: list[dict[str, Any]]) -> None:
    if file:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps({"machine": facts, "results": results}, indent=1) + "\n")


def main() -> int:
    args = arguments()
    begin = time.perf_counter()
    if args.device == "cuda":
        why = gpu_device.missing()
        if why:
            print(f"bench/gpu.py needs an NVIDIA GPU: {why}", file=sys.stderr)
            return 2
    environment()
    import gpu_compile
    from gpu_workloads import WORKLOADS

    names = [w.name for w in WORKLOADS] + [gpu_compile.NAME]
    unknown = [name for name in args.only if name not in names]
    if unknown:
        print(f"no workload {', '.join(unknown)}; there are {', '.join(names)}", file=sys.stderr)
        return 2
    try:
        bench = Bench(args)
    except ImportError as error:
        print(f"bench/gpu.py needs PyTorch and pyfusion: {error}", file=sys.stderr)
        return 1
    facts = bench.device.facts()
    facts |= {"gpu_backend": bench.ours.backend, "gpu_format": bench.ours.pf.config.gpu_format}
    facts |= {"notes": bench.notes}
    print(gpu_report.machine_line(facts))
    print(gpu_report.header(), flush=True)
    results: list[dict[str, Any]] = []
    works = {w.name: w.scaled(args.scale) for w in WORKLOADS}
    for name in [n for n in names if not args.only or n in args.only]:
        since = time.perf_counter()
        try:
            if since - begin > args.limit:
                raise TimeoutError(f"not begun after {args.limit:.0f} s")
            if name == gpu_compile.NAME:
                row = gpu_compile.measure(bench.ours, bench.peers, bench.device, bench.make)
            else:
                row = bench.measure(works[name])
            bench.device.tidy()
        except Exception as error:  # the others go on
            if not isinstance(error, TimeoutError):
                traceback.print_exc()
            row = failed_row(name, name not in works or works[name].in_time, error)
        row["seconds"] = round(time.perf_counter() - since, 1)
        results.append(row)
        print(gpu_report.line(row), flush=True)
        write(args.json, facts, results)  # now, so that a run that is ended leaves what it has
    print(gpu_report.summary(results, bench.notes, args.device == "cuda"))
    print(f"{time.perf_counter() - begin:.0f} s")
    if gpu_report.failures(results):
        return 1
    return 1 if args.check and gpu_report.short_of(results, 0) else 0


if __name__ == "__main__":
    sys.exit(main())
