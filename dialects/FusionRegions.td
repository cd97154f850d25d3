// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels as regions, and calls of what only a backend can do.
#ifndef FUSION_REGIONS
#define FUSION_REGIONS

include "FusionBase.td"

def Fusion_FusedOp : Fusion_Op<"fused", "region",
    [IsolatedFromAbove, RecursiveMemoryEffects, SingleBlock, Fusion_Kernel,
     DeclareOpInterfaceMethods<OpAsmOpInterface,
                               ["getAsmBlockArgumentNames"]>]> {
  let summary = "one kernel made of several operations";
  let description = [{
    The kind is `elementwise` or `reduction`. The body holds element-wise and
    creation operations; of kind `reduction` also exactly one reduction, whose
    result only element-wise operations of its shape follow. `takes_over` names
    for each result the input whose buffer it overwrites, or -1.

    ```mlir
    %r = fusion.fused "elementwise" (%a = %x, %b = %y)
           : (tensor<4xf32>, f32) -> tensor<4xf32> {
      %0 = fusion.full %b [] : f32 to tensor<f32>
      %1 = fusion.add %a, %0 : tensor<4xf32>, tensor<f32>
      fusion.yield %1 : tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$inputs, StrAttr:$kind,
                       OptionalAttr<DenseI64ArrayAttr>:$takes_over);
  let results = (outs Variadic<Fusion_Tensor>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let hasCanonicalizer = 1;
}

def Fusion_YieldOp : Fusion_Op<"yield", "region",
    [Pure, Terminator, ParentOneOf<["FusedOp"]>]> {
  let summary = "results of fusion.fused";
  let arguments = (ins Variadic<Fusion_Tensor>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
}

def Fusion_CustomCallOp : Fusion_Op<"custom_call", "opaque",
                                    [Fusion_Opaque, Pure]> {
  let summary = "an operation that the backend runs";
  let description = [{
    The callee is a name that the backend knows, as `numpy.sort`; its static
    arguments follow as `options {...}`.

    ```mlir
    %r = fusion.custom_call "numpy.sinh" (%x)
        : (tensor<?xf16>) -> tensor<?xf16>
    ```
  }];
  let arguments = (ins StrAttr:$callee, Variadic<AnyType>:$inputs,
                       OptionalAttr<DictionaryAttr>:$options);
  let results = (outs Variadic<AnyRankedTensor>:$outputs);
  let assemblyFormat = [{
    $callee `(` $inputs `)` (`options` $options^)? attr-dict `:`
    functional-type($inputs, $outputs)
  }];
  let hasVerifier = 1;
}

#endif // FUSION_REGIONS
