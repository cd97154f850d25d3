# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times the first call of ten operations: traced, compiled, launched and waited for.

The compilers are loaded and have compiled something else before; what they compiled of this, in
memory and in files, is dropped each time. Figures are the least of several.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import dispatch

ELEMENTS = 1 << 20
NAME = "first_compile"


def _least(call: Callable[[], None], times: int, limit: float) -> tuple[float, int]:
    """The least seconds that `call` takes, and of how many; stops after `limit` seconds."""
    seconds: list[float] = []
    while len(seconds) < times and sum(seconds) < limit:
        start = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - start)
    return min(seconds), len(seconds)


def pyfusion(one: Any, device: Any, tensors: list[Any]) -> Callable[[], None]:
    from pyfusion.stream.engine import plans

    pf, realize = one.pf, one.client.realize
    x, y = [one.from_torch(t) for t in tensors]
    realize((x * 2)._v)

    def call() -> None:
        plans.clear()
        with pf.testing.inspect(flush=False) as report:
            result = dispatch.chain(pf, x, y)
            realize(result._v)
        device.synchronize()
        if report.compiles != 1:
            raise RuntimeError(f"{report.compiles} compiles, not 1: plans.clear() has no effect")

    return call


def inductor(one: Any, device: Any, tensors: list[Any]) -> Callable[[], None]:
    torch = one.torch
    from torch._inductor import utils

    fresh = getattr(utils, "fresh_cache", None) or utils.fresh_inductor_cache
    with fresh():
        torch._dynamo.reset()
        torch.compile(lambda x: x * 2)(tensors[0])

    def call() -> None:
        torch._dynamo.reset()
        with fresh():
            torch.compile(lambda x, y: dispatch.chain(torch, x, y), dynamic=False)(*tensors)
            device.synchronize()

    return call


def jax(one: Any, device: Any, tensors: list[Any]) -> Callable[[], None]:
    library = one.jax
    x, y = one.arrays(tensors)
    library.jit(lambda a: a * 2)(x).block_until_ready()

    def call() -> None:
        library.clear_caches()
        program = library.jit(lambda a, b: dispatch.chain(library.numpy, a, b))
        program(x, y).block_until_ready()

    return call


def _formats(one: Any, device: Any) -> list[str]:
    return ["ptx", "cubin"] if device.kind == "cuda" else []


def measure(ours: Any, peers: list[Any], device: Any, make: Callable[..., Any]) -> dict[str, Any]:
    """The row of the results. Raises what pyfusion raises; peers' errors go to `problems`."""
    tensors = [make((ELEMENTS,), "float32", low, 2.0) for low in (-1.0, 0.0)]
    result: dict[str, Any] = {
        "workload": NAME,
        "pyfusion_us": None,
        "kernels": 1,
        "copy_gbs": None,
        "peers": {"eager": None, "inductor": None, "jax": None},
        "times": {},
        "problems": {},
        "timed": "host clock, first call, least",
    }
    # Each call of JAX and torch.compile drops what was compiled before: no turns are taken.
    for one in peers:
        prepare = {"inductor": inductor, "jax": jax}.get(one.name)
        if prepare is None:
            continue
        try:
            seconds, times = _least(prepare(one, device, tensors), 10, 8.0)
            result["peers"][one.name] = round(seconds * 1e6, 1)
            result["times"][one.name] = times
        except Exception as error:  # must not end the run
            result["problems"][one.name] = f"{type(error).__name__}: {error}".splitlines()[0]
    for kind in _formats(ours, device):
        try:
            with ours.pf.config.scope(gpu_format=kind):
                seconds, _ = _least(pyfusion(ours, device, tensors), 10, 5.0)
            result[f"pyfusion_{kind}_us"] = round(seconds * 1e6, 1)
        except Exception as error:  # ptxas need not be there
            result["problems"][kind] = f"{type(error).__name__}: {error}".splitlines()[0]
    seconds, times = _least(pyfusion(ours, device, tensors), 20, 10.0)
    result["pyfusion_us"] = round(seconds * 1e6, 1)
    result["times"]["pyfusion"] = times
    return result
