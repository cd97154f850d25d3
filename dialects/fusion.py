# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The operations of the dialect as Python classes and builders: `fusion.AddOp`, `fusion.add`.

The build generates them from the declarations. Builders of operations whose result type follows
from the operands take no result type: `fusion.add(a, b)`, `fusion.sum(x, [1], keepdims=True)`.
"""

from typing import TYPE_CHECKING, Any

from . import load

load()

from ._fusion_ops_gen import *
from ._fusion_ops_gen import _Dialect as _Dialect

if TYPE_CHECKING:  # a source tree has no generated module

    def __getattr__(name: str) -> Any: ...
