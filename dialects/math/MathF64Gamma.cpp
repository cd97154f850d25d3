// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// erfc and lgamma in f64.

#include "Functions.h"
#include "PartsF64.h"

using namespace mlir::fusion;

namespace {
/// x times the sum of c[i] x^i
template <size_t N> Expr polynomialFrom1(Expr x, const double (&c)[N]) { return x * polynomial(x, c); }

/// ln a of a > 0 as hi + lo, to about 2^-58: f64::logPair, but rounded once more.
Pair logarithmPair(Expr a) {
  auto [k, biased, m] = f64::split(a);
  Expr f = m - 1.0;
  Expr s = f / (f + 2.0);
  Expr z = s * s;
  Pair square = twoProduct(f * 0.5, f);
  Pair head = fastTwoSum(f, -square.hi);
  Expr rest = s * fma(z, polynomial(z, f64::logTail), square.hi);
  Pair sum = fastTwoSum(k * f64::ln2Short[0], head.hi);
  return {sum.hi, sum.lo + fma(k, f64::ln2Short[1], rest + (head.lo - square.lo))};
}

/// |sin(pi a)| / pi as hi + lo; 0 for integers.
Pair sinePair(Expr a) {
  Expr f = abs(select(a < 0x1p52, a - ((a + 0x1p52) - 0x1p52), 0.0));
  Expr square = f * f;
  Expr head = square * f64::sincTail2[0];
  Expr low = fma(fma(f, f, -square), f64::sincTail2[0], square * f64::sincTail2[1]);
  low = low + fma(square, f64::sincTail2[0], -head);
  low = fma(square * square, polynomial(square, f64::sincTail), low);
  Pair first = fastTwoSum(a.constant(1.0), head);
  Pair sum = fastTwoSum(first.hi, first.lo + low);
  Pair product = twoProduct(f, sum.hi);
  return {product.hi, fma(f, sum.lo, product.lo)};
}
} // namespace

Expr f64::erfc(Expr x) {
  // Below 1/2, 1 - erf x. Above, e^(-a^2) / (1 + 2 a) P((a - 4) / (a + 4)) with a = |x|: M. M. Shepherd,
  // J. G. Laframboise, "Chebyshev approximation of (1 + 2x) exp(x^2) erfc x in 0 <= x < infinity" (1981). The factors
  // have two parts; from 27.3 on the result rounds to 0.
  Expr a = atMost(abs(x), 27.3);
  Expr erf = fma(a, longPolynomial(a * a, erfSmall), a);
  Expr small = 1.0 - withSign(erf, x);

  Pair square = twoProduct(a, a);
  Expr shifted = fma(square.hi, -log2e[0], roundMagic);
  Expr count = roundMagic - shifted;
  Expr high = fma(count, ln2[0], -square.hi);
  Expr r = fma(count, ln2[1], high);
  Expr rLow = fma(count, ln2[1], high - r) - square.lo;
  Pair t = fastTwoSum(r, expm1Rest(r, rLow));
  Pair power = fastTwoSum(a.constant(1.0), t.hi);
  Expr powerLow = power.lo + fma(t.hi, rLow, t.lo);

  Expr above = a + 4.0;
  Pair twice = fastTwoSum(a + a, a.constant(1.0));
  Expr both = 1.0 / (above * twice.hi);
  // (a - 4) / (a + 4), whose error counts most near -1.
  Expr q = fma(a * (twice.hi * both), 2.0, -1.0);
  Pair p = fastTwoSum(a.constant(erfcScaled0[0]), polynomialFrom1(q, erfcScaled));
  p.lo = p.lo + erfcScaled0[1];
  Expr inverse = above * both;
  Expr quotient = p.hi * inverse;
  Expr quotientLow = (fma(-quotient, twice.hi, p.hi) + fma(-quotient, twice.lo, p.lo)) * inverse;
  Expr value = fma(quotient, power.hi, fma(quotient, powerLow, quotientLow * power.hi));
  value = scaleByPower(value, toBits(shifted) - roundMagicBits);
  return select(a < 0.5, small, select(x < 0.0, 2.0 - value, value));
}

Expr f64::lgamma(Expr x) {
  // a = |x|. Up to 3, (a - 1) (a - 2) P(a - 1.875), where the zeros are factored out; below 0.75 by way of
  // lgamma a = lgamma(a + 1) - ln a; from 3 on Stirling's formula, (a - 1/2) (ln a - 1) + (ln(2 pi) - 1) / 2 + Q(1/a).
  // Negative x by the reflection formula, lgamma x = -ln(a |sin(pi a)| / pi) - lgamma a.
  Expr a = abs(x);
  Expr small = a < 0.75, large = a >= 3.0, negative = x < 0.0;
  Expr zero = x.constant(0.0);

  Expr first = a - 1.0;
  Pair second = fastTwoSum(a.constant(-2.0), a);
  Pair factor = twoProduct(first, select(small, a, second.hi));
  factor.lo = fma(first, select(small, 0.0, second.lo), factor.lo);
  Expr at = select(small, a - 0.875, atMost(a, 3.0) - 1.875);
  Pair p = fastTwoSum(a.constant(gammaMiddle0[0]), polynomialFrom1(at, gammaMiddle));
  Pair part = twoProduct(factor.hi, p.hi);
  part.lo = fma(factor.lo, p.hi, fma(factor.hi, p.lo + gammaMiddle0[1], part.lo));

  Pair logarithm = logarithmPair(a);
  Pair less1 = fastTwoSum(logarithm.hi, a.constant(-1.0));
  Expr half = a - 0.5;
  Pair stirling = twoProduct(half, less1.hi);
  stirling.lo = fma(half, less1.lo + logarithm.lo, stirling.lo);
  Expr inverse = 1.0 / a;
  stirling.lo = stirling.lo + fma(inverse, polynomial(inverse * inverse, gammaRest), stirlingConstant[0]);
  part.hi = select(large, stirling.hi, part.hi);
  part.lo = select(large, stirling.lo, part.lo);

  // ln a, where it is subtracted, or that of the sine's product with a.
  Pair sine = sinePair(a);
  Expr by = select(small, 1.0, a);
  Pair product = twoProduct(sine.hi, by);
  Pair reflected = logarithmPair(product.hi);
  reflected.lo = reflected.lo + fma(sine.lo, by, product.lo) / product.hi;
  Expr head = select(negative, reflected.hi, select(small, logarithm.hi, zero));
  Expr headLow = select(negative, reflected.lo, select(small, logarithm.lo, zero));
  Expr sign = signBit(x);
  Pair sum = twoSum(-head, flipSign(part.hi, sign));
  Expr result = sum.hi + (sum.lo + (flipSign(part.lo, sign) - headLow));
  // Overflow, which comes to the product first; the integers below 1 are poles.
  Expr pole = ((x <= 0.0) & (sine.hi == 0.0)) | (part.hi == infinity);
  return select(pole, infinity, result);
}
