// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// exp, exp2, expm1, tanh, sigmoid, erf in f64: the f32 algorithms (see MathF32Exp.cpp for their sources) with longer
// polynomials.

#include "Functions.h"
#include "PartsF64.h"

using namespace mlir::fusion;

Expr f64::exp(Expr x) {
  auto [k, r, rLow] = reduce(atLeast(atMost(x, 710.0), -746.0));
  Expr p = (r + expm1Rest(r, rLow)) + 1.0;
  return scaleByPower(p, k);
}

Expr f64::exp2(Expr x) {
  Expr bounded = atLeast(atMost(x, 1025.0), -1076.0);
  Expr shifted = bounded + roundMagic;
  Expr r = bounded - (shifted - roundMagic);
  Expr p = fma(r, fma(r, polynomial(r, powExp), powExp1[0]), 1.0);
  return scaleByPower(p, toBits(shifted) - roundMagicBits);
}

Expr f64::expm1(Expr x) {
  auto [k, r, rLow] = reduce(atLeast(atMost(x, 709.8), -40.0));
  Expr rest = expm1Rest(r, rLow);
  Expr p = r + rest;
  Expr pLow = (r - p) + rest;
  // Half the result, 2^(k-1) p + (2^(k-1) - 1/2): k may be 1024.
  Expr scale = powerOfTwo(k - 1);
  Expr whole = scale - 0.5;
  Expr part = scale * p;
  Expr sum = whole + part;
  Expr error = (whole - sum) + part;
  Expr half = sum + fma(scale, pLow, error);
  return select(abs(x) < 0x1p-54, x, half + half);
}

Expr f64::tanh(Expr x) {
  // n / (2 - n) with n = 1 - e^(-2|x|) = n + nLow; from |x| = 20 on, the result rounds to 1.
  auto [k, r, rLow] = reduce(atMost(abs(x), 20.0) * -2.0);
  Expr rest = expm1Rest(r, rLow);
  Expr p = r + rest;
  Expr pLow = (r - p) + rest;
  Expr scale = powerOfTwo(k);
  Expr whole = 1.0 - scale;
  Expr part = scale * p;
  Expr n = whole - part;
  Expr wholeLow = (1.0 - whole) - scale;
  Expr nLow = fma(-scale, pLow, ((whole - n) - part) + wholeLow);
  Expr d = 2.0 - n;
  Expr dLow = ((2.0 - d) - n) - nLow;
  Expr inverse = 1.0 / d;
  Expr q = n * inverse;
  Expr remainder = fma(-q, dLow, fma(-q, d, n) + nLow);
  return withSign(fma(remainder, inverse, q), x);
}

Expr f64::sigmoid(Expr x) {
  // 1 / (1 + e^-x) = 2^j / (2^j + e^r), -x = -j ln2 + r: nothing overflows, and small results keep all digits. From
  // x = 38 on, the result rounds to 1.
  auto [k, r, rLow] = reduce(-atLeast(atMost(x, 38.0), -746.0));
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

Expr f64::erf(Expr x) {
  // Below 1 an odd polynomial, above it 1 - e^(-a G(a)), G = -ln(erfc a) / a; from 5.95 on the result rounds to 1.
  Expr a = abs(x);
  Expr small = fma(a, longPolynomial(a * a, erfSmall), a);
  Expr bounded = atMost(a, 5.95);
  auto [k, r, rLow] = reduce(-(bounded * longPolynomial(bounded, erfcLog)));
  Expr p = r + expm1Rest(r, rLow);
  Expr scale = powerOfTwo(k);
  Expr large = fma(-scale, p, 1.0 - scale);
  return withSign(select(a < 1.0, small, large), x);
}
