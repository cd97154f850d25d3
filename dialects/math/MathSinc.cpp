// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The normalised sinc, sin(pi x) / (pi x), in the format's own arithmetic. |x| = n + f, |f| <= 1/2, is exact, and
// sin(pi x) / pi = +-f P(f^2); P is the result itself where n is 0.

#include "CoefficientsF32.h"
#include "CoefficientsF64.h"
#include "Functions.h"

using namespace mlir::fusion;

namespace {
/// head + low + square^2 P(square) are sin(pi x) / (pi x) - 1; from `unit` on all floats are integers.
template <size_t N> Expr sincOf(Expr x, const double (&first)[2], const double (&tail)[N], double unit) {
  Expr a = abs(x);
  Expr shifted = a + unit;
  Expr f = select(a < unit, a - (shifted - unit), 0.0);
  Expr square = f * f;
  Expr head = square * first[0];
  Expr low = fma(square, first[0], -head) + fma(fma(f, f, -square), first[0], square * first[1]);
  low = fma(square * square, polynomial(square, tail), low);
  Expr sum = head + 1.0;
  Expr small = sum + (((1.0 - sum) + head) + low);
  // f times that, as hi + lo, and the quotient with its remainder.
  Expr product = fma(f, head, f);
  Expr productLow = fma(f, low, fma(f, head, f - product));
  Expr inverse = 1.0 / a;
  Expr q = product * inverse;
  q = fma(fma(-q, a, product) + productLow, inverse, q);
  // The last bit of n is the sign; adding 0 makes the zeros positive.
  q = flipSign(q, toBits(shifted) << (x.getWidth() - 1)) + 0.0;
  return select(a <= 0.5, small, q);
}
} // namespace

Expr f32::sinc(Expr x) { return sincOf(x, sincTail2, sincTail, 0x1p23); }

Expr f64::sinc(Expr x) { return sincOf(x, sincTail2, sincTail, 0x1p52); }
