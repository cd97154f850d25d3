// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folders of arithmetic, comparisons, logic and bits. Constants are computed
// only where the result is exactly rounded and thus the same on each target;
// identities hold for -0.0, infinities and NaN (all NaNs count as equal).
#include "Folding.h"
#include "Fusion.h"

using namespace mlir;
using namespace mlir::fusion;
using llvm::APFloat;

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

using IntFn = llvm::function_ref<APInt(const APInt &, const APInt &, bool)>;
using FloatFn = llvm::function_ref<APFloat(const APFloat &, const APFloat &)>;

/// Both constant: applies `ints` (whose flag says "signed") or `floats`, where
/// there is such a function.
static OpFoldResult foldBinary(ArrayRef<Attribute> operands, Value result,
                               IntFn ints, FloatFn floats = nullptr) {
  Element element(result.getType());
  if (element.isFloat() ? !floats : !ints)
    return {};
  return foldElements(
      operands, result.getType(), [&](ArrayRef<APInt> v) -> APInt {
        if (!element.isFloat())
          return ints(v[0], v[1], element.isSigned);
        return floats(element.toFloat(v[0]), element.toFloat(v[1]))
            .bitcastToAPInt();
      });
}

static OpFoldResult
foldUnary(ArrayRef<Attribute> operands, Value result,
          llvm::function_ref<APInt(const APInt &, bool)> ints,
          llvm::function_ref<APFloat(const APFloat &)> floats) {
  Element element(result.getType());
  return foldElements(operands, result.getType(),
                      [&](ArrayRef<APInt> v) -> APInt {
                        if (!element.isFloat())
                          return ints(v[0], element.isSigned);
                        return floats(element.toFloat(v[0])).bitcastToAPInt();
                      });
}

/// A comparison from the order of two constants; `isEqual` is what it gives for
/// two equal integers, known or not.
template <typename Op>
static OpFoldResult foldCompare(Op op, ArrayRef<Attribute> operands,
                                bool isEqual,
                                bool (*holds)(APFloat::cmpResult)) {
  Value lhs = op.getLhs(), rhs = op.getRhs();
  Element element(lhs.getType());
  // NaN makes comparisons with itself false, but for not_equal.
  bool known = !element.isFloat() || (!isEqual && !holds(APFloat::cmpUnordered));
  if (lhs == rhs && known)
    return makeSplat(op.getType(), APInt(1, isEqual));
  return foldElements(operands, op.getType(), [&](ArrayRef<APInt> v) -> APInt {
    APFloat::cmpResult order;
    if (element.isFloat())
      order = element.toFloat(v[0]).compare(element.toFloat(v[1]));
    else if (v[0] == v[1])
      order = APFloat::cmpEqual;
    else if (element.isSigned ? v[0].slt(v[1]) : v[0].ult(v[1]))
      order = APFloat::cmpLessThan;
    else
      order = APFloat::cmpGreaterThan;
    return APInt(1, holds(order));
  });
}

static bool isZero(std::optional<APInt> bits) { return bits && bits->isZero(); }

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

OpFoldResult AddOp::fold(FoldAdaptor adaptor) {
  Element element(getType());
  if (std::optional<APInt> rhs = splatBits(adaptor.getRhs())) {
    // -0.0 is neutral; +0.0 is not, as it turns -0.0 into +0.0.
    if (element.isFloat() ? element.toFloat(*rhs).isNegZero() : rhs->isZero())
      if (OpFoldResult lhs = ifSameType(getLhs(), getResult()))
        return lhs;
    if (element.width == 1 && rhs->isOne())
      return makeSplat(getType(), *rhs);
  }
  return foldBinary(
      adaptor.getOperands(), getResult(),
      [](const APInt &x, const APInt &y, bool) {
        return x.getBitWidth() == 1 ? x | y : x + y;
      },
      [](const APFloat &x, const APFloat &y) { return x + y; });
}

OpFoldResult SubtractOp::fold(FoldAdaptor adaptor) {
  Element element(getType());
  // +0.0 is all zero bits and neutral here.
  if (isZero(splatBits(adaptor.getRhs())))
    if (OpFoldResult lhs = ifSameType(getLhs(), getResult()))
      return lhs;
  if (getLhs() == getRhs() && !element.isFloat())
    return makeSplat(getType(), APInt::getZero(element.width));
  return foldBinary(
      adaptor.getOperands(), getResult(),
      [](const APInt &x, const APInt &y, bool) { return x - y; },
      [](const APFloat &x, const APFloat &y) { return x - y; });
}

OpFoldResult MultiplyOp::fold(FoldAdaptor adaptor) {
  Element element(getType());
  if (std::optional<APInt> rhs = splatBits(adaptor.getRhs())) {
    if (*rhs == element.one())
      if (OpFoldResult lhs = ifSameType(getLhs(), getResult()))
        return lhs;
    if (!element.isFloat() && rhs->isZero())
      return makeSplat(getType(), *rhs);
  }
  return foldBinary(
      adaptor.getOperands(), getResult(),
      [](const APInt &x, const APInt &y, bool) { return x * y; },
      [](const APFloat &x, const APFloat &y) { return x * y; });
}

OpFoldResult DivideOp::fold(FoldAdaptor adaptor) {
  if (splatBits(adaptor.getRhs()) == Element(getType()).one())
    if (OpFoldResult lhs = ifSameType(getLhs(), getResult()))
      return lhs;
  return foldBinary(
      adaptor.getOperands(), getResult(), nullptr,
      [](const APFloat &x, const APFloat &y) { return x / y; });
}

/// Quotient and remainder as Python's, with the documented results of a zero
/// divisor; the lowest value by -1 wraps by itself.
static std::pair<APInt, APInt> floorDivide(const APInt &x, const APInt &y,
                                           bool isSigned) {
  APInt zero = APInt::getZero(x.getBitWidth());
  if (y.isZero())
    return {zero, zero};
  if (!isSigned)
    return {x.udiv(y), x.urem(y)};
  APInt quotient = x.sdiv(y), remainder = x.srem(y);
  if (remainder.isZero() || remainder.isNegative() == y.isNegative())
    return {quotient, remainder};
  return {quotient - 1, remainder + y};
}

OpFoldResult FloorDivideOp::fold(FoldAdaptor adaptor) {
  Element element(getType());
  if (!element.isFloat() && splatBits(adaptor.getRhs()) == element.one())
    if (OpFoldResult lhs = ifSameType(getLhs(), getResult()))
      return lhs;
  return foldBinary(adaptor.getOperands(), getResult(),
                    [](const APInt &x, const APInt &y, bool isSigned) {
                      return floorDivide(x, y, isSigned).first;
                    });
}

OpFoldResult RemainderOp::fold(FoldAdaptor adaptor) {
  Element element(getType());
  if (std::optional<APInt> rhs = splatBits(adaptor.getRhs());
      rhs && !element.isFloat())
    if (rhs->isOne() || (element.isSigned && rhs->isAllOnes()))
      return makeSplat(getType(), APInt::getZero(element.width));
  return foldBinary(adaptor.getOperands(), getResult(),
                    [](const APInt &x, const APInt &y, bool isSigned) {
                      return floorDivide(x, y, isSigned).second;
                    });
}

static APInt power(APInt base, APInt exponent, bool isSigned) {
  APInt result(base.getBitWidth(), 1);
  if (isSigned && exponent.isNegative()) {
    if (base.isAllOnes())
      return exponent[0] ? base : result;
    return base.isOne() ? base : APInt::getZero(base.getBitWidth());
  }
  for (; !exponent.isZero(); exponent.lshrInPlace(1), base *= base)
    if (exponent[0])
      result *= base;
  return result;
}

OpFoldResult PowOp::fold(FoldAdaptor adaptor) {
  Element element(getType());
  if (std::optional<APInt> rhs = splatBits(adaptor.getRhs());
      rhs && !element.isFloat()) {
    if (rhs->isZero())
      return makeSplat(getType(), element.one());
    if (rhs->isOne())
      if (OpFoldResult lhs = ifSameType(getLhs(), getResult()))
        return lhs;
  }
  return foldBinary(adaptor.getOperands(), getResult(), power);
}

OpFoldResult MaximumOp::fold(FoldAdaptor adaptor) {
  if (getLhs() == getRhs() ||
      splatBits(adaptor.getRhs()) == Element(getType()).lowest())
    if (OpFoldResult lhs = ifSameType(getLhs(), getResult()))
      return lhs;
  return foldBinary(
      adaptor.getOperands(), getResult(),
      [](const APInt &x, const APInt &y, bool isSigned) {
        return (isSigned ? x.sgt(y) : x.ugt(y)) ? x : y;
      },
      [](const APFloat &x, const APFloat &y) { return llvm::maximum(x, y); });
}

OpFoldResult MinimumOp::fold(FoldAdaptor adaptor) {
  if (getLhs() == getRhs() ||
      splatBits(adaptor.getRhs()) == Element(getType()).highest())
    if (OpFoldResult lhs = ifSameType(getLhs(), getResult()))
      return lhs;
  return foldBinary(
      adaptor.getOperands(), getResult(),
      [](const APInt &x, const APInt &y, bool isSigned) {
        return (isSigned ? x.slt(y) : x.ult(y)) ? x : y;
      },
      [](const APFloat &x, const APFloat &y) { return llvm::minimum(x, y); });
}

OpFoldResult NegativeOp::fold(FoldAdaptor adaptor) {
  if (auto inner = getOperand().getDefiningOp<NegativeOp>())
    return inner.getOperand();
  return foldUnary(
      adaptor.getOperands(), getResult(),
      [](const APInt &x, bool) { return -x; },
      [](const APFloat &x) { return -x; });
}

OpFoldResult AbsOp::fold(FoldAdaptor adaptor) {
  Element element(getType());
  if (!element.isFloat() && !element.isSigned)
    return getOperand();
  if (auto inner = getOperand().getDefiningOp<NegativeOp>()) {
    setOperand(inner.getOperand());
    return getResult();
  }
  return foldUnary(
      adaptor.getOperands(), getResult(),
      [](const APInt &x, bool) { return x.abs(); },
      [](const APFloat &x) { return llvm::abs(x); });
}

OpFoldResult SignOp::fold(FoldAdaptor adaptor) {
  return foldUnary(
      adaptor.getOperands(), getResult(),
      [](const APInt &x, bool isSigned) {
        if (isSigned && x.isNegative())
          return APInt::getAllOnes(x.getBitWidth());
        return APInt(x.getBitWidth(), !x.isZero());
      },
      [](const APFloat &x) {
        if (x.isNaN())
          return x;
        return x.isZero() ? APFloat::getZero(x.getSemantics())
                          : APFloat::getOne(x.getSemantics(), x.isNegative());
      });
}

/// Rounding to an integral value; what is one already stays.
template <typename Op>
static OpFoldResult foldRounding(Op op, ArrayRef<Attribute> operands,
                                 APFloat::roundingMode mode) {
  if (isa_and_present<FloorOp, CeilOp, TruncOp, RoundOp>(
          op.getOperand().getDefiningOp()))
    return op.getOperand();
  return foldUnary(
      operands, op.getResult(), [](const APInt &x, bool) { return x; },
      [mode](APFloat x) {
        x.roundToIntegral(mode);
        return x;
      });
}

OpFoldResult FloorOp::fold(FoldAdaptor adaptor) {
  return foldRounding(*this, adaptor.getOperands(), APFloat::rmTowardNegative);
}
OpFoldResult CeilOp::fold(FoldAdaptor adaptor) {
  return foldRounding(*this, adaptor.getOperands(), APFloat::rmTowardPositive);
}
OpFoldResult TruncOp::fold(FoldAdaptor adaptor) {
  return foldRounding(*this, adaptor.getOperands(), APFloat::rmTowardZero);
}
OpFoldResult RoundOp::fold(FoldAdaptor adaptor) {
  return foldRounding(*this, adaptor.getOperands(),
                      APFloat::rmNearestTiesToEven);
}

//===----------------------------------------------------------------------===//
// Comparisons and predicates
//===----------------------------------------------------------------------===//

OpFoldResult EqualOp::fold(FoldAdaptor adaptor) {
  return foldCompare(*this, adaptor.getOperands(), true,
                     [](auto order) { return order == APFloat::cmpEqual; });
}
OpFoldResult NotEqualOp::fold(FoldAdaptor adaptor) {
  return foldCompare(*this, adaptor.getOperands(), false,
                     [](auto order) { return order != APFloat::cmpEqual; });
}
OpFoldResult LessOp::fold(FoldAdaptor adaptor) {
  return foldCompare(*this, adaptor.getOperands(), false,
                     [](auto order) { return order == APFloat::cmpLessThan; });
}
OpFoldResult LessEqualOp::fold(FoldAdaptor adaptor) {
  return foldCompare(*this, adaptor.getOperands(), true, [](auto order) {
    return order == APFloat::cmpLessThan || order == APFloat::cmpEqual;
  });
}
OpFoldResult GreaterOp::fold(FoldAdaptor adaptor) {
  return foldCompare(*this, adaptor.getOperands(), false, [](auto order) {
    return order == APFloat::cmpGreaterThan;
  });
}
OpFoldResult GreaterEqualOp::fold(FoldAdaptor adaptor) {
  return foldCompare(*this, adaptor.getOperands(), true, [](auto order) {
    return order == APFloat::cmpGreaterThan || order == APFloat::cmpEqual;
  });
}

/// A question about floats; integers are finite.
template <typename Op>
static OpFoldResult foldPredicate(Op op, ArrayRef<Attribute> operands,
                                  bool (*holds)(const APFloat &)) {
  Element element(op.getOperand().getType());
  if (!element.isFloat()) {
    bool forFinite = holds(APFloat::getOne(APFloat::IEEEsingle()));
    return makeSplat(op.getType(), APInt(1, forFinite));
  }
  return foldElements(operands, op.getType(), [&](ArrayRef<APInt> v) -> APInt {
    return APInt(1, holds(element.toFloat(v[0])));
  });
}

OpFoldResult IsnanOp::fold(FoldAdaptor adaptor) {
  return foldPredicate(*this, adaptor.getOperands(),
                       [](const APFloat &x) { return x.isNaN(); });
}
OpFoldResult IsinfOp::fold(FoldAdaptor adaptor) {
  return foldPredicate(*this, adaptor.getOperands(),
                       [](const APFloat &x) { return x.isInfinity(); });
}
OpFoldResult IsfiniteOp::fold(FoldAdaptor adaptor) {
  return foldPredicate(*this, adaptor.getOperands(),
                       [](const APFloat &x) { return x.isFinite(); });
}
