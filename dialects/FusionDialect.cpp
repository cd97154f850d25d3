// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The dialect. The build compiles the definitions generated from the
// declarations of its operations in files of their own.
#include "Fusion.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace mlir::fusion;

#include "FusionDialect.cpp.inc"

void FusionDialect::initialize() { registerFusionDialectOperations(this); }

/// Folders give attributes; this makes operations of them.
Operation *FusionDialect::materializeConstant(OpBuilder &builder,
                                              Attribute value, Type type,
                                              Location loc) {
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements || elements.getType() != type)
    return nullptr;
  return ConstantOp::create(builder, loc, type, elements);
}

bool fusion::isFast(Operation *op) {
  auto module = op->getParentOfType<ModuleOp>();
  auto precision =
      module ? module->getAttrOfType<StringAttr>(kPrecisionAttr) : StringAttr();
  return precision && precision.getValue() == "fast";
}

LogicalResult FusionDialect::verifyOperationAttribute(Operation *op,
                                                      NamedAttribute attr) {
  if (attr.getName() != kPrecisionAttr)
    return success();
  auto precision = dyn_cast<StringAttr>(attr.getValue());
  if (isa<ModuleOp>(op) && precision &&
      (precision == "strict" || precision == "fast"))
    return success();
  return op->emitOpError() << "has " << kPrecisionAttr << " = "
                           << attr.getValue()
                           << "; it is \"strict\" or \"fast\", on a module";
}
