// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the functions based on exp and log share in f64. Sources: MathF32Exp.cpp and MathF64Log.cpp.

#ifndef PYFUSION_DIALECTS_MATH_PARTSF64_H
#define PYFUSION_DIALECTS_MATH_PARTSF64_H

#include "CoefficientsF64.h"
#include "Pairs.h"

namespace mlir::fusion::f64 {

inline constexpr double roundMagic = 0x1.8p52;
inline constexpr int64_t roundMagicBits = 0x4338000000000000;
inline constexpr int64_t bias = 1023;
inline constexpr int64_t mantissaBits = 52;
inline constexpr int64_t mantissaMask = (int64_t(1) << mantissaBits) - 1;
inline constexpr int64_t sqrtHalfBits = 0x3FE6A09E667F3BCD;
inline constexpr int64_t infinityBits = 0x7FF0000000000000;

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
inline Expr expm1Rest(Expr r, Expr rLow) { return fma(r * r, fma(r, polynomial(r, expTail), 0.5), rLow); }

/// x = 2^k m; k as a float, and 1023 more than k as an integer. x > 0 and not subnormal.
struct Split {
  Expr k, biased, m;
};

inline Split splitNormal(Expr x) {
  // All shifts are logical ones: the arithmetic shift of i64 is slow on AVX2.
  Expr bits = toBits(x) - (sqrtHalfBits - (bias << mantissaBits));
  Expr biased = shiftRightUnsigned(bits, mantissaBits);
  Expr k = fromBits(biased | 0x4330000000000000) - (0x1p52 + 1023.0);
  return {k, biased, fromBits((bits & mantissaMask) + sqrtHalfBits)};
}

/// The same of any x > 0; `biased` is that of the scaled x.
inline Split split(Expr x) {
  Expr subnormal = x < 0x1p-1022;
  auto [k, biased, m] = splitNormal(select(subnormal, x * 0x1p54, x));
  return {select(subnormal, k - 54.0, k), biased, m};
}

/// log(1 + f + fLow)
inline Pair logOnePlus(Expr f, Expr fLow) {
  Expr s = f / (f + 2.0);
  Expr z = s * s;
  Expr halfF = f * 0.5;
  Expr square = halfF * f;
  Expr squareLow = fma(halfF, f, -square);
  Expr head = f - square;
  Expr headLow = (f - head) - square;
  return {head, fma(s, fma(z, polynomial(z, logTail), square), (headLow - squareLow) + fLow)};
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

} // namespace mlir::fusion::f64

#endif // PYFUSION_DIALECTS_MATH_PARTSF64_H
