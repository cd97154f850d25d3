# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The contestants of bench/gpu.py: each turns a workload and tensors into a call that starts it.

All read the memory of the same tensors, which goes from library to library by DLPack.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from gpu_workloads import Workload

Call = Callable[[], Any]

APART = 1 << 30  # bytes read between two calls on the same memory


class Pyfusion:
    """Records the workload and runs the block without waiting for the device."""

    name = "pyfusion"

    def __init__(self, device: Any, torch: Any):
        import pyfusion as pf
        from pyfusion import client
        from pyfusion.runtime import devices

        pf.config.strict = True  # a block that does not compile must not be timed on the backend
        self.pf, self.client, self.torch = pf, client, torch
        self.on_gpu = device.kind == "cuda"
        self.backend = "native"
        if self.on_gpu:
            runtime = devices.find("cuda").runtime
            self.backend = runtime.backend.name
            ours, theirs = runtime.stream(), torch.cuda.current_stream().cuda_stream
            # 0 and 1 name the same stream.
            if (ours or 1) != (theirs or 1):
                raise RuntimeError(
                    f"pyfusion launches on stream {ours}, the events are on {theirs}: unset what "
                    "changes the default stream, as CUPY_CUDA_PER_THREAD_DEFAULT_STREAM"
                )

    def from_torch(self, tensor: Any) -> Any:
        if self.on_gpu:
            return self.pf.from_dlpack(tensor)
        return self.pf.asarray(_to_numpy(self.torch, tensor), copy=False)

    def to_torch(self, result: Any) -> Any:
        import numpy as np

        if self.on_gpu:
            try:
                return self.torch.from_dlpack(result)
            except (
                Exception
            ):  # of bfloat16, say, which not every library exports; a failure is met below
                pass
        found = np.array(result)
        device = "cuda" if self.on_gpu else "cpu"
        if found.dtype.name == "bfloat16":
            bits = self.torch.from_numpy(found.view(np.int16))
            return bits.view(self.torch.bfloat16).to(device)
        return self.torch.from_numpy(found).to(device)

    def prepare(self, work: Workload, tensors: list[Any]) -> Call:
        pf, realize, program = self.pf, self.client.realize, work.pyfusion
        args = [self.from_torch(t) for t in tensors]

        def call() -> Any:
            result = program(pf, *args)
            realize(result._v)
            return result

        return call

    def record(self, work: Workload, tensors: list[Any]) -> Call:
        """The workload without its run: the operations are recorded and dropped."""
        pf, program = self.pf, work.pyfusion
        args = [self.from_torch(t) for t in tensors]

        def call() -> None:
            program(pf, *args)

        return call

    def kernels(self, work: Workload, call: Call) -> dict[str, Any]:
        """What one call launches. Raises RuntimeError where it is not what is to be timed."""
        from pyfusion.runtime import gpu_library

        before = gpu_library.counters() if self.on_gpu else {}
        with self.pf.testing.inspect() as report:
            call()
        found: dict[str, Any] = {"kernels": report.kernels}
        if self.on_gpu:
            after = gpu_library.counters()
            variants = {v: after[v] - before[v] for v in gpu_library.VARIANTS}
            found["variants"] = {v: n for v, n in variants.items() if n}
            found["kernels"] = sum(variants.values())
        if report.compiles or report.fallbacks or report.on_host or report.transfers:
            raise RuntimeError(f"a warm call is more than launches: {report}")
        if tuple(report.unfused) != work.unfused:
            raise RuntimeError(f"not fused: {', '.join(report.unfused)}")
        return found


def _to_numpy(torch: Any, tensor: Any) -> Any:
    if tensor.dtype is not torch.bfloat16:
        return tensor.numpy()
    import ml_dtypes

    return tensor.view(torch.int16).numpy().view(ml_dtypes.bfloat16)


class Eager:
    """PyTorch, one operation at a time."""

    name = "eager"

    def __init__(self, device: Any, torch: Any):
        self.torch = torch

    def prepare(self, work: Workload, tensors: list[Any]) -> Call:
        torch, program = self.torch, work.torch
        return lambda: program(torch, *tensors)

    def to_torch(self, result: Any) -> Any:
        return result


class Inductor:
    """torch.compile with its default options."""

    name = "inductor"

    def __init__(self, device: Any, torch: Any):
        self.torch = torch

    def prepare(self, work: Workload, tensors: list[Any]) -> Call:
        torch, program = self.torch, work.torch
        torch._dynamo.reset()
        compiled = torch.compile(lambda *xs: program(torch, *xs), fullgraph=True, dynamic=False)
        return lambda: compiled(*tensors)

    def to_torch(self, result: Any) -> Any:
        return result


class Jax:
    """jax.jit. Its stream is its own, out of reach of events: it is timed by the host's clock over
    calls in a row, the last of which is waited for. Small inputs alternate with copies of them, so
    that no call finds them in the cache."""

    name = "jax"

    def __init__(self, device: Any, torch: Any):
        import jax

        self.jax, self.torch, self.device = jax, torch, device
        wanted = "gpu" if device.kind == "cuda" else "cpu"
        if jax.default_backend() != wanted:
            raise ImportError(f"JAX runs on {jax.default_backend()}, not on {wanted}")

    def arrays(self, tensors: list[Any]) -> list[Any]:
        self.device.synchronize()
        return [self.jax.dlpack.from_dlpack(t) for t in tensors]

    def prepare(self, work: Workload, tensors: list[Any]) -> Call:
        jax, jnp, program = self.jax, self.jax.numpy, work.jax
        arrays = self.arrays(tensors)
        sets = [arrays]
        if self.device.kind == "cuda" and not work.by_host:
            nbytes = sum(a.nbytes for a in arrays)
            for _ in range(min(4, -(-APART // nbytes)) - 1):
                sets.append([jnp.array(a, copy=True) for a in arrays])
        following = itertools.cycle(sets).__next__
        compiled = jax.jit(lambda *xs: program(jnp, jax.nn, *xs))
        return lambda: compiled(*following())

    def to_torch(self, result: Any) -> Any:
        return self.torch.from_dlpack(result.block_until_ready())


PEERS = [Eager, Inductor, Jax]
