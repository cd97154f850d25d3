# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Constants of the IR become arrays of their type, bfloat16 and special values among them."""

import numpy as np
import pytest
from mlir import ir

import pyfusion as pf
from pyfusion.compile.constants import constant

MANY = [float(i) for i in range(128)]  # printed as bytes


@pytest.mark.parametrize("kind, dtype", [("bf16", "bfloat16"), ("f16", "float16"), ("f32", None)])
@pytest.mark.parametrize(
    "text, want",
    [
        ("dense<1.5> : tensor<3x{}>", [1.5] * 3),
        ("dense<2.0> : tensor<{}>", 2.0),
        ("dense<-0.0> : tensor<2x{}>", [-0.0, -0.0]),
        ("dense<[[1.5, 2.0], [-0.0, 3.0]]> : tensor<2x2x{}>", [[1.5, 2.0], [-0.0, 3.0]]),
        ("dense<> : tensor<0x4x{}>", np.zeros((0, 4))),
        (f"dense<{MANY}> : tensor<128x{{}}>", MANY),
    ],
)
def test_floats(text, want, kind, dtype):
    with ir.Context(), ir.Location.unknown():
        got = constant(ir.Attribute.parse(text.format(kind)))
    want = np.asarray(want).astype(getattr(pf, dtype or "float32").numpy)
    assert got.dtype == want.dtype and got.shape == want.shape
    assert got.tobytes() == want.tobytes()


@pytest.mark.parametrize(
    "bits, want", [("0x7F80", np.inf), ("0xFF80", -np.inf), ("0x7FC1", np.nan)]
)
@pytest.mark.parametrize(
    "form", ["dense<{}> : tensor<2xbf16>", "dense<[{}, 0x4000]> : tensor<2xbf16>"]
)
def test_bfloat16_by_its_bits(bits, want, form):
    with ir.Context(), ir.Location.unknown():
        got = constant(ir.Attribute.parse(form.format(bits)))
    np.testing.assert_array_equal(got[:1].astype(float), [want])


def test_booleans_and_unsigned():
    with ir.Context(), ir.Location.unknown():
        flags = constant(ir.Attribute.parse("dense<[true, false]> : tensor<2xi1>"))
        bytes_ = constant(ir.Attribute.parse("dense<[1, 255]> : tensor<2xui8>"))
    np.testing.assert_array_equal(flags, [True, False])
    np.testing.assert_array_equal(bytes_, np.array([1, 255], np.uint8))


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_a_result_that_folds_to_a_constant(dtype):
    x = pf.asarray(np.array([1.0], np.float32)).astype(dtype)
    got = np.asarray((pf.isnan(x.astype("int32"))).astype(dtype))
    np.testing.assert_array_equal(got.astype(float), [0.0])
