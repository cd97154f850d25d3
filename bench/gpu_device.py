# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The device that bench/gpu.py times on: whether there is one, its clock, facts about it."""

from __future__ import annotations

import ctypes
import gc
import sys
import time
from collections.abc import Callable
from statistics import median
from typing import Any

import machine

Call = Callable[[], Any]

PACKAGES = ("triton", "cupy-cuda12x", "cupy-cuda13x", "jax-cuda12-plugin", "jax-cuda13-plugin")


def missing() -> str | None:
    """Why there is no NVIDIA GPU to run on, or None. Asks the driver, which needs no package."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError as error:
        return f"NVIDIA's driver cannot be loaded: {error}"
    code = driver.cuInit(0)
    if code:
        return f"NVIDIA's driver does not start: cuInit gives error {code}"
    count = ctypes.c_int(0)
    code = driver.cuDeviceGetCount(ctypes.byref(count))
    if code or count.value == 0:
        return "NVIDIA's driver finds no device"
    return None


class Cuda:
    """The current GPU, by events on PyTorch's current stream.

    Before each call 1 GiB is read: what the cache held is gone, without data that waits to be
    written, and the host has time to put the call on the stream before the device gets there.
    """

    kind = "cuda"

    def __init__(self, torch: Any):
        self.torch = torch
        self.cold = torch.zeros(1 << 28, device="cuda")
        self.start = torch.cuda.Event(enable_timing=True)
        self.end = torch.cuda.Event(enable_timing=True)

    def timed(self, call: Call) -> float:
        """Seconds of one call on the device."""
        self.cold.sum()
        self.start.record()
        result = call()
        self.end.record()
        self.end.synchronize()
        del result
        return self.start.elapsed_time(self.end) / 1e3

    def synchronize(self) -> None:
        self.torch.cuda.synchronize()

    def tidy(self) -> None:
        """Gives cached memory back, so that the libraries' pools do not crowd each other out."""
        gc.collect()
        self.torch.cuda.empty_cache()
        cupy = sys.modules.get("cupy")
        if cupy is not None:
            cupy.get_default_memory_pool().free_all_blocks()

    def facts(self) -> dict[str, Any]:
        torch = self.torch
        found = torch.cuda.get_device_properties(torch.cuda.current_device())
        facts = machine.facts()
        facts["packages"].update({p: v for p in PACKAGES if (v := machine.version(p))})
        return {
            "gpu": found.name,
            "compute_capability": f"{found.major}.{found.minor}",
            "multiprocessors": found.multi_processor_count,
            "gpu_memory_gib": round(found.total_memory / 2**30, 1),
            "l2_mib": round(getattr(found, "L2_cache_size", 0) / 2**20, 1),
            "cuda_of_torch": torch.version.cuda,
            **facts,
        }


class Cpu:
    """The CPU, for trying the program out; its figures mean nothing."""

    kind = "cpu"

    def __init__(self, torch: Any):
        pass

    def timed(self, call: Call) -> float:
        start = time.perf_counter()
        call()
        return time.perf_counter() - start

    def synchronize(self) -> None:
        pass

    def tidy(self) -> None:
        gc.collect()

    def facts(self) -> dict[str, Any]:
        return {"gpu": None, **machine.facts()}


def batch_seconds(call: Call, count: int, wait: Callable[[Any], None]) -> float:
    """Seconds of one of `count` calls in a row, by the host's clock, waited for at the end."""
    start = time.perf_counter()
    for _ in range(count):
        result = call()
    wait(result)
    return (time.perf_counter() - start) / count


def take_turns(
    timers: dict[str, Callable[[], float]], rounds: int
) -> tuple[dict[str, float], dict[str, Exception]]:
    """Median seconds of each contestant, which take turns in an order that rotates; and what those
    raised that dropped out."""
    names = list(timers)
    times: dict[str, list[float]] = {name: [] for name in names}
    errors: dict[str, Exception] = {}
    gc.collect()
    gc.disable()
    try:
        for number in range(rounds if names else 0):
            shift = number % len(names)
            for name in names[shift:] + names[:shift]:
                if name in errors:
                    continue
                try:
                    times[name].append(timers[name]())
                except Exception as error:  # must not end the run
                    errors[name] = error
    finally:
        gc.enable()
    return {n: median(t) for n, t in times.items() if n not in errors}, errors
