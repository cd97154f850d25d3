// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// exp, expm1, tanh, erf in f64: the f32 algorithms (see MathF32Exp.cpp for their sources) with longer polynomials.

#include "CoefficientsF64.h"
#include "Functions.h"

using namespace mlir::fusion;

namespace {
constexpr double roundMagic = 0x1.8p52;
constexpr int64_t roundMagicBits = 0x4338000000000000;
constexpr int64_t bias = 1023;
constexpr int64_t mantissaBits = 52;

/// x = k ln2 + r + rLow, |r| <= ln2 / 2.
struct Reduced {
  Expr k, r, rLow;
};

/// 2^k for an integer k in the range of normal exponents.
Expr powerOfTwo(Expr k) { return fromBits((k + bias) << mantissaBits); }

Reduced reduce(Expr x) {
  Expr shifted = fma(x, f64::log2e[0], roundMagic);
  Expr k = -(shifted - roundMagic);
  Expr high = fma(k, f64::ln2[0], x);
  Expr r = fma(k, f64::ln2[1], high);
  Expr rLow = fma(k, f64::ln2[1], high - r);
  return {toBits(shifted) - roundMagicBits, r, rLow};
}

/// e^r - 1 - r + rLow
Expr expm1Rest(Expr r, Expr rLow) { return fma(r * r, fma(r, polynomial(r, f64::expTail), 0.5), rLow); }
} // namespace

Expr f64::exp(Expr x) {
  auto [k, r, rLow] = reduce(atLeast(atMost(x, 710.0), -746.0));
  Expr p = (r + expm1Rest(r, rLow)) + 1.0;
  // Two factors: 2^k itself may overflow or be subnormal where the result is not yet.
  Expr half = k >> 1;
  return p * powerOfTwo(half) * powerOfTwo(k - half);
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
