// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// sin, cos and tan of f64 over the whole range.
// x (2/pi) = k + f + fLow, |f| <= 1/2, after M. H. Payne and R. N. Hanek, "Radian reduction for trigonometric
// functions" (1983): of 2/pi = sum d[j] 2^(-49 j) only the five digits that matter at the magnitude of x are used.
// They are picked by a binary tree of selects instead of a table, and multiplied exactly by means of fma.

#include "Functions.h"
#include "PartsF64.h"

#include "llvm/ADT/SmallVector.h"

#include <iterator>

using namespace mlir::fusion;

namespace {
using f64::roundMagic;
constexpr int64_t digitBits = 49;
constexpr unsigned digitsUsed = 5;
constexpr int64_t lastDigit = std::size(f64::twoOverPi) - 1;
constexpr double perDigit = 0x1p-49;

/// d[i], d[i+1], ..., where i = 0 .. lastDigit - 4 is in the low bits of `index`.
llvm::SmallVector<Expr> pickDigits(Expr x, Expr index) {
  llvm::SmallVector<Expr> digits;
  for (double digit : f64::twoOverPi)
    digits.push_back(x.constant(digit));
  for (unsigned bit = 16; bit; bit /= 2) {
    Expr clear = (index & bit) == 0;
    // The lower bits of the index may still move on by bit - 1.
    size_t needed = digitsUsed + bit - 1;
    llvm::SmallVector<Expr> picked;
    for (size_t j = 0; j < needed && j < digits.size(); ++j)
      picked.push_back(j + bit < digits.size() ? select(clear, digits[j], digits[j + bit]) : digits[j]);
    digits = std::move(picked);
  }
  return digits;
}

struct Turns {
  Expr quadrant, f, fLow;
};

/// |x| (2/pi) = quadrant + f + fLow modulo 4; exact to more than 2^-115 of the quarter turn, as the nearest doubles
/// to multiples of pi/2 need. a = |x| >= 2^-27.
Turns quarterTurns(Expr a) {
  // Digits before d[i] contribute multiples of 4 when 2^(e-52) 2^(-49 i) >= 4: i = floor((e - 54) / 49), or 0.
  Expr exponent = fromBits(shiftRightUnsigned(toBits(a), 52) | 0x4330000000000000) - (0x1p52 + 1023.0 + 54.0 + 24.0);
  Expr shifted = fma(atLeast(exponent, -24.0), 1.0 / digitBits, roundMagic);
  llvm::SmallVector<Expr> d = pickDigits(a, toBits(shifted));
  Expr scale = fma(shifted - roundMagic, double(-digitBits), roundMagic + 1023.0);
  Expr x = a * fromBits(toBits(scale) << 52);

  // The product as parts[0] + parts[1] + ...: part j is a multiple of 4 ulp(x) 2^(-49 j), which adding and subtracting
  // `grid` achieves, and so small that the next sums are exact.
  Expr grid = fromBits(toBits(x) & f64::infinityBits) * 6.0;
  Expr part = fma(x, d[0], grid) - grid;
  Expr rest = fma(x, d[0], -part);
  llvm::SmallVector<Expr> parts = {part};
  for (unsigned j = 1; j + 1 < digitsUsed; ++j) {
    x = x * perDigit;
    grid = grid * perDigit;
    part = fma(x, d[j], rest + grid) - grid;
    rest = fma(x, d[j], rest - part);
    parts.push_back(part);
  }
  rest = fma(x * perDigit, d[digitsUsed - 1], rest);

  // Multiples of 16 leave parts 0 and 1; from 2^54 on, part 0 is a multiple of 4 altogether.
  constexpr double bigMagic = 0x1.8p56;
  Expr first = select(a < 0x1p54, parts[0], 0.0);
  first = first - ((first + bigMagic) - bigMagic);
  Expr second = parts[1] - ((parts[1] + bigMagic) - bigMagic);
  Expr rounded = ((first + second) + parts[2]) + roundMagic;
  first = first - (rounded - roundMagic);
  Pair s1 = fastTwoSum(first, second);
  Pair s2 = fastTwoSum(s1.hi, parts[2]);
  Pair s3 = fastTwoSum(s2.hi, parts[3]);
  Pair f = fastTwoSum(s3.hi, (s1.lo + s2.lo) + (s3.lo + rest));
  return {toBits(rounded), f.hi, f.lo};
}

/// sin(pi/2 (f + fLow)) without the first term, f times pi/2's high part.
Expr sineRest(Expr f, Expr fLow, Expr square) {
  Expr low = fma(f, f64::sinQuarter1[1], fLow * f64::sinQuarter1[0]);
  return fma(f * square, polynomial(square, f64::sinQuarter), low);
}

/// sin(|x| + quadrant pi/2)
Expr sinFrom(Expr x, int64_t quadrant) {
  auto [k, f, fLow] = quarterTurns(abs(x));
  if (quadrant)
    k = k + quadrant;
  Expr square = f * f;
  Expr sine = fma(f, f64::sinQuarter1[0], sineRest(f, fLow, square));
  Expr cosine = polynomial(square, f64::cosQuarter);
  return flipSign(select((k & 1) == 0, sine, cosine), (k & 2) << 62);
}
} // namespace

Expr f64::sin(Expr x) {
  Expr result = flipSign(sinFrom(x, 0), signBit(x));
  return select(abs(x) < 0x1p-27, x, result);
}

Expr f64::cos(Expr x) { return sinFrom(x, 1); }

Expr f64::tan(Expr x) {
  // The quotient of sine and cosine, both with a low part; an odd number of quarter turns on, -cos / sin.
  auto [k, f, fLow] = quarterTurns(abs(x));
  Expr square = f * f;
  Expr head = f * sinQuarter1[0];
  Expr headLow = fma(f, sinQuarter1[0], -head);
  Pair s = fastTwoSum(head, sineRest(f, fLow, square) + headLow);
  Expr tail = f.constant(*std::rbegin(cosQuarter));
  for (size_t i = std::size(cosQuarter) - 1; i > 1; --i)
    tail = fma(tail, square, cosQuarter[i - 1]);
  Pair c = fastTwoSum(f.constant(1.0), square * tail);
  c.lo = fma(s.hi * -sinQuarter1[0], fLow, c.lo);
  Expr even = (k & 1) == 0;
  Expr numerator = select(even, s.hi, c.hi), numeratorLow = select(even, s.lo, c.lo);
  Expr denominator = select(even, c.hi, s.hi), denominatorLow = select(even, c.lo, s.lo);
  Expr inverse = 1.0 / denominator;
  Expr q = numerator * inverse;
  Expr remainder = fma(-q, denominatorLow, fma(-q, denominator, numerator) + numeratorLow);
  Expr result = flipSign(flipSign(fma(remainder, inverse, q), k << 63), signBit(x));
  return select(abs(x) < 0x1p-27, x, result);
}
