// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Verifiers and folders of views and creation.
#include "Folding.h"
#include "Fusion.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir;
using namespace mlir::fusion;

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

/// Checks one of an operation's lists of static and `index` numbers.
static LogicalResult verifyList(Operation *op, StringRef what,
                                ArrayRef<int64_t> numbers, OperandRange dynamic,
                                int64_t rank) {
  if (static_cast<int64_t>(numbers.size()) != rank)
    return op->emitOpError("has ")
           << numbers.size() << " " << what << " for rank " << rank;
  size_t holes = llvm::count_if(numbers, ShapedType::isDynamic);
  if (holes != dynamic.size())
    return op->emitOpError("has ") << dynamic.size() << " operands for " << holes
                                   << " dynamic " << what;
  return success();
}

/// Checks that a list of extents is a shape: that of the operation's `whose`.
static LogicalResult verifyShape(Operation *op, StringRef what,
                                 ArrayRef<int64_t> extents,
                                 OperandRange dynamic, RankedTensorType type,
                                 StringRef whose) {
  if (failed(verifyList(op, what, extents, dynamic, type.getRank())))
    return failure();
  for (auto [dim, pair] :
       llvm::enumerate(llvm::zip_equal(extents, type.getShape()))) {
    auto [given, typed] = pair;
    if (given < 0 && ShapedType::isStatic(given))
      return op->emitOpError("has the negative extent ") << given;
    if (given == typed)
      continue;
    InFlightDiagnostic error = op->emitOpError("dimension ");
    error << dim << " of the " << whose << " type " << type << " should be ";
    if (ShapedType::isDynamic(given))
      return error << "dynamic, as its extent is an operand";
    return error << given;
  }
  return success();
}

/// The same for an operation whose only result has the shape.
static LogicalResult verifyShape(Operation *op, StringRef what,
                                 ArrayRef<int64_t> extents,
                                 OperandRange dynamic) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  return verifyShape(op, what, extents, dynamic, type, "result");
}

/// Checks the strided slice `part` of `whole` that an operation names.
template <class Slice>
static LogicalResult verifySlice(Slice op, RankedTensorType whole,
                                 RankedTensorType part, StringRef whose) {
  int64_t rank = whole.getRank();
  if (failed(verifyList(op, "offsets", op.getStaticOffsets(), op.getOffsets(),
                        rank)) ||
      failed(verifyList(op, "steps", op.getStaticSteps(), op.getSteps(),
                        rank)) ||
      failed(verifyList(op, "sizes", op.getStaticSizes(), op.getSizes(),
                        rank)) ||
      failed(verifyShape(op, "sizes", op.getStaticSizes(), op.getSizes(), part,
                         whose)))
    return failure();

  for (int64_t dim = 0; dim < rank; ++dim) {
    int64_t offset = op.getStaticOffsets()[dim];
    int64_t size = op.getStaticSizes()[dim], step = op.getStaticSteps()[dim];
    int64_t extent = whole.getDimSize(dim);
    if (step == 0)
      return op.emitOpError("has step 0 in dimension ") << dim;
    // Without elements nothing is out of range.
    if (size == 0 || ShapedType::isDynamic(offset))
      continue;
    auto outside = [&](int64_t index) {
      return index < 0 || (ShapedType::isStatic(extent) && index >= extent);
    };
    // Where the size or the step is dynamic, the first element alone is known.
    int64_t last = offset;
    bool overflows = false;
    if (ShapedType::isStatic(size) && ShapedType::isStatic(step))
      overflows = llvm::MulOverflow(size - 1, step, last) ||
                  llvm::AddOverflow(last, offset, last);
    if (outside(offset) || overflows || outside(last)) {
      InFlightDiagnostic error = op.emitOpError("takes element ");
      error << (outside(offset) ? offset : last) << " of dimension " << dim;
      if (ShapedType::isStatic(extent))
        error << ", whose extent is " << extent;
      return error;
    }
  }
  return success();
}

LogicalResult SliceOp::verify() {
  RankedTensorType whole = getOperand().getType();
  if (getType().getElementType() != whole.getElementType())
    return emitOpError("changes the element type: ")
           << whole << " to " << getType();
  return verifySlice(*this, whole, getType(), "result");
}

LogicalResult InsertSliceOp::verify() {
  RankedTensorType part = getValue().getType(), whole = getBase().getType();
  if (part.getElementType() != whole.getElementType())
    return emitOpError("changes the element type: ")
           << part << " to " << whole;
  return verifySlice(*this, whole, part, "value");
}

LogicalResult BroadcastOp::verify() {
  RankedTensorType from = getOperand().getType(), to = getType();
  if (from.getElementType() != to.getElementType())
    return emitOpError("changes the element type: ") << from << " to " << to;
  if (failed(verifyShape(*this, "extents", getStaticShape(), getShape())))
    return failure();
  bool good = from.getRank() <= to.getRank();
  if (good)
    for (auto [own, wanted] :
         llvm::zip_equal(from.getShape(),
                         to.getShape().take_back(from.getRank())))
      good = good && (own == 1 || extentsAgree(own, wanted));
  if (!good)
    return emitOpError("cannot broadcast ") << from << " to " << to;
  return success();
}

LogicalResult ReshapeOp::verify() {
  RankedTensorType from = getOperand().getType(), to = getType();
  if (from.getElementType() != to.getElementType())
    return emitOpError("changes the element type: ") << from << " to " << to;
  if (failed(verifyShape(*this, "extents", getStaticShape(), getShape())))
    return failure();
  if (from.hasStaticShape() && to.hasStaticShape() &&
      from.getNumElements() != to.getNumElements())
    return emitOpError("changes the number of elements: ")
           << from << " has " << from.getNumElements() << ", " << to << " has "
           << to.getNumElements();
  return success();
}

LogicalResult FullOp::verify() {
  if (getValue().getType() != getType().getElementType())
    return emitOpError("fills ")
           << getType() << " with a value of type " << getValue().getType();
  return verifyShape(*this, "extents", getStaticShape(), getShape());
}

LogicalResult IotaOp::verify() {
  Type element = getType().getElementType();
  if (getStart().getType() != element || getStep().getType() != element)
    return emitOpError("fills ")
           << getType() << " from values of type " << getStart().getType()
           << " and " << getStep().getType();
  if (getType().getRank() != 1)
    return emitOpError("makes one dimension, not ") << getType();
  return verifyShape(*this, "extents", getStaticShape(), getShape());
}

//===----------------------------------------------------------------------===//
// Folders
//===----------------------------------------------------------------------===//

/// A view of a constant with one value everywhere has that value everywhere.
static Attribute foldSplat(Attribute operand, Type result) {
  std::optional<APInt> bits = splatBits(operand);
  return bits ? makeSplat(result, *bits) : Attribute();
}

/// The same for views that keep the elements in row-major order, which can take
/// any constant.
static Attribute foldReshaped(Attribute operand, Type result) {
  auto dense = dyn_cast_if_present<DenseIntOrFPElementsAttr>(operand);
  auto type = cast<RankedTensorType>(result);
  if (!dense || !type.hasStaticShape())
    return {};
  return dense.reshape(type);
}

OpFoldResult TransposeOp::fold(FoldAdaptor adaptor) {
  ArrayRef<int64_t> permutation = getPermutation();
  if (llvm::equal(permutation, llvm::seq<int64_t>(permutation.size())))
    return getOperand();
  if (auto inner = getOperand().getDefiningOp<TransposeOp>()) {
    ArrayRef<int64_t> first = inner.getPermutation();
    setPermutation(llvm::map_to_vector(
        permutation, [&](int64_t dim) { return first[dim]; }));
    setOperand(inner.getOperand());
    return getResult();
  }
  return foldSplat(adaptor.getOperand(), getType());
}

OpFoldResult ExpandDimsOp::fold(FoldAdaptor adaptor) {
  if (getAxes().empty())
    return getOperand();
  auto inner = getOperand().getDefiningOp<SqueezeOp>();
  if (inner && inner.getAxes() == getAxes())
    return inner.getOperand();
  return foldReshaped(adaptor.getOperand(), getType());
}

OpFoldResult SqueezeOp::fold(FoldAdaptor adaptor) {
  if (getAxes().empty())
    return getOperand();
  auto inner = getOperand().getDefiningOp<ExpandDimsOp>();
  if (inner && inner.getAxes() == getAxes())
    return inner.getOperand();
  return foldReshaped(adaptor.getOperand(), getType());
}

OpFoldResult FlipOp::fold(FoldAdaptor adaptor) {
  // Reversing an extent of 1 changes nothing, and twice is not at all.
  auto inner = getOperand().getDefiningOp<FlipOp>();
  SmallVector<int64_t> axes;
  for (int64_t dim = 0; dim < getType().getRank(); ++dim) {
    bool flips = llvm::is_contained(getAxes(), dim);
    if (inner)
      flips ^= llvm::is_contained(inner.getAxes(), dim);
    if (flips && getType().getDimSize(dim) != 1)
      axes.push_back(dim);
  }
  Value operand = inner ? inner.getOperand() : getOperand();
  if (axes.empty())
    return operand;
  if (inner || axes.size() != getAxes().size()) {
    setAxes(axes);
    setOperand(operand);
    return getResult();
  }
  return foldSplat(adaptor.getOperand(), getType());
}

/// A fully static view to the operand's own type, for views that this makes the
/// identity. With `?` the extents can still differ.
static OpFoldResult foldStaticIdentity(Value operand, Value result) {
  auto type = cast<RankedTensorType>(operand.getType());
  return type.hasStaticShape() ? ifSameType(operand, result) : OpFoldResult();
}

OpFoldResult SliceOp::fold(FoldAdaptor adaptor) {
  auto all = [](ArrayRef<int64_t> list, int64_t value) {
    return llvm::all_of(list, [&](int64_t v) { return v == value; });
  };
  if (all(getStaticOffsets(), 0) && all(getStaticSteps(), 1))
    if (OpFoldResult whole = foldStaticIdentity(getOperand(), getResult()))
      return whole;
  return foldSplat(adaptor.getOperand(), getType());
}

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (OpFoldResult same = foldStaticIdentity(getOperand(), getResult()))
    return same;
  return foldSplat(adaptor.getOperand(), getType());
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (OpFoldResult same = foldStaticIdentity(getOperand(), getResult()))
    return same;
  if (auto inner = getOperand().getDefiningOp<ReshapeOp>()) {
    getOperandMutable().assign(inner.getOperand());
    return getResult();
  }
  return foldReshaped(adaptor.getOperand(), getType());
}

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

OpFoldResult FullOp::fold(FoldAdaptor adaptor) {
  if (auto value = dyn_cast_if_present<IntegerAttr>(adaptor.getValue()))
    return makeSplat(getType(), value.getValue());
  if (auto value = dyn_cast_if_present<FloatAttr>(adaptor.getValue()))
    return makeSplat(getType(), value.getValue().bitcastToAPInt());
  return {};
}
