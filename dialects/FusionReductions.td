// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions and contractions.
#ifndef FUSION_REDUCTIONS
#define FUSION_REDUCTIONS

include "FusionBase.td"

class Fusion_ReductionOp<string mnemonic, Type operandType,
                         Type resultType = operandType,
                         string infer = "reduction">
    : Fusion_Op<mnemonic, "reduction",
                [Pure, Fusion_Reduction,
                 DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let description = [{
    Reduces `axes` (sorted, distinct, not negative; none: the identity). With
    `keepdims` they stay as extents of 1.

    ```mlir
    %r = fusion.sum %x axes [1] keepdims : tensor<?x?xf32>
    ```
  }];
  let arguments = (ins operandType:$operand, DenseI64ArrayAttr:$axes,
                       UnitAttr:$keepdims);
  let results = (outs resultType:$result);
  let assemblyFormat = [{
    $operand `axes` $axes (`keepdims` $keepdims^)? attr-dict `:` type($operand)
  }];
  let hasFolder = 1;
  let fusionNumpy = mnemonic;
  let extraClassDefinition =
      Fusion_Infer<infer # "(operands, adaptor.getAxesAttr(), "
                   "adaptor.getKeepdimsAttr())">.definition;
}

def Fusion_SumOp : Fusion_ReductionOp<"sum", Fusion_NumberTensor> {
  let summary = "sum; integers wrap, the tree of a float sum depends on the shape alone";
}
def Fusion_ProdOp : Fusion_ReductionOp<"prod", Fusion_NumberTensor> {
  let summary = "product";
}
def Fusion_MaxOp : Fusion_ReductionOp<"max", Fusion_Tensor> {
  let summary = "largest value; NaN wins";
}
def Fusion_MinOp : Fusion_ReductionOp<"min", Fusion_Tensor> {
  let summary = "smallest value; NaN wins";
}
def Fusion_MeanOp : Fusion_ReductionOp<"mean", Fusion_FloatTensor> {
  let summary = "sum divided by the number of elements";
}
def Fusion_AnyOp : Fusion_ReductionOp<"any", Fusion_BoolTensor> {
  let summary = "whether one element is true";
}
def Fusion_AllOp : Fusion_ReductionOp<"all", Fusion_BoolTensor> {
  let summary = "whether no element is false";
}

// The place of an element among the reduced ones, counted in row-major order.
class Fusion_PlaceOp<string mnemonic>
    : Fusion_ReductionOp<mnemonic, Fusion_Tensor, Fusion_TensorOf<[I64], "i64">,
                         "place"> {
  let description = [{
    Reduces one axis, or all of them in row-major order, to the place of an
    element. The first NaN wins; of equal elements, as +0 and -0 are, the first.
    There has to be an element.

    ```mlir
    %r = fusion.argmax %x axes [1] : tensor<?x?xf32>  // tensor<?xi64>
    ```
  }];
}
def Fusion_ArgmaxOp : Fusion_PlaceOp<"argmax"> {
  let summary = "place of the first largest element";
}
def Fusion_ArgminOp : Fusion_PlaceOp<"argmin"> {
  let summary = "place of the first smallest element";
}

def Fusion_MatmulOp
    : Fusion_Op<"matmul", "contraction",
                [Pure, Fusion_Contraction,
                 DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "matrix product of the last two dimensions";
  let description = [{
    `(m, k)` by `(k, n)`; leading dimensions of both broadcast as batches. One
    operand may be of rank 1: a row on the left, a column on the right.
  }];
  let arguments = (ins Fusion_NumberTensor:$lhs, Fusion_NumberTensor:$rhs);
  let results = (outs Fusion_NumberTensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs)";
  let fusionNumpy = "matmul";
  let extraClassDefinition = Fusion_Infer<"matmul(operands)">.definition;
}

#endif // FUSION_REDUCTIONS
