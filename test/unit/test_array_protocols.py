# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Protocols of one array, Python's and NumPy's: reads, buffers, pickles, what copies and pins."""

import collections.abc
import copy
import io
import operator
import pickle
import re
import sys
import warnings

import numpy as np
import pytest

import pyfusion as pf
from pyfusion.runtime import library
from pyfusion.testing import inspect

DTYPES = [
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float16", "float32", "float64", "complex64", "complex128", "bfloat16"),
]
LAYOUTS = {
    "contiguous": lambda m, a: a,
    "transposed": lambda m, a: a.T,
    "sliced": lambda m, a: a[1:, ::-2],
    "broadcast": lambda m, a: m.broadcast_to(a[0], (3, 5)),
    "0-d": lambda m, a: a[1, 2],
    "zero-size": lambda m, a: a[:0],
}
buffers = pytest.mark.skipif(sys.version_info < (3, 12), reason="PEP 688 came with Python 3.12")


def pairs():
    """Equal arrays of NumPy and ours, of each type and layout."""
    for name in DTYPES:
        n = (np.arange(20).reshape(4, 5) % 7).astype(pf.dtypes.as_dtype(name).numpy)
        for layout in LAYOUTS.values():
            yield np.asarray(layout(np, n)), layout(pf, pf.asarray(n))


def live():
    """Bytes of the pool that are in use."""
    return library.load().stats()["bytes_in_use"]


@pytest.mark.host
def test_reads_of_all_types_and_layouts():
    for n, x in pairs():
        for read in (repr, str, len, list, bytes, operator.methodcaller("tolist")):
            try:
                want = read(n) if read is not bytes else n.tobytes()
            except TypeError as error:
                with pytest.raises(TypeError, match=re.escape(str(error))):
                    read(x)
                continue
            if read is list:
                assert [np.asarray(e).tolist() for e in x] == [e.tolist() for e in want]
            elif read is not bytes:
                assert read(x) == want
        assert x.tobytes() == n.tobytes() and x.tobytes("F") == n.tobytes("F")
        for index in [(), (0,), (-1,)] if n.size else []:
            try:
                want = n.item(*index)
            except ValueError:
                with pytest.raises(ValueError):
                    x.item(*index)
            else:
                assert x.item(*index) == want
        for element in (0, 3, 2.5, 99, x[:1] if x.ndim else x):
            assert (element in x) == (np.asarray(element) in n)


@pytest.mark.fused
def test_an_element_is_looked_for_in_one_kernel():
    x = pf.asarray(np.arange(100.0))
    with inspect() as report:
        assert 98 in x and 3.5 not in x
    assert report.kernels == 2 and report.unfused == []
    assert "a" not in x and None not in x and object() not in x
    with pytest.raises(ValueError):
        assert np.ones(3) in pf.ones(2)


@pytest.mark.parametrize("convert", [bool, int, float, complex, operator.index, "{:.2f}".format])
def test_conversions_are_those_of_numpy(convert):
    for value in (3, 2.5, True, 0, 1 + 2j, [3], [], [1, 2], [[2.5]]):
        n = np.asarray(value)
        x = pf.asarray(n)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                want = convert(n)
        except (TypeError, ValueError) as error:
            with pytest.raises(type(error)):
                convert(x)
        else:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                got = convert(x)
            assert got == want and type(got) is type(want)


@pytest.mark.host
def test_printing_follows_numpy_s_options():
    n = np.linspace(-1, 1, 3000, dtype="float32").reshape(3, 1000)
    x = pf.asarray(n)
    for options in ({"precision": 2}, {"threshold": 5}, {"suppress": True}, {"linewidth": 40},
                    {"formatter": {"float": lambda v: "?"}}, {"sign": "+"}):  # fmt: skip
        with np.printoptions(**options):
            assert repr(x[:, :9]) == repr(n[:, :9]) and str(x[:, :9]) == str(n[:, :9])
            assert repr(x) == repr(n)
    assert repr(pf.asarray(np.float32(2))) == "array(2., dtype=float32)"
    assert repr(pf.zeros((0, 3))) == repr(np.zeros((0, 3)))


def test_there_is_no_hash():
    x = pf.ones(2)
    with pytest.raises(TypeError, match="unhashable type: 'Array'"):
        hash(x)
    assert not isinstance(x, collections.abc.Hashable)


@pytest.mark.host
def test_pickles_and_copies_of_all_types_and_layouts():
    for n, x in pairs():
        made = [copy.copy(x), copy.deepcopy(x), *copy.deepcopy([x, x])]
        assert made[2] is made[3]
        made += [pickle.loads(pickle.dumps(x, p)) for p in range(pickle.HIGHEST_PROTOCOL + 1)]
        for y in made:
            assert y is not x and (y.dtype, y.shape) == (x.dtype, x.shape)
            np.testing.assert_array_equal(np.asarray(y), n)


@pytest.mark.host
def test_pickles_hand_out_their_elements():
    n = np.arange(200_000.0).reshape(400, 500)
    x = pf.asarray(n)
    for y in (x, x.T, x[::2, 1:], x[:, ::-1]):
        given = []
        data = pickle.dumps(y, 5, buffer_callback=given.append)
        assert len(data) < 1000 and len(given) == 1
        if y is x:
            assert np.shares_memory(np.frombuffer(given[0]), np.asarray(x))
        back = pickle.loads(data, buffers=given)
        np.testing.assert_array_equal(np.asarray(back), np.asarray(y))
        assert not np.shares_memory(np.asarray(back), np.asarray(y))


@pytest.mark.host
def test_arrays_of_numpy_by_the_protocol():
    x = pf.asarray(np.arange(6, dtype="float32").reshape(2, 3))
    assert not hasattr(x, "__array_interface__") and not hasattr(x, "__array_struct__")
    same = x.__array__()
    assert not same.flags.writeable and np.shares_memory(same, np.asarray(x))
    assert x.__array__(copy=True).flags.writeable
    assert x.__array__("float32", copy=False) is not None
    assert x.__array__(np.float64).dtype == np.float64
    assert x.__array__(pf.int8).dtype == np.int8
    for options in ({"dtype": "int8"}, {"dtype": "float64"}):
        with pytest.raises(ValueError, match="cannot be read as"):
            x.__array__(**options, copy=False)
    with pytest.raises(TypeError):
        x.__array__("bogus")


def test_types_of_methods():
    x = pf.asarray([1.5, 2.5])
    assert x.astype("float64", copy=False) is x and x.astype("float64") is not x
    assert x.astype("int8", "C", "unsafe", True).tolist() == [1, 2]
    with pytest.raises(TypeError, match="according to the rule 'safe'"):
        x.astype("int8", casting="safe")
    assert x.__array_priority__ > 0
    for version in ("2021.12", "2022.12", "2023.12", "2024.12", None):
        assert x.__array_namespace__(api_version=version) is pf
    with pytest.raises(ValueError, match="2019.01"):
        x.__array_namespace__(api_version="2019.01")


# --- Buffers and DLPack ---------------------------------------------------------------------------


@buffers
@pytest.mark.host
def test_buffers_of_all_types_and_layouts():
    for n, x in pairs():
        if x.dtype is pf.bfloat16:
            with pytest.raises(BufferError, match="bfloat16"):
                memoryview(x)
            continue
        view, want = memoryview(x), memoryview(n)
        assert (view.format, view.shape, view.strides) == (want.format, want.shape, want.strides)
        assert view.readonly and bytes(view) == n.tobytes()
        assert isinstance(x, collections.abc.Buffer)


@buffers
@pytest.mark.host
def test_buffers_are_read_only_and_released():
    x = pf.asarray(np.arange(10_000.0)) * 2
    pf.sync()
    view = memoryview(x)
    x += 1
    pf.sync()
    assert view[3] == 6.0 and float(x[3]) == 7.0
    before = live()
    view.release()
    assert live() < before
    with pytest.raises((BufferError, TypeError)):
        io.BytesIO(b"0" * 80_000).readinto(x)


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="there is the protocol")
def test_buffers_are_not_promised_where_python_has_no_protocol():
    assert not hasattr(pf.ones(2), "__buffer__")
    with pytest.raises(TypeError):
        memoryview(pf.ones(2))


@pytest.mark.host
def test_dlpack_of_all_types_and_layouts():
    for n, x in pairs():
        if x.dtype is pf.bfloat16:
            with pytest.raises(BufferError, match="bfloat16"):
                x.__dlpack__(max_version=(1, 0))
            continue
        for copied in (None, True):
            got = np.from_dlpack(x, copy=copied)
            assert got.dtype == n.dtype and got.shape == n.shape
            np.testing.assert_array_equal(got, n)
            if all(stride >= 0 for stride in n.strides):  # others are copied
                assert got.flags.writeable == (copied is True)
        assert pf.from_dlpack(x).tolist() == n.tolist()
        got = np.from_dlpack(x, device="cpu")
        np.testing.assert_array_equal(got, n)


@pytest.mark.host
def test_dlpack_says_what_it_cannot_do():
    x = pf.asarray(np.arange(6.0).reshape(2, 3))
    for options, error in [
        ({"stream": 1}, ValueError), ({"dl_device": (2, 0), "max_version": (1, 0)}, BufferError),
        ({"copy": False}, BufferError), ({"max_version": (0, 8), "copy": False}, BufferError),
    ]:  # fmt: skip
        with pytest.raises(error):
            x.__dlpack__(**options)
    assert x.__dlpack__(max_version=(1, 0), dl_device=(1, 0), copy=False) is not None
    assert x.__dlpack__(max_version=(9, 9), copy=True) is not None
    shared = np.from_dlpack(x, copy=False)
    assert np.shares_memory(shared, np.asarray(x)) and not shared.flags.writeable


# --- What copies, what pins -----------------------------------------------------------------------

N = np.arange(4096, dtype="float64").reshape(64, 64)

COPIES = {
    "np.asarray(x)": 0, "np.asarray(x.T)": 0, "np.asarray(x[::2])": 0, "x.numpy()": 0,
    "np.from_dlpack(x)": 0, "pf.asarray(x)": 0, "pf.asarray(n, copy=False)": 0,
    "pf.from_dlpack(n, copy=False)": 0, "pf.from_numpy(n, copy=False)": 0, "x.T": 0, "x[1:]": 0,
    "x.reshape(-1)": 0, "pf.asarray(n)": 1, "pf.asarray(n, copy=True)": 1, "pf.from_dlpack(n)": 1,
    "copy.copy(x)": 0, "x.astype('float64')": 0, "x.astype('float32')": 1,
    "pickle.loads(pickle.dumps(x))": 1, "np.split(x, 2)": 0, "np.reshape(x, -1)": 0,
}  # fmt: skip


@pytest.mark.fused
@pytest.mark.host
@pytest.mark.parametrize("text", COPIES)
def test_what_copies(text):
    """Buffers of the pool that it takes, when what it gives is run."""
    x = pf.asarray(N)
    names = {"np": np, "pf": pf, "x": x, "n": N, "copy": copy, "pickle": pickle}
    eval(text, names)
    with inspect() as report:
        result = eval(text, names)
    assert report.allocations == COPIES[text], text
    del result


EXPORTS = {
    "np.asarray": np.asarray,
    "np.from_dlpack": np.from_dlpack,
    "numpy": lambda x: x.numpy(),
    "a row": lambda x: np.asarray(x[1]),
    **({"memoryview": memoryview} if sys.version_info >= (3, 12) else {}),
}


@pytest.mark.fused
@pytest.mark.host
@pytest.mark.parametrize("export", EXPORTS)
def test_what_is_exported_pins_its_buffer(export):
    """It is not reused while it is referred to, and is given back with the last reference."""
    pf.sync()
    x = pf.asarray(N) * 2
    exported = EXPORTS[export](x)
    kept = bytes(exported) if isinstance(exported, memoryview) else exported.tobytes()
    x += 1
    pf.sync()
    y = pf.exp(x * 0)
    pf.sync()
    assert (bytes(exported) if isinstance(exported, memoryview) else exported.tobytes()) == kept
    del x, y
    pf.sync()
    held = live()
    del exported
    assert held - live() >= N.nbytes


@pytest.mark.host
def test_what_is_imported_without_a_copy_is_kept_alive():
    n = N.copy()
    count = sys.getrefcount(n)
    x = pf.asarray(n, copy=False)
    assert sys.getrefcount(n) > count and np.shares_memory(np.asarray(x), n)
    y = x[2:] * 1
    pf.sync()
    del x
    assert sys.getrefcount(n) == count
    del y
