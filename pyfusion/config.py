# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every flag of pyfusion, its type, its default and what it does.

Each flag is an attribute of `pyfusion.config` and is read once, at import, from an environment
variable named `PYFUSION_` and the flag's name in capitals. `with config.scope(mode="single"):`
sets flags for a while. Flags hold for the whole process: a scope sets them for all threads, and of
several scopes that are open the one that was opened last holds.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

# Names of devices: the kind, and the number if there is one.
KIND = re.compile("[a-z][a-z0-9_]*")
DEVICE_NAME = re.compile(f"cpu|({KIND.pattern})(?::(0|[1-9][0-9]{{0,8}}))?")
DEVICE_NAMES = "'cpu', 'cuda', 'cuda:N', 'rocm', 'rocm:N'"
GPU_KINDS = ("cuda", "rocm")
MAX_THREADS = 1024  # of the native run time
_decorated: set[str] = set()  # kinds of devices that `Fusion` made


def is_device_name(name: Any) -> bool:
    """Whether it can be the name of a device: whether there is one is known when it is used."""
    match = DEVICE_NAME.fullmatch(name) if isinstance(name, str) else None
    return match is not None and match[1] in (None, *GPU_KINDS, *_decorated)


def name_devices(kind: str) -> None:
    """Lets devices have names of a kind."""
    _decorated.add(kind)


class Flag(NamedTuple):
    default: Any
    parse: Callable[[str], Any]
    doc: str


def _boolean(text: str) -> bool:
    low = text.strip().lower()
    if low in ("", "0", "false", "no", "off"):
        return False
    if low in ("1", "true", "yes", "on"):
        return True
    raise ValueError("use 0 or 1")


def _natural(given: str | int, most: int = (1 << 63) - 1) -> int:
    try:
        value = int(given)
    except ValueError:
        value = -1
    if not 0 <= value <= most:
        raise ValueError(f"use a whole number from 0 to {most}")
    return value


def _threads(given: str | int) -> int:
    return _natural(given, MAX_THREADS)


def _one_of(*names: str) -> Callable[[str], str]:
    def parse(text: str) -> str:
        if text not in names:
            raise ValueError(f"use one of {', '.join(names)}")
        return text

    return parse


def _device(text: str) -> str:
    """Only the name is checked: whether there is such a device is known when it is first used."""
    if not is_device_name(text):
        raise ValueError(f"use one of {DEVICE_NAMES}")
    return text


FLAGS: dict[str, Flag] = {
    "mode": Flag(
        "fused",
        _one_of("fused", "single", "backend"),
        "fused: operations are merged into kernels. single: each operation is compiled alone. "
        "backend: each operation is run by the backend, nothing is compiled.",
    ),
    "precision": Flag(
        "strict",
        _one_of("strict", "fast"),
        "strict: each operation rounds to its element type. fast: within a kernel float16 and "
        "bfloat16 values stay float32 until they are stored or cast, so that what is computed from "
        "them in between, comparisons too, sees digits and magnitudes that the type lacks; and a "
        "product may be contracted with the sum or difference that it is an operand of. It holds "
        "for the blocks that are run while it is set: read, or pf.sync(), within its scope.",
    ),
    "strict": Flag(
        False,
        _boolean,
        "Raise where a block would else fall back to the backend with a warning.",
    ),
    "debug": Flag(
        0,
        _natural,
        "1: a line for each block on stderr. 2: each kernel with its time and GB/s. 3: the plan's "
        "steps and why neighbours were not merged. 4: the outlined IR. 5: the IR of every phase.",
    ),
    "threads": Flag(
        0,
        _threads,
        f"Threads of the kernels, at most {MAX_THREADS}; 0: as many as the process may use.",
    ),
    "dump_dir": Flag("", str, "Folder for the IR of each compiled block, a file for each phase."),
    "native_dir": Flag("", str, "Folder with native libraries built for development."),
    "max_queue": Flag(
        256, _natural, "Operations that a stream holds before it flushes them by itself."
    ),
    "max_held": Flag(
        1 << 30, _natural, "Bytes of new arrays that a stream with queued operations may hold."
    ),
    "max_plans": Flag(256, _natural, "Compiled plans kept; the least recently used one goes."),
    "max_plan_bytes": Flag(
        1 << 28,
        _natural,
        "Bytes that compiled plans may hold, machine code included, by an estimate: about 1 MB "
        "each. The least recently used one goes. Not counted: code on GPUs.",
    ),
    "device": Flag(
        "cpu", _device, "Where arrays are made that no argument places: cpu, cuda, cuda:1, rocm."
    ),
    "gpu_backend": Flag(
        "auto",
        _one_of("auto", "cupy", "torch"),
        "The library that owns the memory and the streams of GPUs; auto: CuPy where it can be "
        "imported, else PyTorch. Read when a GPU is first used.",
    ),
    "gpu_format": Flag(
        "auto",
        _one_of("auto", "ptx", "cubin"),
        "Code for NVIDIA's GPUs: PTX, which the driver compiles, or cubin, made by ptxas; auto: "
        "PTX.",
    ),
    "keep_plans": Flag(
        False,
        _boolean,
        "Compiled blocks keep their lowered code, so that pf.save_plans can write them.",
    ),
    "tracing": Flag(
        False,
        _boolean,
        "OpenTelemetry spans of blocks, plans, compile phases and launches; needs "
        "opentelemetry-api. See pyfusion.tracing.",
    ),
    "pool_limit": Flag(0, _natural, "Bytes of free buffers kept for reuse; 0: the native default."),
}


def _flag(name: str) -> Flag:
    flag = FLAGS.get(name)
    if flag is None:
        raise AttributeError(f"no flag {name!r}; there are {', '.join(sorted(FLAGS))}")
    return flag


class Config:
    """The flags, as attributes. Unknown names and values of the wrong type raise."""

    mode: str
    precision: str
    strict: bool
    debug: int
    threads: int
    dump_dir: str
    native_dir: str
    max_queue: int
    max_held: int
    max_plans: int
    max_plan_bytes: int
    device: str
    gpu_backend: str
    gpu_format: str
    keep_plans: bool
    tracing: bool
    pool_limit: int
    _listeners: dict[str, list[Callable[[Any], None]]]
    _layers: dict[str, list[list[Any]]]
    _lock: threading.RLock

    def __init__(self) -> None:
        values = {}
        for name, flag in FLAGS.items():
            text = os.environ.get("PYFUSION_" + name.upper())
            if text is None or (text == "" and flag.default != ""):
                values[name] = flag.default
                continue
            try:
                values[name] = flag.parse(text)
            except ValueError as error:
                raise ValueError(f"PYFUSION_{name.upper()}={text!r:.100}: {error}") from None
        # Beside the values: of each flag the value outside of scopes and one for each open scope.
        layers = {name: [[value]] for name, value in values.items()}
        self.__dict__.update(values, _listeners={}, _layers=layers, _lock=threading.RLock())

    def __setattr__(self, name: str, value: Any) -> None:
        self._check(name, value)
        with self._lock:
            self._layers[name][-1][0] = value
            self._apply(name)

    def _check(self, name: str, value: Any) -> None:
        flag = _flag(name)
        if type(flag.default) is bool:
            if not isinstance(value, bool):
                raise TypeError(f"{name} takes a bool, not {value!r}")
        elif isinstance(value, bool) or not isinstance(value, type(flag.default)):
            raise TypeError(f"{name} takes {type(flag.default).__name__}, not {value!r}")
        else:
            try:
                flag.parse(value)
            except ValueError as error:
                shown = value if isinstance(value, str) or value < 1 << 99 else "a huge number"
                raise ValueError(f"{name} = {shown!r:.100}: {error}") from None

    def _apply(self, name: str) -> None:
        self.__dict__[name] = value = self._layers[name][-1][0]
        for call in self._listeners.get(name, ()):
            call(value)

    def on_change(self, name: str, call: Callable[[Any], None]) -> None:
        """Has `call(value)` called when the flag is set."""
        self._listeners.setdefault(name, []).append(call)

    @contextmanager
    def scope(self, **flags: Any) -> Iterator[Config]:
        """Sets flags inside a `with` block, for all threads, and takes that back after it.

        Scopes may overlap, as those of two threads do: what was opened last holds, and after the
        last one each flag is what it was before the first. What is assigned to a flag within a
        scope goes with the one opened last.
        """
        for name, value in flags.items():
            self._check(name, value)
        opened = []
        try:
            for name, value in flags.items():
                with self._lock:
                    opened.append((name, [value]))
                    self._layers[name].append(opened[-1][1])
                    self._apply(name)
            yield self
        finally:
            for name, layer in opened:
                with self._lock:
                    layers = self._layers[name]
                    del layers[next(i for i, other in enumerate(layers) if other is layer)]
                    self._apply(name)

    def __repr__(self) -> str:
        return "\n".join(f"{name} = {getattr(self, name)!r}" for name in FLAGS)


config = Config()
os.register_at_fork(after_in_child=lambda: config.__dict__.update(_lock=threading.RLock()))
