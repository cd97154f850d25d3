// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Written by coefficients.py; do not edit. Polynomials: lowest degree first, in the powers of x that occur.

#ifndef PYFUSION_DIALECTS_MATH_COEFFICIENTSF64_H
#define PYFUSION_DIALECTS_MATH_COEFFICIENTSF64_H

namespace mlir::fusion::f64 {

// 1 / ln 2
inline constexpr double log2e[] = {
    0x1.71547652b82fep0};
// ln 2 = hi + lo
inline constexpr double ln2[] = {
    0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
// pi / 2
inline constexpr double halfPi[] = {
    0x1.921fb54442d18p0, 0x1.1a62633145c07p-54, -0x1.f1976b7ed8fbcp-110};
// pi
inline constexpr double fullPi[] = {
    0x1.921fb54442d18p1, 0x1.1a62633145c07p-53};
// ln 2 = hi + lo, hi of 40 bits
inline constexpr double ln2Short[] = {
    0x1.62e42fefa4p-1, -0x1.8432a1b0e2634p-43};

} // namespace mlir::fusion::f64

#endif // PYFUSION_DIALECTS_MATH_COEFFICIENTSF64_H
