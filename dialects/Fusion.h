// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The fusion dialect and its operations.
#ifndef FUSION_FUSION_H
#define FUSION_FUSION_H

#include "Inference.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

// What an operation is, for hasTrait<>(); FusionBase.td declares the same names.
namespace mlir::OpTrait {
#define FUSION_TRAIT(NAME)                                                     \
  template <typename Op> class NAME : public TraitBase<Op, NAME> {}
FUSION_TRAIT(FusionElementwise);
FUSION_TRAIT(FusionView);
FUSION_TRAIT(FusionCreation);
FUSION_TRAIT(FusionReduction);
FUSION_TRAIT(FusionContraction);
FUSION_TRAIT(FusionOpaque);
FUSION_TRAIT(FusionKernel);
#undef FUSION_TRAIT
} // namespace mlir::OpTrait

namespace mlir::fusion {
// Attribute of a module: "strict", which holds without it, or "fast".
inline constexpr StringLiteral kPrecisionAttr = "fusion.precision";

/// Whether an operation is in a module of precision "fast".
bool isFast(Operation *op);
} // namespace mlir::fusion

#include "FusionDialect.h.inc"

#define GET_OP_CLASSES
#include "FusionOps.h.inc"

#endif // FUSION_FUSION_H
