// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// exp, exp2, expm1, tanh, sigmoid, erf in f32 arithmetic only.
// Argument reduction x = k ln2 + r after W. J. Cody and W. Waite, "Software Manual for the Elementary Functions"
// (1980), ch. 6; k by the addition of 1.5 * 2^23 whose low bits then are k; two-sums after T. J. Dekker, "A
// floating-point technique for extending the available precision" (1971).

#include "Functions.h"
#include "PartsF32.h"

using namespace mlir::fusion;

Expr f32::exp(Expr x) {
  auto [k, r, rLow] = reduce(atLeast(atMost(x, 89.5), -105.0));
  Expr p = fma(r * r, polynomial(r, expTail), r) + 1.0;
  return scaleByPower(p, k);
}

Expr f32::exp2(Expr x) {
  Expr bounded = atLeast(atMost(x, 129.0), -151.0);
  Expr shifted = bounded + roundMagic;
  Expr r = bounded - (shifted - roundMagic);
  Expr p = fma(r, polynomial(r, exp2Tail), 1.0);
  return scaleByPower(p, toBits(shifted) - roundMagicBits);
}

Expr f32::expm1(Expr x) {
  auto [k, r, rLow] = reduce(atLeast(atMost(x, 88.75), -20.0));
  Expr rest = expm1Rest(r, rLow);
  Expr p = r + rest;
  Expr pLow = (r - p) + rest;
  // Half the result, 2^(k-1) p + (2^(k-1) - 1/2): k may be 128.
  Expr scale = powerOfTwo(k - 1);
  Expr whole = scale - 0.5;
  Expr part = scale * p;
  Expr sum = whole + part;
  Expr error = (whole - sum) + part;
  Expr half = sum + fma(scale, pLow, error);
  return select(abs(x) < 0x1p-25, x, half + half);
}

Expr f32::tanh(Expr x) {
  // Below 3/4 an odd polynomial, above it 1 - 2 / (e^(2|x|) + 1), where the quotient's errors count little.
  Expr a = abs(x);
  Expr square = a * a;
  Expr small = fma(a * square, polynomial(square, tanhTail), a);
  // From 10 on the result rounds to 1. ln 2's low part matters at none of the few k that the result depends on.
  Expr t = atMost(a, 10.0) * 2.0;
  Expr shifted = fma(t, log2e[0], roundMagic);
  Expr r = fma(shifted - roundMagic, -ln2[0], t);
  Expr scale = powerOfTwo(toBits(shifted) - roundMagicBits);
  Expr sum = fma(scale, fma(r * r, polynomial(r, expTail), r), scale + 1.0);
  return withSign(select(a < 0.75, small, 1.0 - 2.0 / sum), x);
}

Expr f32::sigmoid(Expr x) {
  // 1 / (1 + e^-x) = 2^j / (2^j + e^r), -x = -j ln2 + r: nothing overflows, and small results keep all digits. From
  // x = 18 on, the result rounds to 1.
  auto [k, r, rLow] = reduce(-atLeast(atMost(x, 18.0), -105.0));
  Expr j = 0 - k;
  Expr half = j >> 1;
  Expr first = powerOfTwo(half), second = powerOfTwo(j - half);
  Expr power = first * second;
  // The denominator (2^j + 1) + (e^r - 1) as d + dLow.
  auto [whole, wholeLow] = twoSum(power, x.constant(1.0));
  Expr rest = expm1Rest(r, rLow);
  Expr p = r + rest;
  Expr pLow = (r - p) + rest;
  auto [d, error] = fastTwoSum(whole, p);
  Expr dLow = error + (wholeLow + pLow);
  Expr inverse = 1.0 / d;
  Expr remainder = fma(-inverse, dLow, fma(-inverse, d, 1.0));
  return fma(remainder, inverse, inverse) * first * second;
}

Expr f32::erf(Expr x) {
  // Below 1 an odd polynomial, above it 1 - e^(-a G(a)), G = -ln(erfc a) / a; from 3.95 on the result rounds to 1.
  Expr a = abs(x);
  Expr small = fma(a, polynomial(a * a, erfSmall), a);
  Expr bounded = atMost(a, 3.95);
  auto [k, r, rLow] = reduce(-(bounded * polynomial(bounded, erfcLog)));
  Expr p = r + expm1Rest(r, rLow);
  Expr scale = powerOfTwo(k);
  Expr large = fma(-scale, p, 1.0 - scale);
  return withSign(select(a < 1.0, small, large), x);
}
