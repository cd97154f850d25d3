// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsqrt and cbrt in the format's own arithmetic.

#include "Functions.h"
#include "PartsF32.h"
#include "PartsF64.h"

using namespace mlir::fusion;

namespace {
/// Below `small` an operand is multiplied by `scale`, whose root is `root`, so that no remainder is lost.
struct Scaling {
  double small, scale, root;
};

/// Positive and finite.
Expr isRegular(Expr x) {
  int64_t infinityBits = x.getWidth() == 32 ? f32::infinityBits : f64::infinityBits;
  return unsignedLess(toBits(x) - 1, infinityBits - 1);
}

Expr rsqrtOf(Expr x, const Scaling &scaling) {
  // s + e / (2 s) is the root, inverse + d inverse the quotient, where the remainders e and d are exact. Where x is so
  // small that e would be lost, x is scaled by a square.
  Expr small = x < scaling.small;
  Expr scaled = select(small, x * scaling.scale, x);
  Expr s = sqrt(scaled);
  Expr inverse = 1.0 / s;
  Expr e = fma(-s, s, scaled);
  Expr d = fma(-s, inverse, 1.0);
  Expr correction = fma(e * inverse * -0.5, inverse, d);
  // 0, infinities, negative numbers and NaN: the quotient as it is.
  Expr regular = isRegular(x);
  Expr result = select(regular, fma(inverse, correction, inverse), inverse);
  return select(small, result * scaling.root, result);
}

/// z = a^(-1/3): from the bits divided by -3 (W. Kahan, "Computing a real cube root", 1991), to 4 %, then by the series
/// z (1 + h/3 + 2 h^2/9 + ...) in h = 1 - a z^3. The constant is 4/3 of the bias less 0.070 (f64: 0.068), in units of
/// the exponent's lowest bit, which makes the extremes of h about opposite, +-10.5 % (f64: 10.2 %); in f32, 0.002 of it
/// make up for the bits shifted out and for 1/3 as 0x5555/2^16.
Expr inverseCbrt32(Expr a) {
  Expr z = fromBits(0x54A1AA56 - shiftRightUnsigned(toBits(a), 16) * 0x5555);
  Expr h = fma(-(a * z), z * z, 1.0);
  z = fma(z * h, fma(h, 2.0 / 9.0, 1.0 / 3.0), z);
  h = fma(-(a * z), z * z, 1.0);
  return fma(z * h, 1.0 / 3.0, z);
}
Expr inverseCbrt64(Expr a) {
  Expr z = fromBits(0x553EE961B7250000 - shiftRightUnsigned(toBits(a), 32) * 0x55555555);
  Expr h = fma(-(a * z), z * z, 1.0);
  z = fma(z * h, fma(h, fma(h, 14.0 / 81.0, 2.0 / 9.0), 1.0 / 3.0), z);
  h = fma(-(a * z), z * z, 1.0);
  return fma(z * h, fma(h, 2.0 / 9.0, 1.0 / 3.0), z);
}

Expr cbrtOf(Expr x, const Scaling &scaling, Expr (*inverseCbrt)(Expr)) {
  // y = a z^2 and one step with the remainder a - y^3, computed exactly. Small numbers are scaled by a cube, for that
  // remainder's sake.
  Expr magnitude = abs(x);
  Expr small = magnitude < scaling.small;
  Expr a = select(small, magnitude * scaling.scale, magnitude);
  Expr z = inverseCbrt(a);
  Expr square = z * z;
  Expr y = a * square;
  Expr ySquare = y * y;
  Expr ySquareLow = fma(y, y, -ySquare);
  Expr remainder = fma(-ySquareLow, y, fma(-ySquare, y, a));
  y = fma(remainder, square * (1.0 / 3.0), y);
  // 0, infinities and NaN as they are.
  Expr regular = isRegular(magnitude);
  return select(regular, withSign(select(small, y * (1 / scaling.root), y), x), x);
}
} // namespace

Expr f32::rsqrt(Expr x) { return rsqrtOf(x, {0x1p-100, 0x1p60, 0x1p30}); }

Expr f64::rsqrt(Expr x) { return rsqrtOf(x, {0x1p-900, 0x1p300, 0x1p150}); }

Expr f32::cbrt(Expr x) { return cbrtOf(x, {0x1p-60, 0x1p72, 0x1p24}, inverseCbrt32); }

Expr f64::cbrt(Expr x) { return cbrtOf(x, {0x1p-900, 0x1p300, 0x1p100}, inverseCbrt64); }
