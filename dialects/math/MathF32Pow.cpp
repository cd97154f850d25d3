// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pow in f64, rounded once (in f32 arithmetic it would need pairs throughout: twice the time, and a larger error);
// atan2 in f32 arithmetic only.

#include "CoefficientsF32.h"
#include "Functions.h"

using namespace mlir::fusion;

namespace {
constexpr int64_t sqrtHalfBits = 0x3F3504F3;
constexpr int64_t mantissaBits = 23;
} // namespace

Expr f32::pow(Expr x, Expr y) {
  // 2^(y log2 |x|) in f64, then the sign and the special cases of IEEE 754, 9.2.1.
  // |x| = 2^k (1 + f), log2(1 + f) = s P(s^2) with s = f / (2 + f): W. J. Cody and W. Waite, "Software Manual for
  // the Elementary Functions" (1980), ch. 7.
  Expr a = abs(x);
  Expr subnormal = a < 0x1p-126;
  Expr bits = toBits(select(subnormal, a * 0x1p23, a));
  Expr exponent = (bits - sqrtHalfBits) >> mantissaBits;
  Expr f = toF64(fromBits(bits - (exponent << mantissaBits)) - 1.0);
  Expr k = intToF32(exponent);
  k = toF64(select(subnormal, k - 23.0, k));
  // So far out that the product with the smallest y still overflows.
  k = select(a == 0.0, -1e300, k);
  k = select(a == infinity, 1e300, k);
  Expr s = f / (f + 2.0);
  Expr logarithm = fma(s, polynomial(s * s, powLogWide), k);

  constexpr double largest = 0x1.fffffep127;
  Expr t = atLeast(atMost(toF64(atLeast(atMost(y, largest), -largest)) * logarithm, 130.0), -152.0);
  Expr shifted = t + 0x1.8p52;
  Expr r = t - (shifted - 0x1.8p52);
  Expr scale = fromBits((toBits(shifted) + 1023) << 52);
  Expr result = toF32(fma(scale, r * polynomial(r, powExpWide), scale));

  // The low bit of |y| + 2^23, or of |y| from there up to 2^24, is the parity of an integer y.
  Expr ay = abs(y);
  Expr wide = ay >= 0x1p23;
  Expr sum = ay + 0x1p23;
  Expr integer = wide | ((sum - 0x1p23) == ay);
  Expr parity = select(ay < 0x1p24, select(wide, toBits(ay), toBits(sum)), 0);
  Expr sign = toBits(x) & (parity << 31);
  result = select(integer, flipSign(result, sign), result);
  Expr undefined = (x < 0.0) & (a < infinity) & (integer ^ 1);
  result = select(undefined | isNaN(x), notANumber, result);
  return select((y == 0.0) | (x == 1.0), 1.0, result);
}

Expr f32::atan2(Expr y, Expr x) {
  // atan of min / max, which has two parts, then pi/2 - and pi - with those constants in two parts.
  Expr ax = abs(x), ay = abs(y);
  Expr steep = ay > ax;
  Expr hi = select(steep, ay, ax), lo = select(steep, ax, ay);
  // Scaled by a power of two, so that neither the quotient nor its remainder is lost to overflow or underflow.
  Expr scale = select(hi > 0x1p60, 0x1p-60, x.constant(0x1p60));
  Expr hiScaled = hi * scale, loScaled = lo * scale;
  Expr inverse = 1.0 / hiScaled;
  Expr q0 = loScaled * inverse;
  Expr q0Low = fma(-q0, hiScaled, loScaled) * inverse;
  Expr q = q0 + q0Low;
  Expr qLow = (q0 - q) + q0Low;
  // 0/0 counts as 0 and inf/inf as 1; finite/inf is 0.
  Expr zero = x.constant(0.0);
  Expr degenerate = (hi == infinity) | (hi == 0.0);
  q = select(degenerate, select(lo == infinity, 1.0, zero), q);
  qLow = select(degenerate, 0.0, qLow);

  Expr square = q * q;
  Expr rest = fma(q * square, polynomial(square, atanTail), qLow);
  // The slope 1 / (1 + q^2) at q, to 3 %, for the low part.
  rest = fma(qLow * square, fma(square, 1.0 / 3.0, -5.0 / 6.0), rest);
  Expr left = isSignSet(x);
  Expr base = select(steep, halfPi[0], select(left, fullPi[0], zero));
  Expr baseLow = select(steep, halfPi[1], select(left, fullPi[1], zero));
  Expr minus = steep ^ left;
  q = select(minus, -q, q);
  rest = select(minus, -rest, rest);
  Expr sum = base + q;
  Expr result = sum + (((base - sum) + q) + (baseLow + rest));
  result = select(isNaN(x) | isNaN(y), notANumber, result);
  return withSign(result, y);
}
