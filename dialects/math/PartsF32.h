// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the functions based on exp and log share in f32. Sources: MathF32Exp.cpp and MathF32Log.cpp.

#ifndef PYFUSION_DIALECTS_MATH_PARTSF32_H
#define PYFUSION_DIALECTS_MATH_PARTSF32_H

#include "CoefficientsF32.h"
#include "Pairs.h"

namespace mlir::fusion::f32 {

inline constexpr double roundMagic = 0x1.8p23;
inline constexpr int64_t roundMagicBits = 0x4B400000;
inline constexpr int64_t bias = 127;
inline constexpr int64_t mantissaBits = 23;
inline constexpr int64_t sqrtHalfBits = 0x3F3504F3;
inline constexpr int64_t infinityBits = 0x7F800000;

/// 2^k for an integer k in the range of normal exponents.
inline Expr powerOfTwo(Expr k) { return fromBits((k + bias) << mantissaBits); }

/// a 2^k by two factors: 2^k itself may overflow or be subnormal where the result is not yet.
inline Expr scaleByPower(Expr a, Expr k) {
  Expr half = k >> 1;
  return a * powerOfTwo(half) * powerOfTwo(k - half);
}

/// x = k ln2 + r + rLow, |r| <= ln2 / 2.
struct Reduced {
  Expr k, r, rLow;
};

inline Reduced reduce(Expr x) {
  Expr shifted = fma(x, log2e[0], roundMagic);
  Expr k = -(shifted - roundMagic);
  Expr high = fma(k, ln2[0], x);
  Expr r = fma(k, ln2[1], high);
  Expr rLow = fma(k, ln2[1], high - r);
  return {toBits(shifted) - roundMagicBits, r, rLow};
}

/// e^r - 1 - r + rLow
inline Expr expm1Rest(Expr r, Expr rLow) { return fma(r * r, polynomial(r, expTail), rLow); }

/// x = 2^k (1 + f), sqrt(1/2) <= 1 + f < sqrt 2. x > 0 and finite.
struct Split {
  Expr k, f;
};

inline Split split(Expr x) {
  Expr subnormal = x < 0x1p-126;
  Expr bits = toBits(select(subnormal, x * 0x1p23, x));
  Expr exponent = (bits - sqrtHalfBits) >> mantissaBits;
  Expr f = fromBits(bits - (exponent << mantissaBits)) - 1.0;
  return {intToF32(exponent) + select(subnormal, -23.0, x.constant(0.0)), f};
}

/// log(1 + f + fLow)
inline Pair logOnePlus(Expr f, Expr fLow) {
  Expr halfF = f * 0.5;
  Expr square = halfF * f;
  Expr squareLow = fma(halfF, f, -square);
  Expr head = f - square;
  Expr headLow = (f - head) - square;
  return {head, fma(f * f * f, polynomial(f, logTail), (headLow - squareLow) + fLow)};
}

/// k ln2 + log(1 + f + fLow)
inline Pair logPair(Expr k, Expr f, Expr fLow) {
  auto [head, rest] = logOnePlus(f, fLow);
  auto [sum, error] = fastTwoSum(k * ln2Short[0], head);
  return {sum, error + fma(k, ln2Short[1], rest)};
}

/// The logarithm at x = 0, below and at infinity: `result` at all other x.
inline Expr logSpecial(Expr x, Expr result) {
  // Positive and finite; else -inf at 0, NaN below, x itself at +inf and NaN.
  Expr regular = unsignedLess(toBits(x) - 1, infinityBits - 1);
  Expr special = select(x == 0.0, -infinity, select(x < 0.0, notANumber, x));
  return select(regular, result, special);
}

} // namespace mlir::fusion::f32

#endif // PYFUSION_DIALECTS_MATH_PARTSF32_H
