# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NumPy's functions of pyfusion's arrays: each that dispatches has its kind, and NumPy's result."""

import importlib
import inspect

import numpy as np
import pytest
from numpy.testing.overrides import get_overridable_numpy_array_functions
from numpy_calls import CALLS, arrays

import pyfusion as pf
from pyfusion.array.numpy_functions import KINDS, kind_of, name_of
from pyfusion.array.numpy_own import OWN, Row

FUSED = {name: pf.asarray(array) for name, array in arrays().items()}


def functions():
    """Every public function of NumPy that asks its arguments."""
    for module in ("fft", "char", "strings", "lib.recfunctions", "linalg"):
        importlib.import_module(f"numpy.{module}")
    found = {name_of(f): f for f in get_overridable_numpy_array_functions()}
    return {n: f for n, f in found.items() if not n.startswith(("testing", "ma."))}


FUNCTIONS = functions()
# Without a call below: they return nothing, or are refused, or make arrays `like` another.
UNCALLED = {n for n, f in FUNCTIONS.items() if kind_of(f) in ("refused", "like")} | {
    *("copyto", "save", "savez", "savez_compressed", "savetxt")
}
TEXTS = [(name, text) for name, texts in CALLS.items() for text in texts.split()]


def test_every_function_that_dispatches_is_called():
    assert len(FUNCTIONS) > 250
    newer = {name for name in FUNCTIONS if name.startswith("polynomial.")}  # of NumPy 2.5
    assert set(FUNCTIONS) - UNCALLED - newer - set(CALLS) == set()
    assert {kind_of(f) for f in FUNCTIONS.values()} == set(KINDS)


def test_functions_of_the_table_are_functions_of_numpy():
    for name in OWN:
        assert name in FUNCTIONS, name


@pytest.mark.parametrize("name", sorted(n for n, f in OWN.items() if isinstance(f, Row)))
def test_parameters_are_those_of_numpy(name):
    try:
        signature = inspect.signature(FUNCTIONS[name])
    except ValueError:
        pytest.skip("a function in C that has no signature in this version")
    assert OWN[name].names == list(signature.parameters)


def same(got, want, kind):
    """The result of NumPy's function; arrays, and NumPy's scalars, as arrays of pyfusion."""
    if isinstance(want, (list, tuple)) and kind != "question":
        assert len(got) == len(want)
        for one, other in zip(got, want, strict=True):
            same(one, other, kind)
    elif isinstance(want, (np.ndarray, np.generic)) and kind != "question":
        assert type(got) is pf.Array
        assert (got.dtype, got.shape) == (want.dtype, want.shape)
        np.testing.assert_allclose(np.asarray(got), want, rtol=3e-6, atol=1e-9)
    elif isinstance(want, (bool, int, np.bool_)) or kind == "question":
        assert got == want
    else:
        assert type(got) is type(want) and got == want


@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::DeprecationWarning")
@pytest.mark.parametrize("name, text", TEXTS)
def test_result_is_that_of_numpy(name, text):
    kind = kind_of(FUNCTIONS[name])
    try:
        with np.errstate(all="ignore"):
            want = eval(text, {"np": np, **arrays()})
    except Exception as error:
        with pytest.raises(type(error)):
            np.asarray(eval(text, {"np": np, **FUSED}))
    else:
        same(eval(text, {"np": np, **FUSED}), want, kind)
