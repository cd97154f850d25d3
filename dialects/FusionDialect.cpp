// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The dialect and the definitions generated from its declarations.
#include "Fusion.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mlir::fusion;

#include "FusionDialect.cpp.inc"

#define GET_OP_CLASSES
#include "FusionOps.cpp.inc"

void FusionDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "FusionOps.cpp.inc"
      >();
}

/// Folders give attributes; this makes operations of them.
Operation *FusionDialect::materializeConstant(OpBuilder &builder,
                                              Attribute value, Type type,
                                              Location loc) {
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements || elements.getType() != type)
    return nullptr;
  return ConstantOp::create(builder, loc, type, elements);
}
