// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// exp, tanh, sigmoid and erf of half types, in f32 arithmetic. The 65,536 operands that there are give the same results
// as the functions in MathF32Exp.cpp rounded to the half type; a test compares them all. With precision "fast", other
// operands and results occur: the relative errors are below 2^-14 for bf16 and 2^-22 for f16, in all of f32's range.
// The methods are those of MathF32Exp.cpp, with polynomials of fewer terms and without low parts.

#include "Functions.h"
#include "PartsF32.h"

using namespace mlir::fusion;

namespace {
/// x log2 b = k + r, |r| <= 1/2; 2^(k + offset) as `power`. NaN stays NaN in r. The bounds of x are up to the caller.
struct Base2 {
  Expr r, power;
};

Base2 toBase2(Expr x, double log2b, int64_t offset = 0) {
  Expr shifted = fma(x, log2b, f32::roundMagic);
  Expr r = fma(x, log2b, f32::roundMagic - shifted);
  // The bits of the magic number are shifted out.
  return {r, fromBits((toBits(shifted) << f32::mantissaBits) + ((f32::bias + offset) << f32::mantissaBits))};
}

/// 2^r, |r| <= 1/2
Expr exp2Near(Expr r) { return fma(r, polynomial(r, f32::exp2Short), 1.0); }

/// 1 / d to about the last place, for 2^-125 < d < 2^125, without a division, which GPUs do in many instructions and
/// branches. The error of the rough one, 0.0505, is cubed, then squared (Newton's method, orders 3 and 2).
Expr reciprocal(Expr d) {
  Expr y = roughInverse(d, inverseMagicF32);
  Expr error = fma(-d, y, 1.0);
  y = fma(fma(error, error, error), y, y);
  return fma(fma(-d, y, 1.0), y, y);
}

/// (e^2x - 1) / (e^2x + 1), with 2^r - 1 = r P(r); beyond 9 the results are 1.
template <size_t N> Expr tanhWith(Expr x, const double (&tail)[N]) {
  auto [r, power] = toBase2(atLeast(atMost(x, 9.0), -9.0), 2 * f32::log2e[0]);
  Expr expm1 = fma(power, r * polynomial(r, tail), power - 1.0);
  return withSign(expm1 * reciprocal(expm1 + 2.0), x); // -0 was lost
}
} // namespace

Expr bf16::exp(Expr x) {
  // As the square of e^(x/2), which neither overflows nor is subnormal.
  auto [r, power] = toBase2(atLeast(atMost(x, 90.0), -105.0), f32::log2e[0] / 2);
  Expr root = exp2Near(r) * power;
  return root * root;
}

Expr bf16::tanh(Expr x) { return tanhWith(x, f32::exp2Short); }

Expr f16::tanh(Expr x) { return tanhWith(x, f32::exp2Tail); }

Expr bf16::sigmoid(Expr x) {
  // 1 / (1 + e^-x), the denominator times 2^-12: it does not overflow where the result is subnormal.
  auto [r, power] = toBase2(atLeast(atMost(x, 30.0), -94.0), -f32::log2e[0], -12);
  return reciprocal(fma(exp2Near(r), power, 0x1p-12)) * 0x1p-12;
}

Expr bf16::erf(Expr x) {
  Expr bounded = atLeast(atMost(x, 3.0), -3.0);
  return bounded * polynomial(bounded * bounded, f32::erfShort);
}
