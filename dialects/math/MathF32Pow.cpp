// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pow in f64, rounded once (in f32 arithmetic it would need pairs throughout: twice the time, and a larger error).

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
