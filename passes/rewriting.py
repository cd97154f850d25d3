# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rewrite patterns in Python whose functions may raise.

An exception that unwinds through MLIR's drivers leaves the context in a state in which later calls
abort the process. Here the first one is kept, the driver goes on without a match, and the exception
is raised when it has returned.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from mlir import ir
from mlir.rewrite import (
    FrozenRewritePatternSet,
    GreedyRewriteConfig,
    PatternRewriter,
    RewritePatternSet,
    apply_patterns_and_fold_greedily,
    walk_and_apply_patterns,
)

__all__ = ["Match", "rewrite_greedily", "rewrite_once"]

# Rewrites an operation through the rewriter; gives whether it did. Only `rewriter.erase_op` and
# `rewriter.replace_op` may remove operations, and only the one that was matched.
Match = Callable[[ir.OpView, PatternRewriter], bool]


def rewrite_greedily(
    op: ir.Operation,
    patterns: Iterable[tuple[str, Match]],
    config: GreedyRewriteConfig | None = None,
) -> None:
    """Applies `(name of an operation, function)` pairs inside `op` until none matches; folds."""
    frozen, failed = _guarded(patterns)
    apply_patterns_and_fold_greedily(op, frozen, config)
    if failed:
        raise failed[0]


def rewrite_once(op: ir.Operation, patterns: Iterable[tuple[str, Match]]) -> None:
    """Applies `(name of an operation, function)` pairs to each operation inside `op` once."""
    frozen, failed = _guarded(patterns)
    walk_and_apply_patterns(op, frozen)
    if failed:
        raise failed[0]


def _guarded(
    patterns: Iterable[tuple[str, Match]],
) -> tuple[FrozenRewritePatternSet, list[BaseException]]:
    failed: list[BaseException] = []

    def guard(match: Match) -> Callable[[ir.OpView, PatternRewriter], bool]:
        def attempt(op: ir.OpView, rewriter: PatternRewriter) -> bool:
            """The drivers take a true value for "no match"."""
            if failed:
                return True
            try:
                return not match(op, rewriter)
            except BaseException as error:
                failed.append(error)
                return True

        return attempt

    rules = RewritePatternSet()
    for name, match in patterns:
        rules.add(name, guard(match))
    return rules.freeze(), failed
