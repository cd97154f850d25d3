// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scalar code for conversions of the element type.
#include "lower/Scalar.h"

#include "mlir/IR/BuiltinTypes.h"

#include <cmath>

using namespace mlir;
using namespace mlir::fusion;
using IPred = arith::CmpIPredicate;
using FPred = arith::CmpFPredicate;

//===----------------------------------------------------------------------===//
// Between float types
//===----------------------------------------------------------------------===//

/// bf16 is the upper half of f32. In integers: the hardware instruction flushes
/// subnormal numbers, and there is no library function for it here.
static Value bf16ToF32(ScalarBuilder &e, Value x) {
  Type i32 = e.b.getI32Type();
  Value bits = e.emit<arith::ExtUIOp>(i32, x);
  Value up = e.emit<arith::ShLIOp>(bits, e.integer(i32, 16));
  return e.bitcast(e.b.getF32Type(), up);
}

/// f64 to f32 rounded to odd, from where a second rounding is harmless.
static Value f64ToOddF32(ScalarBuilder &e, Value x) {
  Type f32 = e.b.getF32Type(), i32 = e.b.getI32Type();
  Value near = e.emit<arith::TruncFOp>(f32, x);
  Value back = e.emit<arith::ExtFOp>(e.b.getF64Type(), near);
  Value bits = e.bitcast(i32, near);
  Value away = e.cmp(FPred::OGT, e.absFloat(back), e.absFloat(x));
  Value toZero = e.sub(bits, e.emit<arith::ExtUIOp>(i32, away));
  Value odd = e.bor(toZero, e.integer(i32, 1));
  Value inexact = e.cmp(FPred::ONE, back, x);
  return e.bitcast(f32, e.select(inexact, odd, bits));
}

static Value floatToFloat(ScalarBuilder &e, Value x, Type from, Type to) {
  Type f32 = e.b.getF32Type();
  if (from == to)
    return x;
  if (from.isBF16())
    return floatToFloat(e, bf16ToF32(e, x), f32, to);
  if (from.isF64() && isHalf(to))
    return floatToFloat(e, f64ToOddF32(e, x), f32, to);
  if (from.isF16()) {
    Value half = e.bitcast(from, x);
    return floatToFloat(e, e.emit<arith::ExtFOp>(f32, half), f32, to);
  }
  if (isHalf(to))
    return e.bitcast(e.b.getI16Type(), e.emit<arith::TruncFOp>(to, x));
  return to.getIntOrFloatBitWidth() > from.getIntOrFloatBitWidth()
             ? e.emit<arith::ExtFOp>(to, x)
             : e.emit<arith::TruncFOp>(to, x);
}

//===----------------------------------------------------------------------===//
// Between floats and integers
//===----------------------------------------------------------------------===//

/// Saturates; NaN gives 0. The conversion itself only sees values in range.
static Value floatToInt(ScalarBuilder &e, Value x, Type to) {
  Type from = x.getType(), type = scalarType(to);
  unsigned width = type.getIntOrFloatBitWidth();
  bool isUnsigned = to.isUnsignedInteger();
  double high = std::ldexp(1.0, isUnsigned ? width : width - 1);
  APInt lowest = isUnsigned ? APInt::getZero(width)
                            : APInt::getSignedMinValue(width);
  APInt highest = isUnsigned ? APInt::getMaxValue(width)
                             : APInt::getSignedMaxValue(width);
  Value hi = e.constant(from, high);
  Value lo = e.constant(from, isUnsigned ? 0.0 : -high);
  Value inside = e.band(e.cmp(FPred::OGE, x, lo), e.cmp(FPred::OLT, x, hi));
  Value safe = e.select(inside, x, e.constant(from, 0.0));
  Value r = isUnsigned ? e.emit<arith::FPToUIOp>(type, safe)
                       : e.emit<arith::FPToSIOp>(type, safe);
  Value above = e.cmp(FPred::OGE, x, hi), below = e.cmp(FPred::OLT, x, lo);
  r = e.select(above, e.constant(type, highest), r);
  return e.select(below, e.constant(type, lowest), r);
}

/// A 64-bit integer that f64 holds: where there are more than 53 digits the last
/// 11 are replaced by one that says whether they are zero (rounding to odd).
static Value toOddDigits(ScalarBuilder &e, Value x, bool isUnsigned) {
  Type i64 = x.getType();
  Value low = e.band(x, e.integer(i64, 0x7ff));
  Value some = e.emit<arith::ExtUIOp>(i64, e.bnot(e.isZero(low)));
  Value odd = e.bor(e.sub(x, low), e.shiftLeft(some, 11));
  Value limit = e.integer(i64, uint64_t(1) << 53);
  Value small = isUnsigned ? e.cmp(IPred::ule, x, limit)
                           : e.cmp(IPred::ule, e.add(x, limit),
                                   e.integer(i64, uint64_t(1) << 54));
  return e.select(small, x, odd);
}

static Value intToFloat(ScalarBuilder &e, Value x, Type from, Type to) {
  bool isUnsigned = from.isUnsignedInteger() || isBool(from);
  unsigned width = from.getIntOrFloatBitWidth();
  // To half types by way of a type that holds the integer, so that there is one
  // rounding.
  Type first = to;
  if (isHalf(to))
    first = width <= 16 ? Type(e.b.getF32Type()) : e.b.getF64Type();
  if (isHalf(to) && width == 64)
    x = toOddDigits(e, x, isUnsigned);
  Value r = isUnsigned ? e.emit<arith::UIToFPOp>(first, x)
                       : e.emit<arith::SIToFPOp>(first, x);
  return floatToFloat(e, r, first, to);
}

static Value intToInt(ScalarBuilder &e, Value x, Type from, Type to) {
  Type type = scalarType(to);
  unsigned before = from.getIntOrFloatBitWidth();
  unsigned after = to.getIntOrFloatBitWidth();
  if (before == after)
    return x;
  if (after < before)
    return e.emit<arith::TruncIOp>(type, x);
  return from.isUnsignedInteger() || isBool(from)
             ? e.emit<arith::ExtUIOp>(type, x)
             : e.emit<arith::ExtSIOp>(type, x);
}

Value fusion::emitCast(ScalarBuilder &e, Value x, Type from, Type to) {
  if (from == to)
    return x;
  bool fromFloat = isa<FloatType>(from), toFloat = isa<FloatType>(to);
  if (fromFloat && !toFloat && isHalf(from)) {
    x = floatToFloat(e, x, from, e.b.getF32Type());
    from = e.b.getF32Type();
  }
  if (isBool(to)) // NaN is not zero
    return fromFloat ? e.cmp(FPred::UNE, x, e.constant(from, 0.0))
                     : e.cmp(IPred::ne, x, e.integer(x.getType(), 0));
  if (fromFloat)
    return toFloat ? floatToFloat(e, x, from, to) : floatToInt(e, x, to);
  return toFloat ? intToFloat(e, x, from, to) : intToInt(e, x, from, to);
}

static Value castOp(ScalarBuilder &e, ValueRange v, Type in, Type out) {
  return emitCast(e, v[0], in, out);
}

void fusion::addCasts(ScalarTable &table) { table["cast"] = castOp; }
