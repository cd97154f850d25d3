// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// log and log1p in f64: x = 2^k (1 + f), sqrt(1/2) <= 1 + f < sqrt 2, s = f / (2 + f) and
// log(1 + f) = f - (f^2/2 - s (f^2/2 + R(s^2))), summed with k ln2 so that the small terms come first: the algorithm
// of Sun's fdlibm (e_log.c, s_log1p.c, 1993), with other coefficients.

#include "CoefficientsF64.h"
#include "Functions.h"

using namespace mlir::fusion;

namespace {
constexpr int64_t sqrtHalfBits = 0x3FE6A09E667F3BCD;
constexpr int64_t mantissaBits = 52;
constexpr int64_t mantissaMask = (int64_t(1) << mantissaBits) - 1;

/// x = 2^k m; k as a float, and 1023 more than k as an integer. x > 0 and not subnormal.
struct Split {
  Expr k, biased, m;
};

Split split(Expr x) {
  // All shifts are logical ones: the arithmetic shift of i64 is slow on AVX2.
  Expr bits = toBits(x) - (sqrtHalfBits - (int64_t(1023) << mantissaBits));
  Expr biased = shiftRightUnsigned(bits, mantissaBits);
  Expr k = fromBits(biased | 0x4330000000000000) - (0x1p52 + 1023.0);
  return {k, biased, fromBits((bits & mantissaMask) + sqrtHalfBits)};
}

/// k ln2 + log(1 + f) + fLow
Expr logSum(Expr k, Expr f, Expr fLow) {
  Expr s = f / (f + 2.0);
  Expr z = s * s;
  Expr square = f * 0.5 * f;
  Expr rest = fma(s, fma(z, polynomial(z, f64::logTail), square), fma(k, f64::ln2Short[1], fLow));
  return fma(k, f64::ln2Short[0], f - (square - rest));
}
} // namespace

Expr f64::log(Expr x) {
  Expr subnormal = x < 0x1p-1022;
  auto [k0, biased, m] = split(select(subnormal, x * 0x1p54, x));
  Expr k = select(subnormal, k0 - 54.0, k0);
  Expr result = logSum(k, m - 1.0, x.constant(0.0));
  // Positive and finite; else -inf at 0, NaN below, x itself at +inf and NaN.
  Expr regular = unsignedLess(toBits(x) - 1, 0x7FEFFFFFFFFFFFFF);
  Expr special = select(x == 0.0, -infinity, select(x < 0.0, notANumber, x));
  return select(regular, result, special);
}

Expr f64::log1p(Expr x) {
  // u + error = 1 + x exactly (D. E. Knuth's two-sum); the error joins f after the same scaling by 2^-k.
  Expr u = x + 1.0;
  Expr other = u - x;
  Expr error = (1.0 - other) + (x - (u - other));
  auto [k, biased, m] = split(u);
  Expr f0 = m - 1.0;
  Expr scaled = select(x < 0x1p60, error * fromBits((2046 - biased) << mantissaBits), 0.0);
  Expr f = f0 + scaled;
  Expr fLow = (f0 - f) + scaled;
  Expr result = logSum(k, f, fma(-f, fLow, fLow));
  result = select(abs(x) < 0x1p-54, x, result);
  Expr regular = (x > -1.0) & (x < infinity);
  Expr special = select(x == -1.0, -infinity, select(x < 0.0, notANumber, x));
  return select(regular, result, special);
}
