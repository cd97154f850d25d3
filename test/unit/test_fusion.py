# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`Fusion(backend)`: any eager backend as a device whose operations are deferred."""

import numpy as np
import pytest

import pyfusion as pf
from pyfusion.backends.numpy_backend import NumpyBackend
from pyfusion.backends.protocols import FusionBackend, FusionDevice, FusionHandle, FusionTensor
from pyfusion.ir.device import CPU
from pyfusion.runtime import devices
from pyfusion.stream import engine


class Hosted(NumpyBackend):
    """Arrays of NumPy itself."""

    name = "hosted"

    def __init__(self):
        self.ran = []

    def execute(self, op, *about):
        self.ran.append(op.name)
        return super().execute(op, *about)


class Box:
    """An array that nobody can look into."""

    def __init__(self, array):
        self.array = array


class Boxes:
    """Arrays without addresses."""

    name = "boxes"

    def __init__(self):
        self.ran = []
        self.fail = None

    def execute(self, op, args, attrs, dyn, shape, dtype):
        self.ran.append(op.name)
        if op.name == self.fail:
            raise RuntimeError("made to fail")
        given = [a.array if isinstance(a, Box) else a for a in args]
        return Box(NumpyBackend().execute(op, given, attrs, dyn, shape, dtype))

    def from_numpy(self, array):
        return Box(array)

    def to_numpy(self, box):
        return box.array

    def describe(self, box):
        return box.array.shape, box.array.dtype


@pytest.fixture(autouse=True)
def no_devices_are_left():
    yield
    for device in devices.used():
        if not device.is_gpu:
            devices.remove(device)


@pytest.fixture(params=[Hosted, Boxes])
def fused(request):
    with pf.Fusion(request.param()) as made:
        yield made


def data(*shape):
    return np.random.default_rng(1).normal(size=shape).astype(np.float32)


def test_programs(fused):
    n = data(5, 7)
    x = fused.asarray(n)
    assert x.device == fused.device
    y = pf.exp(x * 2) + x[::-1, 1:].T.sum(axis=1, keepdims=True)[:1]
    want = np.exp(n * 2) + n[::-1, 1:].T.sum(axis=1, keepdims=True)[:1]
    assert y.device == fused.device
    np.testing.assert_allclose(np.asarray(y), want, rtol=1e-5)
    np.testing.assert_allclose(np.asarray(x @ x.T), n @ n.T, rtol=1e-4, atol=1e-5)
    np.testing.assert_array_equal(np.asarray(pf.sort(x, axis=0)), np.sort(n, axis=0))
    np.testing.assert_array_equal(np.asarray(pf.concat([x, x])), np.concatenate([n, n]))
    assert float(pf.ones((2, 2), device=fused.device).sum()) == 4


@pytest.mark.parametrize("shape", [(), (0,), (3, 0), (1, 1)])
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float16", "bfloat16", "complex64"])
def test_types_and_shapes(fused, shape, dtype):
    n = np.asarray(np.ones(shape)).astype(getattr(pf, dtype).numpy)
    x = fused.asarray(n)
    got = np.asarray(x + x)
    assert got.dtype == n.dtype and got.shape == shape
    np.testing.assert_array_equal(got, n + n)


@pytest.mark.fused
def test_memory_of_the_host_is_compiled():
    fused = pf.Fusion(Hosted())
    x = fused.asarray(data(1000))
    with pf.testing.inspect() as report:
        y = pf.exp(x * 2) + 1
    assert (report.kernels, fused.backend.ran) == (1, [])
    assert isinstance(fused.unwrap(y), np.ndarray)
    assert np.asarray(pf.logaddexp2(x, x)).shape == (1000,)
    assert fused.backend.ran == ["logaddexp2"]


def test_other_memory_is_the_backends():
    fused = pf.Fusion(Boxes())
    x = fused.asarray(data(4))
    with pf.testing.inspect() as report:
        y = pf.exp(x * 2) + 1
    assert report.kernels == 0
    assert fused.backend.ran == ["multiply", "exp", "add"]
    assert isinstance(fused.unwrap(y), Box)


def test_a_failure_spoils_what_depends_on_it():
    fused = pf.Fusion(Boxes())
    x = fused.asarray(data(4))
    fused.backend.fail = "exp"
    good, bad = x * 2, pf.exp(x)
    worse = bad + good
    for spoiled in (bad, worse):
        with pytest.raises(pf.ExecutionError, match=r"exp.*made to fail.*test_fusion\.py"):
            np.asarray(spoiled)
    np.testing.assert_allclose(np.asarray(good), data(4) * 2)
    fused.backend.fail = None
    np.testing.assert_allclose(np.asarray(pf.exp(x)), np.exp(data(4)), rtol=1e-6)


@pytest.mark.host
def test_between_devices(fused):
    n = data(3, 4)
    x = pf.asarray(n)
    there = x.to_device(fused.device)
    np.testing.assert_array_equal(np.asarray(there.to_device("cpu") + x), n + n)
    with pytest.raises(pf.DeviceError, match=r"cpu.*hosted:0|boxes:0"):
        there + x
    assert fused.device in devices.names()
    np.testing.assert_array_equal(np.from_dlpack(there.T), n.T)
    with pf.config.scope(device=fused.device):
        assert pf.zeros(3).device == fused.device


def test_closing_forgets_the_name():
    with pf.Fusion(Boxes()) as fused:
        x = fused.asarray(data(3))
        assert "boxes:0" in devices.names()
    assert "boxes:0" not in devices.names()
    np.testing.assert_array_equal(np.asarray(x + x), data(3) * 2)
    with pytest.raises(pf.DeviceError, match="does not exist"):
        pf.zeros(3, device="boxes:0")


def test_what_is_no_fuser_is_refused_where_it_is_given():
    class Mine(NumpyBackend):
        name = "refusing"

    with pytest.raises(TypeError, match="is not an OperationFuser: it has no fuse, finish"):
        pf.Fusion(Mine(), fusers=[object()])
    with pytest.raises(TypeError, match="fusers is <object .*, not a list of fusers"):
        pf.Fusion(Mine(), fusers=object())
    with pytest.raises(pf.DeviceError):
        pf.ones(2, device="refusing")


def test_what_is_no_backend():
    class Half:
        name = "half"

        def execute(self, *about): ...

    with pytest.raises(TypeError, match="from_numpy, to_numpy, describe"):
        pf.Fusion(Half())
    for name in (3, None):
        backend = Boxes()
        backend.name = name
        with pytest.raises(TypeError, match=f"the name of Boxes is {name}, not a str"):
            pf.Fusion(backend)
    for name in ("cuda", "rocm", "cpu", "a b", "a:0", "_a", "Upper", "ünï", ""):
        backend = Boxes()
        backend.name = name
        with pytest.raises(pf.DeviceError, match="cannot be called"):
            pf.Fusion(backend)
    with pytest.raises(TypeError, match=r"Boxes is a class: give an instance, Boxes\(\)"):
        pf.Fusion(Boxes)
    backend = Boxes()
    backend.execute = None
    with pytest.raises(TypeError, match="it has no execute"):
        pf.Fusion(backend)
    with pytest.raises(pf.DeviceError, match="does not exist"):
        pf.zeros(3, device="nobody:0")
    fused = pf.Fusion(Boxes())
    with pytest.raises(pf.DeviceError, match="does not exist"):
        pf.zeros(3, device="boxes:1")
    with pytest.raises(pf.DeviceError, match="not boxes:0"):
        fused.unwrap(pf.zeros(3))


def test_a_backend_that_gives_another_shape():
    class Wrong(Boxes):
        name = "wrong"

        def execute(self, *about):
            return Box(np.zeros(3))

    x = pf.Fusion(Wrong()).asarray(data(4))
    with pytest.raises(pf.ExecutionError, match=r"wrong backend's .* gave float64\[3\]"):
        np.asarray(x * 2)


@pytest.mark.parametrize("given", [None, 3, [1.0], Box(None)])
@pytest.mark.parametrize("backend", [Hosted, Boxes])
def test_a_backend_that_gives_no_array(backend, given):
    class Wrong(backend):
        name = "wrong"

        def execute(self, *about):
            return given

    x = pf.Fusion(Wrong()).asarray(data(4))
    what = "None" if given is None else "an object of|int64|float64"
    with pytest.raises(
        pf.ExecutionError, match=f"nextafter: .*the wrong backend's execute gave ({what})"
    ):
        np.asarray(pf.nextafter(x, 2.0))


def test_a_function_of_a_backend_that_gives_no_array():
    class Wrong(Boxes):
        name = "wrong"

        def runs(self, *about):
            return True

        def run(self, *about):
            return None

    x = pf.Fusion(Wrong()).asarray(data(4))
    with pytest.raises(pf.ExecutionError, match="sort on wrong:0: .*run gave None for sort"):
        pf.sort(x)
    Wrong.run = None
    with pytest.raises(TypeError, match="Wrong is no FusionBackend: it has no run$"):
        pf.Fusion(Wrong())


def test_a_backend_that_cannot_be_read():
    class Wrong(Boxes):
        name = "wrong"

        def to_numpy(self, box):
            raise OSError("gone")

    x = pf.Fusion(Wrong()).asarray(data(4))
    for _ in range(2):
        with pytest.raises(pf.ExecutionError, match="a read from wrong:0: to_numpy: OSError: gone"):
            np.asarray(x)


@pytest.mark.parametrize("described", [None, ((4,), None), ((4,), "no type"), 3])
def test_a_backend_that_describes_nothing(described):
    class Wrong(Boxes):
        name = "wrong"

        def describe(self, box):
            return described

    fused = pf.Fusion(Wrong())
    with pytest.raises(RuntimeError, match="from_numpy gave an object of Box, of which its descr"):
        fused.asarray(data(4))


def test_results_of_a_backend_in_memory_that_is_not_used_in_place():
    class Swapped(Hosted):
        name = "swapped"

        def execute(self, *about):
            found = super().execute(*about)
            packed = np.zeros(found.shape, [("tag", "u1"), ("value", ">f4")])
            packed["value"] = found
            return packed["value"]

    n = data(4)
    x = pf.Fusion(Swapped()).asarray(n)
    np.testing.assert_array_equal(np.asarray(pf.nextafter(x, x) * 2), n * 2)


def test_a_name_that_another_backend_has():
    with pf.Fusion(Boxes()):

        class Other(Boxes):
            pass

        with pytest.raises(pf.DeviceError, match=r"there is boxes:0 already, of .*Boxes; close"):
            pf.Fusion(Other())
    with pf.Fusion(Other()) as fused:
        assert fused.device == "boxes:0"


def test_what_is_not_compiled_is_explained():
    fused = pf.Fusion(Boxes())
    x = fused.asarray(data(4))

    def f(a):
        return pf.exp(a[::-1] * 2) + 1

    explained = pf.explain(f, x)
    assert (explained.kernels, explained.refusals) == ([], [])
    assert explained.backend == ["slice", "multiply", "exp", "add"]
    lowered = pf.lower(f, x)
    assert lowered.stages == ["fusion"]
    text = lowered.as_text()
    assert text.startswith("// the memory of boxes:0 is not the host's: its backend runs each oper")
    assert "fusion.exp" in text
    with pytest.raises(ValueError, match="'merged'; there is fusion alone: the memory of boxes:0"):
        lowered.as_text("merged")
    assert pf.explain(lambda a: pf.cumulative_sum(a) * 2, x).at_once == ["cumulative_sum"]
    with pytest.raises(RuntimeError, match="^lower.. and explain.. run nothing"):
        pf.explain(lambda a: pf.cumulative_sum(a * 2), x)
    assert fused.backend.ran == []


def test_protocols():
    x = pf.ones(3)
    assert isinstance(NumpyBackend(), FusionBackend) and isinstance(Boxes(), FusionBackend)
    assert isinstance(x, FusionTensor) and isinstance(CPU, FusionDevice)
    pf.sync()
    assert isinstance(x._v, FusionHandle)


def test_pytorch_on_the_host():
    torch = pytest.importorskip("torch")
    from pyfusion.backends.torch_host import TorchHostBackend

    fused = pf.Fusion(TorchHostBackend())
    for dtype in ("float32", "bfloat16", "float16", "int32", "uint16", "bool", "complex64"):
        n = data(4, 4).astype(getattr(pf, dtype).numpy)
        x = fused.asarray(n)
        assert isinstance(fused.unwrap(x), torch.Tensor)
        np.testing.assert_array_equal(np.asarray(x[::-1].T + x), n[::-1].T + n)
    n = data(4, 4)
    x = fused.asarray(n)
    np.testing.assert_allclose(np.asarray((x * 2) @ x.T), (n * 2) @ n.T, rtol=1e-5, atol=1e-5)
    np.testing.assert_array_equal(np.asarray(pf.sort(x, axis=1)), np.sort(n, axis=1))


def test_a_second_backend_takes_the_name_over():
    found = []

    class Named(NumpyBackend):
        name = "named"

        def execute(self, op, *about):
            found.append(self)
            return super().execute(op, *about)

    for _ in range(2):
        backend = Named()
        with pf.Fusion(backend) as fused:
            x = fused.asarray(np.arange(4.0))
            y = pf.nextafter(x, 9.0)
            np.asarray(x + y)
            assert found.pop() is backend
    assert not any(getattr(key[1], "kind", "") == "named" for key in engine.plans._plans)
