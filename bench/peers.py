# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The contestants: each turns a workload and NumPy arrays into a call that makes a fresh array."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
from workloads import Workload

Call = Callable[[], Any]

_FUNCTIONS = ("exp", "log", "sin", "cos", "sqrt", "tanh", "pow", "round", "where")


class Namespace:
    """A library's namespace with a few names more."""

    def __init__(self, base: Any, **more: Any):
        self._base = base
        self.__dict__.update(more)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._base, name)


def numpy_namespace() -> Any:
    """NumPy, with SciPy's erf if there is SciPy."""
    rng = np.random.default_rng(1)
    more = {"uniform_like": lambda x: rng.random(x.shape, x.dtype)}
    try:
        from scipy.special import erf
    except ImportError:
        return Namespace(np, **more)
    return Namespace(np, erf=erf, **more)


class Pyfusion:
    """The workload on `pf.Array`s; `pf.sync()` ends the call."""

    name = "pyfusion"

    def __init__(self, threads: int):
        import pyfusion as pf

        pf.config.threads = threads
        pf.config.strict = True  # a block that does not compile must not be timed as NumPy
        self.pf = pf
        self.namespace = Namespace(pf, uniform_like=lambda x: pf.random.random(x.shape, x.dtype))

    def prepare(self, work: Workload, arrays: tuple[np.ndarray, ...]) -> Call:
        pf = self.pf
        args = [pf.asarray(a) for a in arrays]
        run, namespace = work.run, self.namespace

        def call() -> Any:
            result = run(namespace, *args)
            pf.sync()
            return result

        return call

    def to_numpy(self, result: Any) -> np.ndarray:
        return np.asarray(result)


class Numpy:
    name = "numpy"

    def __init__(self, threads: int):
        self.namespace = numpy_namespace()

    def prepare(self, work: Workload, arrays: tuple[np.ndarray, ...]) -> Call:
        return lambda: work.run(self.namespace, *arrays)

    def to_numpy(self, result: Any) -> np.ndarray:
        return np.asarray(result)


class Numexpr:
    """The workload is run once on `Text` to get the expression."""

    name = "numexpr"

    def __init__(self, threads: int):
        import numexpr

        numexpr.set_num_threads(threads)
        self.numexpr = numexpr

    def prepare(self, work: Workload, arrays: tuple[np.ndarray, ...]) -> Call | None:
        if not work.text:
            return None
        names: dict[str, Any] = {}
        leaves = [Text.leaf(a, names) for a in arrays]
        result = work.run(TEXT_NAMESPACE, *leaves)
        expression = result.text
        # Sub-expressions that lost their place in the result leave their views behind.
        used = {name: names[name] for name in names if name in expression}
        evaluate, again = self.numexpr.evaluate, self.numexpr.re_evaluate
        first = evaluate(expression, local_dict=used, global_dict={})
        if first.dtype == result.kind:
            return lambda: again(local_dict=used)
        # Its round makes doubles: written as the type that the others return.
        shape, kind = first.shape, result.kind

        def call() -> Any:
            out = np.empty(shape, kind)
            return evaluate(
                expression, local_dict=used, global_dict={}, out=out, casting="same_kind"
            )

        return call

    def to_numpy(self, result: Any) -> np.ndarray:
        return np.asarray(result)


class Inductor:
    """torch.compile with its default options."""

    name = "inductor"

    def __init__(self, threads: int):
        import torch

        torch.set_num_threads(threads)
        self.torch = torch

        def extreme(function: Any) -> Any:
            return lambda x, axis, keepdims=False: function(x, dim=axis, keepdim=keepdims)

        self.namespace = SimpleNamespace(
            **{n: getattr(torch, n) for n in (*_FUNCTIONS, "erf", "clip", "int16", "uint8")},
            astype=lambda x, dtype: x.to(dtype),
            uniform_like=torch.rand_like,
            sum=torch.sum,
            mean=torch.mean,
            max=extreme(torch.amax),
            var=lambda x, axis: torch.var(x, dim=axis, correction=0),
            flip=lambda x, axis: torch.flip(x, (axis,)),
            permute_dims=torch.permute,
        )

    def prepare(self, work: Workload, arrays: tuple[np.ndarray, ...]) -> Call:
        torch = self.torch
        torch._dynamo.reset()
        args = [self.from_numpy(a) for a in arrays]
        namespace, run = self.namespace, work.run
        compiled = torch.compile(lambda *xs: run(namespace, *xs), fullgraph=True, dynamic=False)

        def call() -> Any:
            with torch.no_grad():
                return compiled(*args)

        return call

    def from_numpy(self, array: np.ndarray) -> Any:
        if array.dtype.name != "bfloat16":
            return self.torch.from_numpy(array)
        return self.torch.from_numpy(array.view(np.int16)).view(self.torch.bfloat16)

    def to_numpy(self, result: Any) -> np.ndarray:
        if result.dtype is not self.torch.bfloat16:
            return result.numpy()
        import ml_dtypes

        return result.view(self.torch.int16).numpy().view(ml_dtypes.bfloat16)


class Jax:
    """jax.jit, waited for."""

    name = "jax"

    def __init__(self, threads: int):
        import jax

        jax.config.update("jax_platforms", "cpu")
        self.jax = jax

    def prepare(self, work: Workload, arrays: tuple[np.ndarray, ...]) -> Call:
        import jax.numpy as jnp
        from jax.scipy.special import erf

        args = [jnp.asarray(a) for a in arrays]
        random = self.jax.random
        namespace = Namespace(
            jnp, erf=erf, uniform_like=lambda x: random.uniform(random.key(1), x.shape, x.dtype)
        )
        compiled = self.jax.jit(lambda *xs: work.run(namespace, *xs))
        return lambda: compiled(*args).block_until_ready()

    def to_numpy(self, result: Any) -> np.ndarray:
        return np.asarray(result)


CONTESTANTS = [Pyfusion, Numpy, Numexpr, Inductor, Jax]


# -- numexpr's text --------------------------------------------------------------------------------


class Text:
    """An expression as text. Views are taken of the leaves, by NumPy."""

    def __init__(self, text: str, names: dict[str, Any], kind: type, array: Any = None):
        self.text = text
        self.names = names
        self.kind = kind
        self.array = array

    @classmethod
    def leaf(cls, array: np.ndarray, names: dict[str, Any]) -> Text:
        name = f"a{len(names)}_"
        names[name] = array
        return cls(name, names, array.dtype.type, array)

    def view(self, array: np.ndarray) -> Text:
        return Text.leaf(array, self.names)

    def operand(self, other: Any) -> str:
        """The text of an operand; a number gets the array's type, else the result is a double."""
        if isinstance(other, Text):
            return other.text
        name = f"c{len(self.names)}_"
        self.names[name] = self.kind(other)
        return name

    def make(self, text: str) -> Text:
        return Text(text, self.names, self.kind)

    def __getitem__(self, index: Any) -> Text:
        return self.view(self.array[index])

    def __pow__(self, exponent: Any) -> Text:
        # A small whole exponent as itself: numexpr multiplies then.
        text = exponent if isinstance(exponent, int) else self.operand(exponent)
        return self.make(f"({self.text} ** {text})")

    def __neg__(self) -> Text:
        return self.make(f"(-{self.text})")

    def __invert__(self) -> Text:
        return self.make(f"(~{self.text})")

    def __abs__(self) -> Text:
        return self.make(f"abs({self.text})")


def _binary(symbol: str, swapped: bool) -> Callable[[Text, Any], Text]:
    def method(self: Text, other: Any) -> Text:
        left, right = self.text, self.operand(other)
        if swapped:
            left, right = right, left
        return self.make(f"({left} {symbol} {right})")

    return method


for _name, _symbol in {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "truediv": "/",
    "floordiv": "//",
    "and": "&",
    "xor": "^",
    "rshift": ">>",
}.items():
    setattr(Text, f"__{_name}__", _binary(_symbol, False))
    setattr(Text, f"__r{_name}__", _binary(_symbol, True))
for _name, _symbol in {"gt": ">", "lt": "<"}.items():
    setattr(Text, f"__{_name}__", _binary(_symbol, False))


def _function(name: str) -> Callable[..., Text]:
    def call(*args: Any) -> Text:
        first = next(a for a in args if isinstance(a, Text))
        value = next(a for a in args[::-1] if isinstance(a, Text))
        inner = ", ".join(value.operand(a) for a in args)
        return Text(f"{name}({inner})", first.names, value.kind)

    return call


TEXT_NAMESPACE = SimpleNamespace(
    **{n: _function(n) for n in (*_FUNCTIONS, "sum") if n != "pow"},
    pow=lambda x, y: x**y,
    flip=lambda x, axis: x.view(np.flip(x.array, axis)),
    permute_dims=lambda x, axes: x.view(np.permute_dims(x.array, axes)),
)
