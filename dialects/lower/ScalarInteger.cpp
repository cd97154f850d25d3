// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scalar code for shifts and for the integer power.
#include "lower/Scalar.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace mlir::fusion;
using IPred = arith::CmpIPredicate;

/// Whether a shift by y is by less than the width. Read as unsigned, a
/// negative amount is a large one.
static Value inWidth(ScalarBuilder &e, Value y) {
  unsigned width = y.getType().getIntOrFloatBitWidth();
  return e.cmp(IPred::ult, y, e.integer(y.getType(), width));
}

/// The amount, at most all but one bit. It is no selection of y by `inWidth`:
/// LLVM 22 would move y itself into the shift, and its NVPTX back end drop the
/// test, as PTX's shifts clamp; but they read 32 bits of an amount of 64.
static Value amountBelowWidth(ScalarBuilder &e, Value y) {
  unsigned width = y.getType().getIntOrFloatBitWidth();
  return e.emit<arith::MinUIOp>(y, e.integer(y.getType(), width - 1));
}

/// What was shifted by y, or zero if every bit goes.
static Value zeroBeyondWidth(ScalarBuilder &e, Value y, Value shifted) {
  return e.select(inWidth(e, y), shifted, e.integer(y.getType(), 0));
}

static Value leftShift(ScalarBuilder &e, ValueRange v, Type, Type) {
  Value shifted = e.emit<arith::ShLIOp>(v[0], amountBelowWidth(e, v[1]));
  return zeroBeyondWidth(e, v[1], shifted);
}

static Value rightShift(ScalarBuilder &e, ValueRange v, Type in, Type) {
  Value amount = amountBelowWidth(e, v[1]);
  // Shifting by all but one bit leaves the sign bits alone.
  if (!in.isUnsignedInteger())
    return e.emit<arith::ShRSIOp>(v[0], amount);
  return zeroBeyondWidth(e, v[1], e.emit<arith::ShRUIOp>(v[0], amount));
}

/// Repeated squaring; one turn a bit of the exponent, which is not negative.
static Value powerLoop(ScalarBuilder &e, Value base, Value exponent) {
  Type type = base.getType();
  Value one = e.integer(type, 1);
  auto loop = scf::WhileOp::create(
      e.b, e.loc, TypeRange{type, type, type}, ValueRange{one, base, exponent},
      [&](OpBuilder &b, Location loc, ValueRange v) {
        ScalarBuilder s(b, loc);
        Value more = s.cmp(IPred::ne, v[2], s.integer(type, 0));
        scf::ConditionOp::create(b, loc, more, v);
      },
      [&](OpBuilder &b, Location loc, ValueRange v) {
        ScalarBuilder s(b, loc);
        Value one = s.integer(type, 1);
        Value odd = s.cmp(IPred::ne, s.band(v[2], one), s.integer(type, 0));
        Value result = s.select(odd, s.mul(v[0], v[1]), v[0]);
        Value rest = s.emit<arith::ShRUIOp>(v[2], one);
        scf::YieldOp::create(b, loc,
                             ValueRange{result, s.mul(v[1], v[1]), rest});
      });
  return loop.getResult(0);
}

static Value power(ScalarBuilder &e, ValueRange v, Type in, Type) {
  Value base = v[0], exponent = v[1];
  if (in.isUnsignedInteger())
    return powerLoop(e, base, exponent);
  Type type = base.getType();
  Value zero = e.integer(type, 0), one = e.integer(type, 1);
  Value minusOne = e.integer(type, ~0ull);
  Value negative = e.cmp(IPred::slt, exponent, zero);
  Value power = powerLoop(e, base, e.select(negative, zero, exponent));
  // The integer part of 1 / base^n: 0 but for the bases 1 and -1.
  Value odd = e.cmp(IPred::ne, e.band(exponent, one), zero);
  Value ofMinusOne = e.select(odd, minusOne, one);
  Value inverse = e.select(e.cmp(IPred::eq, base, minusOne), ofMinusOne, zero);
  inverse = e.select(e.cmp(IPred::eq, base, one), one, inverse);
  return e.select(negative, inverse, power);
}

void fusion::addIntegerOps(ScalarTable &table) {
  table["bitwise_left_shift"] = leftShift;
  table["bitwise_right_shift"] = rightShift;
  table["pow"] = power; // of floats: math/
}
