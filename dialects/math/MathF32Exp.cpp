// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// exp, expm1, tanh, erf in f32 arithmetic only.
// Argument reduction x = k ln2 + r after W. J. Cody and W. Waite, "Software Manual for the Elementary Functions"
// (1980), ch. 6; k by the addition of 1.5 * 2^23 whose low bits then are k; two-sums after T. J. Dekker, "A
// floating-point technique for extending the available precision" (1971).

#include "CoefficientsF32.h"
#include "Functions.h"

using namespace mlir::fusion;

namespace {
constexpr double roundMagic = 0x1.8p23;
constexpr int64_t roundMagicBits = 0x4B400000;
constexpr int64_t bias = 127;
constexpr int64_t mantissaBits = 23;

/// x = k ln2 + r + rLow, |r| <= ln2 / 2.
struct Reduced {
  Expr k, r, rLow;
};

/// 2^k for an integer k in the range of normal exponents.
Expr powerOfTwo(Expr k) { return fromBits((k + bias) << mantissaBits); }

Reduced reduce(Expr x) {
  Expr shifted = fma(x, f32::log2e[0], roundMagic);
  Expr k = -(shifted - roundMagic);
  Expr high = fma(k, f32::ln2[0], x);
  Expr r = fma(k, f32::ln2[1], high);
  Expr rLow = fma(k, f32::ln2[1], high - r);
  return {toBits(shifted) - roundMagicBits, r, rLow};
}

/// e^r - 1 - r + rLow
Expr expm1Rest(Expr r, Expr rLow) { return fma(r * r, polynomial(r, f32::expTail), rLow); }
} // namespace

Expr f32::exp(Expr x) {
  auto [k, r, rLow] = reduce(atLeast(atMost(x, 89.5), -105.0));
  Expr p = fma(r * r, polynomial(r, expTail), r) + 1.0;
  // Two factors: 2^k itself may overflow or be subnormal where the result is not yet.
  Expr half = k >> 1;
  return p * powerOfTwo(half) * powerOfTwo(k - half);
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
