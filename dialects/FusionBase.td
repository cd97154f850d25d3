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

    Each operation rounds to its element type. A module with the attribute
    `fusion.precision = "fast"` relaxes that within kernels: f16 and bf16 values
    stay f32 until they are stored or are the operand of a cast, and a product
    may be contracted with a sum or difference.
  }];
  let cppNamespace = "::mlir::fusion";
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
}

// Element types by group. The groups are kept as a field, so that the table of
// operations can say which element types an operand takes.
class Fusion_Scalar<list<Type> types, string summary>
    : AnyTypeOf<types, summary> {
  list<Type> fusionElements = types;
}
class Fusion_TensorOf<list<Type> types, string names>
    : RankedTensorOf<types> {
  let summary = "a ranked tensor of " # names;
  list<Type> fusionElements = types;
}

class Fusion_Types<list<Type> types> { list<Type> each = types; }
def Fusion_Ints : Fusion_Types<[I8, I16, I32, I64, UI8, UI16, UI32, UI64]>;
def Fusion_Floats : Fusion_Types<[F16, BF16, F32, F64]>;
def Fusion_All : Fusion_Types<!listconcat([I1], Fusion_Ints.each,
                                          Fusion_Floats.each)>;

def Fusion_Element
    : Fusion_Scalar<Fusion_All.each, "an i1, integer or floating-point value">;
def Fusion_Tensor
    : Fusion_TensorOf<Fusion_All.each, "i1, integers or floats">;
def Fusion_FloatTensor
    : Fusion_TensorOf<Fusion_Floats.each, "f16, bf16, f32 or f64">;
def Fusion_BoolTensor : Fusion_TensorOf<[I1], "i1">;
def Fusion_BitsTensor
    : Fusion_TensorOf<!listconcat([I1], Fusion_Ints.each), "i1 or integers">;
def Fusion_ShiftTensor : Fusion_TensorOf<Fusion_Ints.each, "integers">;
def Fusion_NumberTensor
    : Fusion_TensorOf<!listconcat(Fusion_Ints.each, Fusion_Floats.each),
                      "integers or floats">;

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
  // elementwise, view, update, creation, reduction, contraction, opaque or
  // region.
  string fusionKind = kind;
  // "cheap": a few instructions an element; "math": an expansion of tens.
  string fusionCost = "cheap";
  // The NumPy function with the same meaning, empty where there is none.
  string fusionNumpy = "";
}

// The definition of inferReturnTypes as a call of a method of Inference (see
// Inference.h), which may name `operands` and `adaptor`.
class Fusion_Infer<string call> {
  code definition = [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *, ::std::optional<::mlir::Location> location,
        ::mlir::ValueRange operands, ::mlir::DictionaryAttr attributes,
        ::mlir::OpaqueProperties properties, ::mlir::RegionRange regions,
        ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      Adaptor adaptor(operands, attributes, properties, regions);
      ::mlir::fusion::Inference infer{getOperationName(), location, types};
      return infer.}] # call # [{;
    }
  }];
}

#endif // FUSION_BASE
