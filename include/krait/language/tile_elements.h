// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of the elements of a tile, one by one and along an axis. Included by tile.h.
#pragma once

#include <krait/tile.h>

namespace krait {

#define KRAIT_TILE_OPERATOR(symbol, Name, rule)                            \
  template <class Left, class Right>                                       \
    requires detail::tiles_among<Left, Right>                              \
  auto operator symbol(const Left& x, const Right& y) {                    \
    using types = detail::rule<typename detail::tile_traits<Left>::type,   \
                               typename detail::tile_traits<Right>::type>; \
    return detail::combine_tiles<types>(detail::op::Name, x, y);           \
  }
KRAIT_TILE_OPERATOR(+, Add, arithmetic_rule)
KRAIT_TILE_OPERATOR(-, Sub, arithmetic_rule)
KRAIT_TILE_OPERATOR(*, Mul, arithmetic_rule)
KRAIT_TILE_OPERATOR(/, Div, arithmetic_rule)
KRAIT_TILE_OPERATOR(<, Lt, compare_rule)
KRAIT_TILE_OPERATOR(<=, Le, compare_rule)
KRAIT_TILE_OPERATOR(>, Gt, compare_rule)
KRAIT_TILE_OPERATOR(>=, Ge, compare_rule)
KRAIT_TILE_OPERATOR(==, Eq, compare_rule)
KRAIT_TILE_OPERATOR(!=, Ne, compare_rule)
KRAIT_TILE_OPERATOR(&, And, arithmetic_rule)
KRAIT_TILE_OPERATOR(|, Or, arithmetic_rule)
#undef KRAIT_TILE_OPERATOR

/// Applies f to each element of tiles and numbers of one shape, and gives a tile.
/// f gets the elements as kr::value<T>.
/// \code
/// auto u = kr::map([](auto v) { return kr::exp(-v); }, t);
/// \endcode
template <class Function, class... Operands>
  requires detail::tiles_among<Operands...>
auto map(const Function& f, const Operands&... operands) {
  using element = detail::storage_type_t<std::invoke_result_t<
      const Function&, value<typename detail::tile_traits<Operands>::type>...>>;
  using result = typename detail::joint<element, Operands...>::type;
  const std::tuple spread(detail::spread_to(operands, result::shape)...);
  return result(detail::map_tile(result::shape, [&](unsigned e) {
    return std::apply(
        [&](const auto&... nodes) {
          return detail::convert(
              result::shape.type,
              node_of(detail::operand(f(value<typename detail::tile_traits<Operands>::type>(
                  detail::convert(detail::scalar_of<typename detail::tile_traits<Operands>::type>,
                                  nodes[e]))...))));
        },
        spread);
  }));
}

// Undefined below. A function of krait/math.h, for each element of a tile.
#define KRAIT_TILE_FUNCTION(name)                                                     \
  template <class First, class... Rest>                                               \
    requires detail::tiles_among<First, Rest...>                                      \
  auto name(const First& x, const Rest&... rest) {                                    \
    return krait::map([](auto... each) { return krait::name(each...); }, x, rest...); \
  }
KRAIT_TILE_FUNCTION(exp)
KRAIT_TILE_FUNCTION(exp2)
KRAIT_TILE_FUNCTION(log)
KRAIT_TILE_FUNCTION(log2)
KRAIT_TILE_FUNCTION(tanh)
KRAIT_TILE_FUNCTION(erf)
KRAIT_TILE_FUNCTION(sqrt)
KRAIT_TILE_FUNCTION(rsqrt)
KRAIT_TILE_FUNCTION(abs)
KRAIT_TILE_FUNCTION(min)
KRAIT_TILE_FUNCTION(max)
KRAIT_TILE_FUNCTION(pow)
#undef KRAIT_TILE_FUNCTION

/// condition ? x : y for each element; all three are evaluated.
/// \code
/// auto positive = kr::where(t > 0.0f, t, 0.0f);
/// \endcode
template <class Condition, class Yes, class No>
  requires detail::tiles_among<Condition, Yes, No>
auto where(const Condition& condition, const Yes& x, const No& y) {
  return krait::map([](auto c, auto a, auto b) { return krait::select(c, a, b); }, condition, x, y);
}

/// A tile with the number of each row: Rows rows and one column, of int.
/// \code
/// auto lower = kr::where(kr::rows<16>() >= kr::columns<16>(), t, 0.0f);
/// \endcode
template <int Rows>
tile<int, Rows, 1> rows() {
  using result = tile<int, Rows, 1>;
  return result(detail::index_tile(result::shape, 0));
}
/// A tile with the number of each column: one row and Columns columns, of int.
/// \code
/// auto diagonal = kr::where(kr::rows<16>() == kr::columns<16>(), 1.0f, 0.0f);
/// \endcode
template <int Columns>
tile<int, 1, Columns> columns() {
  using result = tile<int, 1, Columns>;
  return result(detail::index_tile(result::shape, 1));
}

// ---- along an axis ------------------------------------------------------------------------------

namespace detail {

template <class Type, class Combine>
auto combining(const Combine& f) {
  return [&f](node x, node y) {
    return convert(scalar_of<Type>, node_of(operand(f(value<Type>(x), value<Type>(y)))));
  };
}

}  // namespace detail

/// Combines the elements along an axis by an associative f, in the same order on every target.
/// Axis 0 reduces each column: the result is one row. Axis 1 reduces each row: the result is one
/// column.
/// \code
/// auto largest = kr::reduce<1>(t, [](auto p, auto q) { return kr::max(p, q); });
/// \endcode
template <int Axis, class Type, int Rows, int Columns, class Combine>
auto reduce(const tile<Type, Rows, Columns>& x, const Combine& f) {
  static_assert(Axis == 0 || Axis == 1, "krait: the axis of a tile must be 0 or 1");
  using result = tile<Type, Axis == 0 ? 1 : Rows, Axis == 1 ? 1 : Columns>;
  return result(
      detail::reduce_tile(x.shape, detail::access::nodes(x), Axis, detail::combining<Type>(f)));
}
/// The sums along an axis: 0 for one row of sums, 1 for one column of sums.
/// \code
/// auto sums = kr::sum<1>(t);
/// \endcode
template <int Axis, class Type, int Rows, int Columns>
auto sum(const tile<Type, Rows, Columns>& x) {
  return krait::reduce<Axis>(x, [](auto a, auto b) { return a + b; });
}
/// The largest elements along an axis: 0 for one row, 1 for one column.
template <int Axis, class Type, int Rows, int Columns>
auto max(const tile<Type, Rows, Columns>& x) {
  return krait::reduce<Axis>(x, [](auto a, auto b) { return krait::max(a, b); });
}
/// The smallest elements along an axis: 0 for one row, 1 for one column.
template <int Axis, class Type, int Rows, int Columns>
auto min(const tile<Type, Rows, Columns>& x) {
  return krait::reduce<Axis>(x, [](auto a, auto b) { return krait::min(a, b); });
}
/// Combines each element with all elements before it along an axis, by an associative f.
/// \code
/// auto sums = kr::scan<1>(t, [](auto p, auto q) { return p + q; });
/// \endcode
template <int Axis, class Type, int Rows, int Columns, class Combine>
tile<Type, Rows, Columns> scan(const tile<Type, Rows, Columns>& x, const Combine& f) {
  static_assert(Axis == 0 || Axis == 1, "krait: the axis of a tile must be 0 or 1");
  return tile<Type, Rows, Columns>(
      detail::scan_tile_along(x.shape, detail::access::nodes(x), Axis, detail::combining<Type>(f)));
}

/// The transpose of a tile.
/// \code
/// auto turned = kr::transpose(t);
/// \endcode
template <class Type, int Rows, int Columns>
tile<Type, Columns, Rows> transpose(const tile<Type, Rows, Columns>& x) {
  return tile<Type, Columns, Rows>(detail::transpose_tile(x.shape, detail::access::nodes(x)));
}
/// The transpose of a factor of kr::mma: the product reads it by columns, and nothing moves.
template <class Type, int Rows, int Columns>
tile_factor<Type, Columns, Rows> transpose(const tile_factor<Type, Rows, Columns>& x) {
  detail::factor turned = x.at;
  turned.transposed = !turned.transposed;
  return {turned, x.kept};
}

}  // namespace krait
