// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests whether arrays have equal or nearly equal elements. Comparisons of elements (<, == and so
// on) are operators of krait/expression.h, and give expressions of bool.
#pragma once

#include <krait/algorithm/reduce.h>

namespace krait {

/// How different two close elements may be: |x - y| <= atol + rtol * |y|, as in NumPy.
struct tolerance {
  /// The relative tolerance.
  double rtol = 1e-5;
  /// The absolute tolerance.
  double atol = 1e-8;
  /// Whether two NaN are close.
  bool equal_nan = false;
};

namespace detail {

/// Of complex numbers that of their parts. The header complex would cost more than the rest.
template <class Type>
struct part_of_number : std::type_identity<Type> {};
template <class Type>
  requires requires(const Type& x) { x.real(), x.imag(); }
struct part_of_number<Type> : std::type_identity<typename Type::value_type> {};
template <class Type>
using part_of_number_t = typename part_of_number<Type>::type;
/// The type that closeness is computed in.
template <class Left, class Right>
using close_type =
    std::conditional_t<sizeof(real2_t<part_of_number_t<Left>, part_of_number_t<Right>>) == 8,
                       double, float>;

struct close_elements {
  template <class Left, class Right, class Rtol, class Atol, class Nan>
  auto operator()(const Left& x, const Right& y, const Rtol& rtol, const Atol& atol,
                  const Nan& equal_nan) const {
    using real = close_type<held_t<Left>, held_t<Right>>;
    constexpr bool complex = is_complex<Left> || is_complex<Right>;
    const value<real> a = part<real, 0>(x), b = part<real, 0>(y), ai = part<real, 1>(x),
                      bi = part<real, 1>(y);
    const auto size = [&](const value<real>& re, const value<real>& im) {
      if constexpr (complex) return value<real>(hypot(re, im));
      else return value<real>(abs(re));
    };
    const value<real> limit(cast<real>(cast<real>(atol) + cast<real>(rtol) * size(b, bi)));
    // An infinity is close only to itself.
    const auto near = (size(a - b, ai - bi) <= limit) & isfinite(b) & isfinite(bi);
    const auto nans = ((a != a) | (ai != ai)) & ((b != b) | (bi != bi)) & (equal_nan != 0);
    return value<bool>((((a == b) & (ai == bi)) | near | nans) != 0);
  }

 private:
  template <class Type>
  static constexpr bool is_complex = !std::is_same_v<part_of_number_t<held_t<Type>>, held_t<Type>>;
  /// 0: the real one, 1: the imaginary one.
  template <class Real, int Index, class Type>
  static value<Real> part(const Type& x) {
    if constexpr (!is_complex<Type>)
      return Index ? value<Real>(Real(0)) : value<Real>(cast<Real>(x));
    else if constexpr (Index == 0) return value<Real>(cast<Real>(x.real()));
    else return value<Real>(cast<Real>(x.imag()));
  }
};
/// Equal, or both NaN.
struct same_or_nan {
  template <class Left, class Right>
  auto operator()(const Left& x, const Right& y) const {
    return value<bool>(((x == y) | ((x != x) & (y != y))) != 0);
  }
};

struct plain_complex {
  double re, im;
};
inline bool is_close(const plain_complex& x, const plain_complex& y, const tolerance& within) {
  const auto size = [](double re, double im) { return __builtin_hypot(re, im); };
  if (x.re == y.re && x.im == y.im) return true;
  if ((x.re != x.re || x.im != x.im) && (y.re != y.re || y.im != y.im)) return within.equal_nan;
  const double most = within.atol + within.rtol * size(y.re, y.im);
  return size(y.re, y.im) <= __DBL_MAX__ && size(x.re - y.re, x.im - y.im) <= most;
}

template <int Rank, int OtherRank>
bool same_shape(const shape<Rank>& x, const shape<OtherRank>& y) {
  if constexpr (Rank == OtherRank) return x == y;
  else return false;
}

}  // namespace detail

/// Tests which elements are close: an expression of bool.
/// Shapes broadcast, and one side may be a number. For complex numbers the magnitude of the
/// difference counts.
/// \code
/// kr::array<bool> close = kr::isclose(x, y, {.rtol = 1e-3});
/// \endcode
template <class Left, class Right>
  requires detail::whole_arrays<Left, Right>
auto isclose(Left&& x, Right&& y, const tolerance& within = {}) {
  using real = detail::close_type<detail::element_in<Left>, detail::element_in<Right>>;
  return detail::make_expression<detail::close_elements>(std::forward<Left>(x),
                                                         std::forward<Right>(y), real(within.rtol),
                                                         real(within.atol), within.equal_nan);
}
/// Tests whether all elements are close; waits for the answer.
/// Throws error{usage} for shapes that do not broadcast.
/// \code
/// bool same = kr::allclose(x, y);
/// \endcode
template <class Left, class Right>
  requires detail::whole_arrays<Left, Right>
bool allclose(Left&& x, Right&& y, const tolerance& within = {}) {
  return krait::all(isclose(std::forward<Left>(x), std::forward<Right>(y), within));
}
/// Of two numbers.
template <detail::any_host_number Left, detail::any_host_number Right>
bool allclose(const Left& x, const Right& y, const tolerance& within = {}) {
  const auto number = []<class Number>(const Number& n) -> detail::plain_complex {
    if constexpr (detail::complex_number<Number>) return {double(n.real()), double(n.imag())};
    else return {double(n), 0};
  };
  return detail::is_close(number(detail::as_number(x)), number(detail::as_number(y)), within);
}
template <detail::any_host_number Left, detail::any_host_number Right>
bool isclose(const Left& x, const Right& y, const tolerance& within = {}) {
  return allclose(x, y, within);
}
// Numbers in braces and containers: not by KRAIT_TAKES_LISTS, which has no defaults.
template <detail::whole_array Left, detail::listed Elem, std::size_t Count>
bool allclose(const Left& x, const Elem (&y)[Count], const tolerance& within = {}) {
  const auto& from = detail::evaluated(x);
  return allclose(from, to_device(y, from.device()), within);
}
template <detail::whole_array Left, std::size_t Count>
bool allclose(const Left& x, const double (&y)[Count], const tolerance& within = {}) {
  const auto& from = detail::evaluated(x);
  return allclose(from, to_device(y, from.device()), within);
}
template <detail::whole_array Left, detail::listed_container Right>
bool allclose(const Left& x, const Right& y, const tolerance& within = {}) {
  const auto& from = detail::evaluated(x);
  return allclose(from, to_device(y, from.device()), within);
}
/// Tests whether shapes and all elements are equal; waits for the answer.
/// NaN equals NaN only if `equal_nan` is true.
/// \code
/// bool same = kr::array_equal(x, y);
/// \endcode
template <class Left, int Rank, class Right, int OtherRank>
bool array_equal(const array<Left, Rank>& x, const array<Right, OtherRank>& y,
                 bool equal_nan = false) {
  if (!detail::same_shape(x.extents(), y.extents())) return false;
  return equal_nan ? krait::all(detail::make_expression<detail::same_or_nan>(x, y))
                   : krait::all(x == y);
}

// Of expressions, too.
#include <krait/detail/takes_expressions.h>
KRAIT_TAKES_EXPRESSIONS(array_equal)
KRAIT_TAKES_LISTS(array_equal)
#include <krait/detail/takes_expressions.h>

}  // namespace krait
