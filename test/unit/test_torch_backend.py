# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch as the owner of GPUs, where it is installed, with tensors of the CPU."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("array_api_compat")

from pyfusion.backends import torch_backend, torch_functions  # noqa: E402
from pyfusion.backends.on_device import on_device  # noqa: E402
from pyfusion.backends.protocols import NotOnDevice  # noqa: E402


@pytest.fixture
def backend():
    return object.__new__(torch_backend.TorchBackend)


def test_one_list_of_functions():
    assert set(torch_functions.FUNCTIONS) == on_device("torch")


@pytest.mark.parametrize(
    "function, args, options",
    [
        (np.matmul, (np.ones((2, 3)), np.ones((3, 4))), {}),
        (np.concatenate, ([np.ones((2, 3)), np.zeros((4, 3))],), {"axis": 0, "dtype": None}),
        (np.concatenate, ([np.ones((2, 3)), np.zeros(2)],), {"axis": None}),
        (np.stack, ([np.ones(3), np.zeros(3)],), {"axis": -1}),
        (np.sort, (np.array([[3.0, np.nan], [1, -2]]), 0), {"stable": True}),
        (np.argsort, (np.array([3, 1, 1, 2]), -1), {"stable": True}),
        (np.roll, (np.arange(6).reshape(2, 3), 2, None), {}),
        (np.roll, (np.arange(6).reshape(2, 3), (1, -1), (0, 1)), {}),
        (np.nonzero, (np.array([[0, 2], [3, 0]]),), {}),
    ],
)
def test_what_it_runs_is_what_numpy_gives(backend, function, args, options):
    given = [_tensors(a) for a in args]
    assert backend.runs(function, given, options)
    found = backend.run(function, given, options)
    want = function(*args, **options)
    if not isinstance(want, tuple):
        found, want = (found,), (want,)
    for f, w in zip(found, want, strict=True):
        assert f.numpy().dtype == w.dtype
        np.testing.assert_array_equal(f.numpy(), w)


def _tensors(item):
    if isinstance(item, np.ndarray):
        return torch.from_numpy(item)
    return [_tensors(i) for i in item] if isinstance(item, list) else item


@pytest.mark.parametrize(
    "function, args, options",
    [
        (np.linalg.inv, (torch.ones(2, 2),), {}),
        (np.matmul, (torch.ones(2, 2).int(), torch.ones(2, 2).int()), {}),  # no kernel
        (np.matmul, (torch.ones(2), torch.ones(2).double()), {}),  # it does not promote
        (np.matmul, (torch.ones(2), 2.0), {}),
        (np.concatenate, ([torch.ones(2), torch.ones(2).int()],), {}),
        (np.concatenate, ([torch.ones(2)],), {"dtype": np.float64}),
        (np.concatenate, ([torch.ones(2, 3), torch.ones(2, 4)],), {"axis": 0}),
        (np.concatenate, ([torch.ones(2, 3), torch.ones(0)],), {"axis": 0}),  # an error of NumPy
        (np.concatenate, ([torch.ones(2)],), {"axis": 1}),
        (np.concatenate, ([],), {}),
        (np.stack, ([torch.ones(2), torch.ones(3)],), {}),
        (np.stack, ([torch.ones(2)],), {"casting": "safe"}),
        (np.sort, (torch.ones(2).cfloat(),), {}),
        (np.sort, (torch.ones(2), 1), {}),
        (np.sort, (torch.ones(2), None), {}),
        (np.roll, (torch.ones(2), torch.ones(1).int()), {}),
        (np.roll, (torch.ones(2), (1, 2), 0), {}),
        (np.nonzero, (torch.ones(()),), {}),
    ],
)
def test_what_it_does_not_run_is_known_before(backend, function, args, options):
    assert not backend.runs(function, list(args), options)


@pytest.mark.parametrize(
    "given, raised",
    [
        (RuntimeError("CUDA error: an illegal memory access"), RuntimeError),
        (TypeError("made to fail"), TypeError),
        (torch.OutOfMemoryError("made to fail"), MemoryError),
        (NotImplementedError('"sort" not implemented for this'), NotOnDevice),
    ],
)
def test_errors_of_the_library(backend, monkeypatch, given, raised):
    def fails(x, y):
        raise given

    known = torch_functions.FUNCTIONS["matmul"]._replace(call=fails)
    monkeypatch.setitem(torch_functions.FUNCTIONS, "matmul", known)
    with pytest.raises(raised):
        backend.run(np.matmul, [torch.ones(2), torch.ones(2)], {})


class Interface:
    """Memory that is described by the CUDA array interface."""

    def __init__(self, address, **more):
        self.__cuda_array_interface__ = {
            "version": 3, "typestr": "<f4", "shape": (2,), "data": (address, False), **more,
        }  # fmt: skip


@pytest.mark.parametrize("stream, waited", [({}, []), ({"stream": None}, []), ({"stream": 7}, [7])])
def test_imports_wait_for_the_stream_and_stay_on_the_device(backend, monkeypatch, stream, waited):
    waits, places = [], []
    monkeypatch.setattr(torch_backend, "device_of_pointer", lambda address: {64: 1}[address])
    monkeypatch.setattr(backend, "_devices", {1: torch.device("cuda", 1)}, raising=False)
    monkeypatch.setattr(backend, "wait_for", lambda *about: waits.append(about), raising=False)
    monkeypatch.setattr(torch, "as_tensor", lambda given, device: places.append(device))
    backend.imported(Interface(64, **stream), False)
    assert waits == [(1, s) for s in waited]
    assert places == [torch.device("cuda", 1)]


def test_default_streams(backend, monkeypatch):
    monkeypatch.setattr(backend, "_devices", {}, raising=False)
    monkeypatch.setattr(torch.cuda, "default_stream", lambda index: ("default", index))
    monkeypatch.setattr(torch.cuda, "ExternalStream", lambda handle, device: (handle, device.index))
    assert [backend._external(1, s) for s in (0, 1)] == [("default", 1)] * 2
    assert [backend._external(1, s) for s in (2, 9)] == [(2, 1), (9, 1)]
