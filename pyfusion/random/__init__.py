# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random arrays: deferred, fused with what reads them, the same bits wherever they are computed.

    >>> import pyfusion as pf
    >>> rng = pf.random.default_rng(7)
    >>> x = pf.ones((2, 3), dtype=pf.float32)
    >>> noisy = x + rng.normal(scale=0.1, size=x.shape, dtype=pf.float32)  # one kernel

The functions of this module draw from a generator that each thread has of its own; `seed` sets the
calling thread's. The methods of `Generator` say what they do.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from numpy.random import SeedSequence

from .generator import Generator
from .state import default, set_default

__all__ = [
    "Generator",
    "SeedSequence",
    "bernoulli",
    "choice",
    "default_generator",
    "default_rng",
    "dropout",
    "exponential",
    "integers",
    "lognormal",
    "normal",
    "permutation",
    "permuted",
    "random",
    "seed",
    "shuffle",
    "standard_exponential",
    "standard_normal",
    "uniform",
]


def default_rng(seed: Any = None) -> Generator:
    """A generator of a seed; a `Generator` is returned as it is.

    Raises:
        TypeError, ValueError: the seed is none, see `Generator`.
    """
    return seed if isinstance(seed, Generator) else Generator(seed)


def default_generator() -> Generator:
    """The generator that the functions of the module draw from in this thread.

    Without a call of `seed` its seed is the system's. Where a process is forked, the child's is a
    child of the parent's, so that they do not draw the same.
    """
    return default(Generator._of)


def seed(seed: Any = None) -> None:
    """Has the functions of the module start anew, in this thread as `default_rng(seed)` would.

    Other threads start anew too, with seeds that are children of this one, in the order in which
    they first draw.

    Raises:
        TypeError, ValueError: the seed is none, see `Generator`.
    """
    made = Generator(seed)
    seeds = made._state.seeds
    assert seeds is not None
    set_default(made, seeds)


def _of_default(method: Callable[..., Any]) -> Callable[..., Any]:
    """The method of the default generator."""

    @functools.wraps(method)
    def function(*args: Any, **kwargs: Any) -> Any:
        return method(default(Generator._of), *args, **kwargs)

    signature = inspect.signature(method)
    parameters = list(signature.parameters.values())[1:]
    function.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    function.__module__ = __name__
    function.__qualname__ = method.__name__
    return function


bernoulli = _of_default(Generator.bernoulli)
choice = _of_default(Generator.choice)
dropout = _of_default(Generator.dropout)
exponential = _of_default(Generator.exponential)
integers = _of_default(Generator.integers)
lognormal = _of_default(Generator.lognormal)
normal = _of_default(Generator.normal)
permutation = _of_default(Generator.permutation)
permuted = _of_default(Generator.permuted)
random = _of_default(Generator.random)
shuffle = _of_default(Generator.shuffle)
standard_exponential = _of_default(Generator.standard_exponential)
standard_normal = _of_default(Generator.standard_normal)
uniform = _of_default(Generator.uniform)
