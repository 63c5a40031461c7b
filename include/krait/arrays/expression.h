// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whole arrays in one line. Operators and functions on kr::array build an expression; its
// conversion to an array is one launch of an element-wise kernel. The type of an expression
// contains its operators and the types of its arrays and numbers. The arrays and numbers are
// arguments of the launch. So one kernel object serves all expressions of a type.
#pragma once

#include <krait/array_text.h>
#include <krait/detail/deferred_members.h>
#include <krait/detail/operands.h>
#include <krait/detail/standard_elements.h>
#include <krait/math.h>
#include <krait/math_utilities.h>

namespace krait {

/// A computation on whole arrays that is not yet done; it becomes an array by one launch.
/// Operators and functions on kr::array give it. It shares the memory of its arrays, and reads them
/// when it is converted to an array. Shapes broadcast as in NumPy.
/// \code
/// kr::array<float> w = 2.0f * x + kr::sin(y);
/// \endcode
template <class Function, class... Operands>
class expression : public detail::deferred_members<expression<Function, Operands...>> {
 public:
  /// The number of dimensions of the result.
  static constexpr int rank = detail::largest({Operands::rank...});

  explicit expression(Operands... operands) : operands_(std::move(operands)...) {}
  expression(const expression&) = default;
  expression(expression&&) = default;
  expression& operator=(const expression&) & = default;
  expression& operator=(expression&&) & = default;
  /// Never usable: an expression has no elements to write to.
  template <class Source>
  void operator=(const Source&) && {
    static_assert(detail::writable<const Source>());
  }

  /// Computes the elements into a new array, converted as C++ does.
  /// Throws error{usage} for shapes that do not broadcast.
  template <class Elem, int Rank>
  operator array<Elem, Rank>() const {  // NOLINT: implicit on purpose
    static_assert(Rank == rank,
                  "krait: the array and the expression differ in their number of dimensions");
    return std::apply(detail::expression_kernel<expression, Elem>::object(), arguments());
  }

  /// Computes the elements into an existing array, whose shape they broadcast to.
  /// \code
  /// (2.0f * x).into(y);
  /// \endcode
  template <class Elem, int Rank>
  void into(array<Elem, Rank>& out) const {
    static_assert(
        rank <= Rank,
        "krait: the expression has more dimensions than the array that it is assigned to");
    std::apply(detail::expression_kernel<expression, Elem>::object().into(out), arguments());
  }
  template <class Elem, int Rank>
  void into(array<Elem, Rank>&& out) const {
    into(out);
  }

  /// The extents that the operands broadcast to. Throws error{usage} if they do not.
  krait::shape<rank> extents() const {
    using namespace detail;
    return std::apply(
        [](const auto&... of) {
          argument packed[sizeof...(of)];
          argument* next = packed;
          (add_input(next, of), ...);
          krait::shape<rank> whole;
          const auto& named = expression_kernel<expression, bool>::object();
          broadcast_shape(access::state(named), packed, sizeof...(of), rank, whole.extents);
          return whole;
        },
        arguments());
  }

 private:
  friend struct detail::access;
  static constexpr int leaves = (detail::access::leaves<Operands> + ...);
  auto arguments() const {
    return std::apply(
        [](const Operands&... of) { return std::tuple_cat(detail::access::arguments(of)...); },
        operands_);
  }
  template <int First, class Values>
  static auto compute(const Values& values) {
    return compute_each<First>(values, std::index_sequence_for<Operands...>{});
  }
  static constexpr int leaves_before(std::size_t operand) {
    const int each[] = {detail::access::leaves<Operands>...};
    int count = 0;
    for (std::size_t i = 0; i < operand; ++i) count += each[i];
    return count;
  }
  template <int First, class Values, std::size_t... Index>
  static auto compute_each(const Values& values, std::index_sequence<Index...>) {
    // Braces: operands are recorded from left to right.
    const std::tuple computed{
        detail::access::compute<Operands, First + leaves_before(Index)>(values)...};
    return std::apply(Function{}, computed);
  }
  std::tuple<Operands...> operands_;
};

/// The elements that `a(indices)` or `a(mask)` selects: to read, as an array or in an expression,
/// or to assign to.
class selected_elements {};

namespace detail {

template <class Type>
struct is_expression : std::false_type {};
template <class Function, class... Operands>
struct is_expression<expression<Function, Operands...>> : std::true_type {};

template <class Function, class... Operands>
inline constexpr bool is_deferred<expression<Function, Operands...>> = true;
/// The values that an operand of expressions computes from.
template <class Arguments>
struct operand_values;
template <class... Args>
struct operand_values<std::tuple<Args...>> {
  using type = std::tuple<value<element_of_t<Args>>...>;
};
/// The type of an operand's elements.
template <class Source>
using operand_element = held_t<decltype(access::compute<Source, 0>(
    std::declval<const typename operand_values<decltype(access::arguments(
        std::declval<const Source&>()))>::type&>()))>;

/// An array, an expression or a selection, of any reference.
template <class Type>
concept whole_array = is_device_array<std::remove_cvref_t<Type>>::value || deferred<Type>;
/// The operand next to an array: a number, or an element `a(i, j)`, which is read when the
/// expression becomes an array.
template <class Type>
concept beside_array =
    plain<std::remove_cvref_t<Type>> || complex_number<std::remove_cvref_t<Type>> ||
    unread_number<std::remove_cvref_t<Type>>;
template <class Left, class Right>
concept whole_arrays = (whole_array<Left> && (whole_array<Right> || beside_array<Right>)) ||
                       (beside_array<Left> && whole_array<Right>);
template <class... Types>
concept whole_arrays_of =
    (whole_array<Types> || ...) && ((whole_array<Types> || beside_array<Types>)&&...);
/// An element of an array of real numbers.
template <class Type>
concept real_element = unread_number<std::remove_cvref_t<Type>> && plain<number_t<Type>>;
/// The operands of a function: arrays and numbers beside them, or numbers with an element of an
/// array among them.
template <class... Types>
concept function_operands =
    whole_arrays_of<Types...> || ((real_element<Types> || ...) && (plain<number_t<Types>> && ...));

template <class Elem, int Rank>
array_operand<std::remove_const_t<Elem>, Rank> make_operand(const array<Elem, Rank>& a) {
  return array_operand<std::remove_const_t<Elem>, Rank>(a.share());
}
template <class Elem>
array_operand<std::remove_const_t<Elem>, 1> make_operand(const array_element<Elem>& x) {
  return array_operand<std::remove_const_t<Elem>, 1>(x.share());
}
template <class Function, class... Operands>
expression<Function, Operands...> make_operand(expression<Function, Operands...> nested) {
  return nested;
}
template <class Number>
  requires(plain<Number> || complex_number<Number>)
number_operand<Number> make_operand(Number number) {
  return {number};
}

template <class Function, class... Args>
auto make_expression(Args&&... args) {
  return expression<Function, decltype(make_operand(std::forward<Args>(args)))...>(
      make_operand(std::forward<Args>(args))...);
}

/// A function of operands: an expression, or the number if there is no array.
template <class Function, class... Args>
auto apply_whole(Args&&... args) {
  if constexpr ((whole_array<Args> || ...))
    return make_expression<Function>(std::forward<Args>(args)...);
  else return Function()(as_number(args)...);
}

struct same_elements {
  template <class Type>
  auto operator()(const Type& x) const {
    return x;
  }
};
/// Assigns a source to the elements of an array: the implementation of a(…) = source.
template <class Elem, int Rank, class Source>
void assign_elements(all_tag, array<Elem, Rank>& to, Source&& source) {
  using plain_source = std::remove_cvref_t<Source>;
  if constexpr (is_expression<plain_source>::value) {
    source.into(to);
  } else {
    static_assert(whole_array<Source> || beside_array<Source> || by_value<plain_source>,
                  "elements are assigned from a number, an array or an expression");
    make_expression<same_elements>(std::forward<Source>(source)).into(to);
  }
}

/// `x += y` and the like, where NumPy's rule holds: integers stay integers.
template <class Elem, int Rank, class Source>
void assign_kind(array<Elem, Rank>& to, const Source& source) {
  if constexpr (std::is_integral_v<Elem>)
    static_assert(!is_float_v<operand_element<Source>>,
                  "krait: the array has integers and the result has floats: write n = "
                  "kr::cast<int>(kr::round(n * 1.5)), or make it an array of floats");
  source.into(to);
}

}  // namespace detail

// Undefined below.
#define KRAIT_WHOLE_BINARY(symbol, name, computed)                                   \
  namespace detail {                                                                 \
  struct name##_elements {                                                           \
    template <class Left, class Right>                                               \
    auto operator()(const Left& x, const Right& y) const {                           \
      if constexpr (refuses_complex<Left, Right> && !requires { computed; })         \
        return no_complex<Left>();                                                   \
      else return computed;                                                          \
    }                                                                                \
  };                                                                                 \
  }                                                                                  \
  template <class Left, class Right>                                                 \
    requires detail::whole_arrays<Left, Right>                                       \
  auto operator symbol(Left&& x, Right&& y) {                                        \
    return detail::make_expression<detail::name##_elements>(std::forward<Left>(x),   \
                                                            std::forward<Right>(y)); \
  }
#define KRAIT_WHOLE_OPERATOR(symbol, name) KRAIT_WHOLE_BINARY(symbol, name, x symbol y)
// Both sides are computed for each element, as by NumPy's logical_and and logical_or.
#define KRAIT_WHOLE_LOGICAL(symbol, Op, name) \
  KRAIT_WHOLE_BINARY(symbol, name, logical_element<op::Op>(x, y))
#define KRAIT_WHOLE_FUNCTION1(function)                                             \
  namespace detail {                                                                \
  struct function##_elements {                                                      \
    template <class Type>                                                           \
    auto operator()(const Type& x) const {                                          \
      using krait::function; /* and that of <krait/complex.h> */                    \
      if constexpr (refuses_complex<Type> && !requires { function(x); })            \
        return no_complex<Type>();                                                  \
      else return function(x);                                                      \
    }                                                                               \
  };                                                                                \
  }                                                                                 \
  template <class Type, detail::never... Own>                                       \
    requires detail::function_operands<Type>                                        \
  auto function(Type&& x, Own...) {                                                 \
    return detail::apply_whole<detail::function##_elements>(std::forward<Type>(x)); \
  }
#define KRAIT_WHOLE_FUNCTION2(function)                                              \
  namespace detail {                                                                 \
  struct function##_elements {                                                       \
    template <class Left, class Right>                                               \
    auto operator()(const Left& x, const Right& y) const {                           \
      using krait::function;                                                         \
      if constexpr (refuses_complex<Left, Right> && !requires { function(x, y); })   \
        return no_complex<Left>();                                                   \
      else return function(x, y);                                                    \
    }                                                                                \
  };                                                                                 \
  }                                                                                  \
  template <class Left, class Right, detail::never... Own>                           \
    requires detail::function_operands<Left, Right>                                  \
  auto function(Left&& x, Right&& y, Own...) {                                       \
    return detail::apply_whole<detail::function##_elements>(std::forward<Left>(x),   \
                                                            std::forward<Right>(y)); \
  }

// Those with an assignment: `a += x`, `a(kr::all, 0) -= x` write the elements, as a(…) = … does.
#define KRAIT_WHOLE_ASSIGNMENT(symbol, name) KRAIT_WHOLE_ASSIGNING(symbol, name, x symbol y)
// Bits of bools are bools, as in NumPy and unlike C++: a mask stays a mask.
#define KRAIT_WHOLE_BITS(symbol, Op, name) \
  KRAIT_WHOLE_ASSIGNING(symbol, name, bits_element<op::Op>(x, y))
#define KRAIT_WHOLE_ASSIGNING(symbol, name, computed)                       \
  KRAIT_WHOLE_BINARY(symbol, name, computed)                                \
  template <class Elem, int Rank, class Source>                             \
    requires detail::whole_arrays<array<Elem, Rank>, Source>                \
  array<Elem, Rank>& operator symbol##=(array<Elem, Rank>& x, Source&& y) { \
    detail::assign_kind(x, x symbol std::forward<Source>(y));               \
    return x;                                                               \
  }                                                                         \
  template <class Elem, int Rank, class Source>                             \
    requires detail::whole_arrays<array<Elem, Rank>, Source>                \
  void operator symbol##=(array<Elem, Rank>&& x, Source&& y) {              \
    x symbol## = std::forward<Source>(y);                                   \
  }                                                                         \
  template <class Left, class Source>                                       \
    requires detail::is_expression<std::remove_cvref_t<Left>>::value        \
  void operator symbol##=(Left&&, const Source&) {                          \
    static_assert(detail::writable<const Source>());                        \
  }
#define KRAIT_WHOLE_PREFIX(symbol, name, computed)                                               \
  namespace detail {                                                                             \
  struct name##_elements {                                                                       \
    template <class Type>                                                                        \
    auto operator()(const Type& x) const {                                                       \
      if constexpr (refuses_complex<Type> && !requires { computed; }) return no_complex<Type>(); \
      else return computed;                                                                      \
    }                                                                                            \
  };                                                                                             \
  }                                                                                              \
  template <detail::whole_array Type>                                                            \
  auto operator symbol(Type&& x) {                                                               \
    return detail::make_expression<detail::name##_elements>(std::forward<Type>(x));              \
  }

KRAIT_WHOLE_ASSIGNMENT(+, plus)
KRAIT_WHOLE_ASSIGNMENT(-, minus)
KRAIT_WHOLE_ASSIGNMENT(*, times)
KRAIT_WHOLE_ASSIGNMENT(/, divided_by)
KRAIT_WHOLE_ASSIGNMENT(%, remainder_by)
KRAIT_WHOLE_BITS(&, And, bits_of_both)
KRAIT_WHOLE_BITS(|, Or, bits_of_either)
KRAIT_WHOLE_BITS(^, Xor, bits_of_one)
KRAIT_WHOLE_ASSIGNMENT(<<, shifted_left)
KRAIT_WHOLE_ASSIGNMENT(>>, shifted_right)
KRAIT_WHOLE_OPERATOR(<, below)
KRAIT_WHOLE_OPERATOR(>, above)
KRAIT_WHOLE_OPERATOR(<=, not_above)
KRAIT_WHOLE_OPERATOR(>=, not_below)
KRAIT_WHOLE_OPERATOR(==, equal)
KRAIT_WHOLE_OPERATOR(!=, unequal)
KRAIT_WHOLE_LOGICAL(&&, And, both)
KRAIT_WHOLE_LOGICAL(||, Or, either)
KRAIT_WHOLE_PREFIX(-, negated, -x)
KRAIT_WHOLE_PREFIX(~, inverted, inverted_element(x))
KRAIT_WHOLE_PREFIX(!, denied, !x)

// The functions of krait/math.h: the rows of ops.def that have the form of a function.
#define KRAIT_WHOLE_Function(text, arity) KRAIT_WHOLE_FUNCTION##arity(text)
#define KRAIT_WHOLE_Own(text, arity)
#define KRAIT_VALUE(Name, text, arity, rule, types, order, cost, form, doc) \
  KRAIT_WHOLE_##form(text, arity)
#define KRAIT_MATH(Name, text, arity, doc) KRAIT_WHOLE_FUNCTION##arity(text)
#include <krait/ops.def>
// And those of krait/math_utilities.h that give one number.
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

namespace detail {

struct fma_elements {
  template <class First, class Second, class Third>
  auto operator()(const First& x, const Second& y, const Third& z) const {
    if constexpr (refuses_complex<First, Second, Third>) return no_complex<First>();
    else return krait::fma(x, y, z);
  }
};
struct clamp_elements {
  template <class Type, class Low, class High>
  auto operator()(const Type& x, const Low& low, const High& high) const {
    if constexpr (refuses_complex<Type, Low, High>) return no_complex<Type>();
    else return krait::min(krait::max(x, low), high);
  }
};
template <class To>
struct cast_elements {
  template <class Type>
  auto operator()(const Type& x) const {
    return cast_element<To>(x);
  }
};

}  // namespace detail

/// x * y + z for each element, rounded once.
/// \code
/// kr::array<float> w = kr::fma(x, 2.0f, y);
/// \endcode
template <class First, class Second, class Third, detail::never... Own>
  requires detail::function_operands<First, Second, Third>
auto fma(First&& x, Second&& y, Third&& z, Own...) {
  return detail::apply_whole<detail::fma_elements>(std::forward<First>(x), std::forward<Second>(y),
                                                   std::forward<Third>(z));
}
/// x limited to the range from `low` to `high`, for each element; NumPy's clip.
/// The limits are numbers or arrays.
/// \code
/// kr::array<float> w = kr::clamp(x, 0.0f, 1.0f);
/// \endcode
template <class Type, class Low, class High, detail::never... Own>
  requires detail::function_operands<Type, Low, High>
auto clamp(Type&& x, Low&& low, High&& high, Own...) {
  return detail::apply_whole<detail::clamp_elements>(std::forward<Type>(x), std::forward<Low>(low),
                                                     std::forward<High>(high));
}
/// Converts each element, as kr::cast converts numbers; NumPy's astype.
/// \code
/// kr::array<int> w = kr::cast<int>(x);
/// \endcode
template <class To, detail::whole_array Type>
auto cast(Type&& x) {
  return detail::make_expression<detail::cast_elements<To>>(std::forward<Type>(x));
}
template <class To, detail::real_element Type>
auto cast(const Type& x) {
  return krait::cast<To>(detail::as_number(x));
}

/// Computes an expression: a new array of the type that the elements have.
/// Of an array it is a read-only view.
/// \code
/// auto y = kr::eval(2.0f * x);
/// \endcode
template <class Function, class... Operands>
auto eval(const expression<Function, Operands...>& e) {
  array<detail::operand_element<expression<Function, Operands...>>,
        expression<Function, Operands...>::rank>
      made = e;
  return made;
}
template <class Selection>
  requires(detail::is_deferred<Selection> && !detail::is_expression<Selection>::value)
auto eval(const Selection& x) {
  return x.read();
}
template <class Elem, int Rank>
array<const Elem, Rank> eval(const array<Elem, Rank>& x) {
  return x.share();
}
/// An array of the type that the elements have: `kr::array y = 2.0f * x;`.
template <class Deferred>
  requires detail::is_deferred<Deferred>
array(const Deferred& x) -> array<typename decltype(eval(x))::value_type, Deferred::rank>;
/// The elements of an expression or a selection as text; see kr::to_string of an array.
template <class Deferred>
  requires detail::is_deferred<Deferred>
text to_string(const Deferred& x, const print_options& how = {}) {
  return to_string(eval(x), how);
}
template <class Stream, class Deferred>
  requires(detail::is_deferred<Deferred> &&
           requires(Stream& to, const char* text, long size) { to.write(text, size).width(); })
Stream& operator<<(Stream& to, const Deferred& x) {
  return to << to_string(x);
}

#undef KRAIT_WHOLE_ASSIGNMENT
#undef KRAIT_WHOLE_ASSIGNING
#undef KRAIT_WHOLE_BITS
#undef KRAIT_WHOLE_LOGICAL
#undef KRAIT_WHOLE_BINARY
#undef KRAIT_WHOLE_OPERATOR
#undef KRAIT_WHOLE_PREFIX
#undef KRAIT_WHOLE_FUNCTION1
#undef KRAIT_WHOLE_FUNCTION2
#undef KRAIT_WHOLE_Function
#undef KRAIT_WHOLE_Own

}  // namespace krait
