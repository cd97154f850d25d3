# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is asked of CuPy, of a module in its place: CuPy itself cannot run without a driver."""

import contextlib
import importlib
import sys
import types
from contextlib import contextmanager

import numpy as np
import pytest

from pyfusion.backends.protocols import NotOnDevice


class Stream:
    ptr = 0


class Device:
    id = 1

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass


class FakeArray(np.ndarray):
    device = Device()


def array(given):
    return np.asarray(given).view(FakeArray)


class _Errors:
    linalg = None


@contextmanager
def errstate(linalg=None):
    _Errors.linalg, before = linalg, _Errors.linalg
    yield
    _Errors.linalg = before


def inv(a):
    """As CuPy's: NaN for a singular matrix unless it is told to raise."""
    try:
        return array(np.linalg.inv(np.asarray(a)))
    except np.linalg.LinAlgError:
        if _Errors.linalg == "raise":
            raise
        return array(np.full(a.shape, np.nan))


def sort(a, axis=-1, kind=None):
    return array(np.sort(np.asarray(a), axis))


def cumsum(a, axis=None, dtype=None, out=None):
    if a.dtype == bool:
        raise NotImplementedError("made to fail")
    raise RuntimeError("cudaErrorLaunchFailure")


@pytest.fixture
def backend(monkeypatch):
    runtime = types.SimpleNamespace(is_hip=False, getDevice=lambda: 0)
    cuda = types.SimpleNamespace(runtime=runtime, get_current_stream=lambda: Stream)
    cupy = types.ModuleType("cupy")
    cupy.cuda, cupy.ndarray = cuda, FakeArray
    cupy.sort, cupy.cumsum, cupy.matmul = sort, cumsum, np.matmul
    cupy.repeat = lambda a, repeats, axis=None: array(np.repeat(np.asarray(a), repeats, axis))
    cupy.asarray = array
    cupy.linalg = types.SimpleNamespace(inv=inv)
    cupyx = types.ModuleType("cupyx")
    cupyx.errstate = errstate
    name = "pyfusion.backends.cupy_backend"
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    monkeypatch.setitem(sys.modules, "cupyx", cupyx)
    sys.modules.pop(name, None)
    yield importlib.import_module(name).CupyBackend("cuda")
    sys.modules.pop(name)


def test_singular_matrices_raise_as_in_numpy(backend):
    singular = [array(np.zeros((2, 2)))]
    assert backend.runs(np.linalg.inv, singular, {})
    with pytest.raises(np.linalg.LinAlgError):
        backend.run(np.linalg.inv, singular, {})


def test_what_it_has_is_known_before(backend):
    x = array([3.0, 1, 2])
    assert backend.runs(np.sort, [x, -1], {"stable": True})  # which CuPy's always are
    np.testing.assert_array_equal(backend.run(np.sort, [x, -1], {"stable": True}), [1, 2, 3])
    assert not backend.runs(np.sort, [x], {"order": "f"})
    assert not backend.runs(np.argsort, [x], {})  # not in this CuPy
    assert not backend.runs(np.linalg.svd, [x], {})
    assert not backend.runs(np.spacing, [x], {})  # not in the table
    assert not backend.runs(test_what_it_has_is_known_before, [x], {})
    assert not backend.runs(np.sort, [[3, 1]], {})
    assert backend.runs(np.repeat, [x, 2], {"axis": 0})
    assert not backend.runs(np.repeat, [x, array([1, 2, 3])], {})


def test_errors_of_the_library(backend):
    with pytest.raises(RuntimeError, match="LaunchFailure"):
        backend.run(np.cumsum, [array([1.0])], {})
    with pytest.raises(NotOnDevice, match="made to fail"):
        backend.run(np.cumsum, [array([True])], {})


def test_products_of_bfloat16_are_on_the_stream_of_cupy(backend, monkeypatch):
    import ml_dtypes

    module = sys.modules[type(backend).__module__]
    x = array(np.array([[1.5, 2], [0, 1]], ml_dtypes.bfloat16))
    assert backend.runs(np.matmul, [x, x], {})
    assert not backend.runs(np.sort, [x], {})
    want = (x.astype(np.float32) @ x.astype(np.float32)).astype(x.dtype)

    monkeypatch.setattr(module, "_torch", lambda: None)
    np.testing.assert_array_equal(backend.run(np.matmul, [x, x], {}), want)

    streams = []
    torch = FakeTorch(streams)
    monkeypatch.setattr(module, "_torch", lambda: torch)
    for handle in (0, 99):
        monkeypatch.setattr(Stream, "ptr", handle)
        np.testing.assert_array_equal(backend.run(np.matmul, [x, x], {}), want)
    assert streams == [("default", 1), (99, 1)]
    torch.fails = MemoryError("made to fail")
    with pytest.raises(MemoryError):
        backend.run(np.matmul, [x, x], {})


class FakeTorch:
    """What is used of PyTorch; products are of what stands on the stream."""

    def __init__(self, streams):
        import ml_dtypes

        self.bfloat16, self.int16 = ml_dtypes.bfloat16, np.int16
        self.fails = None
        self.streams = streams
        self.on = []
        self.cuda = types.SimpleNamespace(
            ExternalStream=lambda handle, device: self._stream(handle, device[1]),
            default_stream=lambda index: self._stream("default", index),
            stream=self._use,
        )
        self.device = lambda kind, index: (kind, index)

    @staticmethod
    def _stream(handle, index):
        return types.SimpleNamespace(about=(handle, index), device=("cuda", index))

    @contextlib.contextmanager
    def _use(self, stream):
        self.on.append(stream)
        yield
        self.on.pop()

    def as_tensor(self, a, device):
        assert device == self.on[-1].device
        return np.asarray(a)

    def matmul(self, x, y):
        if self.fails is not None:
            raise self.fails
        self.streams.append(self.on[-1].about)
        return (x.astype(np.float32) @ y.astype(np.float32)).astype(x.dtype)
