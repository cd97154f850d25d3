// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// asin, acos, atan and atan2 in the format's own arithmetic; f64 has longer polynomials.
// asin: up to 1/2 an odd polynomial, above it pi/2 - 2 asin(sqrt((1 - x) / 2)), with the same polynomial (W. J. Cody
// and W. Waite, "Software Manual for the Elementary Functions" (1980), ch. 10). atan: above 1, pi/2 - atan(1 / x).

#include "CoefficientsF32.h"
#include "CoefficientsF64.h"
#include "Functions.h"

using namespace mlir::fusion;

namespace {
struct Single {
  static constexpr const auto &halfPi = f32::halfPi, &fullPi = f32::fullPi;
  /// From `far` on, atan rounds to pi/2. Divided by `scale` above it, else multiplied, operands have a safe quotient.
  static constexpr double far = 0x1p30, scale = 0x1p60;
  static Expr asinTail(Expr square) { return polynomial(square, f32::asinTail); }
  static Expr atanTail(Expr square) { return polynomial(square, f32::atanTail); }
};
struct Twice {
  static constexpr const auto &halfPi = f64::halfPi, &fullPi = f64::fullPi;
  static constexpr double far = 0x1p60, scale = 0x1p500;
  static Expr asinTail(Expr square) { return longPolynomial(square, f64::asinTail); }
  static Expr atanTail(Expr square) { return polynomial(square, f64::atanTail); }
};

/// asin of `root`, which is |x| up to 1/2 and else sqrt((1 - |x|) / 2), as root + rest; NaN above 1.
struct Arc {
  Expr large, root, rest;
};

template <typename Format> Arc arc(Expr x) {
  Expr a = abs(x);
  Expr large = a > 0.5;
  Expr square = select(large, fma(a, -0.5, 0.5), a * a);
  Expr root = select(large, sqrt(square), a);
  return {large, root, root * square * Format::asinTail(square)};
}

template <typename Format> Expr asinOf(Expr x) {
  auto [large, root, rest] = arc<Format>(x);
  Expr doubled = root + root;
  Expr head = Format::halfPi[0] - doubled;
  Expr headLow = (Format::halfPi[0] - head) - doubled;
  Expr flipped = head + (headLow + fma(rest, -2.0, Format::halfPi[1]));
  return withSign(select(large, flipped, root + rest), x);
}

template <typename Format> Expr acosOf(Expr x) {
  // Above 1/2: 2 (root + rest); below -1/2: pi less that; between: pi/2 less asin x.
  auto [large, root, rest] = arc<Format>(x);
  Expr left = isSignSet(x);
  Expr base = select(large, select(left, Format::fullPi[0], x.constant(0.0)), Format::halfPi[0]);
  Expr baseLow = select(large, select(left, Format::fullPi[1], x.constant(0.0)), Format::halfPi[1]);
  root = select(large, root + root, root);
  rest = select(large, rest + rest, rest);
  Expr plus = large ^ left;
  root = select(plus, root, -root);
  rest = select(plus, rest, -rest);
  Expr sum = base + root;
  return sum + (((base - sum) + root) + (baseLow + rest));
}

template <typename Format> Expr atanOf(Expr x) {
  Expr a = atMost(abs(x), Format::far);
  Expr steep = a > 1.0;
  Expr inverse = 1.0 / a;
  Expr q = select(steep, inverse, a);
  Expr square = q * q;
  Expr rest = q * square * Format::atanTail(square);
  // The quotient's low part, by the slope 1 / (1 + q^2) = 1 - q^2 / (1 + q^2), to 3 %.
  Expr qLow = fma(-inverse, a, 1.0) * inverse;
  Expr slope = fma(square, fma(square, 1.0 / 3.0, -5.0 / 6.0), 1.0);
  Expr head = Format::halfPi[0] - q;
  Expr headLow = (Format::halfPi[0] - head) - q;
  Expr flipped = head + (headLow + (Format::halfPi[1] - fma(qLow, slope, rest)));
  return withSign(select(steep, flipped, q + rest), x);
}

template <typename Format> Expr atan2Of(Expr y, Expr x) {
  // atan of min / max, which has two parts, then pi/2 - and pi - with those constants in two parts.
  Expr ax = abs(x), ay = abs(y);
  Expr steep = ay > ax;
  Expr hi = select(steep, ay, ax), lo = select(steep, ax, ay);
  // Scaled by a power of two, so that neither the quotient nor its remainder is lost to overflow or underflow.
  Expr scale = select(hi > Format::scale, 1 / Format::scale, x.constant(Format::scale));
  Expr hiScaled = hi * scale, loScaled = lo * scale;
  Expr inverse = 1.0 / hiScaled;
  Expr q0 = loScaled * inverse;
  Expr q0Low = fma(-q0, hiScaled, loScaled) * inverse;
  Expr q = q0 + q0Low;
  Expr qLow = (q0 - q) + q0Low;
  // 0/0 counts as 0 and inf/inf as 1; finite/inf is 0.
  Expr zero = x.constant(0.0);
  Expr degenerate = (hi == infinity) | (hi == 0.0);
  q = select(degenerate, select(lo == infinity, 1.0, zero), q);
  qLow = select(degenerate, 0.0, qLow);

  Expr square = q * q;
  Expr rest = fma(q * square, Format::atanTail(square), qLow);
  // The slope 1 / (1 + q^2) at q, to 3 %, for the low part.
  rest = fma(qLow * square, fma(square, 1.0 / 3.0, -5.0 / 6.0), rest);
  Expr left = isSignSet(x);
  Expr base = select(steep, Format::halfPi[0], select(left, Format::fullPi[0], zero));
  Expr baseLow = select(steep, Format::halfPi[1], select(left, Format::fullPi[1], zero));
  Expr minus = steep ^ left;
  q = select(minus, -q, q);
  rest = select(minus, -rest, rest);
  Expr sum = base + q;
  Expr result = sum + (((base - sum) + q) + (baseLow + rest));
  result = select(isNaN(x) | isNaN(y), notANumber, result);
  return withSign(result, y);
}
} // namespace

Expr f32::asin(Expr x) { return asinOf<Single>(x); }
Expr f32::acos(Expr x) { return acosOf<Single>(x); }
Expr f32::atan(Expr x) { return atanOf<Single>(x); }
Expr f32::atan2(Expr y, Expr x) { return atan2Of<Single>(y, x); }

Expr f64::asin(Expr x) { return asinOf<Twice>(x); }
Expr f64::acos(Expr x) { return acosOf<Twice>(x); }
Expr f64::atan(Expr x) { return atanOf<Twice>(x); }
Expr f64::atan2(Expr y, Expr x) { return atan2Of<Twice>(y, x); }
