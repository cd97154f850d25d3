# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes docs/operations.md: each operation, what it is called elsewhere, and what becomes of it.

    python docs/operations.py            # write it
    python docs/operations.py --check    # exit 1 if it is not what would be written

The types, the IR and who runs it are those of the calls in operation_examples.py; the names of Burn
are in burn_operations.tsv.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from operation_examples import EXAMPLES, NO_CALL, function_of

import pyfusion as pf
from pyfusion.backends.on_device import on_device
from pyfusion.ir.table import OPS

DOCS = Path(__file__).resolve().parent

HEAD = """\
<!-- Written by docs/operations.py from the table of operations, operation_examples.py and
burn_operations.tsv. -->

# Operations

- **Types** of arrays that it takes, of random ones that it gives: `b` booleans, `i` integers, `f`
  floats, `c` complex numbers.
- **CPU**: a *kernel* is compiled and fused with its neighbours; the *backend* is NumPy, whose call
  is deferred and stands between kernels, or is run *at once*. *View* and *kernel* are deferred too.
- **GPU**: a *kernel*, or the library: *CuPy*, *PyTorch* or both; else NumPy on the *host*, with
  copies and a warning.
- **IR**: operations of the dialect that a call records.

Functions of `pyfusion.nn` have their arguments, errors and sources in their documentation:
`help(pf.nn.gelu)`. Those of the standard and of NumPy have theirs.
"""

# Of the array API standard, 2024.12, what has an entry here.
_STANDARD = """
    abs acos acosh add all any arange argmax argmin argsort asarray asin asinh astype atan atan2
    atanh bitwise_and bitwise_invert bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor
    broadcast_to ceil clip concat cos cosh cumulative_prod cumulative_sum divide empty equal exp
    expand_dims expm1 flip floor floor_divide full greater greater_equal hypot isfinite isinf isnan
    less less_equal log log10 log1p log2 logaddexp logical_and logical_not logical_or logical_xor
    matmul max maximum mean min minimum multiply negative not_equal ones permute_dims pow prod
    reciprocal remainder reshape round sign sin sinh sort sqrt squeeze subtract sum tan tanh tile
    trunc where zeros fft.rfft fft.irfft
"""
STANDARD = frozenset(_STANDARD.split())
# Of SciPy, in `scipy.special` where nothing else is said.
SCIPY = {
    "cbrt": "special.cbrt",
    "erf": "special.erf",
    "erfc": "special.erfc",
    "lgamma": "special.gammaln",
    "sigmoid": "special.expit",
    "nn.sigmoid": "special.expit",
    "nn.log_sigmoid": "special.log_expit",
    "nn.log_softmax": "special.log_softmax",
    "nn.softmax": "special.softmax",
}

_KINDS = {"b": "bool", "i": "int32", "f": "float32", "c": "complex64"}


class Row(NamedTuple):
    """One operation: the cells of its row."""

    function: str
    known_as: str
    burn: str
    types: str
    cpu: str
    gpu: str
    ir: str


def burn() -> list[tuple[str, str, list[str]]]:
    """The operations of Burn: group, name, the functions that they are here."""
    lines = (DOCS / "burn_operations.tsv").read_text().splitlines()[1:]
    rows = [line.split("\t") for line in lines]
    return [(group, name, functions.split()) for group, name, functions in rows]


def found(function: str) -> Any:
    """What a name of the table stands for. AttributeError: nothing."""
    place: Any = pf
    for part in function.split("."):
        place = getattr(place, part)
    return place


def maker(dtype: str) -> Any:
    """What examples take: `a(*shape)` is an array of that type."""

    def a(*shape: int) -> pf.Array:
        count = int(np.prod(shape))
        if dtype in ("float32", "complex64"):
            elements = np.linspace(0.25, 0.75, count)
        else:
            elements = np.arange(count) % 2 + (dtype != "bool")
        return pf.asarray(elements.reshape(shape).astype(dtype))

    return a


def takes(function: str, kind: str) -> bool:
    """Whether the example takes elements of a kind."""
    try:
        EXAMPLES[function](maker(_KINDS[kind]))
    except (TypeError, ValueError):
        return False
    return True


def lowered(function: str, kind: str) -> Any:
    """The example's IR in each phase, or the names of what ran at once."""
    call = EXAMPLES[function]
    try:
        return pf.lower(lambda: call(maker(_KINDS[kind])))
    except RuntimeError as error:
        if "deferred array" in str(error) or "records no operation" in str(error):
            return None
        raise


def row(function: str, names: list[str]) -> Row:
    """What there is to say of a function."""
    if function in NO_CALL or function.startswith("random.") and not hasattr(pf, "random"):
        return Row(f"`{function}`", _known_as(function), _joined(names), *[""] * 4)
    if function.startswith("random."):  # of the result: they take no arrays
        kinds = EXAMPLES[function](maker("float32")).dtype.kind
    else:
        kinds = "".join([kind for kind in _KINDS if takes(function, kind)])
    if not kinds:
        raise SystemExit(f"the example of {function} takes no type")
    shown = lowered(function, "f" if "f" in kinds else kinds[0])
    if shown is None or shown.at_once:
        with pf.testing.inspect() as report:
            EXAMPLES[function](maker(_KINDS["f" if "f" in kinds else kinds[0]]))
        ir, calls, cpu = "", set(report.unfused), "backend, at once"
    else:
        text = shown.as_text("fusion")
        ir = ", ".join([f"`{name}`" for name in _operations(text)])
        last = shown.as_text("outlined")
        calls = set(re.findall(r'custom_call "numpy\.(\w+)"', last))
        calls |= {"matmul"} if "fusion.matmul" in last else set()
        kernels = "fusion.kernel" in last or "fusion.insert_slice" in last
        cpu = "kernel" if kernels else "view"
        if calls:
            cpu = "backend, kernels around it" if kernels else "backend"
    return Row(
        f"`{function}`", _known_as(function), _joined(names), kinds, cpu, _gpu(cpu, calls), ir
    )


def _operations(text: str) -> list[str]:
    """The operations in a text of IR, but what only makes their operands."""
    found = list(dict.fromkeys(re.findall(r'= fusion\.(custom_call "[\w.]+"|\w+)', text)))
    return [name for name in found if name not in _HELPERS] or found


_HELPERS = ("full", "cast", "broadcast", "expand_dims", "squeeze")


def _known_as(function: str) -> str:
    if function in STANDARD:
        return f"Array API `{function}`"
    if function in SCIPY:
        return f"SciPy `{SCIPY[function]}`"
    row = next((name for name in OPS if function_of(name) == function), function)
    name = OPS[row].numpy if row in OPS and OPS[row].numpy else function
    known: Any = np
    for part in name.split("."):
        known = getattr(known, part, None)
    return f"NumPy `{name}`" if known is not None else ""


def _joined(names: list[str]) -> str:
    return " ".join([f"`{name}`" for name in dict.fromkeys(names)])


_LIBRARIES = {"CuPy": "cupy", "PyTorch": "torch"}


def _gpu(cpu: str, calls: set[str]) -> str:
    if not calls:
        return cpu
    libraries = [name for name in ("CuPy", "PyTorch") if calls <= on_device(_LIBRARIES[name])]
    return ", ".join(libraries) or "host"


def rows() -> list[Row]:
    """Every operation once: the table's rows, then what Burn has a name for, then the rest."""
    names: dict[str, list[str]] = {}
    for name in OPS:
        function = function_of(name)
        if function is not None:
            names[function] = []
    for _, name, functions in burn():
        for function in functions:
            names.setdefault(function, []).append(name)
    for function in EXAMPLES:
        names.setdefault(function, [])
    return [row(*item) for item in sorted(names.items(), key=_place)]


def _place(item: tuple[str, list[str]]) -> tuple[bool, str]:
    return ("." in item[0] and not item[0].startswith("Array"), item[0])


def text() -> str:
    """The page."""
    lines = [HEAD]
    lines.append(
        "| function | known as | Burn | types | CPU | GPU | IR |\n|---|---|---|---|---|---|---|"
    )
    lines += [f"| {' | '.join(each)} |" for each in rows()]
    lines.append("\n## What Burn has\n")
    lines.append(
        "Every operation of Burn's intermediate representation (burn-ir, August 2026), by group. "
        "The gradients\nof modules and activations, `...Backward`, have no counterpart yet. "
        "`Drop` is the end of the last\nreference to an array.\n"
    )
    lines.append("| group | Burn | pyfusion |\n|---|---|---|")
    for group, name, functions in burn():
        lines.append(f"| {group} | `{name}` | {_joined(functions) or 'waits for gradients'} |")
    return "\n".join(lines) + "\n"


def main() -> int:
    page = DOCS / "operations.md"
    if "--check" in sys.argv[1:]:
        if page.read_text() == text():
            return 0
        print(f"{page.name} is old; run python docs/operations.py")
        return 1
    page.write_text(text())
    return 0


if __name__ == "__main__":
    sys.exit(main())
