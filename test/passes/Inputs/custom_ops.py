# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Custom operations for tests of IR."""

import numpy as np

import pyfusion as pf

doubled = pf.custom.from_ir("""
func.func @doubled(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = fusion.add %x, %x : tensor<?xf32>, tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func @doubled_matrix(%x: tensor<?x?xf32>, %s: f32) -> tensor<?x?xf32> {
  %0 = fusion.full %s [] : f32 to tensor<f32>
  %1 = fusion.multiply %x, %0 : tensor<?x?xf32>, tensor<f32>
  return %1 : tensor<?x?xf32>
}
""")


@pf.custom.op
def tripled(x):
    return x * 3


@tripled.lowering
def _(op, fusion):
    x = op.operands[0]
    if "options" in op.attributes:
        return fusion.isnan(x)  # wrong
    return fusion.add(fusion.add(x, x), x)


@pf.custom.op(shape=lambda x: [x.shape, x.shape])
def both(x):
    return np.sin(x), np.cos(x)


@both.lowering
def _(op, fusion):
    return fusion.sin(op.operands[0]), fusion.cos(op.operands[0])


@pf.custom.op
def opaque(x):
    return x


@pf.custom.op(fused=True)
def silu(x):
    return x / (1 + pf.exp(-x))


@pf.custom.op(fused=True)
def centred(x, y):
    d = x - x.mean(axis=1, keepdims=True)
    return {"d": d * y, "y": y}


@pf.custom.op(fused=True)
def counted(x):
    return x + pf.arange(x.shape[0], dtype=x.dtype)


@pf.custom.op(fused=True)
def averaged(x):
    return x.sum() / x.shape[0]


declared = pf.custom.from_ir("""
func.func private @declared(tensor<?xf32>) -> tensor<?xf32>
func.func @declared_too(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}
""")


@pf.custom.op(fused=True)
def said(x):
    return f"{pf.exp(x).shape}"
