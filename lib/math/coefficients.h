// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Polynomials and constants of the mathematical functions. Made by tools/fit/fit.py: own minimax
// fits (Remez in multiple precision, coefficients rounded one after another); do not edit. The
// lowest power comes first; "error" is the largest weighted error of the polynomial itself, relative
// to the function.
#pragma once

namespace krait::math {

template <class Float> inline constexpr int log2_e = 0;
template <> inline constexpr float log2_e<float>[] = {0x1.715476p+0f, 0x1.4ae0cp-26f};
template <> inline constexpr double log2_e<double>[] = {0x1.71547652b82fep+0,
    0x1.777d0ffda0d24p-56};

template <class Float> inline constexpr int ln2 = 0;
template <> inline constexpr float ln2<float>[] = {0x1.62e43p-1f, -0x1.05c61p-29f};
template <> inline constexpr double ln2<double>[] = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};

template <class Float> inline constexpr int log2_10 = 0;
template <> inline constexpr float log2_10<float>[] = {0x1.a934fp+1f};
template <> inline constexpr double log2_10<double>[] = {0x1.a934f0979a371p+1};

template <class Float> inline constexpr int log10_2 = 0;
template <> inline constexpr float log10_2<float>[] = {0x1.344136p-2f, -0x1.ec10cp-27f};
template <> inline constexpr double log10_2<double>[] = {0x1.34413509f79ffp-2,
    -0x1.9dc1da994fd21p-59};

template <class Float> inline constexpr int log10_e = 0;
template <> inline constexpr float log10_e<float>[] = {0x1.bcb7b2p-2f, -0x1.5b235ep-27f};
template <> inline constexpr double log10_e<double>[] = {0x1.bcb7b1526e50ep-2,
    0x1.95355baaafad3p-57};

template <class Float> inline constexpr int two_over_pi = 0;
template <> inline constexpr float two_over_pi<float>[] = {0x1.45f306p-1f};
template <> inline constexpr double two_over_pi<double>[] = {0x1.45f306dc9c883p-1};

template <class Float> inline constexpr int one_over_pi = 0;
template <> inline constexpr float one_over_pi<float>[] = {0x1.45f306p-2f};
template <> inline constexpr double one_over_pi<double>[] = {0x1.45f306dc9c883p-2};

template <class Float> inline constexpr int half_pi = 0;
template <> inline constexpr float half_pi<float>[] = {0x1.921fb6p+0f, -0x1.777a5cp-25f,
    -0x1.ee59dap-50f};
template <> inline constexpr double half_pi<double>[] = {0x1.921fb54442d18p+0,
    0x1.1a62633145c07p-54, -0x1.f1976b7ed8fbcp-110};

template <class Float> inline constexpr int pi = 0;
template <> inline constexpr float pi<float>[] = {0x1.921fb6p+1f, -0x1.777a5cp-24f,
    -0x1.ee59dap-49f};
template <> inline constexpr double pi<double>[] = {0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53,
    -0x1.f1976b7ed8fbcp-109};

template <class Float> inline constexpr int pow_k = 0;
template <> inline constexpr float pow_k<float>[] = {0x1.715476p+1f, 0x1.4ae0cp-25f};
template <> inline constexpr double pow_k<double>[] = {0x1.71547652b82fep+1, 0x1.777d0ffda0d24p-55};

template <class Float> inline constexpr int pow_c0 = 0;
template <> inline constexpr float pow_c0<float>[] = {0x1.ec709ep-1f};
template <> inline constexpr double pow_c0<double>[] = {0x1.ec709dc3a03fdp-1};

template <class Float> inline constexpr int erf_c = 0;
template <> inline constexpr float erf_c<float>[] = {0x1.20dd76p+0f};
template <> inline constexpr double erf_c<double>[] = {0x1.20dd750429b6dp+0};

template <class Float> inline constexpr int gamma_c = 0;
template <> inline constexpr float gamma_c<float>[] = {0x1.53643ap+0f, 0x1.acfe3ap-2f};
template <> inline constexpr double gamma_c<double>[] = {0x1.536439a4c6efcp+0,
    0x1.acfe390c97d69p-2};

// 2/pi in words, a word of zeros first
template <class Float> inline constexpr int two_over_pi_words = 0;
template <> inline constexpr unsigned two_over_pi_words<float>[] = {0x0u, 0xa2f9836eu, 0x4e441529u,
    0xfc2757d1u, 0xf534ddc0u, 0xdb629599u, 0x3c439041u, 0xfe5163abu, 0xdebbc561u};
template <> inline constexpr unsigned long long two_over_pi_words<double>[] = {0x0ull,
    0xa2f9836e4e441529ull, 0xfc2757d1f534ddc0ull, 0xdb6295993c439041ull, 0xfe5163abdebbc561ull,
    0xb7246e3a424dd2e0ull, 0x6492eea09d1921cull, 0xfe1deb1cb129a73eull, 0xe88235f52ebb4484ull,
    0xe99c7026b45f7e41ull, 0x3991d639835339f4ull, 0x9c845f8bbdf9283bull, 0x1ff897ffde05980full,
    0xef2f118b5a0a6d1full, 0x6d367ecf27cb09b7ull, 0x4f463f669e5fea2dull, 0x7527bac7ebe5f17bull,
    0x3d0739f78a5292eaull, 0x6bfb5fb11f8d5d08ull, 0x56033046fc7b6babull, 0xf0cfbc209af4361dull};

// exp_q: e^r = 1 + r + r^2 Q(r), |r| <= ln2 / 2; error 2^-28.23 / 2^-57.9
template <class Float> inline constexpr int exp_q = 0;
template <> inline constexpr float exp_q<float>[] = {0x1.fffffcp-2f, 0x1.55548cp-3f,
    0x1.555858p-5f, 0x1.123de6p-7f, 0x1.6ac7b8p-10f};
template <> inline constexpr double exp_q<double>[] = {0x1.000000000000ap-1, 0x1.5555555555503p-3,
    0x1.555555555060dp-5, 0x1.1111111124d84p-7, 0x1.6c16c184b1c16p-10, 0x1.a01a013d0973dp-13,
    0x1.a019989e0f4ffp-16, 0x1.71def562eab44p-19, 0x1.28aec2558b6c5p-22, 0x1.add41dfcd1ae7p-26};

// expm1_q: e^r - 1 = r + r^2 Q(r), |r| <= ln2 / 2; error 2^-26.08 / 2^-61.62
template <class Float> inline constexpr int expm1_q = 0;
template <> inline constexpr float expm1_q<float>[] = {0x1.fffffep-2f, 0x1.5554aap-3f,
    0x1.55579ep-5f, 0x1.122c8ap-7f, 0x1.6ab118p-10f};
template <> inline constexpr double expm1_q<double>[] = {0x1p-1, 0x1.5555555555559p-3,
    0x1.5555555555558p-5, 0x1.111111110f722p-7, 0x1.6c16c16c1774cp-10, 0x1.a01a01af9559ap-13,
    0x1.a01a01983bc8fp-16, 0x1.71ddf93f40988p-19, 0x1.27e5073b62c87p-22, 0x1.af5d0def0a7e3p-26,
    0x1.1f213a926d648p-29};

// exp2_q: 2^r = 1 + r Q(r), |r| <= 1/2; error 2^-26.26 / 2^-57.13
template <class Float> inline constexpr int exp2_q = 0;
template <> inline constexpr float exp2_q<float>[] = {0x1.62e43p-1f, 0x1.ebfb94p-3f,
    0x1.c6af9ep-5f, 0x1.3b6818p-7f, 0x1.5ef484p-10f, 0x1.1790c2p-13f};
template <> inline constexpr double exp2_q<double>[] = {0x1.62e42fefa39efp-1, 0x1.ebfbdff82c5b3p-3,
    0x1.c6b08d704a26fp-5, 0x1.3b2ab6fb9dab7p-7, 0x1.5d87fe78458a7p-10, 0x1.430913167f5b5p-13,
    0x1.ffcbfe66151c2p-17, 0x1.62bfb49bd8e83p-20, 0x1.b52083a66a12ep-24, 0x1.e63b96a8db4e9p-28,
    0x1.f0e67771694dap-32};

// exp10_q: 10^r = 1 + r Q(r), |r| <= log10(2) / 2; error 2^-26.61 / 2^-57.31
template <class Float> inline constexpr int exp10_q = 0;
template <> inline constexpr float exp10_q<float>[] = {0x1.26bb1cp+1f, 0x1.535226p+1f,
    0x1.046fa6p+1f, 0x1.2bffa4p+0f, 0x1.15626ap-1f, 0x1.834952p-3f};
template <> inline constexpr double exp10_q<double>[] = {0x1.26bb1bbb55516p+1,
    0x1.53524c73cea7ap+1, 0x1.0470591de2aadp+1, 0x1.2bd7609fd456cp+0, 0x1.1429ffd2573ddp-1,
    0x1.a7ed70a4b08d1p-3, 0x1.16e4de18918ap-4, 0x1.411659788a054p-6, 0x1.489c69d39debp-8,
    0x1.2f7a45b818673p-10, 0x1.f1ee1bb6e96d8p-13};

// log_q: log(1 + f) = f + f^2 Q(f), |f| <= 1/3; error 2^-27.59 / 2^-55.21
template <class Float> inline constexpr int log_q = 0;
template <> inline constexpr float log_q<float>[] = {-0x1p-1f, 0x1.5554fap-2f, -0x1.ffff94p-3f,
    0x1.99d59p-3f, -0x1.557e16p-3f, 0x1.1e81d2p-3f, -0x1.f6baa8p-4f, 0x1.1ff858p-3f,
    -0x1.ff7996p-4f};
template <> inline constexpr double log_q<double>[] = {-0x1.ffffffffffff8p-2, 0x1.5555555555535p-2,
    -0x1.0000000001527p-2, 0x1.999999999ff8ep-3, -0x1.555555534ffcap-3, 0x1.2492492107e96p-3,
    -0x1.000000b421734p-3, 0x1.c71c741ec30eep-4, -0x1.999954f8e6e61p-4, 0x1.745ca382bc874p-4,
    -0x1.555d264dd35b9p-4, 0x1.3b20d5dd68d22p-4, -0x1.24048b46105fbp-4, 0x1.102afdc08da89p-4,
    -0x1.06434a26518a9p-4, 0x1.f4e3595cf6c5ap-5, -0x1.722912084f403p-5, 0x1.3a7094109b33bp-5,
    -0x1.65a74cb52b79ep-4, 0x1.7a1ff568b29edp-4};

// log_w: log((1 + s) / (1 - s)) = s W(z), z = s^2, |s| <= 1/5; absolute; error 2^-23.95 / 2^-58.3
template <class Float> inline constexpr int log_w = 0;
template <> inline constexpr float log_w<float>[] = {0x1.000012p+1f, 0x1.551dbp-1f, 0x1.aefbbcp-2f};
template <> inline constexpr double log_w<double>[] = {0x1.fffffffffffffp+0, 0x1.5555555555efcp-1,
    0x1.99999997efbd7p-2, 0x1.24924a2a62fep-2, 0x1.c71bc7c6b955ap-3, 0x1.747c448baee6bp-3,
    0x1.37d79f79589aap-3, 0x1.3df46f952102bp-3};

// log2_q: log2(1 + f) = f log2(e) + f^2 Q(f), |f| <= 1/3; error 2^-27.5 / 2^-55.17
template <class Float> inline constexpr int log2_q = 0;
template <> inline constexpr float log2_q<float>[] = {-0x1.715476p-1f, 0x1.ec7014p-2f,
    -0x1.715492p-2f, 0x1.27a38p-2f, -0x1.ec8ae4p-3f, 0x1.9d21f8p-3f, -0x1.6c6c3p-3f,
    0x1.a09c42p-3f, -0x1.68c36ap-3f};
template <> inline constexpr double log2_q<double>[] = {-0x1.71547652b82f8p-1,
    0x1.ec709dc3a03dap-2, -0x1.71547652ba2c7p-2, 0x1.2776c50efd5dbp-2, -0x1.ec709dc09cfabp-3,
    0x1.a61762a37f2a8p-3, -0x1.7154775d86e26p-3, 0x1.484b15534ef7fp-3, -0x1.2776928593f4fp-3,
    0x1.0c9a379649df3p-3, -0x1.ec7c1256a2181p-4, 0x1.c6a15dd04b57p-4, -0x1.a5488289204c4p-4,
    0x1.88b20bd0337c7p-4, -0x1.7a7065d12941bp-4, 0x1.690e3afba6869p-4, -0x1.0ab1f188bab62p-4,
    0x1.c76b017930012p-5, -0x1.0248a6c9a24ffp-3, 0x1.1024a16ffe66p-3};

// log10_q: log10(1 + f) = f log10(e) + f^2 Q(f), -1/3 <= f <= 0.3337; error 2^-26.95 / 2^-55.53
template <class Float> inline constexpr int log10_q = 0;
template <> inline constexpr float log10_q<float>[] = {-0x1.bcb7b2p-3f, 0x1.287a2ep-3f,
    -0x1.bcb672p-4f, 0x1.63f6c8p-4f, -0x1.28bffep-4f, 0x1.f229e2p-5f, -0x1.b110e8p-5f,
    0x1.f230fap-5f, -0x1.cbdf44p-5f};
template <> inline constexpr double log10_q<double>[] = {-0x1.bcb7b1526e507p-3,
    0x1.287a7636f4347p-3, -0x1.bcb7b15270acep-4, 0x1.63c6277529e4fp-4, -0x1.287a763529215p-4,
    0x1.fc3fa60f7b319p-5, -0x1.bcb7b2907eba4p-5, 0x1.8b4df4cbac1bcp-5, -0x1.63c5eb23fe416p-5,
    0x1.436df83fedbd5p-5, -0x1.28814e5fbb389p-5, 0x1.11b64f49a8495p-5, -0x1.fb4820154e3eap-6,
    0x1.d8f7c5c53249bp-6, -0x1.c7a19c27a4e5bp-6, 0x1.b17b1360aaa12p-6, -0x1.41656555eb3c5p-6,
    0x1.1938661773cc7p-6, -0x1.36bd993ec4d2cp-5, 0x1.3fefb9f121a53p-5};

// sin_q: sin r = r + r z Q(z), z = r^2, |r| <= pi / 4; error 2^-27.84 / 2^-57.77
template <class Float> inline constexpr int sin_q = 0;
template <> inline constexpr float sin_q<float>[] = {-0x1.555544p-3f, 0x1.1106c6p-7f,
    -0x1.991c2cp-13f};
template <> inline constexpr double sin_q<double>[] = {-0x1.5555555555547p-3, 0x1.111111110f596p-7,
    -0x1.a01a019bb473ap-13, 0x1.71de35266337ep-19, -0x1.ae5e261e8925bp-26, 0x1.5d804b3225385p-33};

// cos_q: cos r = 1 + z Q(z), z = r^2, |r| <= pi / 4; error 2^-32.79 / 2^-63.75
template <class Float> inline constexpr int cos_q = 0;
template <> inline constexpr float cos_q<float>[] = {-0x1p-1f, 0x1.55554ap-5f, -0x1.6c0c18p-10f,
    0x1.99e056p-16f};
template <> inline constexpr double cos_q<double>[] = {-0x1p-1, 0x1.555555555554ap-5,
    -0x1.6c16c16c14dd2p-10, 0x1.a01a019c54b3cp-16, -0x1.27e4f7c62be55p-22, 0x1.1ee9bd9c79a32p-29,
    -0x1.8f968efa7b7dcp-37};

// sin_wide_q: sin r = r + r z Q(z), z = r^2, |r| <= pi / 2; error 2^-27.1 / 2^-52.34
template <class Float> inline constexpr int sin_wide_q = 0;
template <> inline constexpr float sin_wide_q<float>[] = {-0x1.55554cp-3f, 0x1.110ed2p-7f,
    -0x1.9f6e82p-13f, 0x1.5d9c8ep-19f};
template <> inline constexpr double sin_wide_q<double>[] = {-0x1.5555555555493p-3,
    0x1.1111111109a4p-7, -0x1.a01a0199e87e1p-13, 0x1.71de37dea8eb9p-19, -0x1.ae6348c5824f3p-26,
    0x1.60e4b565d3101p-33, -0x1.9ed4dfc7eb512p-41};

// tan_q: tan r = r + r z Q(z), z = r^2, |r| <= pi / 4; error 2^-25.56 / 2^-55.82
template <class Float> inline constexpr int tan_q = 0;
template <> inline constexpr float tan_q<float>[] = {0x1.5554dp-2f, 0x1.1130c8p-3f, 0x1.b52522p-5f,
    0x1.932644p-6f, 0x1.738fp-9f, 0x1.391dbep-7f};
template <> inline constexpr double tan_q<double>[] = {0x1.55555555554d4p-2, 0x1.111111111a29dp-3,
    0x1.ba1ba1b2f341p-5, 0x1.664f49ee48009p-6, 0x1.226e0ab9ec3fep-7, 0x1.d6da44ddc308fp-9,
    0x1.7d4e7e0d77cfbp-10, 0x1.386617e50bb85p-11, 0x1.cd84364aa39e1p-13, 0x1.283f49acd6ae3p-13,
    -0x1.151099de97b87p-15, 0x1.90aca68818613p-14, -0x1.93d701412811dp-15, 0x1.6b242f20c2bcap-16};

// atan_q: atan t = t + t z Q(z), z = t^2, |t| <= 1; error 2^-25.83 / 2^-54.97
template <class Float> inline constexpr int atan_q = 0;
template <> inline constexpr float atan_q<float>[] = {-0x1.5554dcp-2f, 0x1.9978ecp-3f,
    -0x1.230a94p-3f, 0x1.b4debp-4f, -0x1.3550dap-4f, 0x1.61eebp-5f, -0x1.0c17d2p-6f,
    0x1.7ea682p-9f};
template <> inline constexpr double atan_q<double>[] = {-0x1.555555555544cp-2,
    0x1.999999998410ep-3, -0x1.2492491fa2096p-3, 0x1.c71c709e174b6p-4, -0x1.745d0230d3bfap-4,
    0x1.3b12b2e6b049bp-4, -0x1.11089cf230efdp-4, 0x1.e178168330082p-5, -0x1.ad32b792c70d2p-5,
    0x1.7ee3ee28f5953p-5, -0x1.4f450fe5cd726p-5, 0x1.1715bc7105fe8p-5, -0x1.a7265935ae5a7p-6,
    0x1.162bee569323ap-6, -0x1.2cf6f6b606c6ep-7, 0x1.f96bccc52ca75p-9, -0x1.3129889f0d1cbp-10,
    0x1.d3b9cce1930b5p-13, -0x1.53e4bfd377bb9p-16};

// asin_q: asin x = x + x z Q(z), z = x^2, |x| <= 1/2; error 2^-27.62 / 2^-55.9
template <class Float> inline constexpr int asin_q = 0;
template <> inline constexpr float asin_q<float>[] = {0x1.5555c8p-3f, 0x1.330204p-4f,
    0x1.747bb8p-5f, 0x1.8c3e58p-6f, 0x1.595c4ep-5f};
template <> inline constexpr double asin_q<double>[] = {0x1.555555555539p-3, 0x1.333333336e83bp-4,
    0x1.6db6db42774fcp-5, 0x1.f1c72c3a342e9p-6, 0x1.6e89f41e92ceap-6, 0x1.1c6be3cec2d7bp-6,
    0x1.c6fd943a25675p-7, 0x1.8ec4366698869p-7, 0x1.abc44f2280c7fp-8, 0x1.3ffc80c87ce96p-6,
    -0x1.09dfdced0b0dfp-6, 0x1.0571e85f38072p-5};

// pow_w: log2((1 + s) / (1 - s)) = s (K + z (c0 + W(z))), z = s^2, K = 2 / ln 2, c0 = pow_c0; error
// 2^-15.0 / 2^-76.24
template <class Float> inline constexpr int pow_w = 0;
template <> inline constexpr float pow_w<float>[] = {0x1.d5d17p-7f};
template <> inline constexpr double pow_w<double>[] = {0x1.d271dfa6927cap-55, 0x1.2776c50ef9bffp-1,
    0x1.a61762a7adbeap-2, 0x1.484b13d7f46bfp-2, 0x1.0c9a847aad1bap-2, 0x1.c68f6b7d434f6p-3,
    0x1.89ef525ea1f97p-3, 0x1.5c28b80bca55ap-3, 0x1.2ca90d539f4cp-3, 0x1.78c4df30e7b25p-3};

// pow_p: log2((1 + s) / (1 - s)) = s (K + P(z)), z = s^2, K = pow_k[0]; error 2^-36.2 / 2^-7.653
template <class Float> inline constexpr int pow_p = 0;
template <> inline constexpr float pow_p<float>[] = {0x1.4afb82p-25f, 0x1.ec709ep-1f,
    0x1.2776d2p-1f, 0x1.a5d88ep-2f, 0x1.57ef6cp-2f};
template <> inline constexpr double pow_p<double>[] = {0x1.d5f1901def812p-7};

// erf_q: erf x = x + x Q(z), z = x^2, |x| <= 1; error 2^-29.97 / 2^-2.787
template <class Float> inline constexpr int erf_q = 0;
template <> inline constexpr float erf_q<float>[] = {0x1.06eba8p-3f, -0x1.81274p-2f,
    0x1.ce2d74p-4f, -0x1.b8045p-6f, 0x1.54833ap-8f, -0x1.a99d52p-11f, 0x1.69d26p-14f,
    -0x1.24de26p-19f};
template <> inline constexpr double erf_q<double>[] = {-0x1.200c4345f9efbp-5};

// erf_tail: log2(erfc x) = P(x), 1 <= x <= 5.93; error 2^-25.88 / 2^-4.411
template <class Float> inline constexpr int erf_tail = 0;
template <> inline constexpr float erf_tail<float>[] = {-0x1.ef880cp-9f, -0x1.9cc4eep+0f,
    -0x1.e343fep-1f, -0x1.065bc8p-3f, 0x1.5e8c88p-6f, -0x1.b59608p-10f};
template <> inline constexpr double erf_tail<double>[] = {-0x1.847220ef25b17p+1};

// erf_p: 8 (1 - (erfc x)^(1/8)) = x (c + P(x)), c = erf_c, 0 <= x <= 5.93; error 2^-3.277 /
// 2^-58.32
template <class Float> inline constexpr int erf_p = 0;
template <> inline constexpr float erf_p<float>[] = {0x1.ddf13cp-4f};
template <> inline constexpr double erf_p<double>[] = {0x1.c21d3534edb82p-57, 0x1.1d34a60108f7cp-1,
    0x1.11f29c67f4802p-6, -0x1.b028f56d408eap-5, -0x1.6bfca94ed195fp-10, 0x1.01c6322729291p-8,
    -0x1.10334197951bbp-11, -0x1.e2b1a5ba09ecap-14, 0x1.5b2973b70c7bap-14, -0x1.aaae71a8e819ep-16,
    0x1.cd90a668acab9p-22, 0x1.d11d446a10f2ep-19, -0x1.9069cdf295cep-20, 0x1.899b3c63b3a8p-25,
    0x1.358e5d65786cfp-22, -0x1.ab704fae7af31p-23, 0x1.67ddd3e7be8b8p-24, -0x1.bedea73392651p-26,
    0x1.aefdfc9645937p-28, -0x1.474db615b1c5ep-30, 0x1.85a839e612253p-33, -0x1.65008d04835e5p-36,
    0x1.e67ac497346bbp-40, -0x1.d05ac5727138dp-44, 0x1.14f9498b55779p-48, -0x1.369c98def605fp-54};

// erfc_q: erfc x = exp(-x^2) r Q(r - c), r = 1 / (2 + x), c = 0 (f32), 1/4 (f64), x >= 0; error
// 2^-24.43 / 2^-55.47
template <class Float> inline constexpr int erfc_q = 0;
template <> inline constexpr float erfc_q<float>[] = {0x1.20db2ap-1f, 0x1.2128b2p+0f,
    0x1.f1c7d4p+0f, 0x1.9f7a96p+1f, -0x1.bb47f4p-1f, 0x1.1d5fcp+4f, -0x1.f370e2p+5f, 0x1.23aacp+6f,
    -0x1.e45194p+4f};
template <> inline constexpr double erfc_q<double>[] = {0x1.058671b52c776p+0, 0x1.5fd386754effap+1,
    0x1.1e2deea6b1105p+2, 0x1.2a88e6107cb62p+1, -0x1.606e41550fbd5p+2, -0x1.a89eaff7b18dap+2,
    0x1.9517bb5d1388ap+3, 0x1.b6fbf937cd62ep+3, -0x1.5ba4347faaf6fp+5, -0x1.2053d85ee5df9p+3,
    0x1.2ef9b7fc8caep+7, -0x1.1e77a66b62bc3p+7, -0x1.6bf04037fb972p+8, 0x1.0e816a8989651p+10,
    -0x1.317b11a4df453p+8, -0x1.e9d33c86c10e9p+11, 0x1.10822b14d48b9p+13, 0x1.8ddba0a316d44p+6,
    -0x1.4ae59a19e3db3p+15, 0x1.56e1e8c52ef74p+16, 0x1.8408aaedf2059p+15, -0x1.dfa75830d1aafp+18,
    0x1.a3d399b7ec9e8p+18, 0x1.feb9a472dda38p+19, -0x1.978bbef9e6e38p+20};

// gamma_q: gamma(2 + t) = 1 + t Q(t), -3/4 <= t <= 1/4; error 2^-27.26 / 2^-57.74
template <class Float> inline constexpr int gamma_q = 0;
template <> inline constexpr float gamma_q<float>[] = {0x1.b0ee64p-2f, 0x1.a5b94ap-2f,
    0x1.4e1c58p-4f, 0x1.303762p-4f, -0x1.786d12p-15f, 0x1.70f9ccp-7f, -0x1.3569b4p-8f,
    -0x1.4bfe8cp-9f, -0x1.3332c8p-8f};
template <> inline constexpr double gamma_q<double>[] = {0x1.b0ee6072093cfp-2,
    0x1.a5b978b96bef3p-2, 0x1.4e23998464b87p-4, 0x1.301fbb0f196dfp-4, -0x1.17f3740250af4p-12,
    0x1.6d7eeae91ffb1p-7, -0x1.75e6e84b1c33dp-9, 0x1.13c43859ab812p-9, -0x1.e220108287d5p-11,
    0x1.011eae407b0ap-11, -0x1.f8e48b518faffp-13, 0x1.fe9443f7df829p-14, -0x1.06eb250697ceep-14,
    0x1.ab0aec695f324p-16, -0x1.ebcf66467b7fap-17, 0x1.248918cd81541p-15, 0x1.f4648aca878b2p-15,
    0x1.3b4f261c6ea0dp-14, 0x1.75e899370611dp-15, 0x1.bb21c16494392p-17};

// sinpi_q: sin(pi f) = pi f + f z Q(z), z = f^2, |f| <= 1/2; error 2^-27.21 / 2^-60.56
template <class Float> inline constexpr int sinpi_q = 0;
template <> inline constexpr float sinpi_q<float>[] = {-0x1.4abbc6p+2f, 0x1.46693ap+1f,
    -0x1.32587cp-1f, 0x1.3e5652p-4f};
template <> inline constexpr double sinpi_q<double>[] = {-0x1.4abbce625be52p+2,
    0x1.466bc6775aa36p+1, -0x1.32d2cce62530ap-1, 0x1.50783483ec776p-4, -0x1.e3074d3078c13p-8,
    0x1.e8f328bdaf6bp-12, -0x1.6f70d02f27cap-16, 0x1.9bfcc3d7a8aeep-21};

// lgamma_q: log gamma(2 + t) = t Q(t), -3/4 <= t <= 1/4; error 2^-25.89 / 2^-55.29
template <class Float> inline constexpr int lgamma_q = 0;
template <> inline constexpr float lgamma_q<float>[] = {0x1.b0ee6p-2f, 0x1.4a34cep-2f,
    -0x1.13de92p-4f, 0x1.513524p-6f, -0x1.e6dc32p-8f, 0x1.6d5e38p-9f, -0x1.e47904p-11f,
    0x1.e13102p-10f, 0x1.a79dc4p-10f, 0x1.0e611ep-10f};
template <> inline constexpr double lgamma_q<double>[] = {0x1.b0ee6072093cep-2,
    0x1.4a34cc4a60fa6p-2, -0x1.13e001a5574c8p-4, 0x1.51322ac7d925cp-6, -0x1.e404fc2241917p-8,
    0x1.7add6ea87c9a1p-9, -0x1.38ac5ba208622p-10, 0x1.0b36b51fc7381p-11, -0x1.d3fd97c58f242p-13,
    0x1.a1229d027e4dbp-14, -0x1.78e20213d6cb2p-15, 0x1.58fb46959c3e5p-16, -0x1.37f7352301792p-17,
    0x1.2001c83cc6b3bp-18, -0x1.954a4fb924afcp-19, -0x1.ea33a64b9690dp-21, -0x1.e5024d0363995p-20,
    0x1.fbc3c4a7947b6p-22, 0x1.f1028b09bbd58p-21, 0x1.2c227f5ec545fp-21};

// stirling_q: log gamma x = (x - 1/2) log x - x + log(2 pi) / 2 + Q(z) / x, z = 1 / x^2, x >= 6;
// absolute; error 2^-32.68 / 2^-63.56
template <class Float> inline constexpr int stirling_q = 0;
template <> inline constexpr float stirling_q<float>[] = {0x1.555554p-4f, -0x1.6bf6ep-9f,
    0x1.889ab2p-11f};
template <> inline constexpr double stirling_q<double>[] = {0x1.5555555555555p-4,
    -0x1.6c16c16c10f43p-9, 0x1.a01a016d50568p-11, -0x1.381351197e6e2p-11, 0x1.b939eb1bc356p-11,
    -0x1.f34251e5be5e8p-10, 0x1.7fc73c10f4fe4p-8, -0x1.06500fe1bc02p-6};

// erfinv_near: erfinv x = x P(w), w = log(1 - x^2) >= -6; error 2^-24.22 / 2^-53.75
template <class Float> inline constexpr int erfinv_near = 0;
template <> inline constexpr float erfinv_near<float>[] = {0x1.c5bf88p-1f, -0x1.db2ab8p-3f,
    0x1.7a2facp-7f, 0x1.2fe56ap-9f, -0x1.2e2644p-13f, -0x1.c709eap-15f, 0x1.7812a2p-21f,
    0x1.65b4f8p-20f, 0x1.493f84p-23f, 0x1.91223ap-28f};
template <> inline constexpr double erfinv_near<double>[] = {0x1.c5bf891b4ef6bp-1,
    -0x1.db29fb2fee48bp-3, 0x1.7a72e72c4a5f9p-7, 0x1.321102666b7e1p-9, -0x1.0c86b4f04f3f3p-13,
    -0x1.8701184f9b5cdp-15, 0x1.0f2726a6c9ee5p-19, 0x1.0feef8e0270fcp-20, -0x1.3ad0ad4722969p-25,
    -0x1.7c43d70f964bbp-26, 0x1.5d5142fc0db49p-30, 0x1.ccf24b84319dcp-31, 0x1.247e4a745baa2p-33,
    0x1.7a15c0a698776p-35, 0x1.1bcc8e44d6661p-36, 0x1.0274cb88818p-38, 0x1.1c8d265c7098ep-41,
    0x1.6872f5ecc6a04p-45, 0x1.2a315d80eedep-50, -0x1.2eb2fe62a401bp-53, -0x1.257914fc56d5dp-56,
    -0x1.b70bdd9378f11p-61, -0x1.0506df395c18cp-66};

// erfinv_far: erfinv x = x P(sqrt w - 13/4), 6 <= w <= 16; error 2^-24.3 / 2^-52.62
template <class Float> inline constexpr int erfinv_far = 0;
template <> inline constexpr float erfinv_far<float>[] = {0x1.8abcc4p+1f, 0x1.01589p+0f,
    0x1.5fc40ep-8f, -0x1.e8bd14p-9f, 0x1.4a30a2p-9f, -0x1.d48a9ep-10f, 0x1.d29ae2p-11f,
    -0x1.a31366p-13f, 0x1.5f8e34p-15f};
template <> inline constexpr double erfinv_far<double>[] = {0x1.8abcc380d5a48p+1,
    0x1.0158a6d641d7cp+0, 0x1.5ffcfe5b6658ep-8, -0x1.ebadabbbef975p-9, 0x1.468eecab5510bp-9,
    -0x1.ba924066f12b9p-10, 0x1.f3cc53ead36dap-11, -0x1.7448d4acc3bf6p-12, 0x1.932ed8a7cf45fp-16,
    0x1.1e6d76bc55462p-14, -0x1.8cf4463816ce5p-15, 0x1.a1e3d22c4b04dp-17, 0x1.895793f5728ecp-19,
    -0x1.0990a98ce4a59p-18, 0x1.9009373ff998ap-20, -0x1.3418b328c8106p-24, -0x1.1aecb5bfcd1b6p-22,
    0x1.6af279e4d0fc3p-23, -0x1.3fbe334f70248p-29, -0x1.ece2aecfcb87dp-26};

// erfinv_farther: erfinv x = x P(sqrt w - 5), 16 <= w <= 37; error 2^-2.208 / 2^-51.77
template <class Float> inline constexpr int erfinv_farther = 0;
template <> inline constexpr float erfinv_farther<float>[] = {0x1.2af03p+2f};
template <> inline constexpr double erfinv_farther<double>[] = {0x1.3664ddd1ad7fbp+2,
    0x1.02a30d1fba0b4p+0, -0x1.22ea5df245b79p-13, -0x1.c2f36a83b73bap-13, 0x1.3ebf4f0ef5ad5p-14,
    -0x1.4a349c0b3a7dfp-16, 0x1.2fbcf6769585bp-18, -0x1.0a8bfe389607bp-20, 0x1.ebe3697a891e9p-23,
    -0x1.23045c3b08665p-24, 0x1.f2e7ebd5bdf1p-26, -0x1.ffe818675b9afp-27, 0x1.0a2de14b6c89bp-27,
    -0x1.0769af139d969p-28, 0x1.87c9bbeed2b7fp-30, -0x1.09924251cefc1p-32, -0x1.b74f1b04879fbp-38,
    -0x1.3c0bb0b095616p-40};

}  // namespace krait::math
