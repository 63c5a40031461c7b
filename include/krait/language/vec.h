// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Short vectors: kr::vec<T, 2..4> on the host, and value, var and ref of it in kernels. Operators
// and functions work on each component with C++'s types. A scalar operand applies to every
// component.
//
//   auto p = positions[i];                       // of a kr::view<const kr::vec<float, 3>>
//   kr::var v = kr::vec{0.0f, 1.0f, 0.0f};
//   v += dt * kr::normalize(p - v);
//   v.x = kr::dot(v, p);
#pragma once

#include <krait/detail/vec_operators.h>

namespace krait {

/// A vector of two to four plain components.
/// It is an aggregate: `kr::vec<float, 3>{1, 2, 3}`. In memory vec<T, 3> is `struct { T x, y, z;
/// }`; vec<T, 2> and vec<T, 4> are aligned to their size, at most 16 bytes, as in CUDA. Operators
/// and the functions of krait/math.h work on each component.
/// \code
/// kr::var v = kr::vec{1.0f, 2.0f, 3.0f};
/// v += 2.0f * kr::normalize(v);
/// \endcode
template <class Type>
struct alignas(detail::vec_alignment<Type, 2>) vec<Type, 2> {
  /// The first component.
  Type x;
  /// The second component.
  Type y;
  constexpr Type& operator[](int i) { return detail::component(*this, i); }
  constexpr const Type& operator[](int i) const { return detail::component(*this, i); }
};
template <class Type>
struct vec<Type, 3> {
  /// The first component.
  Type x;
  /// The second component.
  Type y;
  /// The third component.
  Type z;
  constexpr Type& operator[](int i) { return detail::component(*this, i); }
  constexpr const Type& operator[](int i) const { return detail::component(*this, i); }
};
template <class Type>
struct alignas(detail::vec_alignment<Type, 4>) vec<Type, 4> {
  /// The first component.
  Type x;
  /// The second component.
  Type y;
  /// The third component.
  Type z;
  /// The fourth component.
  Type w;
  constexpr Type& operator[](int i) { return detail::component(*this, i); }
  constexpr const Type& operator[](int i) const { return detail::component(*this, i); }
};
template <detail::plain Type>
vec(Type, Type) -> vec<Type, 2>;
template <detail::plain Type>
vec(Type, Type, Type) -> vec<Type, 3>;
template <detail::plain Type>
vec(Type, Type, Type, Type) -> vec<Type, 4>;

/// Makes a vector of two to four plain or traced numbers, in the type of the first one.
/// \code
/// auto v = kr::make_vec(x[i], y[i], 1.0f);
/// \endcode
template <detail::operand_type First, detail::operand_type... Rest>
  requires(sizeof...(Rest) >= 1 && sizeof...(Rest) <= 3)
auto make_vec(First first, Rest... rest) {
  return detail::join(first, rest...);
}

/// Selects components of a vector by name, with the letters xyzw or rgba; one letter gives a
/// number.
/// \code
/// auto reversed = kr::swizzle<"zyx">(v);
/// \endcode
template <detail::letters Text, detail::any_vec Vector>
auto swizzle(const Vector& v) {
  static_assert(Text.name(detail::size_of_vec<Vector>),
                "krait: a swizzle names one to four components of the vector, by xyzw or rgba");
  const auto at = [&](auto i) { return detail::spread<Text.index(i)>(v); };
  if constexpr (Text.count == 1) return at(std::integral_constant<int, 0>());
  else return detail::each_component<Text.count>(at);
}

/// x, limited to the range from `low` to `high`; numbers or vectors.
/// \code
/// y[i] = kr::clamp(x[i], 0.0f, 1.0f);
/// \endcode
template <class Type, class Low, class High, detail::never... Own>
  requires(detail::any_vec<Type> || detail::operand_type<Type>)
[[gnu::always_inline]] inline auto clamp(const Type& x, Low low, High high, Own...) {
  return krait::min(krait::max(x, low), high);
}
/// The linear interpolation x + t * (y - x); numbers or vectors.
/// \code
/// y[i] = kr::mix(x[i], y[i], 0.5f);
/// \endcode
template <class Left, class Right, class Weight, detail::never... Own>
  requires((detail::any_vec<Left> || detail::operand_type<Left>) &&
           (detail::any_vec<Right> || detail::operand_type<Right>))
[[gnu::always_inline]] inline auto mix(const Left& x, const Right& y, Weight t, Own...) {
  return x + detail::product(t, y - x);
}

/// The dot product: the sum of the products of the components, x first.
/// \code
/// auto squared = kr::dot(v, v);
/// \endcode
template <detail::any_vec Left, detail::any_vec Right, detail::never... Own>
[[gnu::always_inline]] inline auto dot(const Left& x, const Right& y, Own...) {
  constexpr int size = detail::common_size<Left, Right>;
  const auto products = x * y;
  const auto two = products.x + products.y;
  if constexpr (size == 2) return two;
  else if constexpr (size == 3) return two + products.z;
  else return two + products.z + products.w;
}
/// The cross product of two vectors with three components.
/// \code
/// auto normal = kr::cross(v, kr::vec{0.0f, 1.0f, 0.0f});
/// \endcode
template <detail::any_vec Left, detail::any_vec Right, detail::never... Own>
  requires(detail::size_of_vec<Left> == 3 && detail::size_of_vec<Right> == 3)
[[gnu::always_inline]] inline auto cross(const Left& x, const Right& y, Own...) {
  return swizzle<"yzx">(x) * swizzle<"zxy">(y) - swizzle<"zxy">(x) * swizzle<"yzx">(y);
}
/// The Euclidean length of a vector; the sum of squares may overflow.
/// \code
/// y[i] = kr::length(v);
/// \endcode
template <detail::any_vec Vector, detail::never... Own>
[[gnu::always_inline]] inline auto length(const Vector& v, Own...) {
  return krait::sqrt(dot(v, v));
}
/// The Euclidean distance of two points, length(x - y); the sum of squares may overflow.
template <detail::any_vec Left, detail::any_vec Right, detail::never... Own>
[[gnu::always_inline]] inline auto distance(const Left& x, const Right& y, Own...) {
  return length(x - y);
}
/// v / length(v), a vector of length 1; NaN for a vector of zeros.
template <detail::any_vec Vector, detail::never... Own>
[[gnu::always_inline]] inline auto normalize(const Vector& v, Own...) {
  return v / length(v);
}

namespace detail {
/// Every component is not 0: `kr::if_(kr::all(a < b), [&] { … })`.
template <any_vec Vector>
auto every(all_tag, const Vector& v) {
  const auto test = v != 0;
  const auto two = test.x & test.y;
  if constexpr (size_of_vec<Vector> == 2) return two != 0;
  else if constexpr (size_of_vec<Vector> == 3) return (two & test.z) != 0;
  else return (two & test.z & test.w) != 0;
}
}  // namespace detail
/// Tests whether some component is not 0.
/// \code
/// kr::if_(kr::any(v < 0.0f), [&] { y[i] = 0; });
/// \endcode
template <detail::any_vec Vector, detail::never... Own>
[[gnu::always_inline]] inline auto any(const Vector& v, Own...) {
  const auto test = v != 0;
  const auto two = test.x | test.y;
  if constexpr (detail::size_of_vec<Vector> == 2) return two != 0;
  else if constexpr (detail::size_of_vec<Vector> == 3) return (two | test.z) != 0;
  else return (two | test.z | test.w) != 0;
}

/// condition ? yes : no, for one struct, array or vector type.
/// For vectors the condition may be a vector of bool, which chooses each component.
template <class Yes, class No>
  requires(std::is_same_v<detail::held_t<Yes>, detail::held_t<No>> &&
           !detail::plain<detail::held_t<Yes>> &&
           (detail::any_traced<Yes> || detail::any_traced<No> || detail::is_struct<Yes>))
auto select(detail::operand condition, Yes yes, No no,
            detail::location where = detail::location::here()) {
  using type = detail::held_t<Yes>;
  detail::set_location(where);
  detail::node_list<type> first(yes);
  const detail::node_list<type> second(no);
  const detail::node chosen = detail::convert(detail::scalar::boolean, node_of(condition));
  for (std::size_t i = 0; i < detail::leaf_count<type>; ++i)
    first.at[i] = detail::apply(detail::op::Select, detail::scalars_of<type>.at[i], chosen,
                                first.at[i], second.at[i]);
  return value<type>(first.source);
}
template <detail::plain Condition, class Type>
  requires(detail::is_struct<Type> && !detail::any_traced<Type>)
Type select(Condition condition, Type yes, Type no) {
  return detail::convert_plain<bool>(condition) ? yes : no;
}
template <detail::any_vec Condition, class Yes, class No>
  requires detail::vec_operands<Yes, No>
auto select(const Condition& condition, Yes yes, No no) {
  static_assert(detail::size_of_vec<Condition> == detail::common_size<Yes, No>,
                "krait: the vectors have different numbers of components");
  return detail::each_component<detail::size_of_vec<Condition>>([&](auto i) {
    const auto& c = detail::spread<i>(condition);
    if constexpr (detail::any_traced<Condition> || detail::any_traced<Yes> ||
                  detail::any_traced<No>)
      return select(c, detail::spread<i>(yes), detail::spread<i>(no));
    else return c ? detail::spread<i>(yes) : detail::spread<i>(no);
  });
}

/// Converts each component, as kr::cast converts numbers.
/// \code
/// auto cell = kr::cast<int>(v);
/// \endcode
template <detail::plain To, detail::any_vec From>
auto cast(const From& v) {
  return detail::each_component<detail::size_of_vec<From>>(
      [&](auto i) { return krait::cast<To>(detail::spread<i>(v)); });
}

}  // namespace krait
