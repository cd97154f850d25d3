// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folders of logic and bits. Booleans are integers of one bit here, so that
// both families share their rules.
#include "Folding.h"
#include "Fusion.h"

using namespace mlir;
using namespace mlir::fusion;

using BitsFn = llvm::function_ref<APInt(const APInt &, const APInt &)>;

static OpFoldResult foldBits(ArrayRef<Attribute> operands, Value result,
                             BitsFn fn) {
  return foldElements(operands, result.getType(),
                      [&](ArrayRef<APInt> v) { return fn(v[0], v[1]); });
}

/// And and or: `neutral` bits leave the other operand as it is, their complement
/// wins over it, and equal operands give themselves.
template <typename Op>
static OpFoldResult foldAndOr(Op op, ArrayRef<Attribute> operands,
                              bool neutralIsOnes, BitsFn fn) {
  std::optional<APInt> rhs = splatBits(operands[1]);
  bool isNeutral = rhs && (neutralIsOnes ? rhs->isAllOnes() : rhs->isZero());
  bool wins = rhs && (neutralIsOnes ? rhs->isZero() : rhs->isAllOnes());
  if (op.getLhs() == op.getRhs() || isNeutral)
    if (OpFoldResult lhs = ifSameType(op.getLhs(), op.getResult()))
      return lhs;
  if (wins)
    return makeSplat(op.getType(), *rhs);
  return foldBits(operands, op.getResult(), fn);
}

template <typename Op>
static OpFoldResult foldXor(Op op, ArrayRef<Attribute> operands) {
  if (op.getLhs() == op.getRhs())
    return makeSplat(op.getType(), APInt::getZero(Element(op.getType()).width));
  if (std::optional<APInt> rhs = splatBits(operands[1]); rhs && rhs->isZero())
    if (OpFoldResult lhs = ifSameType(op.getLhs(), op.getResult()))
      return lhs;
  return foldBits(operands, op.getResult(),
                  [](const APInt &x, const APInt &y) { return x ^ y; });
}

/// The complement; that of the complement folds through the Involution trait.
static OpFoldResult foldNot(ArrayRef<Attribute> operands, Value result) {
  return foldElements(operands, result.getType(),
                      [](ArrayRef<APInt> v) { return ~v[0]; });
}

static APInt bitAnd(const APInt &x, const APInt &y) { return x & y; }
static APInt bitOr(const APInt &x, const APInt &y) { return x | y; }

OpFoldResult LogicalAndOp::fold(FoldAdaptor adaptor) {
  return foldAndOr(*this, adaptor.getOperands(), true, bitAnd);
}
OpFoldResult BitwiseAndOp::fold(FoldAdaptor adaptor) {
  return foldAndOr(*this, adaptor.getOperands(), true, bitAnd);
}
OpFoldResult LogicalOrOp::fold(FoldAdaptor adaptor) {
  return foldAndOr(*this, adaptor.getOperands(), false, bitOr);
}
OpFoldResult BitwiseOrOp::fold(FoldAdaptor adaptor) {
  return foldAndOr(*this, adaptor.getOperands(), false, bitOr);
}
OpFoldResult LogicalXorOp::fold(FoldAdaptor adaptor) {
  return foldXor(*this, adaptor.getOperands());
}
OpFoldResult BitwiseXorOp::fold(FoldAdaptor adaptor) {
  return foldXor(*this, adaptor.getOperands());
}
OpFoldResult LogicalNotOp::fold(FoldAdaptor adaptor) {
  return foldNot(adaptor.getOperands(), getResult());
}
OpFoldResult BitwiseInvertOp::fold(FoldAdaptor adaptor) {
  return foldNot(adaptor.getOperands(), getResult());
}

//===----------------------------------------------------------------------===//
// Shifts
//===----------------------------------------------------------------------===//

/// The amount of a shift; the width where it is that or more, or negative.
static unsigned shiftAmount(const APInt &amount, bool isSigned) {
  unsigned width = amount.getBitWidth();
  if (isSigned && amount.isNegative())
    return width;
  return amount.getLimitedValue(width);
}

template <typename Op>
static OpFoldResult foldShift(Op op, ArrayRef<Attribute> operands, BitsFn fn) {
  if (std::optional<APInt> rhs = splatBits(operands[1]); rhs && rhs->isZero())
    if (OpFoldResult lhs = ifSameType(op.getLhs(), op.getResult()))
      return lhs;
  return foldBits(operands, op.getResult(), fn);
}

OpFoldResult BitwiseLeftShiftOp::fold(FoldAdaptor adaptor) {
  bool isSigned = Element(getType()).isSigned;
  return foldShift(*this, adaptor.getOperands(),
                   [&](const APInt &x, const APInt &y) {
                     return x.shl(shiftAmount(y, isSigned));
                   });
}

OpFoldResult BitwiseRightShiftOp::fold(FoldAdaptor adaptor) {
  bool isSigned = Element(getType()).isSigned;
  return foldShift(*this, adaptor.getOperands(),
                   [&](const APInt &x, const APInt &y) {
                     unsigned amount = shiftAmount(y, isSigned);
                     return isSigned ? x.ashr(amount) : x.lshr(amount);
                   });
}
