# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is static in a call of a custom operation."""

from __future__ import annotations

import secrets
from typing import Any

from ..array.core import ones_mask
from .structure import TensorSpec


class Form:
    """What is static in a call: in keys of plans, so equal ones are run by the same program.

    Equality of arguments says too little: `Decimal("1.0")` equals `Decimal("1.00")`, and
    `frozenset({1})` equals `frozenset({1.0})`. A body that runs is given its own call's arguments.
    A lowering sees their text, and so forms of lowered calls are equal only if their texts are.

    Attributes:
        tree: of the arguments.
        results: of the results.
        masks: which extents of the results are 1, and their types.
        lowered: names the lowering that the call was made with, in this process; "" without one.
    """

    __slots__ = ("tree", "results", "masks", "lowered", "_text", "_hash")

    def __init__(self, tree: Any, results: Any, specs: list[TensorSpec], lowered: str):
        self.tree = tree
        self.results = results
        self.masks = tuple([(ones_mask(s.shape), s.dtype.code) for s in specs])
        self.lowered = lowered
        self._text = repr(tree) if lowered else ""
        self._hash = hash((tree, results, self.masks))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Form)
            and self.tree == other.tree
            and self.results == other.results
            and self.masks == other.masks
            and self._text == other._text
        )

    def __repr__(self) -> str:
        """Equal in every process for equal forms, unless compiled code comes of a lowering."""
        try:
            return repr((self.tree, self.results, self.masks, self.lowered))
        except Exception:  # of an argument: no saved plan is of an equal form
            return f"<form {secrets.token_hex(8)}>"

    def options(self) -> dict[str, str]:
        """The arguments that are neither arrays nor numbers, for IR."""
        names, items = self.tree[1], self.tree[2]
        return {
            key: item[2] if isinstance(item[2], str) else _text(item[2])
            for key, item in zip(names, items, strict=True)
            if item[0] == "static"
        }


def _text(item: Any) -> str:
    try:
        return repr(item)
    except Exception as error:
        return f"<{type(item).__name__}, whose __repr__ raised {type(error).__name__}>"
