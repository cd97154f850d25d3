# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files that are lowered in part: for which target, and up to which phase of its pipeline.

Passes take what they know and leave the rest. Unchecked, IR for another chip or of another phase
would become code for the wrong chip, or no code at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mlir import ir
from mlir.dialects import gpu

from .gpu_binaries import ASSEMBLY, chip_or_none
from .graph import inside, kind_of
from .lower import Target
from .pipeline import phases
from .registry import InputError

__all__ = ["check_phase", "check_places", "check_target", "lowered_phase"]

# Dialects of the code of GPUs, and whose.
_DIALECTS = {"gpu": "", "nvgpu": "cuda", "nvvm": "cuda", "amdgpu": "rocm", "rocdl": "rocm"}

# What makes a function a kernel of a vendor's, also before its module has a target.
_MARKS = {"nvvm.kernel": "cuda", "rocdl.kernel": "rocm"}

# Others stop LLVM when it writes PTX.
_NAME_IN_PTX = re.compile(r"[\w$.@]+", re.ASCII)

_VENDORS = {"#nvvm.target": "cuda", "#rocdl.target": "rocm"}


class _After(NamedTuple):
    """What a phase leaves behind.

    Attributes:
        gone: kinds of operations that it leaves none of, as all later ones.
        there: what it puts there of a GPU, until a later phase puts something else.
    """

    gone: tuple[str, ...] = ()
    there: str = ""


_PHASES = {
    "fusion": _After(),
    "merged": _After(("loose",)),
    "outlined": _After(("fused",)),
    "flat": _After(("shaped",)),
    "linalg": _After(("fusion",)),
    "cpu": _After(("linalg",)),
    "gpu": _After(("linalg",), "gpu.module"),
    "nvvm": _After(("gpu.func", "untargeted")),
    "rocdl": _After(("gpu.func", "untargeted")),
    "ptx": _After(("gpu.module",), "gpu.binary"),
    "hsaco": _After(("gpu.module",), "gpu.binary"),
    "cubin": _After(("assembly",)),
}

# What is looked for, in the order in which it is told.
_KINDS = tuple(
    dict.fromkeys(
        [kind for after in _PHASES.values() for kind in after.gone]
        + [after.there for after in _PHASES.values() if after.there]
    )
)


def check_target(module: ir.Module, target: Target) -> None:
    """InputError: the module holds code for another target, or a name that the target lacks."""
    for op in inside(module.operation):
        dialect = op.name.partition(".")[0]
        vendor = _DIALECTS.get(dialect)
        if vendor is not None and target.name == "cpu":
            others = [name for name, _ in _targets(op)] or (
                [vendor] if vendor else ["cuda", "rocm"]
            )
            options = " or ".join(f"--target={other}" for other in others)
            raise InputError(
                f"{_named(op)} is code for GPUs: {options} compiles it; for the CPU give IR of "
                "phase linalg or before",
                op.location,
            )
        if vendor and vendor != target.name:
            raise InputError(f"{_named(op)} is code for {vendor}, not for {target}", op.location)
        for mark, vendor in _MARKS.items():
            if mark in op.attributes and vendor != target.name:
                raise InputError(
                    f"kernel @{_name(op)} is for {vendor} ({mark}), not for {target}; "
                    f"--target={vendor} compiles it",
                    op.location,
                )
        if target.name == "cuda" and _goes_into_ptx(op) and not _NAME_IN_PTX.fullmatch(_name(op)):
            raise InputError(
                f"the name {_name(op)!r} of a {op.name} cannot be written in PTX, whose names are "
                "of letters, digits, _ and $",
                op.location,
            )
        if op.name == "llvm.func" and "fusion.kernel" in op.attributes and target.name != "cpu":
            raise InputError(
                f"{_named(op)} is lowered for the CPU: --target=cpu compiles it; for {target} give "
                "IR of phase outlined or before",
                op.location,
            )
        for name, text in _targets(op):
            if name != str(target):
                hint = "" if name == text else f"; --target={name} compiles it"
                raise InputError(
                    f"{_named(op)} is for {name}, not for {target}{hint}; for {target} give IR of "
                    "phase gpu or before",
                    op.location,
                )


def check_phase(module: ir.Module, target: Target, start: str | None) -> None:
    """InputError: the module is not what the phase `start` (None: a user) leaves."""
    names = _names(target)
    found = _survey(module)
    wanted = 0 if start is None else names.index(start)
    fitting = _fitting(names, found)
    how = f"use --start-after={names[fitting]}" if fitting else "leave out --start-after"
    for what, op in found.items():
        gone = _gone(what, names)
        if gone is not None and gone <= wanted:
            raise InputError(
                f"{_described(what, op)} is left, and phase {names[gone]} leaves none, so the file "
                f"is not of phase {start}; {how}",
                op.location,
            )
    if _lacks(names, wanted, found):
        raise InputError(
            f"phase {start} leaves a {_there(names, wanted)}, and the file has none; {how}",
            module.operation.location,
        )
    if _there(names, fitting) and not _there(names, wanted):  # the launches would go
        op = found["gpu.module"] if "gpu.module" in found else found["gpu.binary"]
        raise InputError(
            f"with {_named(op)} the file is of phase {names[fitting]} already; {how}",
            op.location,
        )


def check_places(module: ir.Module) -> None:
    """InputError: an operation to fuse is where no pass looks for it."""
    for op in inside(module.operation):
        if kind_of(op.name) not in ("elementwise", "reduction"):
            continue
        place = op.parent.operation
        while place.name.startswith("fusion."):
            place = place.parent.operation
        outer = place
        if place.name == "func.func" and place.parent is not None:
            outer = place.parent.operation
            if outer.parent is None:
                continue
        what = "a nested module" if outer.name == "builtin.module" else outer.name
        where = f"inside of {what}" if outer.parent is not None else "outside of functions"
        raise InputError(
            f"{op.name} is {where}, which is not compiled: what becomes kernels stands in the "
            "body of a function of the file",
            op.location,
        )


def lowered_phase(module: ir.Module, target: Target) -> str | None:
    """The phase that the module is of, if it holds a GPU's code and no operation to fuse."""
    names = _names(target)
    fitting = _fitting(names, _survey(module))
    return names[fitting] if _there(names, fitting) else None


def _names(target: Target) -> list[str]:
    """All phases but the last, which nothing follows."""
    return [phase.name for phase in phases(target, cubin=True)][:-1]


def _gone(what: str, names: Sequence[str]) -> int | None:
    """The first phase that leaves none of it."""
    return next((at for at, name in enumerate(names) if what in _PHASES[name].gone), None)


def _there(names: Sequence[str], phase: int) -> str:
    """What there is of a GPU after a phase; empty if nothing."""
    return next((there for n in names[phase::-1] if (there := _PHASES[n].there)), "")


def _lacks(names: Sequence[str], phase: int, found: dict[str, ir.Operation]) -> bool:
    """Whether there is not what should be after a phase."""
    return _there(names, phase) not in ("", *found)


def _fitting(names: Sequence[str], found: dict[str, ir.Operation]) -> int:
    """The last phase that the module may be of."""
    gone = [g for what in found if (g := _gone(what, names)) is not None]
    last = min(gone, default=len(names)) - 1
    while _lacks(names, last, found):
        last -= 1
    return last


def _survey(module: ir.Module) -> dict[str, ir.Operation]:
    """The first operation of each of `_KINDS`."""
    found: dict[str, ir.Operation] = {}
    for op in inside(module.operation):
        for what in _kinds(op):
            found.setdefault(what, op)
    return {what: found[what] for what in _KINDS if what in found}


def _kinds(op: ir.Operation) -> Iterator[str]:
    dialect = op.name.partition(".")[0]
    if dialect in ("fusion", "linalg"):
        yield dialect
    if op.name in ("gpu.func", "gpu.module", "gpu.binary"):
        yield op.name
    if op.name == "fusion.fused":
        yield "fused"
    elif kind_of(op.name) in ("elementwise", "reduction"):
        parent = op.parent.operation if op.parent else op
        if parent.name == "func.func" and not _is_kernel(parent):
            yield "loose"
    elif op.name == "func.func" and "fusion.kernel" in op.attributes:
        if "fusion.flat" not in op.attributes:
            yield "shaped"
    elif op.name == "gpu.module" and "targets" not in op.attributes:
        yield "untargeted"
    elif op.name == "gpu.binary" and any(o.format == ASSEMBLY for o in _objects(op)):
        yield "assembly"


def _is_kernel(func: ir.Operation) -> bool:
    return "fusion.kernel" in func.attributes or "fusion.finish" in func.attributes


def _objects(op: ir.Operation) -> list[gpu.ObjectAttr]:
    return [gpu.ObjectAttr(o) for o in op.attributes["objects"]]


def _targets(op: ir.Operation) -> Iterator[tuple[str, str]]:
    """The targets of a gpu.module or gpu.binary, as `--target` has them, if it does, and as is."""
    attributes: list[ir.Attribute] = []
    if op.name == "gpu.module" and "targets" in op.attributes:
        attributes = list(op.attributes["targets"])
    elif op.name == "gpu.binary":
        attributes = [o.target for o in _objects(op)]
    for attribute in attributes:
        text = str(attribute)
        vendor, chip = _VENDORS.get(text.partition("<")[0]), chip_or_none(attribute)
        yield (f"{vendor}:{chip}" if vendor and chip else text), text


def _goes_into_ptx(op: ir.Operation) -> bool:
    if op.name == "gpu.module":
        return True
    parent = op.parent
    return (
        "sym_name" in op.attributes and parent is not None and parent.operation.name == "gpu.module"
    )


def _name(op: ir.Operation) -> str:
    """The name of an operation that has one, printed as MLIR does what is no UTF-8."""
    name = op.attributes["sym_name"]
    try:
        return str(ir.StringAttr(name).value)
    except (RuntimeError, UnicodeDecodeError):
        return str(name)


def _named(op: ir.Operation) -> str:
    return f"{op.name} @{_name(op)}" if "sym_name" in op.attributes else str(op.name)


def _described(what: str, op: ir.Operation) -> str:
    return {
        "loose": f"{op.name} outside of kernels",
        "shaped": f"{_named(op)}, a kernel without fusion.flat,",
        "untargeted": f"{_named(op)} without targets",
        "assembly": f"{_named(op)} of assembly",
    }.get(what, _named(op))
