# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every operation has a function, an example, tests and a row in docs/operations.md."""

import functools
import re
import sys
from pathlib import Path

import numpy as np
import pytest

import pyfusion as pf
from pyfusion.backends.on_device import GROUPS
from pyfusion.ir.table import OPS
from pyfusion.nn.deferred import DEFERRED

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs"))

import operation_examples as examples  # noqa: E402
import operations as page  # noqa: E402

BURN = page.burn()
RANDOM = hasattr(pf, "random")
EXAMPLES = {
    name: call
    for name, call in examples.EXAMPLES.items()
    if RANDOM or not name.startswith("random.")
}


@functools.cache
def rows():
    return {row.function: row for row in page.rows()}


def here(function):
    return RANDOM or not function.startswith("random.")


def kind_of(name):
    return "float32" if page.takes(name, "f") else "int32"


@pytest.mark.host
def test_the_page_is_what_is_written():
    with pf.config.scope(mode="fused"):
        assert (ROOT / "docs" / "operations.md").read_text() == page.text()


def test_each_operation_of_burn_has_a_row():
    assert len(BURN) == 212
    assert len({(group, name) for group, name, _ in BURN}) == 212
    without = [name for _, name, functions in BURN if not functions]
    assert len(without) == 33
    assert all("Backward" in name for name in without)


@pytest.mark.parametrize("group, name, functions", BURN)
def test_each_operation_of_burn_has_functions_with_examples(group, name, functions):
    for function in filter(here, functions):
        assert page.found(function) is not None
        assert function in examples.EXAMPLES or function in examples.NO_CALL


def test_each_row_of_the_table_has_a_function_and_an_example():
    for name, op in OPS.items():
        function = examples.function_of(name)
        if function is None:
            assert op.kind in ("region", "opaque") or name in examples.NO_FUNCTION
        else:
            assert callable(page.found(function))
            assert function in EXAMPLES


def test_each_function_of_neural_networks_has_an_example_and_a_test():
    tests = "".join(path.read_text() for path in sorted(Path(__file__).parent.glob("test_nn_*.py")))
    for name in pf.nn.__all__:
        if callable(getattr(pf.nn, name)):
            known = f"nn.{name}" in examples.EXAMPLES or f"nn.{name}" in examples.NO_CALL
            assert known, f"nn.{name} has no example"
            stem = re.sub(r"[123]d", "{dims}d", name)
            assert re.search(rf"\bnn\.{name}\b", tests) or stem in tests, f"nn.{name} has no test"


def test_what_a_library_runs_are_operations_of_neural_networks():
    names = {name.removesuffix("+") for name in GROUPS["of pyfusion.nn"].split()}
    assert names <= set(DEFERRED)


def test_every_row_of_the_table_that_is_fused_records_itself():
    for name, op in OPS.items():
        function = examples.function_of(name)
        if function is None or op.kind == "opaque":
            continue
        shown = page.lowered(function, "f" if page.takes(function, "f") else "i")
        assert re.search(rf"= fusion\.{name}\b", shown.as_text("fusion")), name


@pytest.mark.parametrize("name", EXAMPLES)
def test_modes_agree_on_each_example(name):
    if name.startswith("random."):
        pytest.skip("random numbers are other ones each time")
    call = EXAMPLES[name]
    a = page.maker(kind_of(name))
    pf.testing.assert_same_everywhere(lambda: call(a), atol=1e-6)


@pytest.mark.host
@pytest.mark.fused
@pytest.mark.parametrize("name", EXAMPLES)
def test_what_the_page_calls_a_kernel_is_fused(name):
    row = rows()[f"`{name}`"]
    call, a = EXAMPLES[name], page.maker(kind_of(name))
    with pf.testing.inspect() as report:
        result = call(a)
    for x in result if isinstance(result, tuple) else (result,):
        assert np.asarray(x).shape == x.shape
    assert bool(report.unfused) == ("backend" in row.cpu), (row.cpu, report)
    if row.cpu == "kernel":
        assert report.kernels >= 1
