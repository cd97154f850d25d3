// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions by format, one file for each family.

#ifndef PYFUSION_DIALECTS_MATH_FUNCTIONS_H
#define PYFUSION_DIALECTS_MATH_FUNCTIONS_H

#include "Expr.h"

namespace mlir::fusion {

namespace f32 {
Expr exp(Expr x);
Expr exp2(Expr x);
Expr expm1(Expr x);
Expr tanh(Expr x);
Expr sigmoid(Expr x);
Expr erf(Expr x);
Expr log(Expr x);
Expr log1p(Expr x);
Expr log2(Expr x);
Expr log10(Expr x);
Expr rsqrt(Expr x);
Expr cbrt(Expr x);
Expr sinh(Expr x);
Expr cosh(Expr x);
Expr asinh(Expr x);
Expr acosh(Expr x);
Expr atanh(Expr x);
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
Expr logaddexp(Expr x, Expr y);
} // namespace f32

namespace f64 {
Expr exp(Expr x);
Expr exp2(Expr x);
Expr expm1(Expr x);
Expr tanh(Expr x);
Expr sigmoid(Expr x);
Expr erf(Expr x);
Expr log(Expr x);
Expr log1p(Expr x);
Expr log2(Expr x);
Expr log10(Expr x);
Expr rsqrt(Expr x);
Expr cbrt(Expr x);
Expr sinh(Expr x);
Expr cosh(Expr x);
Expr asinh(Expr x);
Expr acosh(Expr x);
Expr atanh(Expr x);
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
Expr logaddexp(Expr x, Expr y);
} // namespace f64

// Shorter forms in f32 arithmetic, for operands of a half type and results that are rounded to it.
namespace bf16 {
Expr exp(Expr x);
Expr tanh(Expr x);
Expr sigmoid(Expr x);
Expr erf(Expr x);
} // namespace bf16

namespace f16 {
Expr tanh(Expr x);
} // namespace f16

} // namespace mlir::fusion

#endif // PYFUSION_DIALECTS_MATH_FUNCTIONS_H
