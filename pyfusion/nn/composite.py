# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations that are made of others, and stay one operation until they are compiled.

A call records one operation, `fusion.custom_call "nn.gelu"` in IR; the pass fusion-inline-custom
puts the body in its place, which is what fuses. Each is declared once, by its name and its body, a
function of pyfusion's functions. The backend, where it runs one, runs the operations of the body.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ..array.core import Array, cast, emit, wrap
from ..array.promote import broadcast
from ..dtypes import computed_in, dtype_of
from ..ir.table import composite_op
from ..ir.value import Value
from ..runtime.backend_step import backend
from ..runtime.memory import from_numpy, to_numpy
from ..stream.trace import forget, recorded
from .checks import floats

__all__ = ["COMPOSITES", "Composite"]

# Every one of them, by name.
COMPOSITES: dict[str, Composite] = {}


class Composite:
    """One operation made of others; its operands are arrays of one float type, and numbers.

    Attributes:
        name: behind `nn.` in IR.
        body: called with the arrays, the numbers as 0-d arrays, and the static arguments by name.
            Arrays of 16 bits come as float32, and its result is rounded to their type once. It must
            not ask for extents: what it records holds for all of them.
    """

    def __init__(self, name: str, body: Callable[..., Array]):
        self.name = name
        self.body = body
        self.op = composite_op(name, self._run, self._inline)
        COMPOSITES[name] = self

    def __call__(self, *arrays: Any, numbers: Iterable[float] = (), **options: Any) -> Array:
        """Records a call, whose result has the arrays' type and their common shape.

        Args:
            numbers: arguments of the compiled program; other ones compile nothing anew.
            options: static, part of the program.

        Raises:
            DTypeError: the arrays are not of one float type.
            ShapeError: they do not broadcast.
        """
        given = floats(self.name, *arrays)
        dtype = given[0].dtype
        shapes = tuple([x.shape for x in given])
        shape = broadcast(self.name, shapes, [dtype] * len(given))
        args = (*[x._v for x in given], *numbers)
        attrs = tuple(sorted(options.items())) or None
        return wrap(emit(self.op, args, attrs, (), shape, dtype))

    def expanded(self, values: list[Value], numbers: list[Value], options: dict) -> Value:
        """Records the body."""
        dtype = values[0].dtype
        inner = computed_in(dtype)
        given = [wrap(cast(v, inner)) for v in (*values, *numbers)]
        return cast(self.body(*given, **options)._v, dtype)

    def _inline(self, call: Any) -> Any:
        """The body in place of a call in IR."""
        from .inline import inline

        return inline(self, call)

    def _run(self, *operands: Any, **options: Any) -> np.ndarray:
        """The operations of the body, one after the other, on the backend."""
        arrays = [o for o in operands if isinstance(o, np.ndarray)]
        inner = computed_in(dtype_of(arrays[0].dtype)).numpy
        leaves = [from_numpy(a) for a in arrays]
        numbers = [from_numpy(np.asarray(o, inner)) for o in operands[len(arrays) :]]
        queue, result = recorded(self.expanded, leaves, numbers, options)
        try:
            made = {id(v): to_numpy(v) for v in (*leaves, *numbers)}
            for v in queue:
                op, args, attrs, dyn, _ = v.record
                given = [made[id(a)] if isinstance(a, Value) else a for a in args]
                made[id(v)] = backend().execute(op, given, attrs, dyn, v.shape, v.dtype)
            return made[id(result)]
        finally:
            forget(queue)
