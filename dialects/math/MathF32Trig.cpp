// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// sin, cos and tan of f32, evaluated in f64 and rounded once.
// x (2/pi) = k + f, |f| <= 1/2, with 2/pi as two doubles. For large x the multiples of 2^d in 2/pi that only add
// multiples of 4 to the product are left out beforehand, which keeps the product small enough: the idea of
// M. H. Payne and R. N. Hanek, "Radian reduction for trigonometric functions" (1983), by selects instead of a table.

#include "CoefficientsF32.h"
#include "Functions.h"

using namespace mlir::fusion;

namespace {
constexpr double roundMagic = 0x1.8p52;

struct Drop {
  double from;
  const double (&constant)[2];
};
constexpr Drop drops[] = {{0x1p45, f32::twoOverPi20},
                          {0x1p65, f32::twoOverPi40},
                          {0x1p86, f32::twoOverPi61},
                          {0x1p107, f32::twoOverPi82}};

struct Reduced {
  Expr quadrant, f;
};

/// |x| (2/pi) = quadrant + f modulo 4
Reduced reduce(Expr x) {
  Expr a = toF64(abs(x));
  Expr high = a.constant(f32::twoOverPi0[0]);
  Expr low = a.constant(f32::twoOverPi0[1]);
  for (const Drop &drop : drops) {
    Expr large = a >= drop.from;
    high = select(large, drop.constant[0], high);
    low = select(large, drop.constant[1], low);
  }
  Expr product = a * high;
  Expr rest = fma(a, low, fma(a, high, -product));
  Expr shifted = product + roundMagic;
  return {toBits(shifted), (product - (shifted - roundMagic)) + rest};
}

/// sin(|x| + quadrant pi/2)
Expr sinFrom(Expr x, int64_t quadrant) {
  auto [k, f] = reduce(x);
  if (quadrant)
    k = k + quadrant;
  Expr square = f * f;
  Expr value = select((k & 1) == 0, f * polynomial(square, f32::sinQuarter), polynomial(square, f32::cosQuarter));
  return toF32(flipSign(value, (k & 2) << 62));
}
} // namespace

Expr f32::sin(Expr x) { return flipSign(sinFrom(x, 0), signBit(x)); }

Expr f32::cos(Expr x) { return sinFrom(x, 1); }

Expr f32::tan(Expr x) {
  auto [k, f] = reduce(x);
  Expr square = f * f;
  Expr numerator = f * polynomial(square, tanNumerator), denominator = polynomial(square, tanDenominator);
  // An odd number of quarter turns on: -1 / tan.
  Expr even = (k & 1) == 0;
  Expr value = select(even, numerator, denominator) / select(even, denominator, numerator);
  return flipSign(toF32(flipSign(value, k << 63)), signBit(x));
}
