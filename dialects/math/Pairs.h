// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums and products as hi + lo, in either format.

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

} // namespace mlir::fusion

#endif // PYFUSION_DIALECTS_MATH_PAIRS_H
