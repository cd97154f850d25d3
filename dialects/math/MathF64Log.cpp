// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// log, log1p, log2, log10 in f64: x = 2^k (1 + f), sqrt(1/2) <= 1 + f < sqrt 2, s = f / (2 + f) and
// log(1 + f) = f - (f^2/2 - s (f^2/2 + R(s^2))), summed with k ln2 so that the small terms come first: the algorithm
// of Sun's fdlibm (e_log.c, s_log1p.c, 1993), with other coefficients.
// log2 and log10 multiply log(1 + f) as hi + lo by a constant of two parts and add k times another: powers of 2 and of
// 10 give integers.

#include "Functions.h"
#include "PartsF64.h"

using namespace mlir::fusion;

namespace {
/// k ln2 + log(1 + f) + fLow; quicker than logPair.
Expr logSum(Expr k, Expr f, Expr fLow) {
  Expr s = f / (f + 2.0);
  Expr z = s * s;
  Expr square = f * 0.5 * f;
  Expr rest = fma(s, fma(z, polynomial(z, f64::logTail), square), fma(k, f64::ln2Short[1], fLow));
  return fma(k, f64::ln2Short[0], f - (square - rest));
}
} // namespace

Expr f64::log(Expr x) {
  auto [k, biased, m] = split(x);
  return logSpecial(x, logSum(k, m - 1.0, x.constant(0.0)));
}

Expr f64::log1p(Expr x) {
  // u + error = 1 + x exactly; the error joins f after the same scaling by 2^-k.
  auto [u, error] = twoSum(x, x.constant(1.0));
  auto [k, biased, m] = splitNormal(u);
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

Expr f64::log2(Expr x) {
  auto [k, biased, m] = split(x);
  auto [hi, lo] = productPair(logOnePlus(m - 1.0, x.constant(0.0)), log2e);
  auto [sum, error] = fastTwoSum(k, hi);
  return logSpecial(x, sum + (error + lo));
}

Expr f64::log10(Expr x) {
  auto [k, biased, m] = split(x);
  auto [hi, lo] = productPair(logOnePlus(m - 1.0, x.constant(0.0)), log10e);
  auto [sum, error] = fastTwoSum(k * log10Of2Short[0], hi);
  return logSpecial(x, sum + fma(k, log10Of2Short[1], error + lo));
}
