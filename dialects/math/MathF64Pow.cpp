// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pow in f64.

#include "Functions.h"
#include "PartsF64.h"

using namespace mlir::fusion;

namespace {
/// log2 of a > 0, finite, as hi + lo with a relative error of about 2^-65: a = 2^k m, s = (m-1) / (m+1),
/// log2 m = s P(s^2), where the quotient and the first two coefficients have two parts.
Pair log2Pair(Expr a) {
  auto [k, biased, m] = f64::split(a);
  Expr f = m - 1.0;
  Expr d = m + 1.0;
  Expr dLow = m - (d - 1.0);
  Expr inverse = 1.0 / d;
  Expr s = f * inverse;
  Expr sLow = fma(-s, dLow, fma(-s, d, f)) * inverse;
  Expr q = s * s;
  Expr qLow = fma(s, s, -q) + (s + s) * sLow;

  Expr t = q * polynomial(q, f64::powLog);
  Expr u = t + f64::powLog3[0];
  Expr uLow = ((f64::powLog3[0] - u) + t) + f64::powLog3[1];
  Expr v = u * q;
  Expr vLow = fma(u, q, -v) + fma(u, qLow, uLow * q);
  Expr w = v + f64::powLog1[0];
  Expr wLow = ((f64::powLog1[0] - w) + v) + (vLow + f64::powLog1[1]);
  Expr l = w * s;
  Expr lLow = fma(w, s, -l) + fma(w, sLow, wLow * s);
  Expr sum = k + l;
  return {sum, ((k - sum) + l) + lLow};
}

/// 2^(t + tLow), |t| <= 1100.
Expr exp2Pair(Expr t, Expr tLow) {
  Expr shifted = t + f64::roundMagic;
  Expr r0 = t - (shifted - f64::roundMagic);
  Expr r = r0 + tLow;
  Expr rLow = (r0 - r) + tLow;
  Expr z = r * f64::powExp1[0];
  Expr zLow = fma(r, f64::powExp1[0], -z) + fma(r, f64::powExp1[1], rLow * f64::powExp1[0]);
  zLow = fma(r * r, polynomial(r, f64::powExp), zLow);
  Expr sum = z + 1.0;
  Expr p = sum + (((1.0 - sum) + z) + zLow);
  return f64::scaleByPower(p, toBits(shifted) - f64::roundMagicBits);
}
} // namespace

Expr f64::pow(Expr x, Expr y) {
  // 2^(y log2 |x|) with log2 and the product as hi + lo (the precision after W. J. Cody and W. Waite, "Software
  // Manual for the Elementary Functions" (1980), ch. 7), then the sign and the special cases of IEEE 754, 9.2.1.
  constexpr double largest = 0x1.fffffffffffffp1023;
  Expr a = abs(x);
  auto [l, lLow] = log2Pair(a);
  Expr bounded = atLeast(atMost(y, largest), -largest);
  Expr t = bounded * l;
  Expr tLow = fma(bounded, l, -t) + bounded * lLow;
  Expr out = abs(t) > 1100.0;
  Expr result = exp2Pair(atLeast(atMost(t, 1100.0), -1100.0), select(out, 0.0, tLow));

  Expr isZero = a == 0.0;
  Expr extreme = select(y > 0.0, a, select(isZero, infinity, x.constant(0.0)));
  result = select(isZero | (a == infinity), extreme, result);

  // The low bit of |y| + 2^52, or of |y| from there up to 2^53, is the parity of an integer y.
  Expr ay = abs(y);
  Expr wide = ay >= 0x1p52;
  Expr sum = ay + 0x1p52;
  Expr integer = wide | ((sum - 0x1p52) == ay);
  Expr parity = select(ay < 0x1p53, select(wide, toBits(ay), toBits(sum)), 0);
  Expr sign = toBits(x) & (parity << 63);
  result = select(integer, flipSign(result, sign), result);
  Expr undefined = (x < 0.0) & (a < infinity) & (integer ^ 1);
  result = select(undefined | isNaN(x) | isNaN(y), notANumber, result);
  return select((y == 0.0) | (x == 1.0), 1.0, result);
}
