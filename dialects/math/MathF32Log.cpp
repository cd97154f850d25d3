// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// log, log1p, log2, log10 in f32 arithmetic only: x = 2^k (1 + f), sqrt(1/2) <= 1 + f < sqrt 2, and
// log x = k ln2 + f - f^2/2 + f^3 P(f), the first terms kept as hi + lo (after P. T. P. Tang, "Table-driven
// implementation of the logarithm function in IEEE floating-point arithmetic", 1990, without the table).
// log2 and log10 multiply log(1 + f) as hi + lo by a constant of two parts and add k times another: powers of 2 and of
// 10 give integers.

#include "Functions.h"
#include "PartsF32.h"

using namespace mlir::fusion;

Expr f32::log(Expr x) {
  auto [k, f] = split(x);
  auto [sum, rest] = logPair(k, f, x.constant(0.0));
  return logSpecial(x, sum + rest);
}

Expr f32::log1p(Expr x) {
  // u + error = 1 + x exactly; the error joins f after the same scaling by 2^-k.
  auto [u, error] = twoSum(x, x.constant(1.0));
  Expr bits = toBits(u);
  Expr exponent = (bits - sqrtHalfBits) >> mantissaBits;
  Expr f0 = fromBits(bits - (exponent << mantissaBits)) - 1.0;
  Expr scaled = error * powerOfTwo(0 - exponent);
  scaled = select(x < 0x1p30, scaled, 0.0);
  Expr f = f0 + scaled;
  Expr fLow = (f0 - f) + scaled;
  auto [sum, rest] = logPair(intToF32(exponent), f, fma(-f, fLow, fLow));
  Expr result = select(abs(x) < 0x1p-25, x, sum + rest);
  Expr regular = (x > -1.0) & (x < infinity);
  Expr special = select(x == -1.0, -infinity, select(x < 0.0, notANumber, x));
  return select(regular, result, special);
}

Expr f32::log2(Expr x) {
  auto [k, f] = split(x);
  auto [hi, lo] = productPair(logOnePlus(f, x.constant(0.0)), log2e);
  auto [sum, error] = fastTwoSum(k, hi);
  return logSpecial(x, sum + (error + lo));
}

Expr f32::log10(Expr x) {
  auto [k, f] = split(x);
  auto [hi, lo] = productPair(logOnePlus(f, x.constant(0.0)), log10e);
  auto [sum, error] = fastTwoSum(k * log10Of2Short[0], hi);
  return logSpecial(x, sum + fma(k, log10Of2Short[1], error + lo));
}
