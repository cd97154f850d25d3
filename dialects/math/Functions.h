// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions by format, one file for each family.

#ifndef PYFUSION_DIALECTS_MATH_FUNCTIONS_H
#define PYFUSION_DIALECTS_MATH_FUNCTIONS_H

#include "Expr.h"

namespace mlir::fusion {

namespace f32 {
Expr exp(Expr x);
Expr expm1(Expr x);
Expr tanh(Expr x);
Expr erf(Expr x);
Expr log(Expr x);
Expr log1p(Expr x);
Expr sin(Expr x);
Expr cos(Expr x);
Expr tan(Expr x);
Expr asin(Expr x);
Expr acos(Expr x);
Expr atan(Expr x);
Expr sinc(Expr x);
Expr erfc(Expr x);
Expr lgamma(Expr x);
Expr pow(Expr x, Expr y);
Expr atan2(Expr y, Expr x);
Expr hypot(Expr x, Expr y);
} // namespace f32

namespace f64 {
Expr exp(Expr x);
Expr expm1(Expr x);
Expr tanh(Expr x);
Expr erf(Expr x);
Expr log(Expr x);
Expr log1p(Expr x);
Expr sin(Expr x);
Expr cos(Expr x);
Expr tan(Expr x);
Expr asin(Expr x);
Expr acos(Expr x);
Expr atan(Expr x);
Expr sinc(Expr x);
Expr erfc(Expr x);
Expr lgamma(Expr x);
Expr pow(Expr x, Expr y);
Expr atan2(Expr y, Expr x);
Expr hypot(Expr x, Expr y);
} // namespace f64

} // namespace mlir::fusion

#endif // PYFUSION_DIALECTS_MATH_FUNCTIONS_H
