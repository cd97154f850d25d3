// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// sinh, cosh, asinh, acosh, atanh in f32 arithmetic only.
// |x| = k ln2 + r, and sinh and cosh of it from sinh r, cosh r by the addition theorem. The inverses are logarithms
// (NIST Digital Library of Mathematical Functions, 4.37) of hi + lo, or an odd polynomial where x is small.

#include "Functions.h"
#include "PartsF32.h"

using namespace mlir::fusion;

namespace {
/// With e^|x| = 2^k e^r: 2^(k-2) and 2^(-k-2), so that the results, doubled, do not overflow too early; r^3 and higher
/// powers of sinh r, r^2 and higher of cosh r.
struct Hyperbolic {
  Expr up, down, r, rLow, sinhRest, coshRest;
};

Hyperbolic hyperbolic(Expr a) {
  auto [k, r, rLow] = f32::reduce(atMost(a, 89.7));
  Expr down = select(k > 60, 0.0, f32::powerOfTwo(-2 - k));
  Expr square = r * r;
  Expr sinhRest = fma(square * r, polynomial(square, f32::sinhTail), rLow);
  return {f32::powerOfTwo(k - 2), down, r, rLow, sinhRest, square * polynomial(square, f32::coshTail)};
}

/// 2 (one + oneLow + linear (r + sinhRest) + one coshRest)
Expr doubledSum(const Hyperbolic &h, Expr one, Expr oneLow, Expr linear) {
  Expr part = linear * h.r;
  Expr partLow = fma(linear, h.r, -part);
  auto [sum, error] = fastTwoSum(one, part);
  Expr rest = fma(linear, h.sinhRest, fma(one, h.coshRest, oneLow + partLow));
  Expr half = sum + (error + rest);
  return half + half;
}

/// log(hi + lo) + more ln2; hi >= 1, and lo at most about its last place.
Pair logOfPair(Expr hi, Expr lo, Expr more) {
  Expr bits = toBits(hi);
  Expr exponent = (bits - f32::sqrtHalfBits) >> f32::mantissaBits;
  Expr f0 = fromBits(bits - (exponent << f32::mantissaBits)) - 1.0;
  Expr k = intToF32(exponent);
  Expr scaled = lo * f32::powerOfTwo(0 - exponent);
  auto [f, fLow] = fastTwoSum(f0, scaled);
  return f32::logPair(k + more, f, fma(-f, fLow, fLow));
}

/// The square root of hi + lo >= 0, |lo| <= ulp(hi) / 2; lo of the result is 0 at 0.
Pair sqrtPair(Expr hi, Expr lo) {
  Expr root = sqrt(hi);
  Expr inverse = 0.5 / atLeast(root, 0x1p-60);
  return {root, (fma(-root, root, hi) + lo) * inverse};
}
} // namespace

Expr f32::sinh(Expr x) {
  Expr a = abs(x);
  Hyperbolic h = hyperbolic(a);
  auto [one, oneLow] = fastTwoSum(h.up, -h.down);
  Expr result = doubledSum(h, one, oneLow, h.up + h.down);
  return withSign(select(a < 0x1p-13, a, result), x);
}

Expr f32::cosh(Expr x) {
  Hyperbolic h = hyperbolic(abs(x));
  auto [one, oneLow] = fastTwoSum(h.up, h.down);
  return doubledSum(h, one, oneLow, h.up - h.down);
}

Expr f32::asinh(Expr x) {
  // Up to 1/2 an odd polynomial, then log(a + sqrt(a^2 + 1)); where the 1 is lost, log(2a) = log(a/2) + 2 ln2.
  Expr a = abs(x);
  Expr square = a * a;
  Expr small = fma(a * square, polynomial(square, asinhTail), a);
  auto [sum, error] = fastTwoSum(select(a < 1.0, 1.0, square), select(a < 1.0, square, 1.0));
  auto [root, rootLow] = sqrtPair(sum, fma(a, a, -square) + error);
  auto [hi, lo] = fastTwoSum(root, a);
  Expr large = a > 0x1p14;
  Expr zero = x.constant(0.0);
  auto [log, rest] = logOfPair(select(large, a * 0.5, hi), select(large, zero, lo + rootLow), select(large, 2.0, zero));
  Expr result = select(a < infinity, log + rest, a);
  return withSign(select(a < 0.5, small, result), x);
}

Expr f32::acosh(Expr x) {
  // log(1 + w), w = t + sqrt(t (t + 2)), t = x - 1, in two parts; where the 1 is lost, log(2x) = log(x/2) + 2 ln2.
  Expr t = x - 1.0;
  Expr square = t * t;
  Expr squareLow = fma(t, t, -square);
  Expr twice = t + t;
  auto [s, error] = twoSum(square, twice);
  auto [root, rootLow] = sqrtPair(s, error + squareLow);
  auto [w, wLow] = fastTwoSum(root, t);
  auto [y, yLow] = twoSum(w, x.constant(1.0));
  Expr large = x > 0x1p14;
  Expr zero = x.constant(0.0);
  Expr lo = yLow + (wLow + rootLow);
  auto [log, rest] = logOfPair(select(large, x * 0.5, y), select(large, zero, lo), select(large, 2.0, zero));
  return select(x < 1.0, notANumber, select(x < infinity, log + rest, x));
}

Expr f32::atanh(Expr x) {
  // (1 + a) / (1 - a) = 2^k (1 + s) / (1 - s), atanh a = k ln2/2 + atanh s; k so that s is about 0 to 1/3, where the
  // terms of the sum do not cancel. The quotient s has two parts, and s = a for k = 0.
  Expr a = abs(x);
  Expr u = a + 1.0;
  Expr v = 1.0 - a;
  Expr uLow = (1.0 - u) + a;
  Expr vLow = (1.0 - v) - a;
  Expr exponent = (toBits(u) - toBits(v)) >> mantissaBits;
  Expr k = intToF32(exponent);
  Expr scale = powerOfTwo(exponent);
  Expr scaled = v * scale;
  Expr scaledLow = vLow * scale;
  Expr n = u - scaled;
  Expr nLow = uLow - scaledLow;
  auto [d, error] = fastTwoSum(u, scaled);
  Expr dLow = error + (uLow + scaledLow);
  Expr inverse = 1.0 / d;
  Expr q = n * inverse;
  Expr qLow = (fma(-q, d, n) + fma(-q, dLow, nLow)) * inverse;
  Expr near = k == 0.0;
  Expr s = select(near, a, q);
  Expr sLow = select(near, 0.0, qLow);
  Expr z = s * s;
  Expr rest = fma(s * z, polynomial(z, atanhTail), sLow);
  Expr halfK = k * 0.5;
  auto [sum, sumLow] = fastTwoSum(halfK * ln2Short[0], s);
  Expr result = sum + (sumLow + fma(halfK, ln2Short[1], rest));
  result = select(a < 1.0, result, select(a == 1.0, infinity, x.constant(notANumber)));
  return withSign(result, x);
}

Expr f32::logaddexp(Expr x, Expr y) {
  // The larger one + log(1 + e^-d), d the difference, both in two parts: where the result is near 0 they cancel.
  Expr less = x < y;
  Expr top = select(less, y, x), low = select(less, x, y);
  auto [difference, lost] = twoSum(low, -top);
  lost = select(difference > -105.0, lost, 0.0);
  auto [k, r, rLow] = reduce(atLeast(difference, -105.0));
  Expr rest = expm1Rest(r, rLow + lost);
  auto [p, pError] = fastTwoSum(x.constant(1.0), r);
  auto [e, eError] = fastTwoSum(p, rest);
  Expr scaledHi = scaleByPower(e, k);
  Expr scaledLo = scaleByPower(pError + eError, k);
  auto [u, uError] = fastTwoSum(x.constant(1.0), scaledHi);
  auto [log, logLow] = logOfPair(u, uError + scaledLo, x.constant(0.0));
  auto [sum, error] = twoSum(top, log);
  Expr special = select(isNaN(x) | isNaN(y), notANumber, top);
  return select(abs(top) < infinity, sum + (error + logLow), special);
}
