// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions in the accuracy of fast mode, call by call, in a kernel of any mode: what CUDA has as
// __expf, __fdividef and the like. docs/numbers.md has their errors.
#pragma once

#include <krait/math.h>
#include <krait/math_utilities.h>

namespace krait {
namespace detail {
/// The operation that gave the result may be computed as in fast mode.
KRAIT_API void allow_approximation(node result);

template <class Result>
Result approximate(const Result& result) {
  allow_approximation(node_of(result));
  return result;
}
}  // namespace detail

/// Approximations: faster than the functions of the same name where the device has something
/// faster, with an error that depends on the device. A plain value gets the exact function's
/// result.
namespace approx {

#define KRAIT_APPROXIMATE1(function, name)                                          \
  template <detail::traced Type>                                                    \
  [[gnu::noinline, gnu::cold]] auto function(const Type& x) {                       \
    detail::set_caller();                                                           \
    using computed = detail::real_t<detail::storage_type_t<Type>>;                  \
    return detail::approximate(value<computed>(                                     \
        detail::apply(detail::op::name, detail::scalar_of<computed>, node_of(x)))); \
  }                                                                                 \
  template <detail::plain Type>                                                     \
  auto function(Type x) {                                                           \
    return krait::function(x);                                                      \
  }
#define KRAIT_APPROXIMATE2(function, name, plain_result)                                 \
  template <detail::operand_type Left, detail::operand_type Right>                       \
    requires(detail::traced<Left> || detail::traced<Right>)                              \
  [[gnu::noinline, gnu::cold]] auto function(const Left& x, const Right& y) {            \
    detail::set_caller();                                                                \
    using computed = detail::real_of<Left, Right>;                                       \
    const value<computed> left(x), right(y);                                             \
    return detail::approximate(value<computed>(detail::apply(                            \
        detail::op::name, detail::scalar_of<computed>, node_of(left), node_of(right)))); \
  }                                                                                      \
  template <detail::plain Left, detail::plain Right>                                     \
  auto function(Left x, Right y) {                                                       \
    using computed = detail::real_of<Left, Right>;                                       \
    return static_cast<computed>(plain_result);                                          \
  }

/// e to the power x: within 2 ULP on the CPU. On a GPU the error grows with |x|, to 58 ULP at 88.
/// \code
/// y[i] = kr::approx::exp(-x[i] * x[i]);
/// \endcode
KRAIT_APPROXIMATE1(exp, Exp)
/// 2 to the power x, within 2 ULP.
KRAIT_APPROXIMATE1(exp2, Exp2)
/// 10 to the power x: within 2 ULP on the CPU. On a GPU the error grows with |x|, to 70 ULP.
KRAIT_APPROXIMATE1(exp10, Exp10)
/// The natural logarithm of x: within 2 ULP on the CPU, on a GPU 5 ULP, or 1e-7 near 1.
KRAIT_APPROXIMATE1(log, Log)
/// The logarithm of x to base 2: within 2 ULP on the CPU, on a GPU 6 ULP, or 1e-7 near 1.
KRAIT_APPROXIMATE1(log2, Log2)
/// The logarithm of x to base 10: within 2 ULP on the CPU, on a GPU 3 ULP, or 1e-7 near 1.
KRAIT_APPROXIMATE1(log10, Log10)
/// The sine of x: within 4 ULP or 1e-7; on a GPU 1e-5 for |x| up to 100.
KRAIT_APPROXIMATE1(sin, Sin)
/// The cosine of x: within 4 ULP or 1e-7; on a GPU 1e-5 for |x| up to 100.
KRAIT_APPROXIMATE1(cos, Cos)
/// The tangent of x: within 3 ULP on the CPU; on a GPU the quotient of such a sine and cosine.
KRAIT_APPROXIMATE1(tan, Tan)
/// The hyperbolic tangent of x, within 3 ULP on the CPU and CUDA.
KRAIT_APPROXIMATE1(tanh, Tanh)
/// The square root of x, within 2 ULP.
KRAIT_APPROXIMATE1(sqrt, Sqrt)
/// 1 / sqrt(x), within 2 ULP; of 0 and infinity it may be a NaN.
/// \code
/// auto length = kr::approx::rsqrt(x[i] * x[i] + y[i] * y[i]);
/// \endcode
KRAIT_APPROXIMATE1(rsqrt, Rsqrt)
/// x to the power y, within 2 + 2 |y log2 x| ULP.
KRAIT_APPROXIMATE2(pow, Pow, krait::pow(x, y))
/// x / y, within 3 ULP where 1 / y is a normal number.
/// \code
/// y[i] = kr::approx::divide(x[i], y[i]);
/// \endcode
KRAIT_APPROXIMATE2(divide, Div, static_cast<computed>(x) / static_cast<computed>(y))

#undef KRAIT_APPROXIMATE1
#undef KRAIT_APPROXIMATE2

/// Sine and cosine of x.
/// \code
/// auto [s, c] = kr::approx::sincos(x[i]);
/// \endcode
template <detail::operand_type Type>
auto sincos(const Type& x) {
  using kept = detail::kept_real<Type>;
  const kept given(detail::as_real<kept>(x));
  return sincos_result<kept>{approx::sin(given), approx::cos(given)};
}

}  // namespace approx
}  // namespace krait
