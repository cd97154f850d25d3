# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A pass from outside of the package: `x * 2` becomes `x + x`.

python examples/own_pass.py
pyfusion-opt --load=examples/own_pass.py --example-twice-as-sum FILE.mlir
"""

from dataclasses import dataclass

import numpy as np

import pyfusion as pf
from pyfusion.passes import Pass, option, register_pass


@register_pass
@dataclass(frozen=True)
class TwiceAsSum(Pass):
    """Makes products with the constant 2 sums."""

    name = "example-twice-as-sum"
    integers: bool = option(True, "Of integers too.")

    def run(self, module, context):
        from mlir import ir

        from pyfusion.dialects import fusion
        from pyfusion.passes.rewriting import rewrite_once

        def product(op, rewriter):
            x, factor = op.operands
            is_float = isinstance(x.type.element_type, ir.FloatType)
            if not _is_two(factor) or not (is_float or self.integers):
                return False
            with rewriter.ip, op.location:
                rewriter.replace_op(op, [fusion.add(x, x)])
            return True

        rewrite_once(module.operation, [("fusion.multiply", product)])


def _is_two(value):
    """Whether a value is a constant with 2 everywhere."""
    from mlir import ir

    maker = value.owner
    if isinstance(maker, ir.Block) or maker.name != "fusion.constant":
        return False
    elements = ir.DenseElementsAttr(maker.attributes["value"])
    return bool((np.array(elements) == 2).all())


IR = """
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %two = fusion.constant dense<2.0> : tensor<f32>
  %0 = fusion.multiply %x, %two : tensor<?xf32>, tensor<f32>
  %1 = fusion.exp %0 : tensor<?xf32>
  return %1 : tensor<?xf32>
}
"""

if __name__ == "__main__":
    from mlir import ir

    from pyfusion.dialects import load
    from pyfusion.passes import parse_pipeline

    load()  # before the context is made
    with ir.Context():
        module = ir.Module.parse(IR)
        parse_pipeline("builtin.module(example-twice-as-sum,cse,fusion-canonicalize)").run(module)
        print(module)
        assert "fusion.multiply" not in str(module)
    # The same operations, recorded: the factor is an argument there, so the pass leaves it.
    print(pf.lower(lambda x: pf.exp(x * 2), pf.ones(4)).as_text("merged"))
