# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each row of the table of operations is covered where it has to be."""

import re
from pathlib import Path

import pytest

from pyfusion.backends import numpy_backend
from pyfusion.compile import emit
from pyfusion.custom import recorder
from pyfusion.ir.table import OPS
from pyfusion.runtime import views
from pyfusion.stream import catalogue

ROOT = Path(__file__).parents[1]
ROWS = sorted(name for name, op in OPS.items() if op.kind != "opaque" or name == "custom_call")


def text_of(pattern):
    return "".join(path.read_text() for path in sorted((ROOT / "dialects").glob(pattern)))


@pytest.mark.parametrize("name", ROWS)
def test_each_operation_is_tested_in_the_ir(name):
    assert re.search(rf"fusion\.{name}\b", text_of("roundtrip-*.mlir"))
    assert re.search(rf"'fusion\.{name}'", text_of("invalid-*.mlir"))


def test_each_view_is_known_to_emission_launch_and_backend():
    rows = {name for name in ROWS if OPS[name].kind == "view"}
    assert set(views._VIEWS) == rows
    assert set(numpy_backend._VIEWS) == rows
    axes_views = {"transpose", "expand_dims", "squeeze", "flip"}
    assert rows <= set(emit._SPECIAL) | axes_views


def test_each_row_that_programs_record_is_known_to_bodies_of_ir():
    assert set(recorder._RECORD) == {o.name for o in catalogue.operations}


def test_types_of_results_are_written_down_for_rows_alone_that_numpy_has_no_ufunc_for():
    rows = {name for name in ROWS if OPS[name].kind == "elementwise" and OPS[name].ufunc is None}
    assert set(catalogue._RULES) <= rows


def test_each_pass_in_cpp_has_a_test():
    sources = (ROOT.parent / "dialects" / "lower").glob("*.cpp")
    names = re.findall(
        r'getArgument\(\) const final \{\s*return "([^"]+)"',
        "".join(path.read_text() for path in sources),
    )
    assert names
    for name in names:
        assert (ROOT / "lower" / f"{name.removeprefix('fusion-')}.mlir").is_file(), name
