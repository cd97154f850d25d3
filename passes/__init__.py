# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The passes: how they are named, written as text, ordered and run.

A pass is a frozen dataclass derived from `Pass`; its fields are its options. `merge_elementwise.py`
holds `MergeElementwise`, which is `fusion-merge-elementwise` in a textual pipeline, is tested by
`test/passes/merge-elementwise.mlir`, and is not imported before somebody asks for it:

    from pyfusion.passes import PassContext, parse_pipeline

    pipeline = parse_pipeline("builtin.module(canonicalize,fusion-merge-elementwise{max-ops=8})")
    pipeline.run(module, PassContext())

Importing this package does not import MLIR.
"""

if __name__ != "pyfusion.passes":
    raise ImportError(
        f"{__name__} is pyfusion.passes under a second name, which would register passes twice: "
        "import pyfusion.passes, with the repository's root on the path"
    )

from .lower.targets import Target, parse_target, target_of_device
from .pipeline import Phase, Pipeline, fusion_pipeline, parse_pipeline, phases
from .registry import (
    InputError,
    Pass,
    PassContext,
    PipelineError,
    Refusal,
    create_pass,
    load_passes,
    option,
    pass_class,
    pass_names,
    register_pass,
)

__all__ = [
    "InputError",
    "Pass",
    "PassContext",
    "Phase",
    "Pipeline",
    "PipelineError",
    "Refusal",
    "Target",
    "create_pass",
    "fusion_pipeline",
    "load_passes",
    "option",
    "parse_pipeline",
    "parse_target",
    "pass_class",
    "pass_names",
    "phases",
    "register_pass",
    "target_of_device",
]
