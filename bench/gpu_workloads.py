# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The programs that bench/gpu.py times.

Each is written three times, as each library's users write it: pyfusion's from single operations,
the others' with the functions that they have for it (`softmax`, `layer_norm`, `gelu`). PyTorch's
is also run on float64, which gives the result that the others are compared with.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import workloads

Dims = tuple[int, ...]


@dataclass(frozen=True)
class Input:
    """A random array: uniform between `low` and `high`, or normal where they are equal."""

    shape: Dims
    dtype: str = "float32"
    low: float = 0.0
    high: float = 0.0


@dataclass(frozen=True)
class Workload:
    """One program.

    Attributes:
        name: what the results call it.
        dims: extents that its inputs are made of.
        inputs: `inputs(*dims)`.
        pyfusion: `pyfusion(pf, *arrays)`.
        torch: `torch(torch, *tensors)`, for tensors of float64 too.
        jax: `jax(jax.numpy, jax.nn, *arrays)`.
        tolerance: error that a result may have, relative to the largest element.
        in_time: microseconds are reported, not GB/s.
        by_host: timed by the clock of the host over many calls: the host decides how long it takes.
        unfused: operations that a library has to run for pyfusion.
    """

    name: str
    dims: Dims
    inputs: Callable[..., list[Input]]
    pyfusion: Callable[..., Any]
    torch: Callable[..., Any]
    jax: Callable[..., Any]
    tolerance: float
    in_time: bool = False
    by_host: bool = False
    unfused: tuple[str, ...] = ()

    def scaled(self, scale: float) -> Workload:
        """The same with about `scale` times as many elements."""
        if scale == 1:
            return self
        factor = scale ** (1 / len(self.dims))
        return replace(self, dims=tuple(max(16, round(d * factor)) for d in self.dims))


# -- element-wise ----------------------------------------------------------------------------------


def _axpy(library: Any, x: Any, y: Any) -> Any:
    return 2 * x + y


def _torch_gelu(torch: Any, x: Any) -> Any:
    return torch.nn.functional.gelu(x, approximate="tanh")


def _swiglu(pf: Any, x: Any, y: Any) -> Any:
    return x * pf.sigmoid(x) * y


def _add_transpose(pf: Any, x: Any) -> Any:
    return x + x.T


def _chain(x: Any, y: Any) -> Any:
    """Twenty operations; the numbers stay bounded."""
    z = x
    for i in range(10):
        z = z * (0.5 + 0.03125 * i) + y
    return z


CHAIN_OPS = 20

# -- with reductions -------------------------------------------------------------------------------


def _softmax(axis: int) -> tuple[Callable[..., Any], Callable[..., Any], Callable[..., Any]]:
    def ours(pf: Any, x: Any) -> Any:
        e = pf.exp(x - pf.max(x, axis=axis, keepdims=True))
        return e / pf.sum(e, axis=axis, keepdims=True)

    return (
        ours,
        lambda torch, x: torch.softmax(x, axis),
        lambda jnp, nn, x: nn.softmax(x, axis=axis),
    )


def _layernorm(pf: Any, x: Any, r: Any, w: Any, b: Any) -> Any:
    h = pf.astype(x + r, pf.float32)
    centred = h - pf.mean(h, axis=-1, keepdims=True)
    variance = pf.mean(centred * centred, axis=-1, keepdims=True)
    return pf.astype(centred / pf.sqrt(variance + 1e-5) * w + b, pf.bfloat16)


def _torch_layernorm(torch: Any, x: Any, r: Any, w: Any, b: Any) -> Any:
    h = x + r
    kind = h.dtype
    return torch.nn.functional.layer_norm(h, h.shape[-1:], w.to(kind), b.to(kind), 1e-5)


def _jax_layernorm(jnp: Any, nn: Any, x: Any, r: Any, w: Any, b: Any) -> Any:
    h = (x + r).astype(jnp.float32)
    centred = h - jnp.mean(h, axis=-1, keepdims=True)
    variance = jnp.mean(centred * centred, axis=-1, keepdims=True)
    return (centred / jnp.sqrt(variance + 1e-5) * w + b).astype(jnp.bfloat16)


def _linear(pf: Any, x: Any, w: Any, b: Any) -> Any:
    return workloads.gelu(pf, pf.matmul(x, w) + b)


def _torch_linear(torch: Any, x: Any, w: Any, b: Any) -> Any:
    return torch.nn.functional.gelu(torch.addmm(b, x, w), approximate="tanh")


def _jax_linear(jnp: Any, nn: Any, x: Any, w: Any, b: Any) -> Any:
    return nn.gelu(x @ w + b, approximate=True)


# -- inputs ----------------------------------------------------------------------------------------


def _vectors(count: int, dtype: str, bound: float) -> Callable[..., list[Input]]:
    return lambda n: [Input((n,), dtype, -bound, bound)] * count


def _matrix(rows: int, columns: int) -> list[Input]:
    return [Input((rows, columns))]


def _square(side: int) -> list[Input]:
    return [Input((side, side))]


def _layernorm_inputs(rows: int, columns: int) -> list[Input]:
    both = Input((rows, columns), "bfloat16")
    return [both, both, Input((columns,), "float32", 0.5, 1.5), Input((columns,), "float32", -1, 1)]


def _linear_inputs(m: int, k: int, n: int) -> list[Input]:
    return [
        Input((m, k), "bfloat16"),
        Input((k, n), "bfloat16", -0.03, 0.03),
        Input((n,), "bfloat16", -1, 1),
    ]


M = 1 << 20

WORKLOADS = [
    Workload("axpy", (256 * M,), _vectors(2, "float32", 2), _axpy, _axpy,
             lambda jnp, nn, x, y: 2 * x + y, 1e-6),
    Workload("gelu_tanh", (256 * M,), _vectors(1, "float32", 5), workloads.gelu, _torch_gelu,
             lambda jnp, nn, x: nn.gelu(x, approximate=True), 2e-6),
    Workload("bf16_swiglu", (64 * M,), _vectors(2, "bfloat16", 5), _swiglu,
             lambda torch, x, y: torch.nn.functional.silu(x) * y,
             lambda jnp, nn, x, y: nn.silu(x) * y, 0.02),
    Workload("bias_relu", (65536, 4096), lambda m, n: [Input((m, n)), Input((n,))],
             lambda pf, x, b: pf.maximum(x + b, 0.0),
             lambda torch, x, b: torch.relu(x + b),
             lambda jnp, nn, x, b: nn.relu(x + b), 1e-6),
    Workload("x+x.T", (16384,), _square, _add_transpose, _add_transpose,
             lambda jnp, nn, x: x + x.T, 1e-6),
    Workload("row_sum", (8192, 8192), _matrix, lambda pf, x: pf.sum(x, axis=1),
             lambda torch, x: torch.sum(x, 1), lambda jnp, nn, x: jnp.sum(x, axis=1), 1e-5),
    Workload("column_sum", (8192, 8192), _matrix, lambda pf, x: pf.sum(x, axis=0),
             lambda torch, x: torch.sum(x, 0), lambda jnp, nn, x: jnp.sum(x, axis=0), 1e-5),
    Workload("sum_of_squares", (64 * M,), _vectors(1, "float32", 2), lambda pf, x: pf.sum(x * x),
             lambda torch, x: torch.sum(x * x), lambda jnp, nn, x: jnp.sum(x * x), 1e-5),
    Workload("softmax_16384x4096", (16384, 4096), _matrix, *_softmax(-1), 1e-5),
    Workload("softmax_65536x1024", (65536, 1024), _matrix, *_softmax(-1), 1e-5),
    Workload("softmax_512x131072", (512, 131072), _matrix, *_softmax(-1), 1e-5),
    Workload("softmax_axis0_4096x16384", (4096, 16384), _matrix, *_softmax(0), 1e-5),
    Workload("bf16_layernorm", (16384, 4096), _layernorm_inputs, _layernorm, _torch_layernorm,
             _jax_layernorm, 0.02),
    Workload("bf16_linear_gelu", (4096, 4096, 4096), _linear_inputs, _linear, _torch_linear,
             _jax_linear, 0.02, in_time=True, unfused=("matmul",)),
    Workload("chain_20", (4096,), _vectors(2, "float32", 2), lambda pf, x, y: _chain(x, y),
             lambda torch, x, y: _chain(x, y), lambda jnp, nn, x, y: _chain(x, y), 1e-5,
             in_time=True, by_host=True),
]  # fmt: skip
