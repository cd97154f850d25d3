// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// asin, acos and atan in f32 arithmetic only.
// asin: up to 1/2 an odd polynomial, above it pi/2 - 2 asin(sqrt((1 - x) / 2)), with the same polynomial (W. J. Cody
// and W. Waite, "Software Manual for the Elementary Functions" (1980), ch. 10). atan: above 1, pi/2 - atan(1 / x).

#include "CoefficientsF32.h"
#include "Functions.h"

using namespace mlir::fusion;

namespace {
/// asin of `root`, which is |x| up to 1/2 and else sqrt((1 - |x|) / 2), as root + rest; NaN above 1.
struct Arc {
  Expr large, root, rest;
};

Arc arc(Expr x) {
  Expr a = abs(x);
  Expr large = a > 0.5;
  Expr square = select(large, fma(a, -0.5, 0.5), a * a);
  Expr root = select(large, sqrt(square), a);
  return {large, root, root * square * polynomial(square, f32::asinTail)};
}
} // namespace

Expr f32::asin(Expr x) {
  auto [large, root, rest] = arc(x);
  Expr doubled = root + root;
  Expr head = halfPi[0] - doubled;
  Expr headLow = (halfPi[0] - head) - doubled;
  Expr flipped = head + (headLow + fma(rest, -2.0, halfPi[1]));
  return withSign(select(large, flipped, root + rest), x);
}

Expr f32::acos(Expr x) {
  // Above 1/2: 2 (root + rest); below -1/2: pi less that; between: pi/2 less asin x.
  auto [large, root, rest] = arc(x);
  Expr left = isSignSet(x);
  Expr base = select(large, select(left, fullPi[0], x.constant(0.0)), halfPi[0]);
  Expr baseLow = select(large, select(left, fullPi[1], x.constant(0.0)), halfPi[1]);
  root = select(large, root + root, root);
  rest = select(large, rest + rest, rest);
  Expr plus = large ^ left;
  root = select(plus, root, -root);
  rest = select(plus, rest, -rest);
  Expr sum = base + root;
  return sum + (((base - sum) + root) + (baseLow + rest));
}

Expr f32::atan(Expr x) {
  // From 0x1p30 on the result rounds to pi/2.
  Expr a = atMost(abs(x), 0x1p30);
  Expr steep = a > 1.0;
  Expr inverse = 1.0 / a;
  Expr q = select(steep, inverse, a);
  Expr square = q * q;
  Expr rest = q * square * polynomial(square, atanTail);
  // The quotient's low part, by the slope 1 / (1 + q^2) = 1 - q^2 / (1 + q^2), to 3 %.
  Expr qLow = fma(-inverse, a, 1.0) * inverse;
  Expr slope = fma(square, fma(square, 1.0 / 3.0, -5.0 / 6.0), 1.0);
  Expr head = halfPi[0] - q;
  Expr headLow = (halfPi[0] - head) - q;
  Expr flipped = head + (headLow + (halfPi[1] - fma(qLow, slope, rest)));
  return withSign(select(steep, flipped, q + rest), x);
}
