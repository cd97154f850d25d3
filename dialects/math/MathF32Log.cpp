// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// log and log1p in f32 arithmetic only: x = 2^k (1 + f), sqrt(1/2) <= 1 + f < sqrt 2, and
// log x = k ln2 + f - f^2/2 + f^3 P(f), the first terms kept as hi + lo (after P. T. P. Tang, "Table-driven
// implementation of the logarithm function in IEEE floating-point arithmetic", 1990, without the table).

#include "CoefficientsF32.h"
#include "Functions.h"

using namespace mlir::fusion;

namespace {
constexpr int64_t sqrtHalfBits = 0x3F3504F3;
constexpr int64_t mantissaBits = 23;

/// k ln2 + log(1 + f + fLow)
Expr logSum(Expr k, Expr f, Expr fLow) {
  Expr halfF = f * 0.5;
  Expr square = halfF * f;
  Expr squareLow = fma(halfF, f, -square);
  Expr head = f - square;
  Expr headLow = (f - head) - square;
  Expr rest = fma(f * f * f, polynomial(f, f32::logTail), (headLow - squareLow) + fLow);
  Expr whole = k * f32::ln2Short[0];
  Expr sum = whole + head;
  return sum + (((whole - sum) + head) + fma(k, f32::ln2Short[1], rest));
}
} // namespace

Expr f32::log(Expr x) {
  Expr subnormal = x < 0x1p-126;
  Expr bits = toBits(select(subnormal, x * 0x1p23, x));
  Expr exponent = (bits - sqrtHalfBits) >> mantissaBits;
  Expr f = fromBits(bits - (exponent << mantissaBits)) - 1.0;
  Expr zero = x.constant(0.0);
  Expr k = intToF32(exponent) + select(subnormal, -23.0, zero);
  Expr result = logSum(k, f, zero);
  // Positive and finite; else -inf at 0, NaN below, x itself at +inf and NaN.
  Expr regular = unsignedLess(toBits(x) - 1, 0x7F7FFFFF);
  Expr special = select(x == 0.0, -infinity, select(x < 0.0, notANumber, x));
  return select(regular, result, special);
}

Expr f32::log1p(Expr x) {
  // u + error = 1 + x exactly (D. E. Knuth's two-sum); the error joins f after the same scaling by 2^-k.
  Expr u = x + 1.0;
  Expr other = u - x;
  Expr error = (1.0 - other) + (x - (u - other));
  Expr bits = toBits(u);
  Expr exponent = (bits - sqrtHalfBits) >> mantissaBits;
  Expr f0 = fromBits(bits - (exponent << mantissaBits)) - 1.0;
  Expr scaled = error * fromBits((127 - exponent) << mantissaBits);
  scaled = select(x < 0x1p30, scaled, 0.0);
  Expr f = f0 + scaled;
  Expr fLow = (f0 - f) + scaled;
  Expr result = logSum(intToF32(exponent), f, fma(-f, fLow, fLow));
  result = select(abs(x) < 0x1p-25, x, result);
  Expr regular = (x > -1.0) & (x < infinity);
  Expr special = select(x == -1.0, -infinity, select(x < 0.0, notANumber, x));
  return select(regular, result, special);
}
