// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folders of select, clamp and cast, and the cast's verifier.
#include "Folding.h"
#include "Fusion.h"
#include "llvm/ADT/APSInt.h"

using namespace mlir;
using namespace mlir::fusion;
using llvm::APFloat;
using llvm::APSInt;

//===----------------------------------------------------------------------===//
// Select
//===----------------------------------------------------------------------===//

OpFoldResult SelectOp::fold(FoldAdaptor adaptor) {
  if (getX() == getY())
    if (OpFoldResult x = ifSameType(getX(), getResult()))
      return x;
  if (std::optional<APInt> condition = splatBits(adaptor.getCondition()))
    if (OpFoldResult taken = ifSameType(condition->isOne() ? getX() : getY(),
                                        getResult()))
      return taken;
  if (auto inverted = getCondition().getDefiningOp<LogicalNotOp>()) {
    Value x = getX();
    getConditionMutable().assign(inverted.getOperand());
    getXMutable().assign(getY());
    getYMutable().assign(x);
    return getResult();
  }
  // Booleans: true where the condition holds and false elsewhere.
  std::optional<APInt> x = splatBits(adaptor.getX());
  std::optional<APInt> y = splatBits(adaptor.getY());
  if (Element(getType()).width == 1 && x && y && x->isOne() && y->isZero())
    if (OpFoldResult condition = ifSameType(getCondition(), getResult()))
      return condition;
  return foldElements(
      adaptor.getOperands(), getType(),
      [](ArrayRef<APInt> v) { return v[0].isOne() ? v[1] : v[2]; });
}

//===----------------------------------------------------------------------===//
// Clamp
//===----------------------------------------------------------------------===//

OpFoldResult ClampOp::fold(FoldAdaptor adaptor) {
  Element element(getType());
  // Bounds that nothing passes.
  if (splatBits(adaptor.getLo()) == element.lowest() &&
      splatBits(adaptor.getHi()) == element.highest())
    if (OpFoldResult operand = ifSameType(getOperand(), getResult()))
      return operand;
  return foldElements(
      adaptor.getOperands(), getType(), [&](ArrayRef<APInt> v) -> APInt {
        if (element.isFloat())
          return llvm::minimum(llvm::maximum(element.toFloat(v[0]),
                                             element.toFloat(v[1])),
                               element.toFloat(v[2]))
              .bitcastToAPInt();
        auto less = [&](const APInt &a, const APInt &b) {
          return element.isSigned ? a.slt(b) : a.ult(b);
        };
        const APInt &raised = less(v[0], v[1]) ? v[1] : v[0];
        return less(v[2], raised) ? v[2] : raised;
      });
}

//===----------------------------------------------------------------------===//
// Cast
//===----------------------------------------------------------------------===//

LogicalResult CastOp::verify() {
  RankedTensorType from = getOperand().getType(), to = getType();
  if (from.getShape() != to.getShape())
    return emitOpError("changes the shape: ") << from << " to " << to;
  return success();
}

/// Whether each value of `from` is one of `to`.
static bool isLossless(const Element &from, const Element &to) {
  if (!to.isFloat()) {
    if (from.isFloat())
      return false;
    // A signed type needs one bit more for the values of an unsigned one.
    return from.isSigned ? to.isSigned && to.width >= from.width
                         : to.width >= from.width + to.isSigned;
  }
  unsigned digits = APFloat::semanticsPrecision(*to.semantics);
  if (!from.isFloat())
    return from.width - from.isSigned <= digits &&
           APFloat::semanticsMaxExponent(*to.semantics) >= int(from.width);
  return APFloat::isRepresentableBy(*from.semantics, *to.semantics);
}

/// Whether a cast from `a` over `b` to `c` is the cast from `a` to `c`: `b` has
/// to hold each value of `a`, and the last cast must not treat it in another way
/// because it is a float (floats saturate where integers wrap).
static bool isOneCast(const Element &a, const Element &b, const Element &c) {
  if (!isLossless(a, b))
    return false;
  bool saturates = b.isFloat() && !c.isFloat() && c.width != 1;
  return !saturates || a.isFloat() || isLossless(a, c);
}

static APInt castElement(const APInt &bits, const Element &from,
                         const Element &to) {
  if (to.width == 1)
    return APInt(1, from.isFloat() ? !from.toFloat(bits).isZero()
                                   : !bits.isZero());
  if (!to.isFloat()) {
    if (!from.isFloat())
      return from.isSigned ? bits.sextOrTrunc(to.width)
                           : bits.zextOrTrunc(to.width);
    APSInt result(to.width, /*isUnsigned=*/!to.isSigned);
    bool exact;
    // It saturates, and NaN gives 0, as documented for the operation.
    from.toFloat(bits).convertToInteger(result, APFloat::rmTowardZero, &exact);
    return result;
  }
  if (!from.isFloat()) {
    APFloat result(*to.semantics);
    result.convertFromAPInt(bits, from.isSigned, APFloat::rmNearestTiesToEven);
    return result.bitcastToAPInt();
  }
  APFloat result = from.toFloat(bits);
  bool lossy;
  result.convert(*to.semantics, APFloat::rmNearestTiesToEven, &lossy);
  return result.bitcastToAPInt();
}

/// Whether a cast to the type that its operand has rounds: with precision "fast"
/// the operand may be wider than its type says, unless a cast has made it.
static bool roundsToOwnType(CastOp op) {
  Type element = op.getType().getElementType();
  return (element.isF16() || element.isBF16()) && isFast(op) &&
         !op.getOperand().getDefiningOp<CastOp>();
}

OpFoldResult CastOp::fold(FoldAdaptor adaptor) {
  if (getOperand().getType() == getType() && !roundsToOwnType(*this))
    return getOperand();
  Element to(getType());
  if (auto inner = getOperand().getDefiningOp<CastOp>()) {
    Element from(inner.getOperand().getType());
    if (isOneCast(from, Element(inner.getType()), to)) {
      setOperand(inner.getOperand());
      return getResult();
    }
  }
  Element from(getOperand().getType());
  return foldElements(adaptor.getOperands(), getType(), [&](ArrayRef<APInt> v) {
    return castElement(v[0], from, to);
  });
}
