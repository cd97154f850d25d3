// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsqrt and cbrt in f64.

#include "Functions.h"
#include "PartsF64.h"

using namespace mlir::fusion;

Expr f64::rsqrt(Expr x) {
  // s + e / (2 s) is the root, inverse + d inverse the quotient, where the remainders e and d are exact. Where x is so
  // small that e would be lost, x is scaled by a square.
  Expr small = x < 0x1p-900;
  Expr scaled = select(small, x * 0x1p300, x);
  Expr s = sqrt(scaled);
  Expr inverse = 1.0 / s;
  Expr e = fma(-s, s, scaled);
  Expr d = fma(-s, inverse, 1.0);
  Expr correction = fma(e * inverse * -0.5, inverse, d);
  // 0, infinities, negative numbers and NaN: the quotient as it is.
  Expr regular = unsignedLess(toBits(x) - 1, infinityBits - 1);
  Expr result = select(regular, fma(inverse, correction, inverse), inverse);
  return select(small, result * 0x1p150, result);
}

Expr f64::cbrt(Expr x) {
  // z = a^(-1/3): from the bits divided by -3 (W. Kahan, "Computing a real cube root", 1991), to 4 %, then by the
  // series z (1 + h/3 + 2 h^2/9 + ...) in h = 1 - a z^3. The constant is 4/3 of the bias less 0.068, in units of the
  // exponent's lowest bit, which makes the extremes of h about opposite, +-10.2 %.
  // Then y = a z^2 and one step with the remainder a - y^3, computed exactly. Small numbers are scaled by a cube, for
  // that remainder's sake.
  Expr magnitude = abs(x);
  Expr small = magnitude < 0x1p-900;
  Expr a = select(small, magnitude * 0x1p300, magnitude);
  Expr z = fromBits(0x553EE961B7250000 - shiftRightUnsigned(toBits(a), 32) * 0x55555555);
  Expr h = fma(-(a * z), z * z, 1.0);
  z = fma(z * h, fma(h, fma(h, 14.0 / 81.0, 2.0 / 9.0), 1.0 / 3.0), z);
  h = fma(-(a * z), z * z, 1.0);
  z = fma(z * h, fma(h, 2.0 / 9.0, 1.0 / 3.0), z);
  Expr square = z * z;
  Expr y = a * square;
  Expr ySquare = y * y;
  Expr ySquareLow = fma(y, y, -ySquare);
  Expr remainder = fma(-ySquareLow, y, fma(-ySquare, y, a));
  y = fma(remainder, square * (1.0 / 3.0), y);
  // 0, infinities and NaN as they are.
  Expr regular = unsignedLess(toBits(magnitude) - 1, infinityBits - 1);
  return select(regular, withSign(select(small, y * 0x1p-100, y), x), x);
}
