// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scalar code for arithmetic, rounding, order and logic.
#include "lower/Scalar.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinTypes.h"

#include <limits>

using namespace mlir;
using namespace mlir::fusion;
using IPred = arith::CmpIPredicate;
using FPred = arith::CmpFPredicate;

static bool isFloat(Type element) { return isa<FloatType>(element); }

/// Whether an order on the bits is unsigned: of `uiN` and of booleans.
static bool isUnsigned(Type element) {
  return element.isUnsignedInteger() || isBool(element);
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

/// With precision "fast" a target may contract these. Only these: inside of
/// functions and of exact division each operation has its own rounding.
template <typename FloatOp, typename IntOp>
static Value contractable(ScalarBuilder &e, ValueRange v, Type in) {
  if (!isFloat(in))
    return e.emit<IntOp>(v[0], v[1]);
  auto flags = e.fast ? arith::FastMathFlags::contract
                      : arith::FastMathFlags::none;
  return e.emit<FloatOp>(v[0], v[1], flags);
}

static Value add(ScalarBuilder &e, ValueRange v, Type in, Type) {
  return isBool(in) ? e.bor(v[0], v[1])
                    : contractable<arith::AddFOp, arith::AddIOp>(e, v, in);
}

static Value subtract(ScalarBuilder &e, ValueRange v, Type in, Type) {
  return contractable<arith::SubFOp, arith::SubIOp>(e, v, in);
}

static Value multiply(ScalarBuilder &e, ValueRange v, Type in, Type) {
  // On i1 this is `and`.
  return contractable<arith::MulFOp, arith::MulIOp>(e, v, in);
}

static Value divide(ScalarBuilder &e, ValueRange v, Type, Type) {
  return e.emit<arith::DivFOp>(v[0], v[1]);
}

static Value negative(ScalarBuilder &e, ValueRange v, Type, Type) {
  return e.neg(v[0]);
}

static Value abs(ScalarBuilder &e, ValueRange v, Type in, Type) {
  if (isFloat(in))
    return e.absFloat(v[0]);
  if (isUnsigned(in))
    return v[0];
  // The lowest value is its own negation, so the larger of both is right.
  return e.emit<arith::MaxSIOp>(v[0], e.neg(v[0]));
}

static Value sign(ScalarBuilder &e, ValueRange v, Type in, Type) {
  Value x = v[0];
  if (isFloat(in)) {
    Value zero = e.constant(in, 0.0);
    Value r = e.select(e.cmp(FPred::OGT, x, zero), e.constant(in, 1.0), zero);
    r = e.select(e.cmp(FPred::OLT, x, zero), e.constant(in, -1.0), r);
    return e.select(e.cmp(FPred::UNO, x, x), x, r);
  }
  Value one = e.integer(x.getType(), 1);
  if (isUnsigned(in))
    return e.emit<arith::MinUIOp>(x, one);
  Value atMostOne = e.emit<arith::MinSIOp>(x, one);
  return e.emit<arith::MaxSIOp>(atMostOne, e.integer(x.getType(), ~0ull));
}

template <typename Op>
static Value rounding(ScalarBuilder &e, ValueRange v, Type, Type) {
  return e.emit<Op>(v[0]);
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

Value fusion::emitMaximum(ScalarBuilder &e, Value x, Value y, Type element) {
  if (isFloat(element))
    return e.emit<arith::MaximumFOp>(x, y);
  return isUnsigned(element) ? e.emit<arith::MaxUIOp>(x, y)
                             : e.emit<arith::MaxSIOp>(x, y);
}

Value fusion::emitMinimum(ScalarBuilder &e, Value x, Value y, Type element) {
  if (isFloat(element))
    return e.emit<arith::MinimumFOp>(x, y);
  return isUnsigned(element) ? e.emit<arith::MinUIOp>(x, y)
                             : e.emit<arith::MinSIOp>(x, y);
}

static Value maximum(ScalarBuilder &e, ValueRange v, Type in, Type) {
  return emitMaximum(e, v[0], v[1], in);
}

static Value minimum(ScalarBuilder &e, ValueRange v, Type in, Type) {
  return emitMinimum(e, v[0], v[1], in);
}

static Value clamp(ScalarBuilder &e, ValueRange v, Type in, Type) {
  return emitMinimum(e, emitMaximum(e, v[0], v[1], in), v[2], in);
}

/// A comparison by its predicates for floats, signed and unsigned integers.
/// Ordered float predicates are false for NaN, as is all of them but `!=`.
template <FPred f, IPred s, IPred u>
static Value compare(ScalarBuilder &e, ValueRange v, Type in, Type) {
  if (isFloat(in))
    return e.cmp(f, v[0], v[1]);
  return e.cmp(isUnsigned(in) ? u : s, v[0], v[1]);
}

static Value isnan(ScalarBuilder &e, ValueRange v, Type in, Type out) {
  if (!isFloat(in))
    return e.integer(scalarType(out), 0);
  return e.cmp(FPred::UNO, v[0], v[0]);
}

static Value isinf(ScalarBuilder &e, ValueRange v, Type in, Type out) {
  if (!isFloat(in))
    return e.integer(scalarType(out), 0);
  Value inf = e.constant(in, std::numeric_limits<double>::infinity());
  return e.cmp(FPred::OEQ, e.absFloat(v[0]), inf);
}

static Value isfinite(ScalarBuilder &e, ValueRange v, Type in, Type out) {
  if (!isFloat(in))
    return e.integer(scalarType(out), 1);
  Value inf = e.constant(in, std::numeric_limits<double>::infinity());
  return e.cmp(FPred::OLT, e.absFloat(v[0]), inf);
}

//===----------------------------------------------------------------------===//
// Logic
//===----------------------------------------------------------------------===//

static Value bitAnd(ScalarBuilder &e, ValueRange v, Type, Type) {
  return e.band(v[0], v[1]);
}

static Value bitOr(ScalarBuilder &e, ValueRange v, Type, Type) {
  return e.bor(v[0], v[1]);
}

static Value bitXor(ScalarBuilder &e, ValueRange v, Type, Type) {
  return e.bxor(v[0], v[1]);
}

static Value bitNot(ScalarBuilder &e, ValueRange v, Type, Type) {
  return e.bnot(v[0]);
}

static Value select(ScalarBuilder &e, ValueRange v, Type, Type) {
  return e.select(v[0], v[1], v[2]);
}

//===----------------------------------------------------------------------===//
// Table
//===----------------------------------------------------------------------===//

void fusion::addArithmetic(ScalarTable &table) {
  table["add"] = add;
  table["subtract"] = subtract;
  table["multiply"] = multiply;
  table["divide"] = divide;
  table["negative"] = negative;
  table["abs"] = abs;
  table["sign"] = sign;
  table["floor"] = rounding<math::FloorOp>;
  table["ceil"] = rounding<math::CeilOp>;
  table["trunc"] = rounding<math::TruncOp>;
  table["round"] = rounding<math::RoundEvenOp>;
  table["maximum"] = maximum;
  table["minimum"] = minimum;
  table["clamp"] = clamp;
}

void fusion::addComparisons(ScalarTable &table) {
  table["equal"] = compare<FPred::OEQ, IPred::eq, IPred::eq>;
  table["not_equal"] = compare<FPred::UNE, IPred::ne, IPred::ne>;
  table["less"] = compare<FPred::OLT, IPred::slt, IPred::ult>;
  table["less_equal"] = compare<FPred::OLE, IPred::sle, IPred::ule>;
  table["greater"] = compare<FPred::OGT, IPred::sgt, IPred::ugt>;
  table["greater_equal"] = compare<FPred::OGE, IPred::sge, IPred::uge>;
  table["isnan"] = isnan;
  table["isinf"] = isinf;
  table["isfinite"] = isfinite;
  table["logical_and"] = table["bitwise_and"] = bitAnd;
  table["logical_or"] = table["bitwise_or"] = bitOr;
  table["logical_xor"] = table["bitwise_xor"] = bitXor;
  table["logical_not"] = table["bitwise_invert"] = bitNot;
  table["select"] = select;
}
