# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pickles, of arrays and of functions, and DLPack of memory of the host."""

import pickle
import subprocess
import sys

import ml_dtypes
import numpy as np
import pytest
from fake_gpu import fake_gpus

import pyfusion as pf


def public():
    for space in (pf, pf.linalg, pf.fft, pf.testing):
        for name in getattr(space, "__all__", None) or dir(space):
            found = getattr(space, name)
            if callable(found) and not name.startswith("__"):
                yield f"{space.__name__}.{name}", found


def test_every_public_function_is_pickled():
    functions = dict(public())
    assert len(functions) > 250
    for name, function in functions.items():
        assert pickle.loads(pickle.dumps(function)) is function, name


def test_functions_say_where_they_are_found():
    assert (pf.exp.__module__, pf.exp.__qualname__) == ("pyfusion", "exp")
    assert (pf.power.__module__, pf.power.__qualname__) == ("pyfusion", "pow")
    assert (pf.dot.__module__, pf.stack.__module__) == ("pyfusion", "pyfusion")
    assert pf.linalg.solve.__module__ == "pyfusion.linalg"
    assert pf.fft.rfft.__module__ == "pyfusion.fft"
    assert pf.linalg.matmul is pf.matmul and pf.matmul.__module__ == "pyfusion"


def test_pickled_functions_in_a_new_process():
    given = pickle.dumps([pf.exp, pf.linalg.det, pf.fft.fft])
    code = f"import pickle; print([f.__name__ for f in pickle.loads({given!r})])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "['exp', 'det', 'fft']", done.stderr


@pytest.mark.host
def test_pickles_name_their_device():
    n = np.arange(6, dtype=np.float32).reshape(2, 3)
    pf.sync()
    with fake_gpus():
        host = pickle.dumps(pf.asarray(n))
        device = pickle.dumps(pf.asarray(n, device="cuda:1").T)
        older = pickle.dumps(_Older(n))
        with pf.config.scope(device="cuda"):
            here = pickle.loads(host)
        there = pickle.loads(device)
        assert (here.device, there.device) == ("cpu", "cuda:1")
        np.testing.assert_array_equal(np.asarray(here), n)
        np.testing.assert_array_equal(np.asarray(there), n.T)
        np.testing.assert_array_equal(np.asarray(pickle.loads(older)), n)
        pf.stream.engine.plans.clear()


class _Older:
    """Pickled as an array was by version 0.1.0."""

    def __init__(self, elements):
        self.elements = elements

    def __reduce__(self):
        return pf.asarray, (self.elements,)


@pytest.mark.host
@pytest.mark.parametrize("version", [None, (1, 0)])
def test_dlpack_has_no_negative_strides(version):
    n = np.arange(12, dtype=np.float32).reshape(3, 4)
    for index in (np.s_[:, ::-1], np.s_[::-1], np.s_[::-2, 1::2], np.s_[0, ::-3], np.s_[::-1, :1]):
        x = pf.asarray(n)[index]

        class Producer:
            __dlpack_device__ = x.__dlpack_device__

            def __dlpack__(self, x=x, **options):
                return x.__dlpack__(**{**options, "max_version": version})

        got = np.from_dlpack(Producer())
        assert all(stride >= 0 for stride in got.strides), index
        np.testing.assert_array_equal(got, n[index])
        with pytest.raises(BufferError):
            x.__dlpack__(max_version=version, copy=False)


@pytest.mark.host
def test_dlpack_of_other_views_shares():
    x = pf.asarray(np.arange(12, dtype=np.float32).reshape(3, 4))
    assert np.shares_memory(np.from_dlpack(x.T[::2]), np.asarray(x))


class _Exporter:
    """An array that NumPy cannot take, as PyTorch's of bfloat16."""

    dtype = "bfloat16"

    def __init__(self, array, unknown=False):
        self.array = array
        self.unknown = unknown

    def __array__(self, dtype=None, copy=None):
        raise TypeError("Got unsupported ScalarType BFloat16")

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __dlpack__(self, **more):
        if self.unknown:
            raise BufferError("DLPack has no such type")
        return self.array.__dlpack__(**more)

    def view(self, dtype):
        return self.array.view(dtype)


@pytest.mark.host
def test_dlpack_where_numpy_takes_nothing():
    x = np.arange(3, dtype="float32")
    for given in (pf.asarray(_Exporter(x)), pf.asarray(_Exporter(x), dtype="float64")):
        np.testing.assert_array_equal(np.asarray(given), x)
    assert given.dtype == "float64"
    assert np.shares_memory(np.asarray(pf.asarray(_Exporter(x), copy=False)), x)
    assert not np.shares_memory(np.asarray(pf.asarray(_Exporter(x))), x)
    np.testing.assert_array_equal(np.asarray(pf.ones(3) + _Exporter(x)), x + 1)


def test_bfloat16_by_its_bits():
    x = np.array([1, 2.5, -3], dtype=ml_dtypes.bfloat16)
    for make in (pf.asarray, pf.from_dlpack):
        found = make(_Exporter(x, unknown=True))
        assert found.dtype == pf.bfloat16
        np.testing.assert_array_equal(np.asarray(found), x)


@pytest.mark.parametrize("given", ["x", (1,), ("cpu", 0), 1, (1, 2, 3), (1.5, 0)], ids=repr)
@pytest.mark.parametrize("name", ["max_version", "dl_device"])
def test_dlpack_with_what_is_no_pair(name, given):
    with pytest.raises(TypeError, match=f"__dlpack__: {name} is None or .* two ints, not"):
        pf.ones(3).__dlpack__(**{name: given})


@pytest.mark.parametrize("given", [None, "x", 3], ids=repr)
def test_cuda_array_interfaces_that_are_none(given):
    class Exporter:
        __cuda_array_interface__ = given

    with pytest.raises(TypeError, match="__cuda_array_interface__ of a Exporter is a dict, not"):
        pf.asarray(Exporter())
