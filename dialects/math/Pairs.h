// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums and products as hi + lo, and inverses to start from, in either format.

#ifndef PYFUSION_DIALECTS_MATH_PAIRS_H
#define PYFUSION_DIALECTS_MATH_PAIRS_H

#include "Expr.h"

namespace mlir::fusion {

/// hi + lo
struct Pair {
  Expr hi, lo;
};

/// a + b exactly, where |a| >= |b|, a = 0, or a is a multiple of the last place of b (T. J. Dekker's fast two-sum).
inline Pair fastTwoSum(Expr a, Expr b) {
  Expr hi = a + b;
  return {hi, (a - hi) + b};
}

/// a + b exactly (D. E. Knuth's two-sum).
inline Pair twoSum(Expr a, Expr b) {
  Expr hi = a + b;
  Expr other = hi - a;
  return {hi, (a - (hi - other)) + (b - other)};
}

/// a b exactly, unless the low part is subnormal.
inline Pair twoProduct(Expr a, Expr b) {
  Expr hi = a * b;
  return {hi, fma(a, b, -hi)};
}

/// a c, where c has two parts.
inline Pair productPair(Pair a, const double (&c)[2]) {
  Expr hi = a.hi * c[0];
  return {hi, fma(a.lo, c[0], fma(a.hi, c[1], fma(a.hi, c[0], -hi)))};
}

/// These less the bits of r are the bits of about 1 / r: the bits of 2^k (1 + m) are nearly its logarithm, k + m and the
/// bias in units of the lowest bit of the exponent. Twice the bias less s makes the relative error -s/2 at the ends and
/// (3 - s)^2/8 - 1 in between, both 5.05 % for s = 5 - sqrt 24.
inline constexpr int64_t inverseMagicF32 = 0x7EF311C3, inverseMagicF64 = 0x7FDE6238502484BA;

/// 1 / r but for 5.05 %, r > 0.
inline Expr roughInverse(Expr r, int64_t magic) { return fromBits(magic - toBits(r)); }

} // namespace mlir::fusion

#endif // PYFUSION_DIALECTS_MATH_PAIRS_H
