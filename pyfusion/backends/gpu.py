# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which library owns the GPUs, and what is wrong where none does."""

from __future__ import annotations

from importlib.util import find_spec

from ..errors import DeviceError
from .protocols import DeviceBackend

_CUPY = "install CuPy (pip install cupy-cuda12x, or cupy-cuda13x for CUDA 13)"
_ROCM = "install CuPy for ROCm (pip install cupy-rocm-7-0)"
_INSTALL = {
    ("cuda", "auto"): f"{_CUPY} or PyTorch (pip install torch)",
    ("cuda", "cupy"): _CUPY,
    ("cuda", "torch"): "install PyTorch (pip install torch)",
    ("rocm", "auto"): _ROCM,
    ("rocm", "cupy"): _ROCM,
    ("rocm", "torch"): f"{_ROCM}, and set gpu_backend to cupy: PyTorch has no part in it here",
}


def choose(kind: str, wanted: str, asked: str = "") -> DeviceBackend:
    """The backend for GPUs of a kind: "cuda" or "rocm".

    Args:
        wanted: "cupy", "torch", or "auto": CuPy where it can be imported, else PyTorch.
        asked: name of the device that it is for, in the message.

    Raises:
        DeviceError: it is not installed, or finds no driver or device.
    """
    problems = []
    for name in ("cupy", "torch") if wanted == "auto" else (wanted,):
        if find_spec(name) is None:
            problems.append(f"{name} is not installed")
            continue
        try:
            found = _make(name, kind)
            if found.count() > 0:
                return found
            problems.append(f"{found.name} finds no device")
        except DeviceError as error:
            problems.append(str(error))
        except ImportError as error:
            problems.append(f"{name} cannot be imported: {error}")
    missing = all(problem.endswith("is not installed") for problem in problems)
    hint = f"; {_INSTALL[kind, wanted]}" if missing else ""
    raise DeviceError(f"device '{asked or kind}' cannot be used: {'; '.join(problems)}{hint}")


def _make(name: str, kind: str) -> DeviceBackend:
    if name == "cupy":
        from .cupy_backend import CupyBackend

        return CupyBackend(kind)
    from .torch_backend import TorchBackend

    return TorchBackend(kind)
