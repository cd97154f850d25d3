# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pipelines of MLIR's passes and Python passes, and the pipelines of this project.

Python passes run between runs of MLIR's pass manager, never inside one: an exception that unwinds
through MLIR would leave the context unusable. They are verified, timed, printed and listed like
the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Protocol

from . import textual
from .registry import Pass, PassContext, PipelineError, create_pass, pass_names

if TYPE_CHECKING:
    from mlir import ir
    from mlir.passmanager import PassManager

    from .lower.targets import Target

__all__ = [
    "Instrument",
    "Phase",
    "Pipeline",
    "fusion_pipeline",
    "parse_pipeline",
    "phases",
    "run_manager",
]


class Instrument(Protocol):
    """Watches a pipeline; MLIR's passes then run one at a time."""

    def before(self, name: str, module: ir.Module) -> None: ...

    def after(self, name: str, module: ir.Module, seconds: float) -> None: ...


class Pipeline:
    """A list of passes, each a `Pass` or the text of one that MLIR knows."""

    def __init__(self, stages: Iterable[Pass | str] = ()):
        self.stages: list[Pass | str] = []
        for stage in stages:
            if isinstance(stage, Pass):
                self.stages.append(stage)
            else:
                self.stages.extend(parse_pipeline(stage).stages)

    def __str__(self) -> str:
        return textual.join(map(str, self.stages))

    def __len__(self) -> int:
        return len(self.stages)

    def check(self, context: ir.Context) -> None:
        """PipelineError: MLIR does not know a pass or an option in the pipeline, or its value."""
        from .mlir_options import check_choices

        for stage in self.stages:
            if isinstance(stage, str):
                _manager([stage], context)
                check_choices(stage)

    def run(
        self,
        module: ir.Module,
        context: PassContext | None = None,
        *,
        verify: bool = True,
        instruments: Sequence[Instrument] = (),
    ) -> PassContext:
        """Runs the passes on a module, which each leaves verified unless `verify` is false.

        A failing pass raises `mlir.ir.MLIRError`, a Python pass whatever it raises; the context
        stays usable, the module may be half changed, and `context.current` names the pass.
        """
        context = PassContext() if context is None else context
        op = module.operation
        group: list[str] = []
        for stage in self.stages:
            if isinstance(stage, str):
                group.append(stage)
                if not instruments:
                    continue
            if group:
                _run_group(group, module, context, verify, instruments)
                group = []
            if isinstance(stage, Pass):
                context.current = stage.name
                for watch in instruments:
                    watch.before(stage.name, module)
                start = perf_counter()
                stage.run(module, context)
                seconds = perf_counter() - start
                for watch in instruments:
                    watch.after(stage.name, module, seconds)
                if verify:
                    op.verify()
        if group:
            _run_group(group, module, context, verify, instruments)
        return context


def _run_group(
    group: list[str],
    module: ir.Module,
    context: PassContext,
    verify: bool,
    instruments: Sequence[Instrument],
) -> None:
    context.current = ",".join(group)
    manager = _manager(group, module.context)
    manager.enable_verifier(verify)
    for watch in instruments:
        watch.before(context.current, module)
    start = perf_counter()
    run_manager(manager, module.operation)
    seconds = perf_counter() - start
    for watch in instruments:
        watch.after(context.current, module, seconds)


def run_manager(manager: PassManager, op: ir.Operation) -> None:
    """Runs a pass manager; an error that is reported without a failure counts as one.

    Left to themselves the bindings abort the process then.
    """
    from mlir import ir

    context = op.context
    errors: list[ir.DiagnosticInfo] = []

    def keep(diagnostic: ir.Diagnostic) -> bool:
        if diagnostic.severity != ir.DiagnosticSeverity.ERROR:
            return False
        errors.append(ir.DiagnosticInfo(diagnostic))
        return True

    failed = False
    before = context.emit_error_diagnostics
    context.emit_error_diagnostics = True
    handler = context.attach_diagnostic_handler(keep)
    try:
        manager.run(op)
    except ir.MLIRError:
        failed = True
    finally:
        handler.detach()
        context.emit_error_diagnostics = before
    if failed or errors:
        raise ir.MLIRError("Failure while executing pass pipeline", errors)


def _manager(group: list[str], context: ir.Context) -> PassManager:
    from mlir.passmanager import PassManager

    try:
        return PassManager.parse(textual.join(group), context)
    except ValueError as error:
        from .mlir_options import explained

        raise PipelineError(explained(str(error))) from None


def parse_pipeline(text: str) -> Pipeline:
    """Reads a textual pipeline. MLIR's own passes in it are checked when it runs, or by `check`."""
    pipeline = Pipeline()
    python = set(pass_names())
    for name, part in textual.elements(text):
        if name in python:
            pipeline.stages.append(create_pass(name, textual.pass_options(part)))
            continue
        if "(" in part:
            nested = python.intersection(n for n, _ in _nested(part))
            if nested:
                raise PipelineError(f"{nested.pop()} runs on a module, not inside {name}")
        pipeline.stages.append(part)
    return pipeline


def _nested(part: str) -> list[tuple[str, str]]:
    found = []
    todo = [part]
    while todo:
        text = todo.pop()
        inner = text[text.find("(") + 1 : text.rfind(")")]
        for name, item in textual.elements(inner) if inner.strip() else ():
            found.append((name, item))
            if "(" in item:
                todo.append(item)
    return found


def fusion_pipeline() -> list[str]:
    """From the operations of a block to kernels and the calls of them; the same for all targets."""
    return [
        "fusion-inline-custom",
        "fusion-canonicalize",
        "fusion-hoist-views",
        "fusion-merge-elementwise",
        "fusion-merge-reductions",
        "fusion-plan-buffers",
        "fusion-outline-kernels",
    ]


@dataclass(frozen=True)
class Phase:
    """A point of a target's pipeline at which one can stop and look: its name, what leads to it."""

    name: str
    passes: tuple[str, ...]


def phases(target: str | Target = "cpu", *, cubin: bool = False) -> list[Phase]:
    """The whole pipeline of a target as phases.

    Args:
        target: cpu, cuda or rocm, the latter two with a chip if they like: `"cuda:sm_80"`.
        cubin: let ptxas compile the PTX of a CUDA target, not the driver.

    Raises:
        PipelineError: there is no such target.
    """
    from . import lower

    *merge, outline = fusion_pipeline()
    common = [("fusion", ()), ("merged", merge), ("outlined", (outline,))]
    lowering = lower.phases(lower.parse_target(target), cubin=cubin)
    return [Phase(name, tuple(passes)) for name, passes in (*common, *lowering)]
