# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plans in a file: the lowered code of compiled blocks, and what their steps do.

The key of a saved plan has no number of this process in it, and the target in place of the device,
so that a plan made on one GPU serves all of its kind. What is read of a file is a Python literal
and MLIR bytecode; the latter becomes machine code that is run, so load only what you trust. A file
serves the package and the native libraries that it was written with, as the code calls into them.

Its first line says what it is of, and ends in the digest of all that follows: an archive, whose own
checks leave out the names of its members and whatever stands around it.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import hashlib
import io
import os
import secrets
import stat
import warnings
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from .. import dialects
from ..dtypes import DTYPES
from ..errors import level_of_the_user
from ..ir.device import CPU
from ..ir.value import Value
from ..runtime import library
from ..runtime.memory import from_numpy, to_numpy
from ..runtime.statistics import statistics
from ..runtime.steps import BackendStep, ConstantStep, KernelStep, Operand, Result
from ..runtime.views import ViewStep

# Of what is written here: change it when that changes.
_FORMAT = "pyfusion plans 4"
_PARTS = {"slots": int, "results": list, "steps": list, "variants": dict, "refusals": list}
_STEPS = {"kernel": 8, "backend": 6, "constant": 5, "view": 6}  # and the lengths of their tuples

# Of each key: the text, the code, the file that they are of.
_loaded: dict[str, tuple[str, bytes, str]] = {}


@functools.cache
def format_of_this_process() -> str:
    """What a file has to start with: the format, the package, the native libraries."""
    from .. import __version__

    content = hashlib.sha256()
    for path in (library.load().path, dialects.library_file()):
        content.update(hashlib.sha256(Path(path).read_bytes()).digest())
    return f"{_FORMAT}, pyfusion {__version__}, libraries {content.hexdigest()}"


def stable_key(block: Any) -> str:
    """What decides the code of a block, the same in every process."""
    ops = []
    for v in block.queue:
        op, args, attrs, dyn, _ = v.record
        slots = [a.slot if isinstance(a, Value) else "scalar" for a in args]
        ops.append((op.kind, op.name, v.dtype.name, slots, attrs, len(dyn)))
    leaves = [(leaf.dtype.name, leaf.strides is None, _mask(leaf)) for leaf in block.leaves]
    text = repr(
        (
            format_of_this_process(),
            block.device.target,
            block.device is CPU,
            block.precision,
            ops,
            leaves,
        )
        + (list(block.survivors), list(block.dying))
    )
    return hashlib.sha256(text.encode()).hexdigest()


def _mask(v: Value) -> tuple[bool, ...]:
    return tuple([d == 1 for d in v.shape])


# --- Steps as literals ----------------------------------------------------------------------------


def describe(program: Any, block: Any, variants: dict[str, Any], refusals: list[str]) -> str:
    """A program as the text of a Python literal."""
    return repr(
        {
            "slots": program.slots,
            "results": program.results,
            "steps": [_describe_step(step) for step in program.steps],
            "variants": variants,
            "refusals": refusals,
        }
    )


def _describe_step(step: Any) -> tuple:
    if isinstance(step, KernelStep):
        operands = [(o.role, o.slot, o.itemsize, o.dims, o.code) for o in step.operands]
        results = [(r.slot, r.dtype.name, r.extents, r.takes_over) for r in step.results]
        return (
            "kernel",
            step.name,
            step.spec,
            step.extents,
            operands,
            results,
            step.flat,
            step.ops,
        )
    if isinstance(step, BackendStep):
        return ("backend", step.number, step.args, step.dyn, step.dtype.name, step.target)
    if isinstance(step, ConstantStep):
        v = step.value
        array = to_numpy(v) if v.buffer.device is CPU else v.buffer.device.runtime.download(v)
        return ("constant", step.target, v.dtype.name, v.shape, array.tobytes())
    return ("view", step.op, step.source, step.target, step.attrs, step.dyn)


def _restore(known: dict[str, Any], block: Any, engine: Any) -> Any:
    from .makers import maker
    from .program import Program

    device = block.device
    make = maker(device.kind)
    program = Program(device)
    program.slots = known["slots"]
    program.results = known["results"]
    for kind, *rest in known["steps"]:
        step: Any
        if kind == "kernel":
            name, spec, extents, given, made, flat, ops = rest
            native = make.kernel(engine, device, name, spec, known["variants"])
            operands = [
                Operand(role, slot, item, dims, code) for role, slot, item, dims, code in given
            ]
            results = [Result(s, DTYPES[dtype], e, over) for s, dtype, e, over in made]
            about = (extents, operands, results, flat, ops)
            step = make.step(name, native, spec, device, *about)
        elif kind == "backend":
            number, args, dyn, dtype, target = rest
            op, _, attrs, _, _ = block.queue[number].record
            step = BackendStep(op, args, attrs, dyn, DTYPES[dtype], number)
            step.device = device
            step.target = target
        elif kind == "constant":
            target, dtype, shape, data = rest
            array = np.frombuffer(data, DTYPES[dtype].numpy).reshape(shape)
            value = from_numpy(array) if device is CPU else device.runtime.upload(array)
            step = ConstantStep(target, value)
        else:
            step = ViewStep(*rest)
        program.steps.append(step)
    return program


# --- Files ----------------------------------------------------------------------------------------


def find(block: Any) -> Any:
    """The compiled block of a loaded plan, or None. A plan that cannot be used is forgotten, with a
    warning: the block is compiled."""
    if not _loaded:
        return None
    key = stable_key(block)
    known = _loaded.get(key)
    if known is None:
        return None
    from mlir import ir

    from .compiled import CompiledBlock
    from .context import context
    from .makers import maker

    text, code, path = known
    try:
        about = ast.literal_eval(text)
        engine = None
        if code:
            with context(), ir.Location.unknown():
                engine = maker(block.device.kind).engine(ir.Module.parse(code))
        compiled = CompiledBlock(_restore(about, block, engine), block, engine, about["refusals"])
    except MemoryError:
        raise
    except Exception as error:
        del _loaded[key]
        warnings.warn(
            f"{path}: a plan cannot be used, its block is compiled: {type(error).__name__}: "
            f"{error}",
            RuntimeWarning,
            stacklevel=level_of_the_user(),
        )
        return None
    compiled.saved = (key, text, code)
    statistics.loaded += 1
    return compiled


def path_of(path: Any, caller: str) -> str:
    """A path as text. Raises TypeError for what is none, ValueError for an empty one."""
    try:
        text = os.fsdecode(path)
    except TypeError:
        raise TypeError(
            f"{caller}: path is a str, bytes or os.PathLike, not {type(path).__name__}"
        ) from None
    if not text:
        raise ValueError(f"{caller}: path is the name of a file, not ''")
    return text


def _check_regular(path: str, caller: str) -> None:
    if os.path.exists(path) and not os.path.isfile(path):
        raise ValueError(f"{caller}: {path} is no regular file, but a directory, device or pipe")


def write(path: str, compiled: list[Any]) -> int:
    """Writes the compiled blocks that were kept and the loaded plans; gives their number.

    The file that was there stays until the new one is complete, which has its permissions.

    Raises:
        ValueError: what is there is a directory, a device or a pipe.
        OSError: the file cannot be written.
    """
    kept = {key: (text, code) for key, (text, code, _) in _loaded.items()}
    for block in compiled:
        if block.saved is not None:
            key, text, code = block.saved
            kept[key] = text, code
    path = os.path.realpath(path)  # of a link: what it points to is replaced
    _check_regular(path, "save_plans")  # of a device, the machine would be without it
    mode = _mode(path)
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        for key, (text, code) in kept.items():
            file.writestr(f"{key}.plan", text)
            file.writestr(f"{key}.mlirbc", code)
    data = archive.getvalue()
    folder, name = os.path.split(path)
    temporary = os.path.join(folder, f".{name[:100]}-{secrets.token_hex(8)}")
    try:
        with open(temporary, "xb") as raw:
            if mode is not None:
                os.fchmod(raw.fileno(), mode)
            raw.write(_first_line(data))
            raw.write(data)
        os.replace(temporary, path)
    except FileNotFoundError as error:
        raise FileNotFoundError(error.errno, error.strerror, path) from None
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.remove(temporary)
    return len(kept)


def _mode(path: str) -> int | None:
    """The permissions of the file that is there, None if there is none.

    Raises:
        OSError: nobody can say, as of a link that leads to itself.
    """
    try:
        return stat.S_IMODE(os.stat(path).st_mode)
    except FileNotFoundError:
        return None


def _first_line(data: bytes) -> bytes:
    return f"{format_of_this_process()}, content {hashlib.sha256(data).hexdigest()}\n".encode()


def read(path: str) -> int:
    """Reads plans for later blocks; gives their number. A file that raises leaves nothing behind.

    Raises:
        ValueError: the file holds no plans, or those of another version, is damaged or no regular
            file.
        OSError: it cannot be read.
    """
    _check_regular(path, "load_plans")  # others need not end
    line, _, data = Path(path).read_bytes().partition(b"\n")
    advice = "write it again with pf.save_plans, or compile without it"
    found, known, wanted = (
        line.decode(errors="replace"),
        format_of_this_process(),
        _first_line(data),
    )
    if found.startswith("pyfusion plans ") and found.rpartition(", content ")[0] != known:
        raise ValueError(
            f"{path} is of another version, {found[:200]!r}, and this is {known!r}: {advice}"
        )
    try:
        if line + b"\n" != wanted:
            raise ValueError("the content has not the digest of its first line")
        with zipfile.ZipFile(io.BytesIO(data)) as file:
            plans = _plans(file, path)
    except MemoryError:
        raise
    except Exception as error:  # the many errors of zipfile, zlib and ast: somebody else wrote it
        raise ValueError(
            f"{path} holds no plans, or is damaged ({type(error).__name__}: {error}): {advice}"
        ) from error
    _loaded.update(plans)
    return len(plans)


def _plans(file: zipfile.ZipFile, path: str) -> dict[str, tuple[str, bytes, str]]:
    plans = {}
    for name in file.namelist():
        key, _, kind = name.partition(".")
        if kind == "plan":
            text, code = file.read(name).decode(), file.read(f"{key}.mlirbc")
            _check(ast.literal_eval(text))
            if code and code[:4] != b"ML\xefR":
                raise ValueError(f"{key}.mlirbc is no MLIR bytecode")
            plans[key] = text, code, path
    return plans


def _check(about: Any) -> None:
    """Raises ValueError for what `describe` does not give."""
    for name, kind in _PARTS.items():
        if not isinstance(about, dict) or not isinstance(about.get(name), kind):
            raise ValueError(f"a plan's {name} is no {kind.__name__}")
    for step in about["steps"]:
        if not isinstance(step, tuple) or not step or len(step) != _STEPS.get(step[0], 0):
            raise ValueError(f"a plan's step is {step!r:.80}")
