// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Written by coefficients.py; do not edit.
// Polynomials: lowest degree first, only the powers of x that occur.

#ifndef PYFUSION_DIALECTS_MATH_COEFFICIENTSF64_H
#define PYFUSION_DIALECTS_MATH_COEFFICIENTSF64_H

namespace mlir::fusion::f64 {

// 1 / ln 2
inline constexpr double log2e[] = {
    0x1.71547652b82fep0, 0x1.777d0ffda0d24p-56};
// 1 / ln 10
inline constexpr double log10e[] = {
    0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57};
// ln 2 = hi + lo
inline constexpr double ln2[] = {
    0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
// pi / 2
inline constexpr double halfPi[] = {
    0x1.921fb54442d18p0, 0x1.1a62633145c07p-54, -0x1.f1976b7ed8fbcp-110};
// pi
inline constexpr double fullPi[] = {
    0x1.921fb54442d18p1, 0x1.1a62633145c07p-53};
// (log(2 pi) - 1) / 2
inline constexpr double stirlingConstant[] = {
    0x1.acfe390c97d69p-2};
// ln 2 = hi + lo, hi of 40 bits
inline constexpr double ln2Short[] = {
    0x1.62e42fefa4p-1, -0x1.8432a1b0e2634p-43};
// log10 2 = hi + lo, hi of 40 bits
inline constexpr double log10Of2Short[] = {
    0x1.34413509f8p-2, -0x1.80433b83b532ap-44};
// 2 / pi = sum of d[j] 2^(-49 j), d[j] multiples of 2^-49, |d[j]| <= 1/2 for j > 0
inline constexpr double twoOverPi[] = {
    0x1.45f306dc9c88p-1, 0x1.529fc2757d2p-3, -0x1.596447e493acp-3, -0x1.4cd8778df7cp-2,
    -0x1.ae9c54214438p-4, -0x1.4f246dc8e2dep-2, -0x1.b22d1ff9b6d2p-2, 0x1.d413a32439fcp-2,
    0x1.deb1cb129a7p-4, 0x1.f74411afa976p-2, -0x1.2edec598e3f8p-4, 0x1.ad17df904e64p-3,
    0x1.d639835339f8p-4, -0x1.b1bdd03a2104p-2, 0x1.283b1ff898p-2, -0x1.0fd33f808688p-4,
    0x1.18b5a0a6d1f8p-4, -0x1.2c98130d835p-3, 0x1.36e9e8c7ecd4p-3, -0x1.a015d28ad84p-5,
    -0x1.4e050683a13p-2, -0x1.7c63043ad6b6p-2, -0x1.159404a04eep-2, -0x1.ca8bdea7f34p-3};
// (e^x - 1 - x - x^2/2) / x^3, |x| <= ln2/2; error 2^-52.9
inline constexpr double expTail[] = {
    0x1.5555555555556p-3, 0x1.5555555555556p-5, 0x1.11111111109a1p-7, 0x1.6c16c16c15d5dp-10,
    0x1.a01a01a7d229ep-13, 0x1.a01a01a96d2c7p-16, 0x1.71de0d77f0246p-19, 0x1.27e4d42bb33a2p-22,
    0x1.af392aef34582p-26, 0x1.1f807bdd6f414p-29};
// log((1+x) / (1-x)) from x^3 on, |x| <= 3 - sqrt 8; error 2^-59.4
inline constexpr double logTail[] = {
    0x1.5555555555594p-1, 0x1.999999997f6f8p-2, 0x1.249249424137p-2, 0x1.c71c51d01b16cp-3,
    0x1.74664992e5112p-3, 0x1.39a0bb5f6a888p-3, 0x1.2f0edc7587e42p-3};
// coefficient of x^1 of the next, hi + lo
inline constexpr double sinQuarter1[] = {
    0x1.921fb54442d18p0, 0x1.036c56798c6fcp-54};
// sin(pi/2 x), |x| <= 1/2; the first as hi + lo; error 2^-58.0
inline constexpr double sinQuarter[] = {
    -0x1.4abbce625be41p-1, 0x1.466bc6775876cp-4, -0x1.32d2cce2db2c1p-8, 0x1.50782fcf24d44p-13,
    -0x1.e3006774acb8cp-19, 0x1.e3eff7c3f91f1p-25};
// cos(pi/2 x), |x| <= 1/2; error 2^-61.1
inline constexpr double cosQuarter[] = {
    1.0, -0x1.3bd3cc9be45dep0, 0x1.03c1f081b5a67p-2, -0x1.55d3c7e3c325dp-6, 0x1.e1f5067b911bp-11,
    -0x1.a6d1e729c3d78p-16, 0x1.f9c89d186761ep-22, -0x1.b1675ac52f3fep-28};
// erf x - x, 0 <= x < 1; error 2^-56.0
inline constexpr double erfSmall[] = {
    0x1.06eba8214db68p-3, -0x1.812746b0379b2p-2, 0x1.ce2f21a0408d1p-4, -0x1.b82ce311ee09bp-6,
    0x1.565bccf7e2856p-8, -0x1.c02db0149d904p-11, 0x1.f9a2b75531772p-14, -0x1.f4ca204c771c5p-17,
    0x1.b97e44280cfb9p-20, -0x1.5bfe76384472p-23, 0x1.d6e3ddfeb1f49p-27, -0x1.ab15c51d2ebebp-31};
// -ln(erfc x) / x, 1 <= x <= 5.95, error times x erfc x; error 2^-56.8
inline constexpr double erfcLog[] = {
    0x1.20dd7444b6632p0, 0x1.45f313678938dp-1, 0x1.a4f37f0993b4ep-4, -0x1.395cdd3fb272p-6,
    -0x1.b835f1b0e2d4cp-13, 0x1.baf86dffdec3p-10, -0x1.2bcfbbba89d24p-11, -0x1.a7b574af7dd3dp-19,
    0x1.961055b61ecffp-14, -0x1.db6b590542566p-15, 0x1.597874783e42p-16, -0x1.6e2c8351913a2p-18,
    0x1.25ca063499ed1p-20, -0x1.642efea73f936p-23, 0x1.3daf4e283eebdp-26, -0x1.8a33bc0c29f91p-30,
    0x1.302b1b0fbf3b1p-34, -0x1.b79a0c31f21afp-40};
// coefficient of x^1 of the next, hi + lo
inline constexpr double powLog1[] = {
    0x1.71547652b82fep1, 0x1.77b0ca04d4988p-55};
// coefficient of x^3 of the next, hi + lo
inline constexpr double powLog3[] = {
    0x1.ec709dc3a03fcp-1, 0x1.7cb2270d7dbdcp-55};
// log2((1+x) / (1-x)), |x| <= 3 - sqrt 8; the first two as hi + lo; error 2^-66.8
inline constexpr double powLog[] = {
    0x1.2776c50ef9fd2p-1, 0x1.a61762a70796fp-2, 0x1.484b1448db3eap-2, 0x1.0c9a5974065bap-2,
    0x1.c6a2a107d2603p-3, 0x1.87733cbd5d34fp-3, 0x1.87df95d98c07ap-3};
// coefficient of x^1 of the next, hi + lo
inline constexpr double powExp1[] = {
    0x1.62e42fefa39efp-1, 0x1.c1c5a0a43fdbcp-55};
// 2^x from x on, |x| <= 1/2; the first as hi + lo; error 2^-57.8
inline constexpr double powExp[] = {
    0x1.ebfbdff82c5a5p-3, 0x1.c6b08d7049f9cp-5, 0x1.3b2ab6fb9ff4bp-7, 0x1.5d87fe78d8415p-10,
    0x1.4309130f36057p-13, 0x1.ffcbfb7ec1994p-17, 0x1.62bfc6aebf89ap-20, 0x1.b526c8eec4539p-24,
    0x1.e61cf4a5bf88p-28, 0x1.e73791e33ccb4p-32};
// atan x from x^3 on, |x| <= 1; error 2^-57.5
inline constexpr double atanTail[] = {
    -0x1.5555555555523p-2, 0x1.99999999952ccp-3, -0x1.2492492376b7dp-3, 0x1.c71c717e1913cp-4,
    -0x1.745d119378e4fp-4, 0x1.3b13657b87036p-4, -0x1.110e48b207f05p-4, 0x1.e1bb48427b883p-5,
    -0x1.ae5ce6a214619p-5, 0x1.82d5d6ef28734p-5, -0x1.59976e82d3ffp-5, 0x1.2c15b5711927ap-5,
    -0x1.e9ae6fc27006ap-6, 0x1.67e295f08b19fp-6, -0x1.c6ea4a57d9582p-7, 0x1.d6d43a595c56fp-8,
    -0x1.7952daf56de9bp-9, 0x1.b2bb069efb384p-11, -0x1.3e260bd3237f4p-13, 0x1.ba404b5e68a13p-17};
// asin x from x^3 on, |x| <= 1/2; error 2^-59.8
inline constexpr double asinTail[] = {
    0x1.5555555555578p-3, 0x1.333333332dfa8p-4, 0x1.6db6db7220c98p-5, 0x1.f1c71a907ff6fp-6,
    0x1.6e8bdf4b1463p-6, 0x1.1c49e9d405026p-6, 0x1.ca2018583ff68p-7, 0x1.75818c92755ffp-7,
    0x1.6150d94e614fep-7, 0x1.e4dc8ec8c2775p-9, 0x1.63eb4f6481b5dp-6, -0x1.5865226fdd3fap-6,
    0x1.0b65010d61969p-5};
// coefficient of x^2 of the next, hi + lo
inline constexpr double sincTail2[] = {
    -0x1.a51a6625307d3p0, 0x1.76859c79f578ap-54};
// sin(pi x) / (pi x) from x^2 on, |x| <= 1/2; the first as hi + lo; error 2^-61.6
inline constexpr double sincTail[] = {
    0x1.9f9cb402bc3fp-1, -0x1.86a8e47208854p-3, 0x1.ac6805cbd3a4dp-6, -0x1.3381696b0688dp-9,
    0x1.37469530c7d1fp-13, -0x1.d3e30fde628a9p-18, 0x1.070d03bfad02fp-22};
// sinh x from x^3 on, |x| <= ln2/2; error 2^-64.8
inline constexpr double sinhTail[] = {
    0x1.5555555555555p-3, 0x1.111111111130dp-7, 0x1.a01a019f1162cp-13, 0x1.71de3e412f821p-19,
    0x1.ae5672b144dep-26, 0x1.7402d7e6bd179p-33};
// cosh x from x^2 on, |x| <= ln2/2; error 2^-70.0
inline constexpr double coshTail[] = {
    0x1p-1, 0x1.5555555555558p-5, 0x1.6c16c16c15004p-10, 0x1.a01a01ad7b67cp-16, 0x1.27e4cc1930484p-22,
    0x1.1f8bd11686765p-29};
// asinh x from x^3 on, |x| <= 1/2; error 2^-60.3
inline constexpr double asinhTail[] = {
    -0x1.555555555554p-3, 0x1.33333333305edp-4, -0x1.6db6db6b9a2b2p-5, 0x1.f1c71ba650ccbp-6,
    -0x1.6e8b8c5eeca26p-6, 0x1.1c4d2bdab434fp-6, -0x1.c972a6735414fp-7, 0x1.79404c026f5aap-7,
    -0x1.3863ad2912d74p-7, 0x1.e922848e1833fp-8, -0x1.36f06aa10eb5p-8, 0x1.c1e16e5700bbcp-10};
// atanh x from x^3 on, |x| <= 0.37; error 2^-65.6
inline constexpr double atanhTail[] = {
    0x1.5555555555555p-2, 0x1.9999999999b15p-3, 0x1.2492492481314p-3, 0x1.c71c71d31c822p-4,
    0x1.745d14d7cb9e2p-4, 0x1.3b140092f19bp-4, 0x1.110a604a9feb5p-4, 0x1.e2a53de265ddap-5,
    0x1.a79bc74730595p-5, 0x1.b79dc90a24a32p-5, 0x1.324dac0e99ac6p-6, 0x1.8445e7934b14cp-4};
// coefficient of x^0 of the next, hi + lo
inline constexpr double erfcScaled0[] = {
    0x1.3ba5916e9fd7fp0, -0x1.9f7720005c089p-55};
// (1 + 2 a) e^(a^2) erfc a as a function of (a - pole) / (a + pole); -1 .. 0.744
inline constexpr double erfcScaled[] = {
    -0x1.1df1ad154a28fp-3, 0x1.f7f5df66fd6b6p-7, 0x1.16ecefcfa5426p-4, -0x1.9ddb23c3e88dep-4,
    0x1.7fee004e10f4ap-4, -0x1.0fb06dfe558bap-4, 0x1.3079edf6b1df5p-5, -0x1.09623882a098ap-6,
    0x1.49c67278b36a5p-8, -0x1.8d4a9c319f70bp-11, -0x1.a1df1c86a1ba7p-13, 0x1.3be0682c5341dp-13,
    -0x1.995a2469c2d03p-16, -0x1.788cbb5dfd554p-17, 0x1.7f2f095432ac6p-18, 0x1.3b80118fd6399p-22,
    -0x1.bb3da464a49f4p-21, 0x1.4070257da6effp-24, 0x1.d9122092779f2p-24, -0x1.334c684f30cadp-26,
    -0x1.e46ff4f7d53f8p-27, 0x1.f52bd4db827bcp-30, 0x1.57766c474bb72p-30};
// coefficient of x^0 of the next, hi + lo
inline constexpr double gammaMiddle0[] = {
    0x1.be5346f51a23p-2, -0x1.04eee7ff5cf1p-59};
// lgamma a / ((a - 1) (a - 2)), a = x + 1.875; -1.12 .. 1.12
inline constexpr double gammaMiddle[] = {
    -0x1.bf346f5de0ad5p-4, 0x1.384caef1e460fp-5, -0x1.f3cb040748a46p-7, 0x1.ae0b9be13a7c3p-8,
    -0x1.82bef49004b27p-9, 0x1.661e03b7a7931p-10, -0x1.527a91d2f1f48p-11, 0x1.44c7246ebbe69p-12,
    -0x1.3b3d6afb45c5bp-13, 0x1.34c4f62fc552dp-14, -0x1.30a7eace439bfp-15, 0x1.2e6da340fc646p-16,
    -0x1.2dcd83f3eb5b4p-17, 0x1.2e748480c3fe3p-18, -0x1.2f8431678c43ap-19, 0x1.32535dd925e7bp-20,
    -0x1.3ec1476db74b9p-21, 0x1.43c3ec1785142p-22, -0x1.fd268f3f51671p-24, 0x1.01f9fbdb669a4p-24,
    -0x1.76faf48e4b0b6p-24, 0x1.83f65fa1d702fp-25, 0x1.8c764aa4a0e58p-25, -0x1.9f3461d563284p-26,
    -0x1.b6ca498057918p-25, 0x1.c98d4670657a2p-26, 0x1.f4d1d08d5d47fp-26, -0x1.055a6be5a72a5p-26,
    -0x1.b8ebcb0623edbp-27, 0x1.cbf5a9afec393p-28, 0x1.c3772d5b45f81p-29, -0x1.d6ffeb807e93bp-30,
    -0x1.e8cc7508db43ap-32, 0x1.fdaa8c33304f8p-33};
// What Stirling's formula leaves of lgamma a, times a; w = 1 / a^2; 8.67e-19 .. 0.111
inline constexpr double gammaRest[] = {
    0x1.5555555555555p-4, -0x1.6c16c16c10e31p-9, 0x1.a01a01781724cp-11, -0x1.3813661cb3f7ep-11,
    0x1.b94839823eb39p-11, -0x1.f5a098f66523bp-10, 0x1.9aabfe19aa4b2p-8, -0x1.a8a27132db91bp-6,
    0x1.cbf7990eae6c5p-4, -0x1.a6f12de4e527fp-2, 0x1.0953f9f7b3684p0, -0x1.42593c7e1f9dbp0};

} // namespace mlir::fusion::f64

#endif // PYFUSION_DIALECTS_MATH_COEFFICIENTSF64_H
