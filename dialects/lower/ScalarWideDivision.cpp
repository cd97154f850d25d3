// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scalar code for floor_divide and remainder of 64-bit integers.
#include "lower/Scalar.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace mlir::fusion;
using IPred = arith::CmpIPredicate;

namespace {
struct Division {
  Value quotient, remainder;
};
} // namespace

/// By the division instruction, which no machine has for vectors.
static Division divide(ScalarBuilder &e, Value a, Value b, bool isUnsigned) {
  Type type = a.getType();
  Value zero = e.integer(type, 0), one = e.integer(type, 1);
  Value none = e.isZero(b);
  Value q, r;
  if (isUnsigned) {
    Value divisor = e.select(none, one, b);
    q = e.emit<arith::DivUIOp>(a, divisor);
    r = e.sub(a, e.mul(q, divisor));
  } else {
    // The lowest value by -1 overflows; by 1 it has the same wrapped result.
    Value lowest = e.constant(type, APInt::getSignedMinValue(64));
    Value overflow = e.band(e.cmp(IPred::eq, a, lowest),
                            e.cmp(IPred::eq, b, e.integer(type, ~0ull)));
    Value divisor = e.select(e.bor(none, overflow), one, b);
    q = e.emit<arith::DivSIOp>(a, divisor);
    r = e.sub(a, e.mul(q, divisor));
    Value opposite = e.cmp(IPred::slt, e.bxor(r, divisor), zero);
    Value down = e.band(e.cmp(IPred::ne, r, zero), opposite);
    q = e.select(down, e.sub(q, one), q);
    r = e.select(down, e.add(r, divisor), r);
  }
  return {e.select(none, zero, q), e.select(none, zero, r)};
}

//===----------------------------------------------------------------------===//
// By a divisor that is the same for all elements
//===----------------------------------------------------------------------===//
//
// The unsigned quotient by D is a multiplication (Granlund and Montgomery,
// "Division by invariant integers using multiplication", 1994): with
// l = ceil(log2 D) and m = floor(2^64 (2^l - D) / D) + 1,
//
//   t = high half of m * x;  x / D = (t + ((x - t) >> min(l, 1))) >> max(l-1, 0)

/// ceil(log2 x) for x > 0.
static Value ceilLog2(ScalarBuilder &e, Value x) {
  Type type = x.getType();
  Value zero = e.integer(type, 0), result = zero;
  x = e.sub(x, e.integer(type, 1));
  for (unsigned step : {32, 16, 8, 4, 2, 1}) {
    Value high = e.shiftRight(x, step);
    Value some = e.cmp(IPred::ne, high, zero);
    result = e.add(result, e.select(some, e.integer(type, step), zero));
    x = e.select(some, high, x);
  }
  return e.add(result, e.emit<arith::ExtUIOp>(type, e.cmp(IPred::ne, x, zero)));
}

/// floor(2^64 r / d) for r < d, by long division.
static Value scaledQuotient(ScalarBuilder &e, Value r, Value d) {
  Type type = r.getType(), index = e.b.getIndexType();
  Value zero = e.integer(type, 0), one = e.integer(type, 1);
  auto loop = scf::ForOp::create(
      e.b, e.loc, e.integer(index, 0), e.integer(index, 64),
      e.integer(index, 1), ValueRange{r, zero},
      [&](OpBuilder &b, Location loc, Value, ValueRange v) {
        ScalarBuilder s(b, loc);
        Value carry = s.cmp(IPred::slt, v[0], zero);
        Value twice = s.add(v[0], v[0]);
        Value fits = s.bor(carry, s.cmp(IPred::uge, twice, d));
        Value rest = s.sub(twice, s.select(fits, d, zero));
        Value q = s.add(s.add(v[1], v[1]), s.select(fits, one, zero));
        scf::YieldOp::create(b, loc, ValueRange{rest, q});
      });
  return loop.getResult(1);
}

/// The high half of the product, from halves: 64-bit vectors have no more.
static Value multiplyHigh(ScalarBuilder &e, Value x, Value y) {
  Value mask = e.integer(x.getType(), 0xffffffff);
  Value xl = e.band(x, mask), xh = e.shiftRight(x, 32);
  Value yl = e.band(y, mask), yh = e.shiftRight(y, 32);
  Value middle = e.add(e.mul(xh, yl), e.shiftRight(e.mul(xl, yl), 32));
  Value low = e.add(e.mul(xl, yh), e.band(middle, mask));
  Value high = e.add(e.mul(xh, yh), e.shiftRight(middle, 32));
  return e.add(high, e.shiftRight(low, 32));
}

static Division divideByInvariant(ScalarBuilder &e, Value a, Value b,
                                  bool isUnsigned) {
  ScalarBuilder o = e.outside();
  Type type = a.getType();
  Value zero = o.integer(type, 0), one = o.integer(type, 1);
  Value ones = o.integer(type, ~0ull);
  Value none = o.isZero(b);
  Value negative = o.cmp(IPred::slt, b, zero);
  Value divisor = isUnsigned ? b : o.select(negative, o.neg(b), b);
  divisor = o.select(none, one, divisor);
  Value log = ceilLog2(o, divisor);
  // 2^64 - D is -D.
  Value full = o.cmp(IPred::eq, log, o.integer(type, 64));
  Value power = o.emit<arith::ShLIOp>(one, o.select(full, zero, log));
  power = o.select(full, zero, power);
  Value magic = o.add(scaledQuotient(o, o.sub(power, divisor), divisor), one);
  Value first = o.emit<arith::MinUIOp>(log, one);
  Value second = o.sub(log, first);
  Value keep = o.select(none, zero, ones);

  // floor(x / -D) = floor(-x / D), and floor(x / D) = ~(~x / D) for x < 0. All
  // with masks: `flip` is set where the exact quotient is below 0.
  Value x = a, flip;
  if (!isUnsigned) {
    Value mask = o.select(negative, ones, zero);
    Value bound = o.select(negative, one, zero);
    Value below = e.emit<arith::ExtSIOp>(type, e.cmp(IPred::slt, a, bound));
    flip = e.bxor(below, mask);
    x = e.bxor(e.sub(e.bxor(a, mask), mask), flip);
  }
  Value t = multiplyHigh(e, x, magic);
  Value rest = e.emit<arith::ShRUIOp>(e.sub(x, t), first);
  Value q = e.emit<arith::ShRUIOp>(e.add(t, rest), second);
  if (!isUnsigned)
    q = e.bxor(q, flip);
  Value r = e.sub(a, e.mul(q, b));
  return {e.band(q, keep), e.band(r, keep)};
}

std::pair<Value, Value> fusion::emitWideDivision(ScalarBuilder &e, Value a,
                                                 Value b, Type element) {
  bool isUnsigned = element.isUnsignedInteger();
  Division d = e.isInvariant(b) ? divideByInvariant(e, a, b, isUnsigned)
                                : divide(e, a, b, isUnsigned);
  return {d.quotient, d.remainder};
}
