# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files that are lowered in part: their phase, and the targets that they are not for."""

import functools

import pytest
from mlir import ir

from pyfusion.compile.context import context
from pyfusion.passes import InputError, Pipeline, parse_target, phases
from pyfusion.passes.phase_inputs import check_phase, check_target, lowered_phase

SOURCE = """
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = fusion.exp %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}
"""

NVIDIA = "cuda:sm_80"
AMD = "rocm:gfx942"


@functools.cache
def text_after(target, phase):
    with context(), ir.Location.unknown():
        module = ir.Module.parse(SOURCE)
        for one in phases(target):
            Pipeline(one.passes).run(module)
            if one.name == phase:
                return str(module)


def found(text, target, start=None):
    """What is wrong with IR, and the line it is found at."""
    with context():
        module = ir.Module.parse(text)
        try:
            check_target(module, parse_target(target))
            check_phase(module, parse_target(target), start)
        except InputError as error:
            return str(error), error.location.start_line
    return None, 0


LEFT = "{} is left, and phase {} leaves none, so the file is not of phase {}; {}"


@pytest.mark.parametrize(
    "phase, target, start, what, gone, hint",
    [
        ("fusion", "cpu", "merged", "fusion.exp outside of kernels", "merged", None),
        ("fusion", NVIDIA, "nvvm", "fusion.exp outside of kernels", "merged", None),
        ("merged", AMD, "outlined", "fusion.fused", "outlined", "merged"),
        ("outlined", "cpu", "flat", "func.func @kernel_0, a kernel without fusion.flat,", "flat",
         "outlined"),
        ("flat", NVIDIA, "linalg", "fusion.exp", "linalg", "flat"),
        ("linalg", NVIDIA, "gpu", "linalg.generic", "gpu", "linalg"),
        ("linalg", "cpu", "cpu", "linalg.generic", "cpu", "linalg"),
        ("gpu", NVIDIA, "nvvm", "gpu.func @kernel_0_flat", "nvvm", "gpu"),
        ("gpu", AMD, "hsaco", "gpu.func @kernel_0_flat", "rocdl", "gpu"),
        ("nvvm", NVIDIA, "ptx", "gpu.module @kernels", "ptx", "nvvm"),
        ("rocdl", AMD, "hsaco", "gpu.module @kernels", "hsaco", "rocdl"),
        ("ptx", NVIDIA, "cubin", "gpu.binary @kernels of assembly", "cubin", "ptx"),
    ],
)  # fmt: skip
def test_too_late_a_start(phase, target, start, what, gone, hint):
    message, line = found(text_after(target, phase), target, start)
    how = f"use --start-after={hint}" if hint else "leave out --start-after"
    assert message == LEFT.format(what, gone, start, how)
    assert what.split()[0] in text_after(target, phase).split("\n")[line - 1]


def test_code_without_targets():
    message, _ = found("gpu.module @m {}", AMD, "rocdl")
    assert message.startswith("gpu.module @m without targets is left")


def test_what_a_phase_leaves_is_there():
    message, _ = found("module {}", NVIDIA, "gpu")
    assert (
        message == "phase gpu leaves a gpu.module, and the file has none; use --start-after=linalg"
    )
    message, _ = found("gpu.module @m {}", AMD, "gpu")
    assert message is None


@pytest.mark.parametrize("phase, start", [("gpu", None), ("nvvm", "merged"), ("ptx", "flat")])
def test_too_early_a_start(phase, start):
    """The functions that launch the kernels are none to the passes, which drop them."""
    message, _ = found(text_after(NVIDIA, phase), NVIDIA, start)
    assert message.endswith(f"the file is of phase {phase} already; use --start-after={phase}")


@pytest.mark.parametrize("target", ["cpu", NVIDIA, AMD])
def test_each_phase_goes_on_from_itself(target):
    names = [phase.name for phase in phases(target)][:-1]
    for name in names:
        if name != "hsaco":
            assert found(text_after(target, name), target, name)[0] is None


def test_the_phase_of_code():
    for target, phase in ((NVIDIA, "gpu"), (NVIDIA, "nvvm"), (NVIDIA, "ptx"), (AMD, "rocdl")):
        with context():
            module = ir.Module.parse(text_after(target, phase))
            assert lowered_phase(module, parse_target(target)) == phase
    with context():
        module = ir.Module.parse(text_after(NVIDIA, "linalg"))
        assert lowered_phase(module, parse_target(NVIDIA)) is None


@pytest.mark.parametrize(
    "source, target, message",
    [
        (
            (NVIDIA, "gpu"),
            "cpu",
            "gpu.module @kernels is code for GPUs: --target=cuda or --target=rocm compiles it; for "
            "the CPU give IR of phase linalg or before",
        ),
        (
            (NVIDIA, "nvvm"),
            "cpu",
            "gpu.module @kernels is code for GPUs: --target=cuda:sm_80 compiles it; for the CPU "
            "give IR of phase linalg or before",
        ),
        (
            (NVIDIA, "nvvm"),
            "cuda:sm_90",
            "gpu.module @kernels is for cuda:sm_80, not for cuda:sm_90; --target=cuda:sm_80 "
            "compiles it; for cuda:sm_90 give IR of phase gpu or before",
        ),
        (
            (NVIDIA, "ptx"),
            AMD,
            "gpu.binary @kernels is for cuda:sm_80, not for rocm:gfx942; --target=cuda:sm_80 "
            "compiles it; for rocm:gfx942 give IR of phase gpu or before",
        ),
        (
            'gpu.module @m [#nvvm.target<chip = "sm_80">, #nvvm.target<chip = "sm_90">] {}',
            NVIDIA,
            "gpu.module @m is for cuda:sm_90, not for cuda:sm_80; --target=cuda:sm_90 compiles it; "
            "for cuda:sm_80 give IR of phase gpu or before",
        ),
        (
            "gpu.module @m [#nvvm.target] {}",
            NVIDIA,
            "gpu.module @m is for #nvvm.target, not for cuda:sm_80; for cuda:sm_80 give IR of "
            "phase gpu or before",
        ),
        (
            "gpu.module @m { llvm.func @k() { nvvm.barrier llvm.return } }",
            AMD,
            "nvvm.barrier is code for cuda, not for rocm:gfx942",
        ),
        (
            ("cpu", "llvm"),
            NVIDIA,
            "llvm.func @_mlir_ciface_kernel_0 is lowered for the CPU: --target=cpu compiles it; "
            "for cuda:sm_80 give IR of phase outlined or before",
        ),
    ],
)
def test_other_targets(source, target, message):
    text = source if isinstance(source, str) else text_after(*source)
    assert found(text, target)[0] == message
