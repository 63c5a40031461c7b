// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// More functions of each element of an array or expression, as in NumPy; they give expressions:
//   kr::array<float> y = kr::clip(x, 0.0f, 1.0f);
//   kr::array<float> z = kr::nan_to_num(x);
#pragma once

#include <krait/expression.h>

namespace krait {
namespace detail {

struct clip_elements {
  template <class Type, class Low, class High>
  auto operator()(const Type& x, const Low& low, const High& high) const {
    if constexpr (refuses_complex<Type, Low, High>) {
      return no_complex<Type>();
    } else if constexpr (is_float_v<held_t<Type>> || is_float_v<held_t<Low>> ||
                         is_float_v<held_t<High>>) {
      return minimum(maximum(x, low), high);
    } else {
      return krait::min(krait::max(x, low), high);
    }
  }
};
struct sign_elements {
  template <class Type>
  auto operator()(const Type& x) const {
    using elem = held_t<Type>;
    if constexpr (refuses_complex<Type>) {
      return no_complex<Type>();
    } else {
      const value<elem> zero(cast<elem>(0)), one(cast<elem>(1));
      if constexpr (std::is_unsigned_v<elem>) {
        return value<elem>(cast<elem>(select(x != zero, one, zero)));
      } else {
        const value<elem> minus(cast<elem>(-1));
        const auto below = select(x < zero, minus, x);
        return value<elem>(cast<elem>(select(x > zero, one, below)));
      }
    }
  }
};
struct nan_to_num_elements {
  template <class Type, class Nan, class High, class Low>
  auto operator()(const Type& x, const Nan& nan, const High& high, const Low& low) const {
    using elem = held_t<Type>;
    if constexpr (complex_number<elem>) {
      using part = typename elem::value_type;
      return value<elem>(value<part>((*this)(x.real(), nan, high, low)),
                         value<part>((*this)(x.imag(), nan, high, low)));
    } else if constexpr (!is_float_v<elem>) {
      return x;
    } else {
      const value<elem> number(select(isnan(x), cast<elem>(nan), x));
      const value<elem> below(select(isinf(x) & (x < cast<elem>(0)), cast<elem>(low), number));
      return value<elem>(select(isinf(x) & (x > cast<elem>(0)), cast<elem>(high), below));
    }
  }
};
struct square_elements {
  template <class Type>
  auto operator()(const Type& x) const {
    return x * x;
  }
};
struct abs2_elements {
  template <class Type>
  auto operator()(const Type& x) const {
    if constexpr (complex_number<held_t<Type>>) return x.real() * x.real() + x.imag() * x.imag();
    else return x * x;
  }
};
template <class Elem>
struct finite_part {
  using type = Elem;
};
template <complex_number Elem>
struct finite_part<Elem> {
  using type = typename Elem::value_type;
};
/// The largest finite number of a float type.
template <class Elem>
constexpr double largest_finite() {
  using part = typename finite_part<Elem>::type;
  if constexpr (std::is_same_v<part, double>) return __DBL_MAX__;
  else if constexpr (sizeof(part) == 4) return __FLT_MAX__;
  else if constexpr (std::is_same_v<part, f16>) return 65504;
  else return 3.3895313892515355e38;  // of bf16
}

}  // namespace detail

/// x limited to the range from `low` to `high`, as numpy.clip: NaN stays, unlike with kr::clamp.
/// The limits are numbers or arrays.
/// \code
/// kr::array<float> y = kr::clip(x, 0.0f, 1.0f);
/// \endcode
template <class Type, class Low, class High>
  requires detail::whole_arrays_of<Type, Low, High>
auto clip(Type&& x, Low&& low, High&& high) {
  return detail::make_expression<detail::clip_elements>(
      std::forward<Type>(x), std::forward<Low>(low), std::forward<High>(high));
}
/// Of traced numbers in a kernel, and of numbers on the host.
template <class Type, class Low, class High>
  requires(detail::traced<Type> || detail::traced<Low> || detail::traced<High>)
auto clip(const Type& x, const Low& low, const High& high) {
  return detail::clip_elements()(x, low, high);
}
template <detail::host_number Type, detail::host_number Low, detail::host_number High>
auto clip(const Type& x, const Low& low, const High& high) {
  using type =
      std::common_type_t<detail::number_t<Type>, detail::number_t<Low>, detail::number_t<High>>;
  return detail::clip_elements()(type(detail::as_number(x)), type(detail::as_number(low)),
                                 type(detail::as_number(high)));
}
/// -1, 0 or 1, in the elements' type; NaN of NaN.
/// \code
/// kr::array<float> y = kr::sign(x);
/// \endcode
template <detail::whole_array Type>
auto sign(Type&& x) {
  return detail::make_expression<detail::sign_elements>(std::forward<Type>(x));
}
template <detail::traced Type>
auto sign(const Type& x) {
  return detail::sign_elements()(x);
}
template <detail::host_number Type>
auto sign(const Type& x) {
  using type = detail::number_t<Type>;
  const type number = detail::as_number(x);
  return number > type(0) ? type(1) : number < type(0) ? type(-1) : number;
}
/// x times x.
template <detail::whole_array Type>
auto square(Type&& x) {
  return detail::make_expression<detail::square_elements>(std::forward<Type>(x));
}
template <class Type>
  requires(detail::traced<Type> || detail::any_host_number<Type>)
auto square(const Type& x) {
  return detail::square_elements()(detail::as_number(x));
}
/// |x| squared: of complex numbers re * re + im * im, as kr::norm of one number.
/// \code
/// kr::array<float> power = kr::abs2(x);
/// \endcode
template <detail::whole_array Type>
auto abs2(Type&& x) {
  return detail::make_expression<detail::abs2_elements>(std::forward<Type>(x));
}
template <class Type>
  requires(detail::traced<Type> || detail::any_host_number<Type>)
auto abs2(const Type& x) {
  return detail::abs2_elements()(detail::as_number(x));
}
/// NaN becomes `nan`, infinities the largest and the least finite number, as numpy.nan_to_num.
/// \code
/// kr::array<float> y = kr::nan_to_num(x, -1.0);
/// \endcode
template <detail::whole_array Type>
auto nan_to_num(Type&& x, double nan = 0) {
  using elem = detail::operand_element<decltype(detail::make_operand(x))>;
  constexpr double most = detail::largest_finite<elem>();
  return detail::make_expression<detail::nan_to_num_elements>(std::forward<Type>(x), nan, most,
                                                              -most);
}
/// The same with numbers for infinities.
template <detail::whole_array Type>
auto nan_to_num(Type&& x, double nan, double positive, double negative) {
  return detail::make_expression<detail::nan_to_num_elements>(std::forward<Type>(x), nan, positive,
                                                              negative);
}

}  // namespace krait
