// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// hypot in the format's own arithmetic: the root of x^2 + y^2 as hi + lo (T. J. Dekker, "A floating-point technique
// for extending the available precision", 1971), of operands scaled so that no square is lost.

#include "Functions.h"
#include "Pairs.h"

using namespace mlir::fusion;

namespace {
struct Format {
  double large, small, down, up;
  int64_t inverseMagic;
};
constexpr Format single = {0x1p60, 0x1p-40, 0x1p-70, 0x1p100, inverseMagicF32};
constexpr Format twice = {0x1p500, 0x1p-400, 0x1p-600, 0x1p600, inverseMagicF64};

Expr hypotOf(Expr x, Expr y, const Format &format) {
  Expr ax = abs(x), ay = abs(y);
  Expr swap = ay > ax;
  Expr high = select(swap, ay, ax), low = select(swap, ax, ay);
  Expr large = high > format.large, small = high < format.small;
  Expr one = x.constant(1.0);
  Expr scale = select(large, format.down, select(small, format.up, one));
  Expr back = select(large, 1 / format.down, select(small, 1 / format.up, one));
  high = high * scale;
  low = low * scale;
  Expr square = high * high;
  Expr other = low * low;
  Expr sum = square + other;
  Expr error = ((square - sum) + other) + (fma(high, high, -square) + fma(low, low, -other));
  Expr root = sqrt(sum);
  error = error + fma(-root, root, sum);
  // The correction error / (2 root) needs two digits: an estimate of 1 / root and one step of Newton's method.
  Expr inverse = roughInverse(root, format.inverseMagic);
  inverse = inverse * fma(-root, inverse, 2.0);
  Expr result = fma(error * 0.5, inverse, root) * back;
  return select((ax == infinity) | (ay == infinity), infinity, result);
}
} // namespace

Expr f32::hypot(Expr x, Expr y) { return hypotOf(x, y, single); }

Expr f64::hypot(Expr x, Expr y) { return hypotOf(x, y, twice); }
