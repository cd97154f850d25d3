# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Meeting NumPy: ufuncs stay deferred, reads are views, printing is NumPy's."""

import operator
import pickle
import subprocess
import sys

import numpy as np
import pytest

import pyfusion as pf
from pyfusion.testing import inspect


def pair():
    n = np.arange(6, dtype="float32").reshape(2, 3)
    return n, pf.asarray(n)


DEFERRED = [
    "np.exp(x)", "np.add(x, 1)", "np.float32(2) * x", "np.float64(2) + x", "x + m", "m + x",
    "m - x", "np.int8(3) / x", "m < x", "x < m", "np.maximum(m, x)", "np.negative(x)",
    "np.square(x)", "m ** x", "np.power(x, 2)", "np.isnan(x)", "np.logical_and(x, m)",
    "np.absolute(x)", "np.rint(x)", "np.floor(x)", "m @ x.T", "np.matmul(x, m.T)", "np.sinh(x)",
    "np.hypot(x, m)", "np.float32(1) - x", "np.bool_(1) + x", "np.reciprocal(x + 1)",
    "np.equal(x, m)", "np.divide(m, x + 1)", "m // (x + 1)", "m % (x + 1)", "np.clip(x, 1, 2)",
    "np.sum(x)", "np.mean(x, axis=0)", "np.reshape(x, (3, 2))", "np.transpose(x)",
    "np.divmod(x, 2)[1]", "divmod(m, x + 1)[0]",
]  # fmt: skip


@pytest.mark.parametrize("text", DEFERRED)
def test_stays_deferred(text):
    n, x = pair()
    m = n + 1
    with inspect(flush=False) as report:
        got = eval(text, {"np": np, "x": x, "m": m})
    assert type(got) is pf.Array and report.blocks == 0 and report.unfused == []
    with np.errstate(all="ignore"):
        want = eval(text, {"np": np, "x": n, "m": m})
    assert got.dtype == want.dtype
    np.testing.assert_allclose(got, want, rtol=1e-6)


def test_out_of_ufuncs():
    n, x = pair()
    out = np.zeros((2, 3), "float32")
    assert np.multiply(x, 2, out=out) is out
    np.testing.assert_array_equal(out, n * 2)
    y = pf.zeros((2, 3), "float32")
    assert np.exp(x, out=y) is y
    np.testing.assert_allclose(y, np.exp(n), rtol=1e-6)
    whole = pf.zeros((2, 3), "float32")
    np.add(x, 1, out=whole, where=n > 2)
    np.testing.assert_array_equal(whole, np.where(n > 2, n + 1, 0))
    parts = np.modf(x / 2, out=(None, out))
    assert type(parts[0]) is pf.Array and parts[1] is out
    np.testing.assert_array_equal(out, np.modf(n / 2)[1])
    with pytest.raises(TypeError):
        np.add.at(x, [0], 1)


def test_foreign_classes_have_their_say():
    class Other:
        __array_ufunc__ = None

        def __radd__(self, other):
            return "theirs"

    class Wrapper:
        def __array_ufunc__(self, *args, **kwargs):
            return "wrapped"

    _, x = pair()
    assert x + Other() == "theirs"
    assert np.add(x, Wrapper()) == "wrapped"
    with pytest.raises(TypeError):
        x + object()


def test_lists_and_numpy_arrays_are_operands():
    n, x = pair()
    np.testing.assert_array_equal(x + [1, 2, 3], n + [1, 2, 3])
    np.testing.assert_array_equal([1, 2, 3] * x, [1, 2, 3] * n)
    np.testing.assert_array_equal(pf.add([1, 2], [3, 4]), [4, 6])
    assert float(pf.add(1, 2)) == 3


def test_equality_with_strangers():
    _, x = pair()
    assert (x == None).tolist() == [[False] * 3] * 2  # noqa: E711
    assert (x != "a").tolist() == [[True] * 3] * 2


@pytest.mark.host
def test_numpy_array_is_read_only_and_shares():
    n, x = pair()
    a, b = np.asarray(x), np.asarray(x)
    assert not a.flags.writeable
    assert a.__array_interface__["data"][0] == b.__array_interface__["data"][0]
    view = np.asarray(x.T)
    assert np.shares_memory(view, a) and view.shape == (3, 2)


@pytest.mark.host
def test_array_arguments():
    n, x = pair()
    copied = np.array(x)
    copied[0, 0] = 99
    assert float(x[0, 0]) == 0
    assert np.asarray(x, dtype="float64").dtype == np.float64
    assert np.asarray(x, copy=True).flags.writeable
    np.asarray(x, copy=False)
    with pytest.raises(ValueError):
        np.asarray(x, dtype="float64", copy=False)
    assert np.shares_memory(np.asarray(x, dtype="float32", copy=False), np.asarray(x))


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "int8", "bool", "complex64"])
def test_arrays_are_pickled_by_their_elements(dtype):
    x = pf.asarray([[1, 0, 3], [0, 5, 6]]).astype(dtype).T
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        y = pickle.loads(pickle.dumps(x, protocol))
        assert type(y) is type(x) and y.dtype is x.dtype and y.shape == x.shape
        assert (np.asarray(y) == np.asarray(x)).all()


@pytest.mark.host
def test_copy_of_what_comes_in():
    n = np.ones(3)
    x = pf.asarray(n)
    n[:] = 5
    assert x.tolist() == [1, 1, 1]
    pinned = pf.asarray(n, copy=False)
    assert np.shares_memory(np.asarray(pinned), n)
    assert pf.asarray(x) is x and pf.asarray(x, copy=True) is not x
    assert pf.asarray(x, dtype="float32").dtype is pf.float32
    turned = pf.asarray(np.arange(6).reshape(2, 3).T, copy=False)
    assert (turned + 1).tolist() == [[1, 4], [2, 5], [3, 6]]
    swapped = np.arange(3, dtype=">f8")
    assert pf.asarray(swapped).tolist() == [0, 1, 2]
    with pytest.raises(ValueError):
        pf.asarray(swapped, copy=False)
    for given in (1.5, [1, 2]):
        with pytest.raises(ValueError):
            pf.asarray(given, copy=False)


def test_other_sources():
    _, x = pair()
    assert pf.asarray([x[0], x[1]]).tolist() == x.tolist()
    assert pf.asarray([[1, 2], [3, 4]], dtype="float32").dtype is pf.float32
    assert pf.asarray(range(3)).tolist() == [0, 1, 2]
    assert pf.asarray(memoryview(b"ab")).tolist() == [97, 98]
    assert pf.array(x, ndmin=4).shape == (1, 1, 2, 3)
    assert pf.from_numpy(np.ones(2)).tolist() == [1, 1]
    assert pf.asarray(np.ma.array([1, 2])).tolist() == [1, 2]


@pytest.mark.host
def test_dlpack():
    n, x = pair()
    np.testing.assert_array_equal(np.from_dlpack(x * 2), n * 2)
    assert x.__dlpack_device__() == (1, 0)
    assert pf.from_dlpack(n).tolist() == n.tolist()
    assert pf.from_dlpack(x).tolist() == n.tolist()


def test_scalars():
    for value, dtype in [(2.5, "float32"), (3, "int32"), (True, "bool"), (1, "uint8")]:
        n = np.asarray(value, dtype)
        x = pf.asarray(n)
        for convert in (bool, int, float, complex, str, repr, "{:}".format):
            assert convert(x) == convert(n)
        assert x.item() == n.item() and type(x.item()) is type(n.item())
    assert operator.index(pf.asarray(3)) == 3
    assert f"{pf.asarray(2.345):.1f}" == "2.3"
    assert pf.asarray([[5]]).item() == 5
    assert pf.asarray([1, 2, 3]).item(-1) == 3
    assert complex(pf.asarray(1 + 2j)) == 1 + 2j


@pytest.mark.parametrize("shape", [(), (1,), (0,), (3, 0), (2, 3), (2000,)])
@pytest.mark.parametrize("dtype", ["bool", "int8", "float32", "float64", "complex64"])
def test_printing_is_that_of_numpy(shape, dtype):
    n = np.ones(shape, dtype)
    x = pf.asarray(n)
    assert repr(x) == repr(n) and str(x) == str(n) and f"{x}" == f"{n}"


def test_containers():
    n, x = pair()
    assert len(x) == 2 and [row.tolist() for row in x] == n.tolist()
    assert 5 in x and 7 not in x
    assert x.tobytes() == n.tobytes()
    first, second = x
    assert second.tolist() == [3, 4, 5]


@pytest.mark.host
def test_attributes():
    _, x = pair()
    assert (x.shape, x.ndim, x.size, x.nbytes, x.itemsize) == ((2, 3), 2, 6, 24, 4)
    assert x.dtype is pf.float32 and x.device == "cpu"
    assert x.T.shape == x.mT.shape == (3, 2)
    assert x.__array_namespace__() is pf
    assert x.__array_namespace__(api_version="2024.12") is pf
    for name in ("shape", "dtype", "ndim", "T"):
        with pytest.raises(AttributeError):
            setattr(x, name, None)


@pytest.mark.host
def test_namespace_information():
    info = pf.__array_namespace_info__()
    assert info.default_device() == "cpu" and info.devices() == ["cpu"]
    assert info.default_dtypes()["integral"] is pf.int64
    assert set(info.dtypes(kind="unsigned integer")) == {"uint8", "uint16", "uint32", "uint64"}
    assert info.capabilities()["boolean indexing"]


STANDARD = [
    "abs", "acos", "acosh", "add", "all", "any", "arange", "argmax", "argmin", "argsort",
    "asarray", "asin", "asinh", "astype", "atan", "atan2", "atanh", "bitwise_and",
    "bitwise_invert", "bitwise_left_shift", "bitwise_or", "bitwise_right_shift", "bitwise_xor",
    "broadcast_arrays", "broadcast_to", "can_cast", "ceil", "clip", "concat", "conj", "copysign",
    "cos", "cosh", "count_nonzero", "cumulative_prod", "cumulative_sum", "diff", "divide", "e",
    "empty", "empty_like", "equal", "exp", "expand_dims", "expm1", "eye", "finfo", "flip",
    "floor", "floor_divide", "from_dlpack", "full", "full_like", "greater", "greater_equal",
    "hypot", "iinfo", "imag", "inf", "isdtype", "isfinite", "isin", "isinf", "isnan", "less",
    "less_equal", "linspace", "log", "log10", "log1p", "log2", "logaddexp", "logical_and",
    "logical_not", "logical_or", "logical_xor", "matmul", "matrix_transpose", "max", "maximum",
    "mean", "meshgrid", "min", "minimum", "moveaxis", "multiply", "nan", "negative", "newaxis",
    "nextafter", "nonzero", "not_equal", "ones", "ones_like", "permute_dims", "pi", "positive",
    "pow", "prod", "real", "reciprocal", "remainder", "repeat", "reshape", "result_type", "roll",
    "round", "searchsorted", "sign", "signbit", "sin", "sinh", "sort", "sqrt", "square",
    "squeeze", "stack", "std", "subtract", "sum", "take", "take_along_axis", "tan", "tanh",
    "tensordot", "tile", "tril", "triu", "trunc", "unique_all", "unique_counts", "unique_inverse",
    "unique_values", "unstack", "var", "vecdot", "where", "zeros", "zeros_like", "bool", "int8",
    "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64",
    "complex64", "complex128", "__array_namespace_info__", "__array_api_version__",
]  # fmt: skip
LINALG = [
    "cholesky", "cross", "det", "diagonal", "eigh", "eigvalsh", "inv", "matmul", "matrix_norm",
    "matrix_power", "matrix_rank", "matrix_transpose", "outer", "pinv", "qr", "slogdet", "solve",
    "svd", "svdvals", "tensordot", "trace", "vecdot", "vector_norm",
]  # fmt: skip
FFT = [
    "fft",
    "ifft",
    "fftn",
    "ifftn",
    "rfft",
    "irfft",
    "rfftn",
    "irfftn",
    "hfft",
    "ihfft",
    "fftfreq",
    "rfftfreq",
    "fftshift",
    "ifftshift",
]


def test_every_name_of_the_standard_is_there():
    missing = [n for n in STANDARD if not hasattr(pf, n)]
    missing += [n for n in LINALG if not hasattr(pf.linalg, n)]
    missing += [n for n in FFT if not hasattr(pf.fft, n)]
    assert missing == []


def test_numpy_names():
    for alias, name in [
        ("power", "pow"), ("arctan2", "atan2"), ("absolute", "abs"), ("arccos", "acos"),
        ("invert", "bitwise_invert"), ("left_shift", "bitwise_left_shift"), ("mod", "remainder"),
        ("true_divide", "divide"), ("bool_", "bool"),
    ]:  # fmt: skip
        assert getattr(pf, alias) is getattr(pf, name)


def test_types_survive_pickling():
    assert pickle.loads(pickle.dumps(pf.float32)) is pf.float32


def test_documentation_and_names():
    assert pf.exp.__name__ == "exp" and pf.exp.__doc__
    assert pf.Array.__add__.__name__ == "__add__"
    for name in pf.array.__all__ if hasattr(pf.array, "__all__") else ():
        found = getattr(pf, name)
        assert not callable(found) or found.__doc__, name


def test_import_is_cheap():
    code = "import sys, pyfusion; print([m for m in ('ml_dtypes', 'mlir') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stderr


def test_call_sites_are_the_user_s():
    from pyfusion.ir.value import site_text

    _, x = pair()
    y = x + 1
    values = [x * 2, x + [1, 2, 3], np.exp(x), x.sum(0), x.T, x[1:], pf.where(x > 1, x, 0), 2 - x]
    y += 1
    for v in [*values, y]:
        if v._v.record is not None:
            assert __file__ in site_text(v._v.record[4])
