// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/Kernel.h"
#include "Fusion.h"
#include "lower/Scalar.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringSwitch.h"

#include <limits>

using namespace mlir;
using namespace mlir::fusion;

/// Flat kernels are handed tiles whose last dimension is contiguous. Others
/// take any layout and write C-contiguous results.
static MemRefType memoryType(RankedTensorType type, bool flat, bool isResult) {
  MLIRContext *context = type.getContext();
  int64_t rank = type.getRank();
  Type element = storageType(type.getElementType());
  if (rank == 0 || (!flat && isResult))
    return MemRefType::get(type.getShape(), element);
  SmallVector<int64_t> strides(rank, ShapedType::kDynamic);
  if (flat)
    strides.back() = 1;
  int64_t offset = flat ? 0 : ShapedType::kDynamic;
  auto layout = StridedLayoutAttr::get(context, offset, strides);
  return MemRefType::get(type.getShape(), element, layout);
}

bool fusion::isPlace(Operation *op) { return isa<ArgmaxOp, ArgminOp>(op); }

bool fusion::hasPlace(func::FuncOp kernel) {
  return llvm::any_of(kernel.front(),
                      [](Operation &op) { return isPlace(&op); });
}

/// The type of the keys of a flat kernel, as an array of rank `rank`.
static MemRefType keysType(func::FuncOp kernel, int64_t rank) {
  auto place = llvm::find_if(kernel.front(),
                             [](Operation &op) { return isPlace(&op); });
  Type element = getElementTypeOrSelf(place->getOperand(0).getType());
  SmallVector<int64_t> shape(rank, ShapedType::kDynamic);
  return memoryType(RankedTensorType::get(shape, element), true, false);
}

FailureOr<KernelSignature> KernelSignature::get(func::FuncOp kernel) {
  KernelSignature signature;
  bool flat = isFlat(kernel);
  SmallVectorImpl<Type> &arguments = signature.arguments;
  for (Type type : kernel.getArgumentTypes()) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor && !type.isIntOrIndexOrFloat())
      return kernel.emitError("kernel argument of type ") << type;
    if (tensor && flat && tensor.getRank() > 2)
      return kernel.emitError("flat kernel with an argument of rank ")
             << tensor.getRank();
    if (tensor)
      arguments.push_back(memoryType(tensor, flat, /*isResult=*/false));
    else
      arguments.push_back(type.isIndex() ? type : storageType(type));
  }
  ArrayRef<int64_t> takesOver;
  if (auto attr = kernel->getAttrOfType<DenseI64ArrayAttr>(kTakesOverAttr))
    takesOver = attr;
  bool place = flat && hasPlace(kernel);
  if (place && !isFinish(kernel))
    arguments.push_back(keysType(kernel, 1));
  for (auto [i, type] : llvm::enumerate(kernel.getResultTypes())) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      return kernel.emitError("kernel result of type ") << type;
    int64_t taken = i < takesOver.size() ? takesOver[i] : -1;
    if (taken < 0) {
      signature.outputs.push_back(arguments.size());
      arguments.push_back(memoryType(tensor, flat, /*isResult=*/true));
      continue;
    }
    if (taken >= static_cast<int64_t>(kernel.getNumArguments()) ||
        kernel.getArgument(taken).getType() != type)
      return kernel.emitError("result ")
             << i << " of type " << type
             << " cannot take over argument " << taken;
    signature.outputs.push_back(taken);
  }
  if (place && isFinish(kernel))
    arguments.push_back(
        memoryType(RankedTensorType::get(
                       {ShapedType::kDynamic, ShapedType::kDynamic},
                       IntegerType::get(kernel.getContext(), 64)),
                   true, false));
  else if (place)
    arguments.push_back(IndexType::get(kernel.getContext()));
  if (flat && isFinish(kernel))
    arguments.push_back(IndexType::get(kernel.getContext()));
  return signature;
}

Combiner fusion::combinerOf(Operation *reduction) {
  return llvm::StringSwitch<Combiner>(reduction->getName().stripDialect())
      .Case("prod", Combiner::Prod)
      .Case("max", Combiner::Max)
      .Case("argmax", Combiner::Max)
      .Case("min", Combiner::Min)
      .Case("argmin", Combiner::Min)
      .Case("any", Combiner::Any)
      .Case("all", Combiner::All)
      .Default(Combiner::Sum);
}

static TypedAttr lowest(Type element, Type stored) {
  if (isa<FloatType>(element))
    return FloatAttr::get(element, -std::numeric_limits<double>::infinity());
  unsigned width = stored.getIntOrFloatBitWidth();
  bool isUnsigned = element.isUnsignedInteger() || isBool(element);
  return IntegerAttr::get(stored, isUnsigned ? APInt::getZero(width)
                                             : APInt::getSignedMinValue(width));
}

static TypedAttr highest(Type element, Type stored) {
  if (isa<FloatType>(element))
    return FloatAttr::get(element, std::numeric_limits<double>::infinity());
  unsigned width = stored.getIntOrFloatBitWidth();
  if (isBool(element))
    return IntegerAttr::get(stored, 1);
  return IntegerAttr::get(stored, element.isUnsignedInteger()
                                      ? APInt::getMaxValue(width)
                                      : APInt::getSignedMaxValue(width));
}

TypedAttr fusion::identityOf(Combiner combiner, Type element) {
  Type stored = storageType(element);
  auto number = [&](int value) -> TypedAttr {
    if (isa<FloatType>(element))
      return FloatAttr::get(element, static_cast<double>(value));
    return IntegerAttr::get(stored, value);
  };
  switch (combiner) {
  case Combiner::Sum:
  case Combiner::Any:
    return number(0);
  case Combiner::Prod:
  case Combiner::All:
    return number(1);
  case Combiner::Max:
    return lowest(element, stored);
  case Combiner::Min:
    return highest(element, stored);
  }
  llvm_unreachable("unknown combiner");
}
