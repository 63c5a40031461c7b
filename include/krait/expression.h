// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whole arrays in one line: operators and functions on kr::array build an expression, and its conversion to an array is one
// launch of an element-wise kernel. An expression's type has its operators, its arrays' types and its numbers' types; the arrays and the
// numbers themselves are arguments of the launch. So one kernel object serves all expressions of a type.
#pragma once

#include <tuple>
#include <utility>

#include <krait/array.h>
#include <krait/math.h>
#include <krait/math_more.h>
#include <krait/vectorize.h>

namespace krait {
namespace detail {

// Operands. Each has `leaves` arguments of the kernel, gives them by arguments(), and computes itself from the First-th and those
// after it.
template <class Elem, int Rank>
struct array_reference {
  static constexpr int leaves = 1, rank = Rank;
  const array<Elem, Rank>* held;
  std::tuple<const array<Elem, Rank>&> arguments() const { return {*held}; }
  template <int First, class Values>
  static auto compute(const Values& values) {
    return std::get<First>(values);
  }
};
template <class Elem, int Rank>
struct array_owner {  // of a temporary
  static constexpr int leaves = 1, rank = Rank;
  array<Elem, Rank> held;
  std::tuple<const array<Elem, Rank>&> arguments() const { return {held}; }
  template <int First, class Values>
  static auto compute(const Values& values) {
    return std::get<First>(values);
  }
};
template <class Number>
struct number_operand {
  static constexpr int leaves = 1, rank = 0;
  Number held;
  std::tuple<Number> arguments() const { return {held}; }
  template <int First, class Values>
  static auto compute(const Values& values) {
    return std::get<First>(values);
  }
};

/// The kernel of an expression that becomes an array of Elem: it holds nothing.
template <class Expression, class Elem>
struct expression_kernel {
  template <class... Values>
  value<Elem> operator()(const Values&... values) const {
    return value<Elem>(Expression::template compute<0>(std::tuple<Values...>(values...)));
  }
  /// The one object of this type. Never destroyed: arrays of static duration may be assigned to in destructors.
  static const vectorized<expression_kernel>& object() {
    static const auto& made = *new vectorized<expression_kernel>({}, {.name = "array_expression"}, location::here());
    return made;
  }
};

}  // namespace detail

/// What operators and functions give on kr::array: nothing is computed before it becomes an array, by one launch. It refers to
/// the arrays that have names, which must outlive it, and owns temporary ones. Shapes broadcast as in NumPy.
///   kr::array<float> w = 2.0f * x + kr::sin(y);
template <class Function, class... Operands>
class expression {
 public:
  static constexpr int leaves = (Operands::leaves + ...);
  static constexpr int rank = detail::largest({Operands::rank...});

  explicit expression(Operands... operands) : operands_(std::move(operands)...) {}

  /// Elements are converted as C++ does. Throws error{usage} for shapes that do not broadcast.
  template <class Elem, int Rank>
  operator array<Elem, Rank>() const {  // NOLINT: implicit on purpose
    static_assert(Rank == rank, "krait: the array and the expression differ in their number of dimensions");
    return std::apply(detail::expression_kernel<expression, Elem>::object(), arguments());
  }

  auto arguments() const {
    return std::apply([](const Operands&... of) { return std::tuple_cat(of.arguments()...); }, operands_);
  }
  template <int First, class Values>
  static auto compute(const Values& values) {
    return compute_each<First>(values, std::index_sequence_for<Operands...>{});
  }

 private:
  static constexpr int leaves_before(std::size_t operand) {
    const int each[] = {Operands::leaves...};
    int count = 0;
    for (std::size_t i = 0; i < operand; ++i) count += each[i];
    return count;
  }
  template <int First, class Values, std::size_t... Index>
  static auto compute_each(const Values& values, std::index_sequence<Index...>) {
    // Braces: operands are recorded from left to right.
    const std::tuple computed{Operands::template compute<First + leaves_before(Index)>(values)...};
    return std::apply(Function{}, computed);
  }
  std::tuple<Operands...> operands_;
};

namespace detail {

template <class Type>
struct is_expression : std::false_type {};
template <class Function, class... Operands>
struct is_expression<expression<Function, Operands...>> : std::true_type {};

/// An array or an expression, of any reference.
template <class Type>
concept whole_array = is_device_array<std::remove_cvref_t<Type>>::value || is_expression<std::remove_cvref_t<Type>>::value;
template <class Left, class Right>
concept whole_arrays = (whole_array<Left> && (whole_array<Right> || plain<std::remove_cvref_t<Right>>)) ||
                       (plain<std::remove_cvref_t<Left>> && whole_array<Right>);

template <class Elem, int Rank>
array_reference<Elem, Rank> make_operand(const array<Elem, Rank>& named) {
  return {&named};
}
template <class Elem, int Rank>
array_owner<Elem, Rank> make_operand(array<Elem, Rank>&& temporary) {
  return {std::move(temporary)};
}
template <class Function, class... Operands>
expression<Function, Operands...> make_operand(expression<Function, Operands...> nested) {
  return nested;
}
template <plain Number>
number_operand<Number> make_operand(Number number) {
  return {number};
}

template <class Function, class... Args>
auto make_expression(Args&&... args) {
  return expression<Function, decltype(make_operand(std::forward<Args>(args)))...>(make_operand(std::forward<Args>(args))...);
}

}  // namespace detail

// Undefined below.
#define KRAIT_WHOLE_OPERATOR(symbol, name)                                                                  \
  namespace detail {                                                                                        \
  struct name##_elements {                                                                                  \
    template <class Left, class Right>                                                                      \
    auto operator()(const Left& x, const Right& y) const {                                                  \
      return x symbol y;                                                                                    \
    }                                                                                                       \
  };                                                                                                        \
  }                                                                                                         \
  template <class Left, class Right>                                                                        \
  requires detail::whole_arrays<Left, Right>                                                                \
  auto operator symbol(Left&& x, Right&& y) {                                                               \
    return detail::make_expression<detail::name##_elements>(std::forward<Left>(x), std::forward<Right>(y)); \
  }
#define KRAIT_WHOLE_FUNCTION1(function)                                                 \
  namespace detail {                                                                    \
  struct function##_elements {                                                          \
    template <class Type>                                                               \
    auto operator()(const Type& x) const {                                              \
      return krait::function(x);                                                        \
    }                                                                                   \
  };                                                                                    \
  }                                                                                     \
  template <detail::whole_array Type>                                                   \
  auto function(Type&& x) {                                                             \
    return detail::make_expression<detail::function##_elements>(std::forward<Type>(x)); \
  }
#define KRAIT_WHOLE_FUNCTION2(function)                                                                         \
  namespace detail {                                                                                            \
  struct function##_elements {                                                                                  \
    template <class Left, class Right>                                                                          \
    auto operator()(const Left& x, const Right& y) const {                                                      \
      return krait::function(x, y);                                                                             \
    }                                                                                                           \
  };                                                                                                            \
  }                                                                                                             \
  template <class Left, class Right>                                                                            \
  requires detail::whole_arrays<Left, Right>                                                                    \
  auto function(Left&& x, Right&& y) {                                                                          \
    return detail::make_expression<detail::function##_elements>(std::forward<Left>(x), std::forward<Right>(y)); \
  }

KRAIT_WHOLE_OPERATOR(+, plus)
KRAIT_WHOLE_OPERATOR(-, minus)
KRAIT_WHOLE_OPERATOR(*, times)
KRAIT_WHOLE_OPERATOR(/, divided_by)

namespace detail {
struct negated_elements {
  template <class Type>
  auto operator()(const Type& x) const {
    return -x;
  }
};
}  // namespace detail
template <detail::whole_array Type>
auto operator-(Type&& x) {
  return detail::make_expression<detail::negated_elements>(std::forward<Type>(x));
}

// The functions of krait/math.h: the rows of ops.def that have the form of a function.
#define KRAIT_WHOLE_Function(text, arity) KRAIT_WHOLE_FUNCTION##arity(text)
#define KRAIT_WHOLE_Own(text, arity)
#define KRAIT_VALUE(Name, text, arity, rule, types, order, cost, form, doc) KRAIT_WHOLE_##form(text, arity)
#define KRAIT_MATH(Name, text, arity, doc) KRAIT_WHOLE_FUNCTION##arity(text)
#include <krait/ops.def>
// And those of krait/math_more.h that give one number.
KRAIT_WHOLE_FUNCTION1(round)
KRAIT_WHOLE_FUNCTION1(isfinite)
KRAIT_WHOLE_FUNCTION1(isnormal)
KRAIT_WHOLE_FUNCTION1(signbit)
KRAIT_WHOLE_FUNCTION1(rcbrt)
KRAIT_WHOLE_FUNCTION1(ilogb)
KRAIT_WHOLE_FUNCTION1(logb)
KRAIT_WHOLE_FUNCTION1(degrees)
KRAIT_WHOLE_FUNCTION1(radians)
KRAIT_WHOLE_FUNCTION2(powi)
KRAIT_WHOLE_FUNCTION2(minimum)
KRAIT_WHOLE_FUNCTION2(maximum)
KRAIT_WHOLE_FUNCTION2(fdim)
KRAIT_WHOLE_FUNCTION2(nextafter)
KRAIT_WHOLE_FUNCTION2(ldexp)

#undef KRAIT_WHOLE_OPERATOR
#undef KRAIT_WHOLE_FUNCTION1
#undef KRAIT_WHOLE_FUNCTION2
#undef KRAIT_WHOLE_Function
#undef KRAIT_WHOLE_Own

}  // namespace krait
