# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The dialect in Python, and its folders against compiled code.

A folder that computes another value than the kernels would make a program's result depend on what
is constant in it.
"""

import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from mlir import ir
from mlir.passmanager import PassManager

import pyfusion as pf
from pyfusion import dialects
from pyfusion.dialects import fusion

ROWS = json.loads(dialects.find("ops.json").read_text())["ops"]
FUNCTIONS = {"select": "where", "clamp": "clip"}
# Where a float's last bit is the target's, and where the exact remainder is the kernels' business.
NOT_FOLDED = {"floor_divide", "remainder", "pow", "atan2", "sqrt"}

_INTS = [0, 1, 2, 7, 8, 100]
VALUES = {
    "i1": np.array([False, True]),
    "i8": np.array([*_INTS, -1, -128, 127, -7], "int8"),
    "ui8": np.array([*_INTS, 255, 128], "uint8"),
    "i64": np.array([*_INTS, -1, -(2**63), 2**63 - 1], "int64"),
    "ui64": np.array([*_INTS, 2**64 - 1, 2**63], "uint64"),
    "f16": np.array([0.0, -0.0, 1.5, -2.5, 65504, np.nan, -np.inf, 6e-8], "float16"),
    "bf16": np.array([0.0, -0.0, 1.5, -2.5, 3e38, np.nan, np.inf, 1e-40], ml_dtypes.bfloat16),
    "f32": np.array([0.0, -0.0, 0.5, -300.7, 3e38, np.nan, -np.inf, 1e-45], "float32"),
    "f64": np.array([0.0, -0.0, 2.5, 1e19, 1e308, np.nan, np.inf, 5e-324], "float64"),
}


@pytest.fixture
def context():
    dialects.load()
    with ir.Context() as context, ir.Location.unknown():
        yield context


def constant(element, array):
    """A constant as text and its type; in hexadecimal, which only i1 cannot have."""
    kind = f"tensor<{'x'.join([*map(str, array.shape), element])}>"
    if element == "i1":
        return f"fusion.constant dense<{str(array.tolist()).lower()}> : {kind}", kind
    return f'fusion.constant dense<"0x{array.tobytes().hex()}"> : {kind}', kind


def folded(op, elements, arrays, result):
    """The element-wise operation on constants, by the folders alone."""
    lines, kinds = [], []
    for number, (element, array) in enumerate(zip(elements, arrays, strict=True)):
        text, kind = constant(element, array)
        lines.append(f"%{number} = {text}")
        kinds.append(kind)
    shape = np.broadcast_shapes(*(array.shape for array in arrays))
    last, name = f"tensor<{'x'.join([*map(str, shape), result])}>", "%r"
    operands = ", ".join(f"%{number}" for number in range(len(arrays)))
    lines.append(f'%r = "fusion.{op}"({operands}) : ({", ".join(kinds)}) -> {last}')
    if result in ("bf16", "f16"):  # exact in f32, which NumPy reads
        wide, name = last.replace(result, "f32"), "%w"
        lines.append(f"%w = fusion.cast %r : {last} to {wide}")
        last = wide
    lines.append(f"return {name} : {last}")
    module = ir.Module.parse(f"func.func @f() -> {last} {{\n" + "\n".join(lines) + "\n}")
    PassManager.parse("builtin.module(canonicalize)").run(module.operation)
    operations = list(module.body.operations[0].regions[0].blocks[0].operations)
    assert [type(operation) for operation in operations[:-1]] == [fusion.ConstantOp], f"{module}"
    return np.array(operations[0].value)


def check(got, wanted, what):
    wanted = np.asarray(wanted)
    if wanted.dtype in (np.float16, ml_dtypes.bfloat16):
        wanted = wanted.astype(np.float32)
    assert got.dtype == wanted.dtype, what
    np.testing.assert_array_equal(got, wanted, what)
    if got.dtype.kind == "f":
        zero = got == 0
        np.testing.assert_array_equal(np.signbit(got[zero]), np.signbit(wanted[zero]), what)


def operations(element):
    """The operations whose constants fold for an element type, and how many operands they take."""
    for name, row in ROWS.items():
        if (
            row["kind"] != "elementwise"
            or name == "cast"
            or element not in row["element_types"][-1]
        ):
            continue
        if "f" in element and (row["cost"] == "math" or name in NOT_FOLDED):
            continue
        yield name, len(row["operands"])


# bf16 is run by the backend, whose maximum and minimum do not order zeros.
@pytest.mark.parametrize("element", [e for e in VALUES if e != "bf16"])
def test_folders_agree_with_kernels(context, element):
    values = VALUES[element]
    expected = []
    for name, count in operations(element):
        # Every value meets every other one.
        arrays = [values[:8, None], values[None, -8:], values[:1, None]][:count]
        elements = [element] * count
        if name == "select":
            arrays[0], elements[0] = np.array([[True], [False]] * 4)[: len(values)], "i1"
        if name == "pow":  # negative exponents are refused by the front end
            arrays[1] = np.where(arrays[1] < 0, 3, arrays[1]).astype(values.dtype)
        function = getattr(pf, FUNCTIONS.get(name, name))
        expected.append((name, elements, arrays, function(*map(pf.asarray, arrays))))
    for name, elements, arrays, wanted in expected:
        result = "i1" if wanted.dtype == pf.bool else element
        check(folded(name, elements, arrays, result), wanted, f"{name} of {element}")


@pytest.mark.parametrize("element", VALUES)
def test_casts_agree_with_kernels(context, element):
    values = VALUES[element]
    for target, others in VALUES.items():
        if target != element:
            wanted = pf.astype(pf.asarray(values), others.dtype)
            check(folded("cast", [element], [values], target), wanted, f"{element} to {target}")


def test_import_leaves_mlir_alone():
    code = "import sys, pyfusion.dialects; sys.exit('mlir' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_second_name_is_refused(monkeypatch):
    monkeypatch.syspath_prepend(Path(dialects.__file__).parent)
    spec = importlib.util.spec_from_file_location("dialects", dialects.__file__)
    with pytest.raises(ImportError, match="second name"):
        spec.loader.exec_module(importlib.util.module_from_spec(spec))


def test_missing_file_names_the_folders():
    folder = str(dialects.folders()[0])
    with pytest.raises(ImportError, match=f"nothing.so not found in .*{re.escape(folder)}"):
        dialects.find("nothing.so")


def test_builders_infer_types(context):
    module = ir.Module.create()
    with ir.InsertionPoint(module.body):
        value = fusion.ConstantOp(ir.DenseElementsAttr.get(np.ones((3, 4), "float32"))).result
        total = fusion.sum(fusion.add(value, value), [1], keepdims=True)
        assert str(total.type) == "tensor<3x1xf32>"
        with pytest.raises(ir.MLIRError, match="axis 2 is not a dimension of the operand"):
            fusion.sum(value, [2])
        # An attribute that is missing is an error like others, not the end of the process.
        for name in ("fusion.sum", "fusion.transpose", "fusion.squeeze"):
            with pytest.raises(ir.MLIRError, match="requires attribute"):
                ir.Operation.create(name, operands=[value], infer_type=True)


def test_rows_and_classes_are_the_same_operations():
    names = {cls.OPERATION_NAME for cls in vars(fusion).values() if hasattr(cls, "OPERATION_NAME")}
    assert names == {f"fusion.{name}" for name in ROWS}


def test_rows_describe_operands():
    assert ROWS["select"]["operands"] == ["condition", "x", "y"]
    assert ROWS["select"]["element_types"][0] == ["i1"]
    assert ROWS["sum"]["attributes"] == ["axes", "keepdims"]
    assert ROWS["full"]["element_types"][1] == ["index"] and ROWS["full"]["variadic"]
    assert ROWS["add"]["commutative"] and not ROWS["subtract"]["commutative"]
    assert ROWS["exp"]["cost"] == "math" and ROWS["transpose"]["kind"] == "view"
