// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The dialect, its element types, and the base class of its operations.
#ifndef FUSION_BASE
#define FUSION_BASE

include "mlir/IR/OpBase.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Fusion_Dialect : Dialect {
  let name = "fusion";
  let summary = "Array operations and the kernels they are fused into";
  let description = [{
    Operations of the Python array API standard on ranked tensors. Element-wise
    operands broadcast only against a static extent of 1 or a missing leading
    dimension; two dynamic extents are equal by definition. Signless integers
    are signed, `uiN` are unsigned, `i1` is the boolean type.
  }];
  let cppNamespace = "::mlir::fusion";
  let hasConstantMaterializer = 1;
}

def Fusion_Element : AnyTypeOf<[I1, I8, I16, I32, I64, UI8, UI16, UI32, UI64,
                                F16, BF16, F32, F64], "element type">;
def Fusion_Tensor : RankedTensorOf<[Fusion_Element]>;
def Fusion_FloatTensor : RankedTensorOf<[F16, BF16, F32, F64]>;
def Fusion_BoolTensor : RankedTensorOf<[I1]>;
def Fusion_BitsTensor : RankedTensorOf<[I1, I8, I16, I32, I64,
                                        UI8, UI16, UI32, UI64]>;
def Fusion_ShiftTensor : RankedTensorOf<[I8, I16, I32, I64,
                                         UI8, UI16, UI32, UI64]>;
def Fusion_NumberTensor : RankedTensorOf<[I8, I16, I32, I64, UI8, UI16, UI32,
                                          UI64, F16, BF16, F32, F64]>;

// What an operation is. Passes ask C++ through these traits and Python through
// the table that the build writes from the same records.
class Fusion_Trait<string name> : NativeOpTrait<name> {
  let cppNamespace = "::mlir::OpTrait";
}
def Fusion_Elementwise : Fusion_Trait<"FusionElementwise">;
def Fusion_View : Fusion_Trait<"FusionView">;
def Fusion_Creation : Fusion_Trait<"FusionCreation">;
def Fusion_Reduction : Fusion_Trait<"FusionReduction">;
def Fusion_Contraction : Fusion_Trait<"FusionContraction">;
def Fusion_Opaque : Fusion_Trait<"FusionOpaque">;
def Fusion_Kernel : Fusion_Trait<"FusionKernel">;

class Fusion_Op<string mnemonic, string kind, list<Trait> traits = []>
    : Op<Fusion_Dialect, mnemonic, traits> {
  // elementwise, view, creation, reduction, contraction, opaque or region.
  string fusionKind = kind;
  // "cheap": a few instructions an element; "math": an expansion of tens.
  string fusionCost = "cheap";
  // The NumPy function with the same meaning, empty where there is none.
  string fusionNumpy = "";
}

#endif // FUSION_BASE
