// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// erfc and lgamma of f32, evaluated in f64 and rounded once.

#include "CoefficientsF32.h"
#include "Functions.h"
#include "PartsF64.h"

using namespace mlir::fusion;

namespace {
/// ln a in f64, a > 0 and neither subnormal nor infinite there, to 2^-37.
Expr logWide(Expr a) {
  auto [k, biased, m] = f64::splitNormal(a);
  Expr f = m - 1.0;
  Expr s = f / (f + 2.0);
  return fma(s, polynomial(s * s, f32::powLogWide), k) * f64::ln2[0];
}
} // namespace

Expr f32::erfc(Expr x) {
  // e^(-a^2) / (1 + 2 a) P((a - 3) / (a + 3)), a = |x|: M. M. Shepherd, J. G. Laframboise, "Chebyshev approximation
  // of (1 + 2x) exp(x^2) erfc x in 0 <= x < infinity" (1981). From 10.1 on the result rounds to 0; a^2 is exact.
  Expr a = toF64(atMost(abs(x), 10.1));
  Expr t = a * a * -f64::log2e[0];
  Expr shifted = t + f64::roundMagic;
  Expr r = t - (shifted - f64::roundMagic);
  Expr scale = f64::powerOfTwo(toBits(shifted));
  Expr power = fma(scale, r * polynomial(r, powExpWide), scale);
  Expr above = a + 3.0, twice = fma(a, 2.0, 1.0);
  Expr inverse = 1.0 / (above * twice);
  Expr right = power * polynomial((a - 3.0) * twice * inverse, erfcScaled) * (above * inverse);
  return toF32(select(x < 0.0, 2.0 - right, right));
}

Expr f32::lgamma(Expr x) {
  // See f64::lgamma.
  Expr wide = toF64(x);
  Expr a = abs(wide);
  Expr small = a < 0.75, large = a >= 3.0;
  Expr factor = (a - 1.0) * select(small, a, a - 2.0);
  // Adding 0 makes the zeros at 1 and 2 positive.
  Expr middle = fma(factor, polynomial(atMost(select(small, a + 1.0, a), 3.0) - 1.875, gammaMiddle), 0.0);
  Expr inverse = 1.0 / a;
  Expr logarithm = logWide(a);
  Expr rest = fma(inverse, polynomial(inverse * inverse, gammaRest), f64::stirlingConstant[0]);
  Expr stirling = fma(a - 0.5, logarithm - 1.0, rest);
  Expr part = select(large, stirling, middle);
  Expr right = select(small, middle - logarithm, part);

  Expr shifted = a + 0x1p52;
  Expr f = abs(select(a < 0x1p52, a - (shifted - 0x1p52), 0.0));
  Expr square = f * f;
  Expr sine = f * fma(square * square, polynomial(square, sincTail), fma(square, sincTail2[0], 1.0));
  Expr left = -logWide(sine * select(small, 1.0, a)) - part;
  Expr result = toF32(select(wide < 0.0, left, right));
  Expr pole = (wide <= 0.0) & (f == 0.0);
  return select(pole, infinity, result);
}
