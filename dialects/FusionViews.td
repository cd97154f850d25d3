// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Views and creation: operations that move or make no computed values.
#ifndef FUSION_VIEWS
#define FUSION_VIEWS

include "FusionBase.td"

class Fusion_ViewOp<string mnemonic, string numpy, list<Trait> traits = []>
    : Fusion_Op<mnemonic, "view", !listconcat([Pure, Fusion_View], traits)> {
  let fusionNumpy = numpy;
  let hasFolder = 1;
}

class Fusion_InferredView<string mnemonic, string numpy>
    : Fusion_ViewOp<mnemonic, numpy,
                    [DeclareOpInterfaceMethods<InferTypeOpInterface>]>;

def Fusion_TransposeOp : Fusion_InferredView<"transpose", "transpose"> {
  let summary = "permutation of the dimensions";
  let description = "Dimension `i` of the result is `permutation[i]` of the operand.";
  let arguments = (ins Fusion_Tensor:$operand, DenseI64ArrayAttr:$permutation);
  let results = (outs Fusion_Tensor:$result);
  let assemblyFormat = "$operand `perm` $permutation attr-dict `:` type($operand)";
  let extraClassDefinition =
      Fusion_Infer<"transpose(operands, adaptor.getPermutationAttr())">.definition;
}

def Fusion_ExpandDimsOp : Fusion_InferredView<"expand_dims", "expand_dims"> {
  let summary = "new dimensions of extent 1 at the given axes of the result";
  let arguments = (ins Fusion_Tensor:$operand, DenseI64ArrayAttr:$axes);
  let results = (outs Fusion_Tensor:$result);
  let assemblyFormat = "$operand `axes` $axes attr-dict `:` type($operand)";
  let extraClassDefinition =
      Fusion_Infer<"expandDims(operands, adaptor.getAxesAttr())">.definition;
}

def Fusion_SqueezeOp : Fusion_InferredView<"squeeze", "squeeze"> {
  let summary = "removal of dimensions of static extent 1";
  let arguments = (ins Fusion_Tensor:$operand, DenseI64ArrayAttr:$axes);
  let results = (outs Fusion_Tensor:$result);
  let assemblyFormat = "$operand `axes` $axes attr-dict `:` type($operand)";
  let extraClassDefinition =
      Fusion_Infer<"squeeze(operands, adaptor.getAxesAttr())">.definition;
}

def Fusion_FlipOp : Fusion_InferredView<"flip", "flip"> {
  let summary = "reversal along axes";
  let arguments = (ins Fusion_Tensor:$operand, DenseI64ArrayAttr:$axes);
  let results = (outs Fusion_Tensor:$result);
  let assemblyFormat = "$operand `axes` $axes attr-dict `:` type($operand)";
  let extraClassDefinition =
      Fusion_Infer<"flip(operands, adaptor.getAxesAttr())">.definition;
}

def Fusion_SliceOp
    : Fusion_ViewOp<"slice", "", [AttrSizedOperandSegments]> {
  let summary = "strided slice with steps of either sign";
  let description = [{
    One offset, size and step for each dimension, static or an `index` operand.
    Element `i` of the result is element `offset + i * step` of the operand.

    ```mlir
    %r = fusion.slice %x[%o, 0] [%n, 4] [-1, 2]
        : tensor<?x8xf32> to tensor<?x4xf32>
    ```
  }];
  let arguments = (ins Fusion_Tensor:$operand, Variadic<Index>:$offsets,
                       Variadic<Index>:$sizes, Variadic<Index>:$steps,
                       DenseI64ArrayAttr:$static_offsets,
                       DenseI64ArrayAttr:$static_sizes,
                       DenseI64ArrayAttr:$static_steps);
  let results = (outs Fusion_Tensor:$result);
  let assemblyFormat = [{
    $operand ``
    custom<DynamicIndexList>($offsets, $static_offsets)
    custom<DynamicIndexList>($sizes, $static_sizes)
    custom<DynamicIndexList>($steps, $static_steps)
    attr-dict `:` type($operand) `to` type($result)
  }];
  let hasVerifier = 1;
}

def Fusion_BroadcastOp : Fusion_ViewOp<"broadcast", "broadcast_to"> {
  let summary = "repetition along new leading dimensions and extents of 1";
  let description = [{
    The shape is that of the result, dimensions aligned at the end.

    ```mlir
    %r = fusion.broadcast %x [%m, 4] : tensor<4xf32> to tensor<?x4xf32>
    ```
  }];
  let arguments = (ins Fusion_Tensor:$operand, Variadic<Index>:$shape,
                       DenseI64ArrayAttr:$static_shape);
  let results = (outs Fusion_Tensor:$result);
  let assemblyFormat = [{
    $operand custom<DynamicIndexList>($shape, $static_shape)
    attr-dict `:` type($operand) `to` type($result)
  }];
  let hasVerifier = 1;
}

def Fusion_ReshapeOp : Fusion_ViewOp<"reshape", "reshape"> {
  let summary = "same elements in row-major order, another shape";
  let description = [{
    The numbers of elements are equal; where one is dynamic the caller
    guarantees it. The operation is a view only of contiguous memory; elsewhere
    the run time copies.
  }];
  let arguments = (ins Fusion_Tensor:$operand, Variadic<Index>:$shape,
                       DenseI64ArrayAttr:$static_shape);
  let results = (outs Fusion_Tensor:$result);
  let assemblyFormat = [{
    $operand custom<DynamicIndexList>($shape, $static_shape)
    attr-dict `:` type($operand) `to` type($result)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Updates
//===----------------------------------------------------------------------===//

def Fusion_InsertSliceOp
    : Fusion_Op<"insert_slice", "update",
                [Pure, AttrSizedOperandSegments, AllTypesMatch<["base", "result"]>]> {
  let summary = "a tensor with other elements in a strided slice";
  let description = [{
    Element `offset + i * step` of the result is element `i` of the value; all
    others are those of the base. Offsets, sizes and steps are as in
    `fusion.slice`.

    `takes_over`: nothing reads the base later, so its buffer becomes the
    result's; elsewhere the base is copied. `fused_store`: the kernel that makes
    the value writes it to its place in the result.

    ```mlir
    %r = fusion.insert_slice %v into %x[%o, 0] [%n, 4] [-1, 2]
        : tensor<?x4xf32> into tensor<?x8xf32>
    ```
  }];
  let arguments = (ins Fusion_Tensor:$value, Fusion_Tensor:$base,
                       Variadic<Index>:$offsets, Variadic<Index>:$sizes,
                       Variadic<Index>:$steps,
                       DenseI64ArrayAttr:$static_offsets,
                       DenseI64ArrayAttr:$static_sizes,
                       DenseI64ArrayAttr:$static_steps,
                       UnitAttr:$takes_over, UnitAttr:$fused_store);
  let results = (outs Fusion_Tensor:$result);
  let assemblyFormat = [{
    $value `into` $base ``
    custom<DynamicIndexList>($offsets, $static_offsets)
    custom<DynamicIndexList>($sizes, $static_sizes)
    custom<DynamicIndexList>($steps, $static_steps)
    attr-dict `:` type($value) `into` type($base)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Creation
//===----------------------------------------------------------------------===//

def Fusion_ConstantOp
    : Fusion_Op<"constant", "creation",
                [ConstantLike, Pure, Fusion_Creation,
                 AllTypesMatch<["value", "result"]>]> {
  let summary = "tensor constant";
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Fusion_Tensor:$result);
  let assemblyFormat = "attr-dict $value";
  let hasFolder = 1;
}

def Fusion_FullOp : Fusion_Op<"full", "creation", [Pure, Fusion_Creation]> {
  let summary = "a tensor with one scalar everywhere";
  let description = [{
    ```mlir
    %r = fusion.full %s [%m, 4] : f32 to tensor<?x4xf32>
    %t = fusion.full %s [] : f32 to tensor<f32>
    ```
  }];
  let arguments = (ins Fusion_Element:$value, Variadic<Index>:$shape,
                       DenseI64ArrayAttr:$static_shape);
  let results = (outs Fusion_Tensor:$result);
  let assemblyFormat = [{
    $value custom<DynamicIndexList>($shape, $static_shape)
    attr-dict `:` type($value) `to` type($result)
  }];
  let hasFolder = 1;
  let hasVerifier = 1;
  let fusionNumpy = "full";
}

def Fusion_IotaOp : Fusion_Op<"iota", "creation", [Pure, Fusion_Creation]> {
  let summary = "start + i * step in one dimension";
  let arguments = (ins Fusion_Element:$start, Fusion_Element:$step,
                       Variadic<Index>:$shape, DenseI64ArrayAttr:$static_shape);
  let results = (outs Fusion_Tensor:$result);
  let assemblyFormat = [{
    $start `,` $step custom<DynamicIndexList>($shape, $static_shape)
    attr-dict `:` type($start) `,` type($step) `to` type($result)
  }];
  let hasVerifier = 1;
}

#endif // FUSION_VIEWS
