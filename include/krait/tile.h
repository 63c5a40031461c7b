// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles: matrices that the threads of a block hold together, beside the language of single threads. All threads of the block come to an
// operation on tiles together, as to a barrier; the block's size is fixed (kr::kernel<grid, block>, or kr::kernel(f, {.block = 128})) and 32
// times a power of two.
//   auto multiply = kr::kernel([](kr::view<const kr::bf16, 2> a, kr::view<const kr::bf16, 2> b, kr::view<float, 2> c) {
//     const auto i = kr::block_idx().y * 128, j = kr::block_idx().x * 128;
//     kr::tile<float, 128, 128> sum;
//     kr::pipelined<4>((a.extent(1) + 63) / 64,
//                      [&](auto step) { return std::tuple(kr::load<128, 64>(a, {i, step * 64}), kr::load<64, 128>(b, {step * 64, j})); },
//                      [&](auto, const auto& x, const auto& y) { sum = kr::mma(x, y, sum); });
//     kr::store(c, {i, j}, kr::max(sum, 0.0f));
//   }, {.block = 256});
// Rows are 1 or a multiple of 16, columns 1 or a multiple of 8; tiles of one row or column are repeated where the other operand has more.
// Threads that meet outside of tiles store a tile in a shared array: `kr::store(array, {0, 0}, t); kr::syncthreads();`.
#pragma once

#include <initializer_list>
#include <tuple>

#include <krait/control.h>
#include <krait/detail/tile_access.h>
#include <krait/math.h>
#include <krait/memory.h>

namespace krait {

template <class Type, int Rows, int Columns>
class tile;

/// Part of a view that is to be loaded: what kr::load gives. It becomes a tile where one is wanted; a product reads it through shared memory.
template <class Type, int Rows, int Columns>
struct tile_source {
  detail::tile_place at;
};
/// A factor of products in shared memory.
template <class Type, int Rows, int Columns>
struct tile_factor {
  detail::factor at;
  bool kept;  // until the block's next product has begun
};

namespace detail {

template <class Type, int Rows, int Columns>
constexpr tile_shape shape_of() {
  static_assert(Rows == 1 || (Rows > 0 && Rows % 16 == 0), "krait: a tile has one row, or a multiple of 16");
  static_assert(Columns == 1 || (Columns > 0 && Columns % 8 == 0), "krait: a tile has one column, or a multiple of 8");
  return {scalar_of<Type>, Rows, Columns};
}

/// Of a factor in shared memory.
template <class Type, int Rows, int Columns>
constexpr tile_shape factor_shape() {
  static_assert(Rows > 0 && Rows % 8 == 0 && Columns > 0 && Columns % 8 == 0,
                "krait: factors of products have rows and columns in multiples of 8");
  return {scalar_of<Type>, Rows, Columns};
}

/// A tile's type, or that of a number, in the result of an operation on both.
template <class Operand>
struct tile_traits {
  using type = storage_type_t<Operand>;
  static constexpr int rows = 1, columns = 1;
  static tile_nodes nodes(const Operand& x) {
    if constexpr (plain<Operand>) return {node_of(x)};
    else return {node_of(x)};
  }
};
template <class Type, int Rows, int Columns>
struct tile_traits<tile<Type, Rows, Columns>> {
  using type = Type;
  static constexpr int rows = Rows, columns = Columns;
  static const tile_nodes& nodes(const tile<Type, Rows, Columns>& x) { return x.nodes(); }
};
template <class Type, int Rows, int Columns>
struct tile_traits<tile_source<Type, Rows, Columns>> : tile_traits<tile<Type, Rows, Columns>> {
  static tile_nodes nodes(const tile_source<Type, Rows, Columns>& x) { return load_tile(shape_of<Type, Rows, Columns>(), x.at); }
};

template <class Operand>
inline constexpr bool is_tile_v = false;
template <class Type, int Rows, int Columns>
inline constexpr bool is_tile_v<tile<Type, Rows, Columns>> = true;
template <class Type, int Rows, int Columns>
inline constexpr bool is_tile_v<tile_source<Type, Rows, Columns>> = true;
template <class... Operands>
concept tiles_among = (is_tile_v<Operands> || ...) && ((is_tile_v<Operands> || operand_type<Operands>)&&...);

constexpr int common_extent(std::initializer_list<int> extents) {
  int common = 1;
  for (const int e : extents) common = e == 1 || e == common ? common : common == 1 ? e : -1;
  return common;
}

template <class Result, class... Operands>
struct joint {
  static constexpr int rows = common_extent({tile_traits<Operands>::rows...}),
                       columns = common_extent({tile_traits<Operands>::columns...});
  static_assert(rows > 0 && columns > 0, "krait: tiles of these shapes do not go together: extents are equal, or 1");
  using type = tile<Result, rows, columns>;
};

template <class Operand>
tile_nodes spread_to(const Operand& x, const tile_shape& to) {
  using traits = tile_traits<Operand>;
  return spread_tile({scalar_of<typename traits::type>, traits::rows, traits::columns}, traits::nodes(x), to);
}

/// The operation on each element, computed in `Types::type`.
template <class Types, class Left, class Right>
auto combine_tiles(op what, const Left& x, const Right& y) {
  using result = typename joint<typename Types::result, Left, Right>::type;
  const tile_nodes left = spread_to(x, result::shape), right = spread_to(y, result::shape);
  return result(
      map_tile(result::shape, [&](unsigned e) { return apply(what, scalar_of<typename Types::type>, left[e], right[e]); }));
}

}  // namespace detail

/// A block's matrix of Rows by Columns elements: mutable, as kr::var is.
template <class Type, int Rows, int Columns>
class tile {
 public:
  static constexpr detail::tile_shape shape = detail::shape_of<Type, Rows, Columns>();

  /// All elements 0.
  tile() : tile(Type()) {}
  template <detail::operand_type Number>
  explicit(detail::traced<Number>) tile(const Number& x)
      : nodes_(detail::make_tile(shape, detail::convert(shape.type, node_of(detail::operand(x))))) {}
  tile(const tile_source<Type, Rows, Columns>& from)
      : nodes_(detail::load_tile(shape, from.at)) {}  // NOLINT: implicit on purpose
  tile(const tile& x) : nodes_(detail::copy_tile(shape, x.nodes_)) {}
  tile(tile&&) noexcept = default;
  explicit tile(detail::tile_nodes nodes) : nodes_(std::move(nodes)) {}

  tile& operator=(const tile& x) {
    detail::assign_tile(nodes_, x.nodes_);
    return *this;
  }
  template <class Operand>
  requires detail::is_tile_v<Operand> || detail::operand_type<Operand> tile& operator=(const Operand& x) {
    using result = typename detail::joint<Type, tile, Operand>::type;
    static_assert(std::is_same_v<result, tile>, "krait: the tile that is assigned has more rows or columns");
    detail::assign_tile(nodes_, detail::spread_to(x, shape));
    return *this;
  }
#define KRAIT_TILE_UPDATE(symbol)                          \
  template <class Operand>                                 \
  tile& operator symbol##=(const Operand& x) {             \
    return *this = (*this symbol x).template cast<Type>(); \
  }
  KRAIT_TILE_UPDATE(+)
  KRAIT_TILE_UPDATE(-)
  KRAIT_TILE_UPDATE(*)
  KRAIT_TILE_UPDATE(/)
#undef KRAIT_TILE_UPDATE

  /// Each element as kr::cast does it.
  template <detail::plain To>
  tile<To, Rows, Columns> cast() const {
    using result = tile<To, Rows, Columns>;
    return result(detail::map_tile(result::shape, [&](unsigned e) { return detail::convert(result::shape.type, nodes_[e]); }));
  }

  const detail::tile_nodes& nodes() const { return nodes_; }

 private:
  detail::tile_nodes nodes_;
};

// ---- memory -----------------------------------------------------------------------------------------------------------------

/// Whether a program promises that all of a tile is in its view, which saves the tests.
enum class edges : unsigned char { masked, unmasked };

namespace detail {

inline tile_place tile_place_of(node view, int rank, std::initializer_list<operand> indices, edges at) {
  tile_place p{view, {}, unsigned(rank), at == edges::unmasked};
  if (indices.size() != std::size_t(rank)) misuse("a tile's place has one index for each dimension of its view", {});
  unsigned d = 0;
  for (const operand& i : indices)
    if (d < unsigned(rank)) p.indices[d++] = convert(scalar::i64, node_of(i));
  for (; d < unsigned(rank); ++d) p.indices[d] = node_of(std::int64_t(0));
  return p;
}

}  // namespace detail

/// Rows by Columns elements of a view, or of a shared array, of two or more dimensions; the last two indices are those of the first row and
/// column. Elements outside the view are 0.
template <int Rows, int Columns, class Type, int Rank>
auto load(const view<Type, Rank>& from, std::initializer_list<detail::operand> first, edges at = edges::masked,
          detail::location where = detail::location::here()) {
  static_assert(Rank >= 2, "krait: tiles are loaded from views of two or more dimensions");
  detail::set_location(where);
  return tile_source<std::remove_const_t<Type>, Rows, Columns>{detail::tile_place_of(node_of(from), Rank, first, at)};
}
/// Elements outside the view are not stored. Threads that read what was stored need a barrier before.
template <class Type, int Rank, class Element, int Rows, int Columns>
void store(const view<Type, Rank>& to, std::initializer_list<detail::operand> first, const tile<Element, Rows, Columns>& x,
           edges at = edges::masked, detail::location where = detail::location::here()) {
  static_assert(Rank >= 2, "krait: tiles are stored to views of two or more dimensions");
  static_assert(!std::is_const_v<Type>, "krait: the view is read-only");
  detail::set_location(where);
  detail::store_tile({detail::scalar_of<Type>, Rows, Columns}, x.nodes(), detail::tile_place_of(node_of(to), Rank, first, at));
}

// ---- elements ---------------------------------------------------------------------------------------------------------------

#define KRAIT_TILE_OPERATOR(symbol, Name, rule)                                                                      \
  template <class Left, class Right>                                                                                 \
  requires detail::tiles_among<Left, Right>                                                                          \
  auto operator symbol(const Left& x, const Right& y) {                                                              \
    using types = detail::rule<typename detail::tile_traits<Left>::type, typename detail::tile_traits<Right>::type>; \
    return detail::combine_tiles<types>(detail::op::Name, x, y);                                                     \
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

/// f of the elements of tiles, and of numbers, which it gets as kr::value<T>: `kr::map([](auto x) { return kr::exp(x); }, t)`.
template <class Function, class... Operands>
requires detail::tiles_among<Operands...>
auto map(const Function& f, const Operands&... operands) {
  using element =
      detail::storage_type_t<std::invoke_result_t<const Function&, value<typename detail::tile_traits<Operands>::type>...>>;
  using result = typename detail::joint<element, Operands...>::type;
  const std::tuple spread(detail::spread_to(operands, result::shape)...);
  return result(detail::map_tile(result::shape, [&](unsigned e) {
    return std::apply(
        [&](const auto&... nodes) {
          return detail::convert(result::shape.type,
                                 node_of(detail::operand(f(value<typename detail::tile_traits<Operands>::type>(detail::convert(
                                     detail::scalar_of<typename detail::tile_traits<Operands>::type>, nodes[e]))...))));
        },
        spread);
  }));
}

/// The function of each element, as of single numbers.
#define KRAIT_TILE_FUNCTION(name)                                                     \
  template <class First, class... Rest>                                               \
  requires detail::tiles_among<First, Rest...>                                        \
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

/// condition ? x : y, element by element; all are evaluated.
template <class Condition, class Yes, class No>
requires detail::tiles_among<Condition, Yes, No>
auto where(const Condition& condition, const Yes& x, const No& y) {
  return krait::map([](auto c, auto a, auto b) { return krait::select(c, a, b); }, condition, x, y);
}

/// The number of each element's row in the tile, or column: `kr::rows<64>()` is a tile of 64 rows and one column.
template <int Rows>
tile<int, Rows, 1> rows() {
  using result = tile<int, Rows, 1>;
  return result(detail::index_tile(result::shape, 0));
}
/// The same of columns: a tile of one row.
template <int Columns>
tile<int, 1, Columns> columns() {
  using result = tile<int, 1, Columns>;
  return result(detail::index_tile(result::shape, 1));
}

// ---- along an axis ----------------------------------------------------------------------------------------------------------

namespace detail {

template <class Type, class Combine>
auto combining(const Combine& f) {
  return [&f](node x, node y) { return convert(scalar_of<Type>, node_of(operand(f(value<Type>(x), value<Type>(y))))); };
}

}  // namespace detail

/// The elements along axis 0 (columns become one row) or 1 (rows become one column) combined by an associative f, in an order that is
/// the same on every target.
template <int Axis, class Type, int Rows, int Columns, class Combine>
auto reduce(const tile<Type, Rows, Columns>& x, const Combine& f) {
  static_assert(Axis == 0 || Axis == 1, "krait: the axis of a tile is 0 or 1");
  using result = tile<Type, Axis == 0 ? 1 : Rows, Axis == 1 ? 1 : Columns>;
  return result(detail::reduce_tile(x.shape, x.nodes(), Axis, detail::combining<Type>(f)));
}
/// The sums along an axis.
template <int Axis, class Type, int Rows, int Columns>
auto sum(const tile<Type, Rows, Columns>& x) {
  return krait::reduce<Axis>(x, [](auto a, auto b) { return a + b; });
}
/// The largest elements along an axis.
template <int Axis, class Type, int Rows, int Columns>
auto max(const tile<Type, Rows, Columns>& x) {
  return krait::reduce<Axis>(x, [](auto a, auto b) { return krait::max(a, b); });
}
/// The smallest elements along an axis.
template <int Axis, class Type, int Rows, int Columns>
auto min(const tile<Type, Rows, Columns>& x) {
  return krait::reduce<Axis>(x, [](auto a, auto b) { return krait::min(a, b); });
}
/// Each element combined with all before it along the axis.
template <int Axis, class Type, int Rows, int Columns, class Combine>
tile<Type, Rows, Columns> scan(const tile<Type, Rows, Columns>& x, const Combine& f) {
  static_assert(Axis == 0 || Axis == 1, "krait: the axis of a tile is 0 or 1");
  return tile<Type, Rows, Columns>(detail::scan_tile_along(x.shape, x.nodes(), Axis, detail::combining<Type>(f)));
}

template <class Type, int Rows, int Columns>
tile<Type, Columns, Rows> transpose(const tile<Type, Rows, Columns>& x) {
  return tile<Type, Columns, Rows>(detail::transpose_tile(x.shape, x.nodes()));
}
/// Of a factor or what becomes one: the product reads it by columns, and nothing moves.
template <class Type, int Rows, int Columns>
tile_factor<Type, Columns, Rows> transpose(const tile_factor<Type, Rows, Columns>& x) {
  detail::factor turned = x.at;
  turned.transposed = !turned.transposed;
  return {turned, x.kept};
}

// ---- products ---------------------------------------------------------------------------------------------------------------

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
  keep_factor(x.shape, made, x.nodes());
  return {made, false};
}

template <class Left, class Right>
struct sums_of {
  using type = void;
};
template <class Left, class Right>
requires(sizeof(Left) == 1 && sizeof(Right) == 1 && std::is_integral_v<Left> && std::is_integral_v<Right> &&
         !std::is_same_v<Left, bool> && !std::is_same_v<Right, bool>) struct sums_of<Left, Right> {
  using type = std::int32_t;
};
template <class Left, class Right>
requires(is_float_v<Left>&& is_float_v<Right> &&
         (std::is_same_v<Left, Right> || (sizeof(Left) == 1 && sizeof(Right) == 1))) struct sums_of<Left, Right> {
  using type = std::conditional_t<sizeof(Left) == 8, double, float>;
};

template <class Left, int Rows, int Depth, class Right, int Columns>
auto multiply_tiles(const tile_factor<Left, Rows, Depth>& x, const tile_factor<Right, Depth, Columns>& y,
                    const tile<typename sums_of<Left, Right>::type, Rows, Columns>& sum, bool rounds) {
  using sums = typename sums_of<Left, Right>::type;
  static_assert(!std::is_void_v<sums>,
                "krait: products of tiles take two floats of one type, any two floats of 8 bits, or any two integers of 8 bits");
  tile_nodes nodes = sum.nodes();
  multiply({Rows, Columns, Depth, rounds, x.kept && y.kept && in_overlapped_pipeline()}, x.at, y.at, nodes.data(),
           unsigned(nodes.size()));
  return tile<sums, Rows, Columns>(copy_tile(sum.shape, nodes));
}

}  // namespace detail

/// x in shared memory, for several products: `const auto q = kr::staged(kr::load<64, 64>(queries, {i, 0}));`. Its array is written anew each
/// time that this is reached.
template <class Part>
auto staged(const Part& x, detail::location where = detail::location::here()) {
  detail::set_location(where);
  detail::meet();
  const auto made = detail::factor_of(x);
  detail::meet();
  return made;
}

/// How the products of f32 are computed: exactly, or with factors that tensor cores may round to tf32 (10 bits behind the point).
enum class precision : unsigned char { single, tf32 };

/// sum + x * y. Factors are tiles, parts of views (kr::load) and what kr::pipelined gives. Each sum is a chain of fma over ascending k, in
/// f32 (f64 of double, i32 of integers); tensor cores, in native and fast mode, round otherwise (docs/tiles.md has the bound).
template <class Left, class Right, class Sums, int Rows, int Columns>
auto mma(const Left& x, const Right& y, const tile<Sums, Rows, Columns>& sum, precision how = precision::single,
         detail::location where = detail::location::here()) {
  detail::set_location(where);
  constexpr bool in_place = requires { x.kept; }
  &&requires { y.kept; };
  if constexpr (in_place) {
    return detail::multiply_tiles(x, y, sum, how == precision::tf32);
  } else {
    detail::meet();  // the arrays of the last time have been read
    const auto left = detail::factor_of(x);
    const auto right = detail::factor_of(y);
    detail::meet();
    return detail::multiply_tiles(left, right, sum, how == precision::tf32);
  }
}
/// x * y.
template <class Type, int Rows, int Depth, class Other, int Columns, template <class, int, int> class Left,
          template <class, int, int> class Right>
auto mma(const Left<Type, Rows, Depth>& x, const Right<Other, Depth, Columns>& y, precision how = precision::single,
         detail::location where = detail::location::here()) {
  return krait::mma(x, y, tile<typename detail::sums_of<Type, Other>::type, Rows, Columns>(), how, where);
}

namespace detail {

template <class Type, int Rows, int Columns>
struct slots_of {
  static constexpr tile_shape shape = factor_shape<Type, Rows, Columns>();
  slots_of(const tile_source<Type, Rows, Columns>&, int count) : at(make_factor(shape, count)) {}
  void fetch(node slot, const tile_source<Type, Rows, Columns>& from) const { fetch_factor(shape, at, slot, from.at); }
  tile_factor<Type, Rows, Columns> operator[](node slot) const { return {factor_at(shape, at, slot), true}; }
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

/// Steps of which each works on tiles from memory: `loads(step)` gives what a step needs, one kr::load or a std::tuple of some, and
/// `body(step, tiles…)` works with it. Loads run steps ahead, into Slots places in shared memory. Tiles of a step may be factors of kr::mma until
/// the next step's kr::mma; sums that are only added to are complete after the loop.
template <int Slots = 3, class Loads, class Body>
void pipelined(detail::operand steps, const Loads& loads, const Body& body, detail::location where = detail::location::here()) {
  static_assert(Slots >= 2, "krait: a pipeline has two places or more");
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
