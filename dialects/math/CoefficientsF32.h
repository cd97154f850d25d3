// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Written by coefficients.py; do not edit.
// Polynomials: lowest degree first, only the powers of x that occur.

#ifndef PYFUSION_DIALECTS_MATH_COEFFICIENTSF32_H
#define PYFUSION_DIALECTS_MATH_COEFFICIENTSF32_H

namespace mlir::fusion::f32 {

// 1 / ln 2
inline constexpr double log2e[] = {
    0x1.715476p0, 0x1.4ae0cp-26};
// 1 / ln 10
inline constexpr double log10e[] = {
    0x1.bcb7b2p-2, -0x1.5b235ep-27};
// ln 2 = hi + lo
inline constexpr double ln2[] = {
    0x1.62e43p-1, -0x1.05c61p-29};
// pi / 2
inline constexpr double halfPi[] = {
    0x1.921fb6p0, -0x1.777a5cp-25, -0x1.ee59dap-50};
// pi
inline constexpr double fullPi[] = {
    0x1.921fb6p1, -0x1.777a5cp-24};
// ln 2 = hi + lo, hi of 15 bits
inline constexpr double ln2Short[] = {
    0x1.62e4p-1, 0x1.7f7d1cp-20};
// log10 2 = hi + lo, hi of 15 bits
inline constexpr double log10Of2Short[] = {
    0x1.344p-2, 0x1.3509f8p-18};
// 2 / pi, for use in f64
inline constexpr double twoOverPi0[] = {
    0x1.45f306dc9c883p-1, -0x1.6b01ec5417056p-55};
// 2 / pi less its multiples of 2^-20, for use in f64
inline constexpr double twoOverPi20[] = {
    0x1.b727220a94fe1p-23, 0x1.d5f47d4d37703p-78};
// 2 / pi less its multiples of 2^-40, for use in f64
inline constexpr double twoOverPi40[] = {
    0x1.1054a7f09d5f4p-42, 0x1.f534ddc0db629p-96};
// 2 / pi less its multiples of 2^-61, for use in f64
inline constexpr double twoOverPi61[] = {
    0x1.fc2757d1f534ep-64, -0x1.1f924eb53361ep-119};
// 2 / pi less its multiples of 2^-82, for use in f64
inline constexpr double twoOverPi82[] = {
    0x1.7d1f534ddc0dbp-84, 0x1.8a5664f10e41p-138};
// (e^x - 1 - x) / x^2, |x| <= ln2/2; error 2^-26.7
inline constexpr double expTail[] = {
    0x1p-1, 0x1.555556p-3, 0x1.5554e8p-5, 0x1.1110aap-7, 0x1.6d43dep-10, 0x1.a18048p-13};
// log(1+x) from x^3 on, sqrt(1/2) <= 1+x < sqrt 2; error 2^-27.2
inline constexpr double logTail[] = {
    0x1.55555ap-2, -0x1.00023ap-2, 0x1.999d38p-3, -0x1.546bbp-3, 0x1.230bfep-3, -0x1.0def22p-3,
    0x1.044d14p-3, -0x1.3425d6p-4};
// sin(pi/2 x), |x| <= 1/2, for use in f64; error 2^-37.7
inline constexpr double sinQuarter[] = {
    0x1.921fb5443af1ep0, -0x1.4abbce5647df8p-1, 0x1.466bba884e99fp-4, -0x1.32ca8399ba039p-8,
    0x1.4bc1da1eb16fbp-13};
// cos(pi/2 x), |x| <= 1/2, for use in f64; error 2^-33.8
inline constexpr double cosQuarter[] = {
    1.0, -0x1.3bd3cc7a919c5p0, 0x1.03c1dd47daddbp-2, -0x1.55c5c10d79779p-6, 0x1.d9cdf9f48a17ep-11};
// tanh x from x^3 on, |x| <= 3/4; error 2^-29.0
inline constexpr double tanhTail[] = {
    -0x1.555548p-2, 0x1.110d8ap-3, -0x1.b9783cp-5, 0x1.5f581p-6, -0x1.f51146p-8, 0x1.c59a3cp-10};
// erf x - x, 0 <= x < 1; error 2^-30.1
inline constexpr double erfSmall[] = {
    0x1.06eba8p-3, -0x1.812744p-2, 0x1.ce2ea2p-4, -0x1.b82232p-6, 0x1.55e0eep-8, -0x1.b9d556p-11,
    0x1.c8c8bp-14, -0x1.2307bcp-17};
// -ln(erfc x) / x, 1 <= x <= 3.95, error times x erfc x; error 2^-27.6
inline constexpr double erfcLog[] = {
    0x1.20e852p0, 0x1.4574c6p-1, 0x1.aee93cp-4, -0x1.727998p-6, 0x1.7b193ep-9, -0x1.2e8204p-15,
    -0x1.945acep-15, 0x1.59ac52p-18};
// log2((1+x) / (1-x)), |x| <= 3 - sqrt 8, for use in f64; error 2^-37.8
inline constexpr double powLogWide[] = {
    0x1.71547652bedf1p1, 0x1.ec709d12d1d7ap-1, 0x1.27777fe6aa749p-1, 0x1.a58d89b135d68p-2,
    0x1.5ce84309092a4p-2};
// 2^x - 1, |x| <= 1/2, for use in f64; error 2^-32.0
inline constexpr double powExpWide[] = {
    0x1.62e42fefd3fp-1, 0x1.ebfbe0461d37ap-3, 0x1.c6b08caf1b3eap-5, 0x1.3b2a1af8ed399p-7,
    0x1.5d88bf39f28dep-10, 0x1.44409ff982ab6p-13, 0x1.ffcbdd4ae034dp-17};
// atan x from x^3 on, |x| <= 1; error 2^-30.8
inline constexpr double atanTail[] = {
    -0x1.55555p-2, 0x1.9997a2p-3, -0x1.2470aap-3, 0x1.c4d0fep-4, -0x1.6875dep-4, 0x1.1332ecp-4,
    -0x1.6b9ddep-5, 0x1.6d48c6p-6, -0x1.d860fap-8, 0x1.1e6ed6p-10};
// asin x from x^3 on, |x| <= 1/2; error 2^-31.7
inline constexpr double asinTail[] = {
    0x1.55554cp-3, 0x1.33389ep-4, 0x1.6caabcp-5, 0x1.04aedp-5, 0x1.d79aa8p-7, 0x1.33d094p-5};
// coefficient of x^2 of the next, hi + lo
inline constexpr double sincTail2[] = {
    -0x1.a51a66p0, -0x1.12bb4p-28};
// sin(pi x) / (pi x) from x^2 on, |x| <= 1/2; the first as hi + lo; error 2^-35.0
inline constexpr double sincTail[] = {
    0x1.9f9cacp-1, -0x1.86a6bep-3, 0x1.abe47cp-6, -0x1.250328p-9};
// 2^x from x on, |x| <= 1/2; error 2^-28.0
inline constexpr double exp2Tail[] = {
    0x1.62e43p-1, 0x1.ebfbd8p-3, 0x1.c6af76p-5, 0x1.3b30acp-7, 0x1.5f0bdap-10, 0x1.3f971cp-13};
// sinh x from x^3 on, |x| <= ln2/2; error 2^-34.1
inline constexpr double sinhTail[] = {
    0x1.555556p-3, 0x1.110fep-7, 0x1.a293a4p-13};
// cosh x from x^2 on, |x| <= ln2/2; error 2^-33.2
inline constexpr double coshTail[] = {
    0x1p-1, 0x1.5554e4p-5, 0x1.6d516ap-10};
// asinh x from x^3 on, |x| <= 1/2; error 2^-29.6
inline constexpr double asinhTail[] = {
    -0x1.555536p-3, 0x1.3324f8p-4, -0x1.6b96d2p-5, 0x1.cd710cp-6, -0x1.b181a6p-7};
// atanh x from x^3 on, |x| <= 0.37; error 2^-31.1
inline constexpr double atanhTail[] = {
    0x1.55555ep-2, 0x1.99929p-3, 0x1.257beep-3, 0x1.ad27c2p-4, 0x1.0ab40ap-3};
// 2^x from x on, |x| <= 1/2, for bf16; error 2^-18.1
inline constexpr double exp2Short[] = {
    0x1.62e0dcp-1, 0x1.ec06dap-3, 0x1.ca144p-5, 0x1.3997d6p-7};
// erf x, |x| <= 3, for bf16; error 2^-17.7
inline constexpr double erfShort[] = {
    0x1.20dd76p0, -0x1.811598p-2, 0x1.ccffc4p-4, -0x1.b0e6cap-6, 0x1.3f9cbp-8, -0x1.6be9bap-11,
    0x1.309138p-14, -0x1.5b4078p-18, 0x1.db6f9cp-23, -0x1.2430e8p-28};
// tan(pi/2 f) / f, z = f^2, for use in f64
inline constexpr double tanNumerator[] = {
    0x1.921fb544625edp0, -0x1.b9f40509c5db3p-2, 0x1.50d074012cb36p-7};
// tan(pi/2 f) / f, z = f^2, for use in f64
inline constexpr double tanDenominator[] = {
    1.0, -0x1.18e3fe1ed7fbep0, 0x1.8e4708ee6cbafp-4};
// (1 + 2 a) e^(a^2) erfc a as a function of (a - pole) / (a + pole); -1 .. 0.542
inline constexpr double erfcScaled[] = {
    0x1.40c522dab27afp0, -0x1.15c0857d0a204p-3, -0x1.85a18b06def09p-5, 0x1.09838482794cdp-3,
    -0x1.e8896e421ccd8p-4, 0x1.17c84a05ed965p-4, -0x1.85ba983d357f6p-6, 0x1.4b790e61a9e9ep-9,
    0x1.fec0f8a9d695fp-10, -0x1.84a3e4f7a28f2p-11, -0x1.7af3bf1d9ca98p-13, 0x1.30aaa0332a3d2p-15};
// lgamma a / ((a - 1) (a - 2)), a = x + 1.875; -1.12 .. 1.12
inline constexpr double gammaMiddle[] = {
    0x1.be5346f6e3e5cp-2, -0x1.bf346f618ab25p-4, 0x1.384ca7ce9c0ecp-5, -0x1.f3caf566ef379p-7,
    0x1.ae10427ea83ebp-8, -0x1.82c3b8634c5e4p-9, 0x1.658a17b189547p-10, -0x1.51e3073989b6cp-11,
    0x1.4ddf700251681p-12, -0x1.448e6ef678adcp-13, 0x1.cb7c7504ccdebp-15, -0x1.bf6fcd665777dp-16,
    0x1.5b40319f4112fp-15, -0x1.5f9cf41886c18p-16, -0x1.8171d2c17da7p-17, 0x1.8d2ec9699188bp-18,
    0x1.a4fb37c6a993bp-18, -0x1.adbcf224b0beap-19};
// What Stirling's formula leaves of lgamma a, times a; w = 1 / a^2; 8.67e-19 .. 0.111
inline constexpr double gammaRest[] = {
    0x1.555555553351bp-4, -0x1.6c16b69a41ba7p-9, 0x1.a007c3befa889p-11, -0x1.352dded32d44cp-11,
    0x1.811379302e6cap-11, -0x1.af650a075aa9cp-11};

} // namespace mlir::fusion::f32

#endif // PYFUSION_DIALECTS_MATH_COEFFICIENTSF32_H
