// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scalar code for floor_divide and remainder of floats and short integers.
#include "lower/Scalar.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinTypes.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::fusion;
using IPred = arith::CmpIPredicate;
using FPred = arith::CmpFPredicate;
using llvm::APFloat;

//===----------------------------------------------------------------------===//
// Integers of up to 32 bits, in floating point
//===----------------------------------------------------------------------===//
//
// No machine divides vectors of integers, all divide vectors of floats, so the
// quotient is found there, in a type with more than twice the digits:
//
//   a // b = rint(a/b + 1/(2|b|) - 1/2)
//
// The value to be rounded is at least 1/(2|b|) away from a tie, and its
// rounding errors are a small part of that (2^-20/|b| for 32 bits in f64), also
// where 1/b is rounded first. Adding 1.5 * 2^digits rounds to an integer and
// leaves it, modulo 2^32, in the low bits: lowest // -1 wraps by itself, and
// nothing is undefined for a zero divisor, whose result is replaced.

namespace {
struct Wide {
  Wide(ScalarBuilder &e, Type element)
      : type(element.getIntOrFloatBitWidth() <= 16 ? e.b.getF32Type()
                                                   : e.b.getF64Type()),
        isUnsigned(element.isUnsignedInteger()) {}

  Value from(ScalarBuilder &e, Value x) const {
    return isUnsigned ? e.emit<arith::UIToFPOp>(type, x)
                      : e.emit<arith::SIToFPOp>(type, x);
  }
  Value round(ScalarBuilder &e, Value x, Type result) const {
    double magic = type.isF32() ? 0x1.8p23 : 0x1.8p52;
    Value bits = e.bitcast(e.bitsType(type), e.add(x, e.constant(type, magic)));
    return e.emit<arith::TruncIOp>(result, bits);
  }

  Type type;
  bool isUnsigned;
};
} // namespace

/// The quotient, 0 for a zero divisor.
static Value narrowQuotient(ScalarBuilder &e, Value a, Value b, Type element) {
  Wide wide(e, element);
  Value x = wide.from(e, a);
  if (!e.isInvariant(b)) {
    Value divisor = wide.from(e, b);
    Value half = e.copySign(e.constant(wide.type, 0.5), divisor);
    Value exact = e.emit<arith::DivFOp>(e.add(x, half), divisor);
    Value r = wide.round(e, e.sub(exact, e.constant(wide.type, 0.5)),
                         a.getType());
    return e.select(e.isZero(b), e.integer(a.getType(), 0), r);
  }
  ScalarBuilder o = e.outside();
  Value divisor = wide.from(o, b), zero = o.constant(wide.type, 0.0);
  Value half = o.constant(wide.type, 0.5);
  Value inverse = o.emit<arith::DivFOp>(o.constant(wide.type, 1.0), divisor);
  Value bias = o.sub(o.mul(o.copySign(half, divisor), inverse), half);
  Value none = o.isZero(b);
  inverse = o.select(none, zero, inverse);
  bias = o.select(none, zero, bias);
  return wide.round(e, e.add(e.mul(x, inverse), bias), a.getType());
}

/// The remainder a - (a // b) * b; 0 for a zero divisor.
static Value narrowRemainder(ScalarBuilder &e, Value a, Value b, Type element) {
  Value r = e.sub(a, e.mul(narrowQuotient(e, a, b, element), b));
  Type type = a.getType();
  if (!e.isInvariant(b))
    return e.select(e.isZero(b), e.integer(type, 0), r);
  // A mask and no select: LLVM would make a second loop for the zero divisor.
  ScalarBuilder o = e.outside();
  Value mask = o.select(o.isZero(b), o.integer(type, 0), o.integer(type, ~0ull));
  return e.band(r, mask);
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

/// 2^k for 0 <= k <= 1023.
static Value powerOfTwo(ScalarBuilder &e, Value k) {
  Type i64 = k.getType();
  Value biased = e.add(k, e.integer(i64, 1023));
  return e.bitcast(e.b.getF64Type(),
                   e.emit<arith::ShLIOp>(biased, e.integer(i64, 52)));
}

/// |a| modulo |b| in f64, exact for all values. The divisor is scaled by a
/// power of two until the quotient fits in 52 bits; then the rest is exact. One
/// turn does unless the quotient is larger.
static Value absRemainder(ScalarBuilder &e, Value a, Value b) {
  Type f64 = e.b.getF64Type(), i64 = e.b.getI64Type();
  double inf = std::numeric_limits<double>::infinity();
  Value x = e.absFloat(a), y = e.absFloat(b);
  Value zero = e.constant(f64, 0.0);
  Value defined = e.band(e.cmp(FPred::OLT, x, e.constant(f64, inf)),
                         e.cmp(FPred::OGT, y, zero));
  x = e.select(defined, x, zero);
  y = e.select(defined, y, e.constant(f64, 1.0));
  // The exponent of y, as if subnormal numbers had one of their own.
  Value small = e.cmp(FPred::OLT, y, e.constant(f64, 0x1p-1022));
  Value normal = e.select(small, e.mul(y, e.constant(f64, 0x1p54)), y);
  Value digits = e.integer(i64, 52);
  Value exponent = e.emit<arith::ShRUIOp>(e.bitcast(i64, normal), digits);
  exponent = e.sub(
      exponent, e.select(small, e.integer(i64, 54), e.integer(i64, 0)));
  Value origin = e.add(exponent, e.integer(i64, 51));

  auto step = [&](ScalarBuilder &s, Value x) {
    Value none = s.integer(i64, 0);
    Value ex = s.emit<arith::ShRUIOp>(s.bitcast(i64, x), digits);
    Value k = s.emit<arith::MaxSIOp>(s.sub(ex, origin), none);
    Value k1 = s.emit<arith::ShRUIOp>(k, s.integer(i64, 1));
    Value t = s.mul(y, powerOfTwo(s, k1));
    t = s.mul(t, powerOfTwo(s, s.sub(k, k1)));
    Value quotient = s.emit<arith::DivFOp>(x, t);
    Value q = s.emit<arith::SIToFPOp>(f64,
                                      s.emit<arith::FPToSIOp>(i64, quotient));
    Value r = s.emit<math::FmaOp>(s.neg(q), t, x);
    // The division may have rounded up to an integer.
    Value below = s.cmp(FPred::OLT, r, s.constant(f64, 0.0));
    return s.select(below, s.add(r, t), r);
  };
  // The first turn is always taken, so that the usual case has no branch that
  // depends on the values.
  auto loop = scf::WhileOp::create(
      e.b, e.loc, TypeRange{f64}, ValueRange{step(e, x)},
      [&](OpBuilder &b, Location loc, ValueRange v) {
        ScalarBuilder s(b, loc);
        scf::ConditionOp::create(b, loc, s.cmp(FPred::OGE, v[0], y), v);
      },
      [&](OpBuilder &b, Location loc, ValueRange v) {
        ScalarBuilder s(b, loc);
        scf::YieldOp::create(b, loc, step(s, v[0]));
      });
  Value nan = e.constant(f64, std::numeric_limits<double>::quiet_NaN());
  // Also where the divisor is infinite.
  Value r = e.select(e.cmp(FPred::OLT, x, y), x, loop.getResult(0));
  return e.select(defined, r, nan);
}

/// C's fmod: exact, with the sign of a.
static Value exactRemainder(ScalarBuilder &e, Value a, Value b) {
  Type type = a.getType(), f64 = e.b.getF64Type();
  if (type == f64)
    return e.copySign(absRemainder(e, a, b), a);
  Value r = absRemainder(e, e.emit<arith::ExtFOp>(f64, a),
                         e.emit<arith::ExtFOp>(f64, b));
  return e.copySign(e.emit<arith::TruncFOp>(type, r), a);
}

/// Python's %: with the divisor's sign, a zero too.
static Value floatRemainder(ScalarBuilder &e, Value a, Value b) {
  Value mod = exactRemainder(e, a, b);
  Value zero = e.constant(a.getType(), 0.0);
  Value differ = e.bxor(e.cmp(FPred::OLT, b, zero),
                        e.cmp(FPred::OLT, mod, zero));
  Value r = e.select(differ, e.add(mod, b), mod);
  return e.select(e.cmp(FPred::UNE, mod, zero), r, e.copySign(zero, b));
}

/// floor(a/b), rounded once. Of the rounded quotient q the floor is the same,
/// unless a/b was rounded up to a whole number. What it was is known from the
/// exact a - q b. Below 2^digits the floor is then q - 1; from there on a/b is
/// rounded as its floor is, unless that is halfway between the float below q
/// and q, and q is odd.
static Value floatFloorDivide(ScalarBuilder &e, Value a, Value b) {
  auto type = cast<FloatType>(a.getType());
  const llvm::fltSemantics &format = type.getFloatSemantics();
  Type word = e.bitsType(type);
  Value zero = e.constant(type, 0.0), one = e.constant(type, 1.0);
  Value q = e.emit<arith::DivFOp>(a, b);
  Value floor = e.emit<math::FloorOp>(q);
  Value rest = e.emit<math::FmaOp>(e.neg(q), b, a);
  // The divisor may be infinite.
  rest = e.select(e.cmp(FPred::OEQ, q, zero), a, rest);
  Value up = e.band(e.cmp(FPred::ONE, rest, zero),
                    e.bxor(e.cmp(FPred::OLT, rest, zero),
                           e.cmp(FPred::OLT, b, zero)));
  up = e.band(up, e.cmp(FPred::OEQ, floor, q));

  double limit = std::ldexp(1.0, APFloat::semanticsPrecision(format));
  Value small = e.cmp(FPred::OLT, e.absFloat(q), e.constant(type, limit));
  Value bits = e.bitcast(word, q);
  Value sign = e.emit<arith::ShRSIOp>(bits, e.integer(word, type.getWidth() - 1));
  Value below = e.bitcast(type, e.sub(bits, e.bor(sign, e.integer(word, 1))));
  // How far a/b is above the middle, times b: exact where it is less than b.
  Value half = e.mul(e.sub(q, below), e.constant(type, 0.5));
  Value above = e.absFloat(e.emit<math::FmaOp>(half, b, rest));
  Value tie = e.cmp(FPred::OLT, above, e.absFloat(b));
  tie = e.band(tie, e.emit<arith::TruncIOp>(e.b.getI1Type(), bits));
  Value r = e.select(e.band(up, e.bor(small, tie)),
                     e.select(small, e.sub(q, one), below), floor);

  double inf = std::numeric_limits<double>::infinity();
  double nan = std::numeric_limits<double>::quiet_NaN();
  Value infinite = e.cmp(FPred::OEQ, e.absFloat(a), e.constant(type, inf));
  r = e.select(infinite, e.constant(type, nan), r);
  return e.select(e.cmp(FPred::OEQ, b, zero), q, r);
}

//===----------------------------------------------------------------------===//
// Table
//===----------------------------------------------------------------------===//

static Value floorDivide(ScalarBuilder &e, ValueRange v, Type in, Type) {
  if (isa<FloatType>(in))
    return floatFloorDivide(e, v[0], v[1]);
  if (in.getIntOrFloatBitWidth() <= 32)
    return narrowQuotient(e, v[0], v[1], in);
  return emitWideDivision(e, v[0], v[1], in).first;
}

static Value remainder(ScalarBuilder &e, ValueRange v, Type in, Type) {
  if (isa<FloatType>(in))
    return floatRemainder(e, v[0], v[1]);
  if (in.getIntOrFloatBitWidth() <= 32)
    return narrowRemainder(e, v[0], v[1], in);
  return emitWideDivision(e, v[0], v[1], in).second;
}

void fusion::addDivision(ScalarTable &table) {
  table["floor_divide"] = floorDivide;
  table["remainder"] = remainder;
}
