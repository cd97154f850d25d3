// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pow in f64, rounded once (in f32 arithmetic it would need pairs throughout: twice the time, and a larger error);
// atan2 in f32 arithmetic only.

#include "Functions.h"
#include "PartsF32.h"
#include "PartsF64.h"

using namespace mlir::fusion;

Expr f32::pow(Expr x, Expr y) {
  // 2^(y log2 |x|), then the sign and the special cases of IEEE 754, 9.2.1.
  // |x| = 2^k (1 + f), log2(1 + f) = s P(s^2) with s = f / (2 + f): W. J. Cody and W. Waite, "Software Manual for
  // the Elementary Functions" (1980), ch. 7.
  Expr a = abs(x);
  auto [k, f] = split(a);
  Expr wide = toF64(f);
  Expr s = wide / (wide + 2.0);
  // Infinity and NaN go through; 0 so far out that the product with the smallest y still overflows.
  Expr exponent = select(a == 0.0, -1e300, toF64(select(a < infinity, k, a)));
  Expr logarithm = fma(s, polynomial(s * s, powLogWide), exponent);

  constexpr double largest = 0x1.fffffep127;
  Expr t = atLeast(atMost(toF64(atLeast(atMost(y, largest), -largest)) * logarithm, 130.0), -152.0);
  Expr shifted = t + f64::roundMagic;
  // From here on in f32.
  Expr r = toF32(t - (shifted - f64::roundMagic));
  Expr count = toI32(toBits(shifted));
  Expr result = scaleByPower(fma(r, polynomial(r, powExpWide), 1.0), count);

  // |y| as an integer, if it is one; from 2^24 on all are even.
  Expr ay = abs(y);
  ay = select(ay < 0x1p24, ay, 0x1p24);
  Expr whole = floatToI32(ay);
  Expr integer = intToF32(whole) == ay;
  result = flipSign(result, toBits(x) & (select(integer, whole, 0) << 31));
  Expr undefined = (x < 0.0) & (a < infinity) & (integer ^ 1);
  result = select(undefined, notANumber, result);
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
