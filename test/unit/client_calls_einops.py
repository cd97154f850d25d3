# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of einops by its own functions and by those of `einops.array_api`: see
`client_calls.py`."""

from __future__ import annotations

import einops
import einops.array_api
import numpy as np
from client_calls import Call

import pyfusion.einops  # noqa: F401

RNG = np.random.default_rng(7)
X = RNG.normal(size=(2, 3, 4))
Y = RNG.normal(size=(2, 5, 4))
FLAGS = X > 0

CALLS = {
    "rearrange": Call(lambda x: einops.rearrange(x, "a b c -> (a c) b"), (X,)),
    "rearrange, split": Call(lambda x: einops.rearrange(x, "a b (c d) -> d a (b c)", d=2), (X,)),
    "rearrange, of a list": Call(
        lambda x, y: einops.rearrange([x, y], "n a b c -> a n b c"), (X, X + 1)
    ),
    **{
        f"reduce, {name}": Call(
            lambda x, name=name: einops.reduce(x, "a b (c d) -> b d", name, d=2), (X,)
        )
        for name in ("sum", "mean", "max", "min", "prod")
    },
    "reduce, any": Call(lambda x: einops.reduce(x, "a b c -> b", "any"), (FLAGS,)),
    "reduce, all": Call(lambda x: einops.reduce(x, "a b c -> b", "all"), (FLAGS,)),
    "repeat": Call(lambda x: einops.repeat(x, "a b c -> a (b k) c", k=2), (X,)),
    "repeat, new dimensions": Call(
        lambda x: einops.repeat(x, "a b c -> m a b n c", m=2, n=3), (X,)
    ),
    "einsum": Call(lambda x, y: einops.einsum(x, y, "a b c, a d c -> a b d"), (X, Y)),
    "pack": Call(lambda x, y: einops.pack([x, y], "a * c"), (X, Y)),
    "unpack": Call(lambda x: einops.unpack(x, [[2], []], "a * c"), (X,)),
    "asnumpy": Call(einops.asnumpy, (X,), "NumPy"),
    "array_api.rearrange": Call(lambda x: einops.array_api.rearrange(x, "a b c -> (a c) b"), (X,)),
    "array_api.reduce": Call(lambda x: einops.array_api.reduce(x, "a b c -> b", "mean"), (X,)),
    "array_api.repeat": Call(lambda x: einops.array_api.repeat(x, "a b c -> a (b k) c", k=2), (X,)),
    "array_api.pack": Call(lambda x, y: einops.array_api.pack([x, y], "a * c"), (X, Y)),
}
