# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations of one's own, in four ways; what can be fused is one kernel.

python examples/own_op.py
"""

import numpy as np

import pyfusion as pf


# Of pyfusion's functions: recorded at each call, and fused with what is around it.
@pf.custom.op(fused=True, shape=lambda x: x.shape, dtype=lambda x: x.dtype)
def gelu(x):
    return 0.5 * x * (1 + pf.tanh(0.7978846 * (x + 0.044715 * x * x * x)))


# Of the dialect's operations, as text. The number is an argument: another one compiles nothing.
scaled = pf.custom.from_ir("""
func.func @scaled(%x: tensor<?x?xf32>, %s: f32) -> tensor<?x?xf32> {
  %0 = fusion.full %s [] : f32 to tensor<f32>
  %1 = fusion.multiply %x, %0 : tensor<?x?xf32>, tensor<f32>
  return %1 : tensor<?x?xf32>
}
""")


# Of NumPy's functions, for the backend, with a lowering beside it that the compiler takes.
@pf.custom.op
def softsign(x):
    return x / (1 + np.abs(x))


@softsign.lowering
def _(op, fusion):
    from mlir import ir  # loaded with the compiler, when something is compiled

    x = op.operands[0]
    one = ir.FloatAttr.get(x.type.element_type, 1.0)
    ones = ir.DenseElementsAttr.get_splat(ir.RankedTensorType.get([], x.type.element_type), one)
    return fusion.divide(x, fusion.add(fusion.abs(x), fusion.constant(ones)))


# Of NumPy's functions alone: the backend runs it between two kernels. It has two results.
@pf.custom.op(
    shape=lambda x, bins: [(bins,), (bins + 1,)],
    dtype=lambda x, bins: [pf.int64, x.dtype],
)
def histogram(x, bins):
    counts, edges = np.histogram(x, bins)
    return counts, edges.astype(x.dtype)


def layer(x, s):
    return softsign(scaled(gelu(x - 1), s) + 1)


if __name__ == "__main__":
    x = pf.asarray(np.linspace(-3, 3, 1 << 20, dtype=np.float32).reshape(1024, 1024))
    with pf.testing.inspect() as report:
        y = layer(x, 2.0)
    print(pf.explain(layer, x, 2.0))
    print(report)
    assert (report.kernels, report.unfused) == (1, [])
    counts, edges = histogram(y, 4)
    print((counts / y.size).tolist(), edges.tolist())
