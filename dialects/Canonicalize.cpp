// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rewrites of arithmetic into fewer or cheaper operations of the same bits.
#include "Folding.h"
#include "Fusion.h"

using namespace mlir;
using namespace mlir::fusion;
using llvm::APFloat;

/// What a value negates, if it does.
static Value negated(Value value) {
  auto op = value.getDefiningOp<NegativeOp>();
  return op ? op.getOperand() : Value();
}

static std::optional<APInt> constantBits(Value value) {
  auto op = value.getDefiningOp<ConstantOp>();
  return op ? splatBits(op.getValue()) : std::nullopt;
}

/// x + (-y) -> x - y, (-x) + y -> y - x
LogicalResult AddOp::canonicalize(AddOp op, PatternRewriter &rewriter) {
  Value kept = op.getLhs(), taken = negated(op.getRhs());
  if (!taken) {
    kept = op.getRhs();
    taken = negated(op.getLhs());
  }
  if (!taken)
    return rewriter.notifyMatchFailure(op, "no operand is a negation");
  rewriter.replaceOpWithNewOp<SubtractOp>(op, kept, taken);
  return success();
}

/// x - (-y) -> x + y
LogicalResult SubtractOp::canonicalize(SubtractOp op,
                                       PatternRewriter &rewriter) {
  Value added = negated(op.getRhs());
  if (!added)
    return rewriter.notifyMatchFailure(op, "the subtrahend is no negation");
  rewriter.replaceOpWithNewOp<AddOp>(op, op.getLhs(), added);
  return success();
}

/// (-x) * (-y) -> x * y, x * -1 -> -x
LogicalResult MultiplyOp::canonicalize(MultiplyOp op,
                                       PatternRewriter &rewriter) {
  Value lhs = negated(op.getLhs()), rhs = negated(op.getRhs());
  if (lhs && rhs) {
    rewriter.replaceOpWithNewOp<MultiplyOp>(op, lhs, rhs);
    return success();
  }
  Element element(op.getType());
  std::optional<APInt> factor = constantBits(op.getRhs());
  if (!factor || element.width == 1 || op.getLhs().getType() != op.getType())
    return rewriter.notifyMatchFailure(op, "no rewrite applies");
  bool isMinusOne = element.isFloat()
                        ? element.toFloat(*factor).isExactlyValue(-1.0)
                        : factor->isAllOnes();
  if (!isMinusOne)
    return rewriter.notifyMatchFailure(op, "the factor is not -1");
  rewriter.replaceOpWithNewOp<NegativeOp>(op, op.getLhs());
  return success();
}

/// x / c -> x * (1 / c) where the reciprocal is exact: c is a power of two.
LogicalResult DivideOp::canonicalize(DivideOp op, PatternRewriter &rewriter) {
  std::optional<APInt> bits = constantBits(op.getRhs());
  if (!bits)
    return rewriter.notifyMatchFailure(op, "the divisor is not one constant");
  APFloat divisor = Element(op.getType()).toFloat(*bits);
  APFloat reciprocal(divisor.getSemantics());
  if (!divisor.getExactInverse(&reciprocal))
    return rewriter.notifyMatchFailure(op, "the reciprocal is not exact");
  Attribute value =
      makeSplat(op.getRhs().getType(), reciprocal.bitcastToAPInt());
  auto factor = ConstantOp::create(rewriter, op.getLoc(),
                                   cast<ElementsAttr>(value));
  rewriter.replaceOpWithNewOp<MultiplyOp>(op, op.getLhs(), factor);
  return success();
}
