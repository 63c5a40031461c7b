// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix products of tiles, and loops that load the factors of later steps while they multiply.
// Included by tile.h.
#pragma once

#include <krait/tile.h>

namespace krait {

namespace detail {

template <class Type, int Rows, int Columns>
tile_factor<Type, Rows, Columns> factor_of(const tile_factor<Type, Rows, Columns>& x) {
  return x;
}
template <class Type, int Rows, int Columns>
tile_factor<Type, Rows, Columns> factor_of(const tile_source<Type, Rows, Columns>& x) {
  constexpr tile_shape shape = factor_shape<Type, Rows, Columns>();
  const factor made = make_factor(shape, 1);
  fetch_factor(shape, made, node_of(0), x.at);
  end_copies(), wait_for_copies(0);
  return {made, false};
}
template <class Type, int Rows, int Columns>
tile_factor<Type, Rows, Columns> factor_of(const tile<Type, Rows, Columns>& x) {
  const factor made = make_factor(x.shape, 1);
  keep_factor(x.shape, made, access::nodes(x));
  return {made, false};
}

/// What the threads hold of a factor.
template <class Factor>
tile_nodes held_by(const Factor&) {
  return {};
}
template <class Type, int Rows, int Columns>
tile_nodes held_by(const tile<Type, Rows, Columns>& x) {
  return access::nodes(x);
}

template <class Left, class Right>
struct sums_of {
  using type = void;
};
template <class Left, class Right>
  requires(sizeof(Left) == 1 && sizeof(Right) == 1 && std::is_integral_v<Left> &&
           std::is_integral_v<Right> && !std::is_same_v<Left, bool> && !std::is_same_v<Right, bool>)
struct sums_of<Left, Right> {
  using type = std::int32_t;
};
template <class Left, class Right>
  requires(is_float_v<Left> && is_float_v<Right> &&
           (std::is_same_v<Left, Right> || (sizeof(Left) == 1 && sizeof(Right) == 1)))
struct sums_of<Left, Right> {
  using type = std::conditional_t<sizeof(Left) == 8, double, float>;
};

template <class Left, int Rows, int Depth, class Right, int Columns, class Sums>
auto multiply_tiles(const tile_factor<Left, Rows, Depth>& x,
                    const tile_factor<Right, Depth, Columns>& y,
                    const tile<Sums, Rows, Columns>& sum, bool rounds,
                    const tile_nodes& held = {}) {
  using sums = typename sums_of<Left, Right>::type;
  static_assert(
      !std::is_void_v<sums>,
      "krait: products of tiles need two factors of one floating-point type, of any two 8-bit "
      "floating-point types, or of any two 8-bit integer types");
  static_assert(
      std::is_void_v<sums> || std::is_same_v<sums, Sums>,
      "krait: sums of products of tiles must be double for factors of double, float for other "
      "floats, and int for integers");
  tile_nodes nodes = access::nodes(sum);
  multiply({Rows, Columns, Depth, rounds, x.kept && y.kept && in_overlapped_pipeline()}, x.at, y.at,
           nodes.data(), unsigned(nodes.size()), held.data(), unsigned(held.size()));
  return tile<Sums, Rows, Columns>(copy_tile(sum.shape, nodes));
}

}  // namespace detail

/// Stores x in shared memory for use in several products; it is stored again at each execution.
/// \code
/// const auto q = kr::staged(kr::load<16, 16>(a, {0, 0}));
/// t = kr::mma(q, kr::load<16, 16>(a, {0, 16}), t);
/// \endcode
template <class Part>
auto staged(const Part& x, detail::location where = detail::location::here()) {
  detail::set_location(where);
  detail::meet();
  const auto made = detail::factor_of(x);
  detail::meet();
  return made;
}

/// How products of f32 are computed: exactly (`single`), or rounded to tf32 on tensor cores.
/// tf32 has 10 fraction bits.
enum class precision : unsigned char { single, tf32 };

/// The matrix product sum + x * y of tiles.
/// Factors are tiles, kr::load of a view, or tiles that kr::pipelined gives. Each element is a
/// chain of fma over ascending k, in f32 (f64 for double, i32 for integers). Tensor cores, used in
/// native and fast mode, round differently (docs/tiles.md has the bound).
/// \code
/// t = kr::mma(kr::load<16, 16>(a, {0, 0}), kr::load<16, 16>(a, {0, 16}), t);
/// \endcode
template <class Left, class Right, class Sums, int Rows, int Columns>
auto mma(const Left& x, const Right& y, const tile<Sums, Rows, Columns>& sum,
         precision how = precision::single, detail::location where = detail::location::here()) {
  detail::set_location(where);
  constexpr bool in_place = requires { x.kept; } && requires { y.kept; };
  if constexpr (in_place) {
    return detail::multiply_tiles(x, y, sum, how == precision::tf32);
  } else {
    detail::meet();  // the arrays of the last time have been read
    const auto left = detail::factor_of(x);
    const auto right = detail::factor_of(y);
    detail::meet();
    return detail::multiply_tiles(left, right, sum, how == precision::tf32, detail::held_by(x));
  }
}
/// The matrix product x * y of tiles.
template <class Type, int Rows, int Depth, class Other, int Columns,
          template <class, int, int> class Left, template <class, int, int> class Right>
auto mma(const Left<Type, Rows, Depth>& x, const Right<Other, Depth, Columns>& y,
         precision how = precision::single, detail::location where = detail::location::here()) {
  return krait::mma(x, y, tile<typename detail::sums_of<Type, Other>::type, Rows, Columns>(), how,
                    where);
}

namespace detail {

template <class Type, int Rows, int Columns>
struct slots_of {
  static constexpr tile_shape shape = factor_shape<Type, Rows, Columns>();
  slots_of(const tile_source<Type, Rows, Columns>&, int count) : at(make_factor(shape, count)) {}
  void fetch(node slot, const tile_source<Type, Rows, Columns>& from) const {
    fetch_factor(shape, at, slot, from.at);
  }
  tile_factor<Type, Rows, Columns> operator[](node slot) const {
    return {factor_at(shape, at, slot), true};
  }
  factor at;
};

template <class... Sources>
std::tuple<Sources...> as_sources(const std::tuple<Sources...>& x) {
  return x;
}
template <class Type, int Rows, int Columns>
std::tuple<tile_source<Type, Rows, Columns>> as_sources(const tile_source<Type, Rows, Columns>& x) {
  return {x};
}
template <class Sources>
struct slots_for;
template <class... Types, int... Rows, int... Columns>
struct slots_for<std::tuple<tile_source<Types, Rows, Columns>...>> {
  using type = std::tuple<slots_of<Types, Rows, Columns>...>;
  static type make(int count) { return {slots_of<Types, Rows, Columns>({}, count)...}; }
};

}  // namespace detail

/// A loop over steps that loads the tiles of later steps while it works on the current one.
/// `loads(step)` gives one kr::load or a std::tuple of several; `body(step, tiles…)` works on them.
/// Slots is the number of steps that shared memory holds, 2 at least. Tiles of a step may be
/// factors until the kr::mma of the next step. Sums that are only added to are complete after the
/// loop.
/// \code
/// kr::pipelined<2>(n, [&](auto k) { return kr::load<16, 16>(a, {0, k * 16}); },
///                  [&](auto, const auto& p) { t = kr::mma(p, p, t); });
/// \endcode
template <int Slots = 3, class Loads, class Body>
void pipelined(detail::operand steps, const Loads& loads, const Body& body,
               detail::location where = detail::location::here()) {
  static_assert(Slots >= 2, "krait: a pipeline needs at least 2 slots");
  using step_type = value<std::int64_t>;
  using sources = decltype(detail::as_sources(loads(std::declval<step_type>())));
  const auto slots = detail::slots_for<sources>::make(Slots);
  const auto fetch = [&](detail::node step, detail::node slot) {
    const sources from = detail::as_sources(loads(step_type(step)));
    const auto each = [&]<std::size_t... I>(std::index_sequence<I...>) {
      (std::get<I>(slots).fetch(slot, std::get<I>(from)), ...);
    };
    each(std::make_index_sequence<std::tuple_size_v<sources>>());
  };
  const auto work = [&](detail::node step, detail::node slot) {
    std::apply([&](const auto&... slot_of) { body(step_type(step), slot_of[slot]...); }, slots);
  };
  detail::pipeline(Slots, Slots >= 3, node_of(steps), fetch, work, where);
}

}  // namespace krait
